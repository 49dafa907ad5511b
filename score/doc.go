// Package score holds what all suites share: verdicts, the run file, and the digests that make a verdict provable.
//
// A suite asks a model questions over HTTP and judges the answers. Its samples give verdicts; a run file carries them
// together with the digests of the recording, of the rules and of the data. The same three digests give the same verdicts,
// byte for byte, on every machine. The suites are in the packages below this one; how verdicts are printed is in score/report.
package score
