// Package report prints verdicts, one file a format.
//
// [Text] is what exo's evaluator prints, to the character, and [JSON] its result file with one more key. Everything else there is to
// say (streamed answers, missing ones) stands where exo's own format has room and only when it occurs.
//
// The formats for CI systems, [JUnit], [Markdown] and [GitHub], are made from a [Report], which every suite's result can be brought into.
// What models and servers said is in them as text: it can be no markup, link, mention, terminal control or workflow command.
package report
