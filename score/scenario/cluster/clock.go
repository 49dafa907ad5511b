package cluster

import (
	"context"
	"sync"
	"time"
)

// Clock is a clock on which time passes only while somebody sleeps, and sleeping takes no time. A run that is answered from a tape
// goes by it: what was waited for has long come. The zero value is ready for use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep lets d pass.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}
