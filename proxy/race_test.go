//go:build race

package proxy

// raceDetector says that the race detector runs, which keeps several bytes of its own for each byte of the process.
const raceDetector = true
