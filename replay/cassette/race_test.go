//go:build race

package cassette_test

// raceDetector says that the race detector runs, which slows everything down so much that a part of a test has to do.
const raceDetector = true
