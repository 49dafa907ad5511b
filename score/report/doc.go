// Package report prints verdicts, one file a format.
//
// [Text] is what exo's evaluator prints, to the character, and [JSON] its result file with one more key. Everything else there is to
// say (streamed answers, missing ones) stands where exo's own format has room and only when it occurs.
package report
