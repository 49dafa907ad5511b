// Package fault finds out whose fault it is that a sample failed: the model's, which answered wrongly, or that of the server or of an
// API's adapter, which lost or bent a right answer.
//
// It joins what a suite knows with what needs no expected answer: each exchange behind a failed sample is judged by package conformance.
// Where an exchange is at fault, the sample's fault is that exchange's. Where all of them are as they should be, the answer arrived as it
// was given, and the model was wrong. A suite that asks the same in several ways, through several APIs or streamed and whole, tells more:
// what passes in one way and fails in another was lost on the way.
package fault
