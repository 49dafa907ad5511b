package tape

import (
	"sync"
	"time"
)

// CommitLimits are the limits of the counters in [CommitTimes].
var CommitLimits = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
}

// CommitTimes says how long a recorder took to write batches of exchanges, each from the start of its transaction to the end of its
// commit. Batches that could not be written are left out.
type CommitTimes struct {
	Count int64
	Total time.Duration
	// Within counts the batches that took no longer than each of [CommitLimits].
	Within [len(CommitLimits)]int64
}

// CommitTimes returns how long commits have taken since the recorder was opened.
func (r *Recorder) CommitTimes() CommitTimes { return r.commits.get() }

// commitTimes gathers [CommitTimes].
type commitTimes struct {
	mu    sync.Mutex
	times CommitTimes
}

func (c *commitTimes) add(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times.Count++
	c.times.Total += took
	for i, limit := range CommitLimits {
		if took <= limit {
			c.times.Within[i]++
		}
	}
}

func (c *commitTimes) get() CommitTimes {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.times
}
