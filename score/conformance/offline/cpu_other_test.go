//go:build !unix

package offline_test

import "time"

var started = time.Now()

// cpuTime returns wall time, where the system does not tell the processor time.
func cpuTime() time.Duration { return time.Since(started) }
