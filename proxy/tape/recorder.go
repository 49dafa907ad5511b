package tape

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/semaphore"
)

const (
	// batchDelay is how long a batch waits for more to write together with its first exchange.
	batchDelay = 10 * time.Millisecond
	// maxBatch is how many exchanges make a batch go at once.
	maxBatch = 256
	// maxQueued bounds the bytes that wait to be written.
	maxQueued = 32 << 20
	// queuedOverhead is what a queued exchange is taken to need beside its bodies.
	queuedOverhead = 2 << 10
	// defaultMaxWait is RecorderOptions.MaxWait when that is zero.
	defaultMaxWait = 2 * time.Second
)

// Recorder is the one writer of a tape. Its methods may be called from several goroutines.
//
// What the callers hand in goes through two stages, each a goroutine: the first gathers what came within [batchDelay] into a
// batch, computes digests and compresses; the second writes the batch in one transaction. So no caller waits for
// the disk, unless more bytes are waiting than the recorder is willing to hold.
//
// A batch that cannot be written is given up, and the exchanges in it count as unrecorded. The recorder goes on
// with the next batch: the disk may have room again.
type Recorder struct {
	path    string
	lock    *flock.Flock
	maxWait time.Duration
	now     func() time.Time
	warn    func(error)
	pruner  *pruner // nil when all is kept

	ctx    context.Context // ends the waiting of callers; is over when the recorder is closed
	cancel context.CancelFunc
	room   *semaphore.Weighted // of maxQueued bytes
	free   buffers
	stages sync.WaitGroup

	wake  chan struct{} // there is something to write
	hurry chan struct{} // and somebody waits for it

	mu     sync.Mutex
	queue  []*Recording // each at most once
	calls  []*call
	closed bool
	err    error // the last failure
	unsaid error // the last failure that no Sync has reported

	closing sync.Once
	closeAs error // what Close returns

	commits                         commitTimes
	committed, inFlight, unrecorded atomic.Int64
	queuedBytes, bodyBytes, stored  atomic.Int64
	pruned, freed, held             atomic.Int64
}

// RecorderOptions are choices a recorder leaves to its caller. The zero value is ready for use.
type RecorderOptions struct {
	// MaxWait is how long a call may wait for the disk before its exchange is given up; 2 s when zero.
	MaxWait time.Duration
	// MaxSize limits the tape to so many bytes; more fails as on a full disk. There is no limit when zero.
	MaxSize int64
	// Keep says how much the tape keeps; what exceeds it is pruned while recording goes on.
	Keep Retention
	// Warn is told of what a person should know although nothing went unrecorded: that Keep cannot be kept to, or that pruning failed.
	// Each is told once, until it is over. It must not block; nobody is told when nil.
	Warn func(error)
	// Now is the clock that dates sessions and tells what is too old; [time.Now] when nil.
	Now func() time.Time
}

// Stats counts what a recorder has done since it was opened.
type Stats struct {
	Committed   int64 // exchanges on the tape, whole
	InFlight    int64 // exchanges begun and not ended
	Unrecorded  int64 // exchanges that took place and are not on the tape whole
	Queued      int64 // exchanges with something that waits to be written
	QueuedBytes int64 // bytes that wait to be written
	BodyBytes   int64 // body bytes recorded, as they went over the wire
	StoredBytes int64 // bytes they took on the tape, each body once
	Pruned      int64 // exchanges removed to keep to [RecorderOptions.Keep]
	PrunedBytes int64 // bytes that their bodies took on the tape
	// PruneHeld is the longest that recording was held up by pruning.
	PruneHeld time.Duration
	FileBytes int64 // size of the tape, with the write-ahead log beside it
	LastError error // the most recent failure, nil when there was none
}

// call is work for the writer that is not an exchange.
type call struct {
	run  func(w *writer) error // in a transaction of its own; nil for none
	done chan error            // of capacity 1
}

// OpenRecorder opens the tape at path for writing and creates it when there is none. A tape with an older schema is migrated.
// Exchanges that an earlier recorder left unfinished are marked [Interrupted]. While another recorder has the tape, the error is [ErrBusy].
//
// The context is for the opening alone.
func OpenRecorder(ctx context.Context, path string, o RecorderOptions) (*Recorder, error) {
	if err := o.Keep.Check(); err != nil {
		return nil, failure("recording on", path, err)
	}
	lock, err := lockTape(ctx, path)
	if err != nil {
		return nil, err
	}
	w, err := openWriter(ctx, path, o.MaxSize)
	if err != nil {
		return nil, errors.Join(failure("recording on", path, err), unlockTape(lock))
	}
	r := &Recorder{
		path: path, lock: lock, maxWait: o.MaxWait, now: o.Now, warn: o.Warn,
		room: semaphore.NewWeighted(maxQueued), free: w.packer.buffers,
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
	}
	if r.maxWait == 0 {
		r.maxWait = defaultMaxWait
	}
	if r.now == nil {
		r.now = time.Now
	}
	if !o.Keep.none() {
		if r.pruner, err = newPruner(w, o.Keep, r.now); err != nil {
			return nil, errors.Join(failure("recording on", path, err), w.shut(), unlockTape(lock))
		}
	}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	batches := make(chan *batch)
	r.stages.Go(func() {
		defer close(batches)
		r.gather(w, batches)
	})
	r.stages.Go(func() { r.write(w, batches) })
	return r, nil
}

