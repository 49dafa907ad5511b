package thread

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// Tap is a recording that finds conversations in what somebody else reads of it, so that a recording of which more is asked than its
// conversations is read once. It holds what is read ahead of an exchange that is still being read, and so no more than the reader does.
type Tap struct {
	Source
	query tape.Query

	mu      sync.Mutex
	grouper Grouper
	waiting []*tapped // in recorded order, from the first that is not read yet
	reading map[*tape.Exchange]*tapped
}

// tapped is an exchange that was handed out. x is nil until it has been read.
type tapped struct{ x *reading.Exchange }

var _ reading.Reader = (*Tap)(nil)

// NewTap returns src with a tap for the conversations among the model calls that q asks for. Who reads from it goes once through exchanges of
// which those are a part, in recorded order, and has each model call read by [reading.Of], by any number of goroutines.
func NewTap(src Source, q tape.Query) *Tap {
	return &Tap{Source: src, query: q, reading: make(map[*tape.Exchange]*tapped)}
}

// Exchanges is that of the recording.
func (t *Tap) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for x, err := range t.Source.Exchanges(ctx, q) {
			if err == nil && x.Facts.API.Model() && t.query.Matches(x) {
				t.expect(x)
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

func (t *Tap) expect(x *tape.Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := new(tapped)
	t.waiting = append(t.waiting, one)
	t.reading[x] = one
}

// Read reads an exchange.
func (t *Tap) Read(ctx context.Context, x *tape.Exchange) (*reading.Exchange, error) {
	r, err := reading.Of(ctx, t.Source, x)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.reading[x]; one != nil {
		delete(t.reading, x)
		one.x = r
	}
	for len(t.waiting) > 0 && t.waiting[0].x != nil {
		t.grouper.Add(t.waiting[0].x)
		t.waiting[0] = nil
		t.waiting = t.waiting[1:]
	}
	return r, nil
}

// Threads returns the conversations, by their first exchange, once all has been read.
func (t *Tap) Threads() ([]*Thread, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.waiting); n > 0 {
		return nil, fmt.Errorf("%d exchanges were not read to their end", n)
	}
	return t.grouper.Threads(), nil
}
