package tape

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

const (
	// maxLog is how large the write-ahead log may grow before writing waits for it to be emptied.
	maxLog = 64 << 20
	// minLog is how large it may grow on a tape that has to be small.
	minLog = 4 << 20
	// checkpointShare: a checkpoint follows when about so large a share of that has been written.
	checkpointShare = 8
)

// checkpoints carries what is in the write-ahead log over into the tape proper. It waits for the disk, for a tenth of a second and more when that
// is busy. So it is done on a connection of its own, beside the writing; the log then starts anew at the first moment at which nothing
// has been added meanwhile. Under a load that leaves no such moment the writer brings it about.
//
// A log that starts anew is cut down to the size at which checkpoints are due.
type checkpoints struct {
	most    int64 // how large the log may grow; at most maxLog
	written int64 // about so many bytes since the last one; the writer's
	shrunk  bool  // pages have been given back, which a checkpoint of the whole log carries out; the writer's
	busy    atomic.Bool
	log     atomic.Int64 // bytes in the log after the last one
	running sync.WaitGroup
}

// checkpoint starts a checkpoint when there is enough for one, n more bytes having been written.
func (w *writer) checkpoint(n int64) {
	c := &w.checkpoints
	c.written += n
	if c.written < c.most/checkpointShare || c.busy.Load() {
		return
	}
	c.written = 0
	if c.log.Load() > c.most {
		w.runCheckpoint(w.conn)
		return
	}
	c.busy.Store(true)
	c.running.Go(func() {
		defer c.busy.Store(false)
		w.runCheckpoint(w.db)
	})
}

// runCheckpoint does a checkpoint that hinders nobody. Should it fail, the log is longer until the next one.
func (w *writer) runCheckpoint(db queryer) {
	var blocked bool
	var frames, done int64
	if err := db.QueryRowContext(w.ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&blocked, &frames, &done); err == nil {
		w.checkpoints.log.Store(frames * w.pageSize)
	}
}

// limitLog sets how large the log may grow.
func (w *writer) limitLog(most int64) error {
	w.checkpoints.most = most
	var set int64
	return w.conn.QueryRowContext(w.ctx, fmt.Sprintf("PRAGMA journal_size_limit = %d", most/checkpointShare)).Scan(&set)
}

// shortenLog has a log that is longer than it need be, or that holds back pages which have been given back, cut down while there is nothing to
// write: first by a checkpoint beside the writing, then, when all of it is in the tape proper, at once. Readers that still need the log are not
// waited for.
func (w *writer) shortenLog() {
	c := &w.checkpoints
	info, err := os.Stat(w.path + "-wal")
	if err != nil || info.Size() <= c.most/checkpointShare && !c.shrunk || c.busy.Load() {
		return
	}
	if c.written > 0 {
		w.checkpoint(c.most)
		return
	}
	_ = w.conn.Raw(func(any) error {
		_, err := w.stmt.impatient.number()
		if err == nil {
			var blocked int64
			if blocked, err = w.stmt.truncateLog.number(); blocked == 0 {
				c.shrunk = false
			}
		}
		_, again := w.stmt.patient.number()
		return errors.Join(err, again)
	})
}