// StartSession starts a session. Its Name and Started are filled in when they are empty.
func (r *Recorder) StartSession(ctx context.Context, s Session) (*SessionRecorder, error) {
	if s.Started.IsZero() {
		s.Started = r.now()
	}
	s.Started = s.Started.UTC().Round(0)
	if s.Name == "" {
		s.Name = s.Started.Format("20060102T150405Z-") + strings.ToLower(rand.Text()[:6])
	}
	s.Labels = validLabels(s.Labels)
	sr := &SessionRecorder{rec: r, session: s}
	if err := r.call(ctx, func(w *writer) error { return w.startSession(sr) }); err != nil {
		return nil, failure("starting a session on", r.path, err)
	}
	return sr, nil
}

// Sync waits until all that was handed in so far is on the tape. What had to be given up since the last Sync is an error.
func (r *Recorder) Sync(ctx context.Context) error {
	if err := r.call(ctx, nil); err != nil {
		return failure("writing", r.path, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.unsaid
	r.unsaid = nil
	return err
}

// Stats returns the counters of the recorder.
func (r *Recorder) Stats() Stats {
	file := fileBytes(r.path)
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stats{
		Committed:   r.committed.Load(),
		InFlight:    r.inFlight.Load(),
		Unrecorded:  r.unrecorded.Load(),
		Queued:      int64(len(r.queue)),
		QueuedBytes: r.queuedBytes.Load(),
		BodyBytes:   r.bodyBytes.Load(),
		StoredBytes: r.stored.Load(),
		Pruned:      r.pruned.Load(),
		PrunedBytes: r.freed.Load(),
		PruneHeld:   time.Duration(r.held.Load()),
		FileBytes:   file,
		LastError:   r.err,
	}
}

// Close writes what is left, ends the sessions, closes the tape and lets go of it. Exchanges that have not ended are marked
// [Interrupted]. It returns an error when anything went unrecorded.
func (r *Recorder) Close() error {
	r.closing.Do(func() {
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		signal(r.wake)
		r.stages.Wait()
		r.cancel()
		r.closeAs = errors.Join(r.closeAs, unlockTape(r.lock))
		if n := r.unrecorded.Load(); n > 0 {
			r.closeAs = errors.Join(&Error{Op: "recording on", Path: r.path,
				Err: fmt.Errorf("%d of %d exchanges are not on the tape whole; the last error: %w", n, n+r.committed.Load(), r.err)}, r.closeAs)
		}
	})
	return r.closeAs
}

// call has the writer run f and waits for it.
func (r *Recorder) call(ctx context.Context, f func(w *writer) error) error {
	c := &call{run: f, done: make(chan error, 1)}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return ErrClosed
	}
	r.calls = append(r.calls, c)
	r.mu.Unlock()
	signal(r.wake)
	signal(r.hurry)
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue has x written with the next batch. It reports whether the recorder is open.
func (r *Recorder) enqueue(x *Recording, hurry bool) bool {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return false
	}
	r.queue = append(r.queue, x)
	n := len(r.queue)
	r.mu.Unlock()
	if n == 1 {
		signal(r.wake)
	}
	if hurry || n == maxBatch {
		signal(r.hurry)
	}
	return true
}

// reserve waits until n more bytes may be queued, for no longer than the recorder makes its callers wait.
func (r *Recorder) reserve(n int64) error {
	if !r.room.TryAcquire(n) {
		signal(r.hurry)
		ctx, cancel := context.WithTimeout(r.ctx, r.maxWait)
		defer cancel()
		if err := r.room.Acquire(ctx, n); err != nil {
			if r.ctx.Err() != nil {
				return ErrClosed
			}
			return fmt.Errorf("%w: %d MiB wait to be written, for %v no more were taken", ErrSlow, maxQueued>>20, r.maxWait)
		}
	}
	r.queuedBytes.Add(n)
	return nil
}

// release gives back what reserve gave.
func (r *Recorder) release(n int64) {
	r.queuedBytes.Add(-n)
	r.room.Release(n)
}

// failed notes a failure for Stats and for the next Sync.
func (r *Recorder) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err, r.unsaid = err, err
}

// signal leaves a token in a channel of capacity 1.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
