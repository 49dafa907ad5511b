package main

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// readingPatience is how long reading a tape may take before it is shown how far it has come.
const readingPatience = time.Second

// showReading returns src so that a terminal shows how far going through its exchanges has come, for commands that print only afterwards.
func (e env) showReading(src cassette.Source) cassette.Source {
	if t, ok := src.(*tape.Tape); ok && isTerminal(e.stderr) {
		return &shownTape{t, e.stderr, readingPatience}
	}
	return src
}

// shownTape is a tape with a bar for each time that its exchanges are gone through.
type shownTape struct {
	*tape.Tape
	w        io.Writer
	patience time.Duration
}

// Exchanges is that of the tape.
func (t *shownTape) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		var bar *progressbar.ProgressBar
		defer func() {
			if bar != nil {
				_ = bar.Clear()
			}
		}()
		started, done := time.Now(), 0
		for x, err := range t.Tape.Exchanges(ctx, q) {
			if done++; bar == nil && time.Since(started) >= t.patience {
				bar = progressbar.NewOptions64(t.count(ctx, q), progressbar.OptionSetWriter(t.w), progressbar.OptionSetDescription("reading exchanges"),
					progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond))
			}
			if bar != nil {
				_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// count returns how many exchanges there are at most; -1 when that is not known.
func (t *shownTape) count(ctx context.Context, q tape.Query) int64 {
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return -1
	}
	n := int64(0)
	for _, s := range sessions {
		if q.Session == "" || q.Session == s.Name {
			n += s.Exchanges
		}
	}
	return n
}
