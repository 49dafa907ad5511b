// Package bugreport writes what is wrong with one recorded exchange as a report for an issue tracker: what was asked, what came, which
// problems, whose fault with the evidence, and the smallest request that still shows them. A redacted cassette of the exchange goes with
// it.
//
// The report is made of that cassette and not of the tape: it tells nothing that redaction takes out, and whoever has the cassette can
// make the same report. What models, clients and servers said stands in code, where it cannot be markup, links or mentions.
package bugreport
