//go:build !linux

package doctor

// lockedBy would name the process that holds the lock on a file; this system does not tell.
func lockedBy(string) string { return "" }
