package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/exodeck/exodeck/proxy/admin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/watch"
)

// watchLimit is how long the end of recording waits for the judgement of what has just been recorded.
const watchLimit = 10 * time.Second

// watched tells what is wrong with exchanges while they are recorded: a log line for each problem, and the totals at the end.
type watched struct {
	watcher *watch.Watcher
	tape    *tape.Tape
	log     *slog.Logger
}

// startWatch watches the tape that is being recorded. It is stopped by its own method and not by ctx: what a signal ends is traffic.
func startWatch(ctx context.Context, path string, log *slog.Logger) (*watched, error) {
	ctx = context.WithoutCancel(ctx)
	t, err := tape.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("watching what is recorded: %w", err)
	}
	w := &watched{tape: t, log: log}
	w.watcher = watch.Start(ctx, t, conformance.New(conformance.Rules{}), w.tell)
	return w, nil
}

// ended takes an exchange that has ended. It never blocks.
func (w *watched) ended(ev record.Event) { w.watcher.Ended(ev) }

// counts are the totals so far, for the metrics.
func (w *watched) counts() admin.Judged {
	t := w.watcher.Totals()
	return admin.Judged{Exchanges: t.Judged, Failing: t.Failing, Dropped: t.Dropped, Problems: t.Problems}
}

// tell logs the problems of an exchange.
func (w *watched) tell(r *conformance.Report) {
	for _, p := range r.Problems {
		level := slog.LevelWarn
		if p.Severity == conformance.Error {
			level = slog.LevelError
		}
		blame := p.Side
		if r.Blame != nil {
			blame = *r.Blame
		}
		w.log.LogAttrs(context.Background(), level, "problem", slog.String("code", p.Code),
			slog.String("session", r.Session), slog.Int64("seq", r.Seq), slog.String("api", string(r.API)), slog.String("model", r.Model),
			slog.String("where", p.Where.String()), slog.String("blame", string(blame)), slog.String("detail", p.Detail))
	}
}

// stop judges what has just been recorded and logs the totals.
func (w *watched) stop() {
	totals := w.watcher.Stop(watchLimit)
	var problems []any
	for _, code := range slices.Sorted(maps.Keys(totals.Problems)) {
		problems = append(problems, slog.Int(code, totals.Problems[code]))
	}
	w.log.Info("watched", "judged", totals.Judged, "failing", totals.Failing, "dropped", totals.Dropped, slog.Group("problems", problems...))
	if totals.Unread > 0 {
		w.log.Warn("exchanges could not be judged", "exchanges", totals.Unread, "error", totals.LastError)
	}
	if err := w.tape.Close(); err != nil {
		w.log.Warn("closing the tape after watching it", "error", err)
	}
}
