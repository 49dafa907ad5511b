package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/admin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/watch"
)

// watchLimit is how long the end of recording waits for the judgement of what has just been recorded.
const watchLimit = 10 * time.Second

// watched tells what is wrong with exchanges while they are recorded: a line for each problem, and the totals at the end.
type watched struct {
	watcher *watch.Watcher
	tape    *tape.Tape
	path    string // of the tape
	live    *live
}

// startWatch watches the tape that is being recorded. It is stopped by its own method and not by ctx: what a signal ends is traffic.
func startWatch(ctx context.Context, path string, rules conformance.Rules, live *live) (*watched, error) {
	ctx = context.WithoutCancel(ctx)
	t, err := tape.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("watching what is recorded: %w", err)
	}
	w := &watched{tape: t, path: path, live: live}
	w.watcher = watch.Start(ctx, t, conformance.New(rules), w.tell)
	return w, nil
}

// ended takes an exchange that has ended. It never blocks.
func (w *watched) ended(ev record.Event) { w.watcher.Ended(ev) }

// counts are the totals so far, for the metrics.
func (w *watched) counts() admin.Judged {
	t := w.watcher.Totals()
	return admin.Judged{Exchanges: t.Judged, Failing: t.Failing, Dropped: t.Dropped, Problems: t.Problems}
}

// tell tells the problems of an exchange, each in a line that can be understood without the others.
func (w *watched) tell(r *conformance.Report) {
	for i := range r.Problems {
		l := lineOf(r, &r.Problems[i])
		w.say(l.level(), l.text(), "problem", l.attrs()...)
	}
}

// problemLine is what is told of a problem in one line.
type problemLine struct {
	report  *conformance.Report
	problem *conformance.Problem
	blame   conformance.Side
	// All of them are short and safe for a terminal. meant and because are "" when there is nothing to say.
	detail, meant, because string
}

func lineOf(r *conformance.Report, p *conformance.Problem) problemLine {
	l := problemLine{report: r, problem: p, blame: p.Side, detail: short(p.Detail), meant: short(meantBy(r, p)), because: short(strings.Join(r.EvidenceFor(p), "; "))}
	// The fault of an exchange is that of its gravest problems, and says nothing about a warning beside an error.
	if r.Blame != nil && (p.Severity == conformance.Error || !slices.ContainsFunc(r.Problems, isError)) {
		l.blame = *r.Blame
	}
	return l
}

func isError(p conformance.Problem) bool { return p.Severity == conformance.Error }

func (l *problemLine) level() slog.Level {
	if l.problem.Severity == conformance.Error {
		return slog.LevelError
	}
	return slog.LevelWarn
}

func (l *problemLine) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("code", l.problem.Code),
		slog.String("session", l.report.Session), slog.Int64("seq", l.report.Seq), slog.String("api", string(l.report.API)), slog.String("model", l.report.Model),
		slog.String("where", l.problem.Where.String()), slog.String("blame", string(l.blame)), slog.String("detail", l.detail),
	}
	if l.meant != "" {
		attrs = append(attrs, slog.String("meant", l.meant))
	}
	if l.because != "" {
		attrs = append(attrs, slog.String("because", l.because))
	}
	return attrs
}

// text is the line for people.
func (l *problemLine) text() string {
	s := fmt.Sprintf("%-7s  %s/%d  %s  %s: %s", l.problem.Severity, l.report.Session, l.report.Seq, l.report.API, l.problem.Code, l.detail)
	if l.meant != "" {
		s += "; meant " + l.meant
	}
	s += "; blame " + string(l.blame)
	if l.because != "" {
		s += ", because " + l.because
	}
	return s
}

// meantBy is the first call that was meant where a problem has text in its place; "" for none.
func meantBy(r *conformance.Report, p *conformance.Problem) string {
	if p.Group != conformance.Content || len(r.Recovered) == 0 {
		return ""
	}
	c := r.Recovered[0]
	meant := fmt.Sprintf("%s %s (%s, in the %s)", c.Name, cut(string(c.Arguments), 120), c.Family, c.From)
	if more := len(r.Recovered) - 1; more > 0 {
		meant += fmt.Sprintf(" and %d more", more)
	}
	return meant
}

// short is a text in one line that is not long and safe for a terminal, in a log too, whatever its format.
func short(s string) string { return cut(show.Line(s), 240) }

// say tells something: on a terminal as text, else as a log line.
func (w *watched) say(level slog.Level, text, message string, attrs ...slog.Attr) {
	ctx := context.Background()
	if !w.live.terminal {
		w.live.log.LogAttrs(ctx, level, message, attrs...)
	} else if w.live.log.Enabled(ctx, level) {
		fmt.Fprintln(w.live, text)
	}
}

// stop judges what has just been recorded and tells the totals.
func (w *watched) stop() {
	totals := w.watcher.Stop(watchLimit)
	text := fmt.Sprintf("watched: %d judged, %d failing, %d dropped", totals.Judged, totals.Failing, totals.Dropped)
	var problems []any
	for _, code := range slices.Sorted(maps.Keys(totals.Problems)) {
		problems = append(problems, slog.Int(code, totals.Problems[code]))
		text += fmt.Sprintf("; %d %s", totals.Problems[code], code)
	}
	w.say(slog.LevelInfo, text, "watched", slog.Int("judged", totals.Judged), slog.Int("failing", totals.Failing), slog.Int("dropped", totals.Dropped),
		slog.Group("problems", problems...))
	if left := leftOut(totals, w.path); left != "" {
		w.live.log.Warn(left)
	}
	if err := w.tape.Close(); err != nil {
		w.live.log.Warn("closing the tape after watching it", "error", err)
	}
}

// leftOut says what was not judged, why, and what judges it; "" when nothing was left out.
func leftOut(t watch.Totals, path string) string {
	var parts []string
	if t.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d that there was no time to judge", t.Dropped))
	}
	if t.Unread > 0 {
		parts = append(parts, fmt.Sprintf("%d that could not be read (%v)", t.Unread, t.LastError))
	}
	if parts == nil {
		return ""
	}
	return "left out: " + strings.Join(parts, ", ") + "; exodeck score conformance --tape " + shellWord(path) + " judges all that is on the tape"
}
