package tape

import (
	"fmt"
	"os"
	"time"
)

// Retention says how much a tape keeps. Zero values do not limit.
//
// The oldest exchanges go first, by when they started, and always whole; one in flight never goes. A body goes with the last exchange
// that has it, and a session with its last exchange, unless it is being recorded.
type Retention struct {
	// MaxBytes is how large the tape may get: its file together with the write-ahead log beside it. A burst may exceed it for a moment,
	// until the log has been folded in. The newest exchange stays however large it is; that the tape is too large then is [ErrOverLimit].
	MaxBytes int64
	// MaxAge is how long ago an exchange may have started.
	MaxAge time.Duration
}

// minKept is the least MaxBytes of a recorder: an empty tape and a log that is worth having.
const minKept = 16 << 20

// Check returns an error when a recorder cannot keep to k.
func (k Retention) Check() error {
	switch {
	case k.MaxBytes < 0 || k.MaxBytes > 0 && k.MaxBytes < minKept:
		return fmt.Errorf("a tape cannot be kept to %d bytes while it is recorded; allow %d MiB or more", k.MaxBytes, minKept>>20)
	case k.MaxAge < 0:
		return fmt.Errorf("exchanges cannot be kept for %v", k.MaxAge)
	}
	return nil
}

// none reports whether nothing is limited.
func (k Retention) none() bool { return k == Retention{} }

// log returns how much of MaxBytes is left to the write-ahead log.
func (k Retention) log() int64 {
	if k.MaxBytes == 0 {
		return maxLog
	}
	return max(min(k.MaxBytes/8, maxLog), minLog)
}

const (
	// pruneStep is about how long recording waits for one step of pruning, and prunePause how long pruning waits before the next one, should
	// there be nothing to write meanwhile.
	pruneStep  = 5 * time.Millisecond
	prunePause = 5 * time.Millisecond
	// pruneEvery is how long after a pass the next one begins.
	pruneEvery = 250 * time.Millisecond
)

// prune takes a step, when one is due, and returns after what time it is to be called again.
func (r *Recorder) prune(w *writer) time.Duration {
	p := r.pruner
	if p.pass == passed {
		if time.Since(p.ended) < pruneEvery {
			return pruneEvery
		}
		p.begin()
	}
	before := p.progress
	start := time.Now()
	more, err := p.step(pruneStep)
	if err != nil {
		p.pass = passed // to begin anew
	}
	r.pruned.Add(p.removed.Exchanges - before.removed.Exchanges)
	r.freed.Add(p.removed.StoredBytes - before.removed.StoredBytes)
	w.checkpoint(p.written - before.written)
	r.held.Store(max(r.held.Load(), int64(time.Since(start))))
	if more && err == nil {
		return prunePause
	}
	p.ended = time.Now()
	if err == nil && p.unmet {
		err = p.overLimit()
	}
	r.notePruning(failure("pruning", r.path, err))
	return pruneEvery
}

// notePruning tells how a pass ended, when the one before ended otherwise.
func (r *Recorder) notePruning(err error) {
	said := r.pruner.said
	r.pruner.said = err
	if err != nil && (said == nil || said.Error() != err.Error()) && r.warn != nil {
		r.warn(err)
	}
}

// fileBytes returns the size of the tape at path with its write-ahead log.
func fileBytes(path string) (n int64) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}
