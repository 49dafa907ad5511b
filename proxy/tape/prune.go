package tape

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"time"
)

// PruneOptions say what [Prune] removes: of the exchanges that Session, Before and Ended ask for, those that exceed Keep, or all when Keep
// limits nothing. Zero values do not restrict.
type PruneOptions struct {
	Session string
	// Before restricts to exchanges that started before it.
	Before time.Time
	Ended  []Ended
	Keep   Retention
	// DryRun has nothing removed: only what would be is told, sizes by estimate. It may be asked for while a recorder is at work.
	DryRun bool
	// Now is the clock that tells what is too old; [time.Now] when nil.
	Now func() time.Time
}

// Pruned says what has been removed from a tape.
type Pruned struct {
	Exchanges int64
	// Sessions is how many had no other exchanges and went with them.
	Sessions int64
	// StoredBytes is what the bodies took that nothing refers to any more.
	StoredBytes int64
	// Before and After are the size of the tape, with the write-ahead log beside it.
	Before, After int64
}

// Prune removes exchanges from the tape at path, and gives the space they took back to the file system. It works on a tape that is not being
// recorded: otherwise the error is [ErrBusy], and [RecorderOptions.Keep] is the way. When a size cannot be kept to, what may go is
// removed and the error is [ErrOverLimit]. When ctx ends, what has been removed by then stays so.
func Prune(ctx context.Context, path string, o PruneOptions) (Pruned, error) {
	if o.Session == "" && o.Before.IsZero() && len(o.Ended) == 0 && o.Keep.none() {
		return Pruned{}, &Error{Op: "pruning", Path: path, Err: ErrPruneAll, Hint: "name a size, an age, a session, a time or an ending; or remove the file"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.DryRun {
		pruned, err := wouldPrune(ctx, path, o)
		return pruned, failure("pruning", path, err)
	}
	before := fileBytes(path)
	var pruned Pruned
	var unmet error
	err := workOn(ctx, path, "pruning", func(w *writer) error {
		p, err := newOfflinePruner(ctx, w, o)
		if err != nil {
			return err
		}
		p.begin()
		for more := true; more && err == nil; {
			if err = ctx.Err(); err != nil {
				break
			}
			written := p.written
			more, err = p.step(offlineStep)
			w.checkpoint(p.written - written)
		}
		pruned = p.removed
		if p.unmet {
			unmet = p.overLimit()
		}
		return errors.Join(err, p.close())
	})
	pruned.Before, pruned.After = before, fileBytes(path)
	if err == nil {
		err = unmet
	}
	return pruned, err
}

// offlineStep is how long a step takes when nobody waits for it: long enough that transactions cost nothing, short enough for a log of
// bounded size.
const offlineStep = 100 * time.Millisecond

func newOfflinePruner(ctx context.Context, w *writer, o PruneOptions) (*pruner, error) {
	which, err := o.selection(ctx, w.db)
	if err != nil {
		return nil, err
	}
	p := &pruner{w: w, which: which, keep: o.Keep, now: o.Now, spare: math.MaxInt64}
	if o.Keep.MaxBytes > 0 {
		p.limit = max(o.Keep.MaxBytes/w.pageSize, 1)
		p.low = p.limit
	}
	return p, p.prepare()
}

// selection looks up what o names.
func (o PruneOptions) selection(ctx context.Context, db queryer) (s selection, err error) {
	s.ended = o.Ended
	if !o.Before.IsZero() {
		s.before = o.Before.UnixNano()
	}
	if o.Session == "" {
		return s, nil
	}
	err = db.QueryRowContext(ctx, `SELECT id FROM sessions WHERE name = ?`, o.Session).Scan(&s.session)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %s", ErrNoSession, o.Session)
	}
	return s, err
}

// workOn has f change the tape at path, as its only writer.
func workOn(ctx context.Context, path, op string, f func(w *writer) error) (err error) {
	if _, err := os.Stat(path); err != nil {
		return failure(op, path, err)
	}
	lock, err := lockTape(ctx, path)
	if errors.Is(err, ErrBusy) {
		return &Error{Op: op, Path: path, Err: ErrBusy, Hint: "stop that recorder first"}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlockTape(lock)) }()
	w, err := openWriter(ctx, path, 0)
	if err != nil {
		return failure(op, path, err)
	}
	err = f(w)
	return failure(op, path, errors.Join(err, w.close(time.Time{})))
}
