// Package markup knows the markup in which models write tool calls, reasoning and turns. A server's output parser is to turn it into the
// structure of an API's answer; what is left of it in an answer tells that it did not.
//
// [Markers] finds such markup, [OutsideCode] leaves out what only quotes it, and [Calls] reads the calls that were meant, one parser for
// each family of models in [Families]. [Strip] and [WithoutReasoning] take out of a text what a parser should have taken out.
//
// Everything is read and nothing executed. All functions take time in proportion to the text.
package markup
