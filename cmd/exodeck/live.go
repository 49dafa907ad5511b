package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
)

const (
	// liveInterval is how often the status line is drawn anew.
	liveInterval = 250 * time.Millisecond
	// liveBacklog is how many exchanges may wait for their line; more are counted and left out, traffic never waits for a log.
	liveBacklog = 4096
)

// live shows what is being recorded: a status line on a terminal, else a log line for each exchange. What goes unrecorded it tells in any
// case, since nobody would look for it before the end.
type live struct {
	log      *slog.Logger
	stats    func() tape.Stats // of the recorder
	terminal bool
	quiet    bool

	events  chan record.Event
	dropped atomic.Int64 // events without a line
	left    atomic.Int64 // exchanges whose clients closed first, which SDKs also do as soon as they have read the end marker
	broken  atomic.Int64 // other exchanges that did not end well
	quit    chan struct{}
	done    chan struct{}

	mu     sync.Mutex // guards w and what stands on its last line
	w      io.Writer
	status string
	last   record.Event
}

func newLive(w io.Writer, stats func() tape.Stats, format string, level slog.Level, quiet bool) *live {
	l := &live{
		stats:    stats,
		terminal: isTerminal(w),
		quiet:    quiet,
		events:   make(chan record.Event, liveBacklog),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
		w:        w,
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewTextHandler(l, options)
	if format == "json" {
		handler = slog.NewJSONHandler(l, options)
	}
	l.log = slog.New(handler)
	go l.run()
	return l
}

// ended takes an exchange that has ended. It never blocks.
func (l *live) ended(ev record.Event) {
	switch ev.Ended {
	case tape.Complete:
	case tape.ClientGone:
		l.left.Add(1)
	default:
		l.broken.Add(1)
	}
	if l.quiet {
		return
	}
	select {
	case l.events <- ev:
	default:
		l.dropped.Add(1)
	}
}

func (l *live) run() {
	defer close(l.done)
	tick := time.NewTicker(liveInterval)
	defer tick.Stop()
	var lost losses
	for {
		select {
		case ev := <-l.events:
			l.show(ev)
		case <-tick.C:
			if l.drawn() {
				l.draw()
			} else {
				lost.look(l.stats(), l.log)
			}
		case <-l.quit:
			for len(l.events) > 0 {
				l.show(<-l.events)
			}
			if l.drawn() {
				l.draw()
			}
			return
		}
	}
}

// stop waits until everything has been shown.
func (l *live) stop() {
	close(l.quit)
	<-l.done
	if n := l.dropped.Load(); n > 0 {
		l.log.Warn("log lines were left out", "exchanges", n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status != "" {
		fmt.Fprintln(l.w)
		l.status = ""
	}
}

func (l *live) show(ev record.Event) {
	if l.terminal {
		l.mu.Lock()
		l.last = ev
		l.mu.Unlock()
		return
	}
	level := slog.LevelInfo
	if ev.Ended != tape.Complete && ev.Ended != tape.ClientGone {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("session", ev.Session), slog.Int64("seq", ev.Seq), slog.String("api", string(ev.API)), slog.String("method", ev.Method), slog.String("url", ev.URL),
		slog.Int("status", ev.Status), slog.String("ended", string(ev.Ended)),
		slog.Int64("sent", ev.RequestBytes), slog.Int64("received", ev.ResponseBytes),
		slog.Duration("ttfb", ev.TTFB), slog.Duration("total", ev.Total),
	}
	if ev.Cause != "" {
		attrs = append(attrs, slog.String("cause", ev.Cause))
	}
	l.log.LogAttrs(context.Background(), level, "exchange", attrs...)
}

// drawn reports whether there is a status line.
func (l *live) drawn() bool { return l.terminal && !l.quiet }

// draw puts the status line on the terminal.
func (l *live) draw() {
	stats := l.stats()
	l.mu.Lock()
	defer l.mu.Unlock()
	line := statusLine(stats, l.last, terminalWidth(l.w)-1)
	if line == l.status {
		return
	}
	l.status = line
	fmt.Fprintf(l.w, "\r\x1b[K%s", line)
}

// statusLine is the status in one line that is at most width columns wide. It shows nothing that could move the cursor.
func statusLine(stats tape.Stats, last record.Event, width int) string {
	line := fmt.Sprintf("%d recorded · %d in flight · %s", stats.Committed, stats.InFlight, formatBytes(stats.BodyBytes))
	if stats.Unrecorded > 0 {
		line += fmt.Sprintf(" · %d UNRECORDED (%v)", stats.Unrecorded, stats.LastError)
	}
	if last.Method != "" {
		line += fmt.Sprintf(" · last: %s %s %d %s %s", last.Method, last.URL, last.Status, last.Ended, formatDuration(last.Total))
	}
	return cut(show.Printable(line), width)
}

// summary says what was recorded, once the tape is closed. address is where clients were to ask.
func (l *live) summary(path, address string) string {
	root, _, _ := rootURL(address)
	return summaryLine(l.stats(), l.left.Load(), l.broken.Load(), path, root)
}

// summaryLine says what a recorder with these statistics put on a tape through a proxy, and where to see it. left are the exchanges whose
// clients closed first, broken those that did not end well otherwise.
func summaryLine(stats tape.Stats, left, broken int64, path, proxy string) string {
	if stats.Committed+stats.Unrecorded == 0 {
		return fmt.Sprintf("recorded nothing on %s: no request came through %s; point a client at it as shown at the start", path, proxy)
	}
	them := "them"
	if stats.Committed == 1 {
		them = "it"
	}
	line := fmt.Sprintf("recorded %s on %s", show.Count(stats.Committed, "exchange"), path)
	switch {
	case left > 0 && broken > 0:
		line += fmt.Sprintf(" (%d broken off, %d closed by clients)", broken, left)
	case broken > 0:
		line += fmt.Sprintf(" (%d broken off)", broken)
	case left > 0:
		line += fmt.Sprintf(" (%d closed by clients)", left)
	}
	if stats.Committed > 0 {
		line += fmt.Sprintf("; exodeck tape ls --tape %s lists %s", shellWord(path), them)
	}
	return line
}

// Write implements [io.Writer] for log lines: they go above the status line.
func (l *live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == "" {
		return l.w.Write(p)
	}
	b := bufio.NewWriter(l.w)
	b.WriteString("\r\x1b[K")
	b.Write(p)
	b.WriteString(l.status)
	return len(p), b.Flush()
}
