//go:build unix

package offline_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time this process has used. A benchmark that is measured with it does not count the time in which
// other programs had the processor.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
