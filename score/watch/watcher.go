// Package watch judges exchanges while they are recorded, from the tape they get on.
//
// It keeps out of the way of traffic: a [Watcher] is told of an exchange without ever waiting, judges one at a time, and lets go of what
// comes faster than it can judge, counting it. Nor does an answer of many megabytes hold up its end: see [Watcher.Stop].
//
// Answers to the same question are compared with each other, as `score conformance` does on the tape. What that brings up is told of the
// exchange that has it, which may have been judged long before. Both find the same problems, but for this: here only answers of this
// watcher's time are compared, in the order in which they ended; and what was told stays told, even when a later answer takes it back
// (see [pairs.Pairs]) or shows that another side is at fault.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

const (
	// backlog is how many exchanges may wait to be judged.
	backlog = 4096
	// pause is how long to wait before looking again for an exchange that is not on the tape yet; a recorder writes every 10 ms.
	pause = 20 * time.Millisecond
	// patience is how long an exchange may take to get on the tape.
	patience = 5 * time.Second
)

// Source hands out exchanges that are on the tape. [tape.Tape] is one.
type Source interface {
	Exchange(ctx context.Context, ref tape.Ref) (*tape.Exchange, error)
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Totals say what a watcher has seen.
type Totals struct {
	// Judged counts exchanges, Failing those of them that have an error.
	Judged, Failing int
	// Dropped counts model calls that were not judged because too many were waiting, or because there was no time left for them.
	Dropped int
	// Unread counts those that could not be read from the tape, or not once more to be compared; LastError says why of the last of them.
	Unread    int
	LastError error
	// Problems counts exchanges by problem.
	Problems map[string]int
}

// Watcher judges exchanges as they end. Its methods may be called from several goroutines.
type Watcher struct {
	src   Source
	judge *conformance.Judge
	tell  func(*conformance.Report)

	queue   chan tape.Ref
	closing chan struct{}
	stop    sync.Once
	done    chan struct{}
	cancel  context.CancelFunc

	pairs pairs.Pairs // of run alone

	mu     sync.Mutex // guards totals
	totals Totals
}

// Start starts watching. tell is called with the report of each exchange, with problems or without, one at a time; and when a later answer
// brings up more problems of it, with a report that has only these. [Watcher.Stop] must be called; when ctx
// is done nothing is judged any more.
func Start(ctx context.Context, src Source, judge *conformance.Judge, tell func(*conformance.Report)) *Watcher {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{
		src:     src,
		judge:   judge,
		tell:    tell,
		queue:   make(chan tape.Ref, backlog),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
		cancel:  cancel,
		totals:  Totals{Problems: make(map[string]int)},
	}
	go func() {
		defer close(w.done)
		w.run(ctx)
	}()
	return w
}

// Ended takes an exchange that has ended; those that are no model calls do not count. It never blocks, so it can be a part of a proxy's
// OnEnd.
func (w *Watcher) Ended(ev record.Event) {
	if !ev.API.Model() {
		return
	}
	select {
	case w.queue <- ev.Ref:
	default:
		w.count(func(t *Totals) { t.Dropped++ })
	}
}

// Totals returns what was seen so far.
func (w *Watcher) Totals() Totals {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.totals
	t.Problems = maps.Clone(t.Problems)
	return t
}

// Stop judges what is waiting, for as long as limit, and returns what was seen in all. Whatever is still waiting then is dropped, and so is
// the exchange that is being judged: its judgement cannot be interrupted, so that it is left to come to its end without anybody waiting.
func (w *Watcher) Stop(limit time.Duration) Totals {
	w.stop.Do(func() { close(w.closing) })
	late := time.AfterFunc(limit, w.cancel)
	<-w.done
	late.Stop()
	w.cancel()
	return w.Totals()
}

func (w *Watcher) count(change func(*Totals)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.totals)
}

