// Package scenario asks a model exo's tool-call scenarios and judges the answers by exo's rules.
//
// A scenario is a short conversation with tools, and what the model should do next: call a certain tool with certain arguments, or
// answer in text. [Parse] reads a file of them in the format of exo's own evaluator. A [Suite] asks each of them through each API
// that exo speaks and gives a verdict for each phase: the first answer, and where the tool's result is known, what the model says to it.
//
// Requests, checks and error texts are those of exo's evaluator, to the byte. Two things are not: where that evaluator ends with an
// exception because of one odd answer, here the answer is a failed result that says what was odd, and the run goes on; and results
// come in the order of the samples, not of their completion.
//
// An answer is read as what its Content-Type says, not as what was asked for: a recording of another client may hold the stream of what is
// asked as a whole here. A stream that reports an error or lacks its end marker is a failed result, and so is every answer that did not
// come to its end, whoever is to blame: its error says which end it was. Only an answer that the recording does not have is no result
// at all ([github.com/exodeck/exodeck/score.Missing]).
//
// The suite knows nothing of tapes. It asks through an [net/http.RoundTripper]: one that records, or one that answers from a tape.
package scenario
