//go:build !race

package tape

const raceDetector = false
