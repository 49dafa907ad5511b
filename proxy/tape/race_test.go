//go:build race

package tape

// raceDetector says that the race detector runs, which slows everything down so much that times tell nothing, and that a part of a
// test has to do.
const raceDetector = true
