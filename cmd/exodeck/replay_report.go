package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/show"
)

// newReplayLog returns the log of a replay: a line for each answer unless it is quiet, and what goes wrong.
func newReplayLog(w io.Writer, quiet bool) *slog.Logger {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// nothingToReplay says that there is nothing to serve.
func nothingToReplay(cfg replayConfig) error {
	from := strings.Join(cfg.Tapes, ", ")
	if cfg.Session != "" {
		return fmt.Errorf("replaying %s: there is no exchange of session %s; exodeck tape stats --tape %s lists the sessions", from, cfg.Session, shellWord(cfg.Tapes[0]))
	}
	return fmt.Errorf("replaying %s: there are no exchanges; name another recording with --tape, or record one: exodeck record --tape FILE", from)
}

// printReplayBases shows what to point each kind of client at.
func printReplayBases(w io.Writer, cfg replayConfig, exchanges int, bases []baseURL) {
	fmt.Fprintf(w, "replaying %s of %s, timing %s\n\n", show.Count(exchanges, "exchange"), strings.Join(cfg.Tapes, ", "), cfg.timing)
	for _, b := range bases {
		fmt.Fprintf(w, "  %-21s export %s=%s\n", b.client, b.name, b.value)
	}
	fmt.Fprintln(w)
	if len(cfg.Command) == 0 {
		fmt.Fprintln(w, "Ctrl-C ends it and tells what was not asked for.")
	}
}

// printMiss tells a miss when it happens.
func printMiss(w io.Writer, m *match.Miss, upstream *url.URL) {
	text := "exodeck: " + m.Error() + "\n"
	if upstream != nil {
		text += "asking " + upstream.Redacted() + " instead\n"
	}
	fmt.Fprint(w, text)
}

// maxListed is how many exchanges or misses a report lists.
const maxListed = 20

// printReplayReport tells what was asked for, and what was not.
func printReplayReport(w io.Writer, r match.Report) {
	fmt.Fprintln(w, r)
	var unused, missed []string
	for _, x := range r.Unused {
		unused = append(unused, fmt.Sprintf("%s/%d %s", x.Session, x.Seq, askedFor(x.Request.Method, show.Target(x.Request.URL), x.Facts.Model, x.Labels, x.Ended)))
	}
	for _, m := range r.Missed {
		missed = append(missed, askedFor(m.Method, m.URL, "", m.Labels, tape.Complete))
	}
	printList(w, "never asked for", unused)
	printList(w, "missed", missed)
}

// askedFor is a request in one line.
func askedFor(method, target, model string, labels map[string]string, ended tape.Ended) string {
	words := []string{method, target}
	if model != "" {
		words = append(words, model)
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+"="+labels[name])
	}
	if ended != tape.Complete {
		words = append(words, "("+cmp.Or(string(ended), "in flight")+")")
	}
	return show.Printable(strings.Join(words, " "))
}

func printList(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	for _, line := range lines[:min(len(lines), maxListed)] {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if n := len(lines) - maxListed; n > 0 {
		fmt.Fprintf(w, "  … and %d more\n", n)
	}
}
