package tape

import (
	"sync"
	"sync/atomic"
)

const (
	// checkpointEvery is about how many written bytes are followed by a checkpoint.
	checkpointEvery = 8 << 20
	// maxLog is how large the write-ahead log may grow before writing waits for it to be emptied.
	maxLog = 64 << 20
)

// checkpoints carries what is in the write-ahead log over into the tape proper. It waits for the disk, for a tenth of a second and more when that
// is busy. So it is done on a connection of its own, beside the writing; the log then starts anew at the first moment at which nothing
// has been added meanwhile. Under a load that leaves no such moment the writer brings it about.
type checkpoints struct {
	written int64 // about so many bytes since the last one; the writer's
	busy    atomic.Bool
	log     atomic.Int64 // bytes in the log after the last one
	running sync.WaitGroup
}

// checkpoint starts a checkpoint when there is enough for one, n more bytes having been written.
func (w *writer) checkpoint(n int64) {
	c := &w.checkpoints
	c.written += n
	if c.written < checkpointEvery || c.busy.Load() {
		return
	}
	c.written = 0
	if c.log.Load() > maxLog {
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
		w.checkpoints.log.Store(frames * pageSize)
	}
}
