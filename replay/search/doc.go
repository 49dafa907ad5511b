// Package search finds text and facts in recorded exchanges.
//
// A model call is searched by what it means, not by its bytes: system text, messages, tools and their arguments, options, and the answer with
// the pieces of its stream joined, so that a word is found however the stream cut or escaped it. Each [Hit] says where in the exchange it
// is; for a streamed answer also which event brought it. Any other exchange is searched by its bodies, when they are text.
// Encoded pictures are not searched.
//
// [Filter] restricts to exchanges by their facts. What is wrong with an exchange is not told here: that is judged by package conformance,
// below score.
package search