func (w *Watcher) run(ctx context.Context) {
	for open := true; open; {
		select {
		case ref := <-w.queue:
			w.look(ctx, ref)
		case <-w.closing:
			open = false
		}
	}
	for len(w.queue) > 0 {
		w.look(ctx, <-w.queue)
	}
}

// look judges one exchange, and compares it with those before it, unless there is no time left.
func (w *Watcher) look(ctx context.Context, ref tape.Ref) {
	if ctx.Err() != nil {
		w.count(func(t *Totals) { t.Dropped++ })
		return
	}
	x, r, err := w.judged(ctx, func() (*reading.Exchange, error) { return w.read(ctx, ref) })
	switch {
	case err != nil && ctx.Err() != nil:
		w.count(func(t *Totals) { t.Dropped++ })
		return
	case err != nil:
		w.count(func(t *Totals) { t.Unread++; t.LastError = err })
		return
	case r == nil:
		return
	}
	own, others := w.pairs.Tell(pairs.AnswerOf(x, r))
	w.judge.Apply(r, own)
	w.count(func(t *Totals) { t.Judged++ })
	w.report(r, r.Failing())
	for _, c := range others {
		w.again(ctx, c)
	}
}

// report counts the problems of a report and tells it. failing says that they make the exchange one that fails.
func (w *Watcher) report(r *conformance.Report, failing bool) {
	w.count(func(t *Totals) {
		if failing {
			t.Failing++
		}
		for _, p := range r.Problems {
			t.Problems[p.Code]++
		}
	})
	w.tell(r)
}

// again tells what a later answer brought up about an exchange. It is read and judged once more, since nobody keeps its report.
func (w *Watcher) again(ctx context.Context, c pairs.Change) {
	_, r, err := w.judged(ctx, func() (*reading.Exchange, error) {
		x, err := w.src.Exchange(ctx, c.Ref)
		if err != nil {
			return nil, err
		}
		return reading.Of(ctx, w.src, x)
	})
	if err != nil {
		w.count(func(t *Totals) {
			t.Unread++
			t.LastError = fmt.Errorf("comparing %s/%d with a later answer: %w", c.Ref.Session, c.Ref.Seq, err)
		})
		return
	}
	w.judge.Apply(r, c.Before)
	known, failing := slices.Clone(r.Problems), r.Failing()
	w.judge.Apply(r, c.New)
	r.Problems = slices.DeleteFunc(r.Problems, func(p conformance.Problem) bool {
		return slices.ContainsFunc(known, func(k conformance.Problem) bool { return k.Code == p.Code })
	})
	if len(r.Problems) > 0 { // the rules may leave out what is new
		w.report(r, !failing && r.Failing())
	}
}

// judged reads an exchange and judges it, which gives no report of what is no model call. When ctx is done it returns at once with the reason:
// to read and judge an answer of many megabytes takes a while in which nothing asks whether it is still wanted. That goes on by itself
// then, and nobody hears of it.
func (w *Watcher) judged(ctx context.Context, read func() (*reading.Exchange, error)) (*reading.Exchange, *conformance.Report, error) {
	type judgement struct {
		x   *reading.Exchange
		r   *conformance.Report
		err error
	}
	done := make(chan judgement, 1)
	go func() {
		var j judgement
		if j.x, j.err = read(); j.err == nil {
			j.r = w.judge.Exchange(j.x)
		}
		done <- j
	}()
	select {
	case j := <-done:
		return j.x, j.r, j.err
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// errLate: the recorder did not put the exchange on the tape.
var errLate = errors.New("it did not get on the tape in time")

// read reads an exchange once it is on the tape with its end.
func (w *Watcher) read(ctx context.Context, ref tape.Ref) (*reading.Exchange, error) {
	for waited := time.Duration(0); ; waited += pause {
		x, err := w.src.Exchange(ctx, ref)
		switch {
		case err == nil && x.Ended != tape.InFlight:
			return reading.Of(ctx, w.src, x)
		case err != nil && !errors.Is(err, tape.ErrNoExchange):
			return nil, err
		case waited >= patience:
			return nil, errLate
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
