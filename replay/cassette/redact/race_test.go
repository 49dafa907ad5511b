//go:build race

package redact

// raceDetector says that the race detector runs, which slows everything down so much that a part of a test has to do.
const raceDetector = true
