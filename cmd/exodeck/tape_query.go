package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// tapeQuery is what the command line says to commands that print exchanges: which of them, and how.
type tapeQuery struct {
	Tape   string
	Query  tape.Query
	Format string
}

// What --format of such a command can be.
const (
	textOrJSON = "`text` or json"
	oneALine   = "`text`, or json: one object a line"
)

// tapeQueryFlags are the flags that [tapeQueryOf] reads. formats is what the help says of --format.
func tapeQueryFlags(formats string) []cli.Flag {
	return append(queryFlags(), recordingFlag(), &cli.StringFlag{Name: "format", Value: "text", Usage: formats})
}

func tapeQueryOf(c *cli.Context) (tapeQuery, error) {
	q, err := queryOf(c)
	if err != nil {
		return tapeQuery{}, err
	}
	return tapeQuery{Tape: c.String("tape"), Query: q, Format: c.String("format")}, checkTextOrJSON(c.String("format"))
}

func queryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "only this `SESSION`"},
		&cli.StringFlag{Name: "api", Usage: "only this `API` family: " + oneOfNames(apis)},
		&cli.StringFlag{Name: "model", Usage: "only this `MODEL`"},
		endedFlag(),
		&cli.StringFlag{Name: "since", Usage: "only exchanges that started at or after this `TIME`: 2026-01-31T15:04:05Z, 2026-01-31 (UTC), or 1h30m (so long ago)"},
		&cli.StringFlag{Name: "until", Usage: "only exchanges that started before this `TIME`"},
	}
}

func queryOf(c *cli.Context) (tape.Query, error) {
	q := tape.Query{Session: c.String("session"), Model: c.String("model")}
	var err error
	if q.API, err = oneOf("api", c.String("api"), apis); err != nil {
		return q, err
	}
	if q.Ended, err = endedOf(c); err != nil {
		return q, err
	}
	if q.From, err = parseTime(c, "since"); err != nil {
		return q, err
	}
	q.To, err = parseTime(c, "until")
	return q, err
}

// endedFlag restricts a command to exchanges that ended in certain ways; [endedOf] reads it.
func endedFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "ended", Usage: "only exchanges that ended `HOW`: " + oneOfNames(endings) + "; may be repeated"}
}

func endedOf(c *cli.Context) ([]tape.Ended, error) {
	var all []tape.Ended
	for _, s := range c.StringSlice("ended") {
		ended, err := oneOf("ended", s, endings)
		if err != nil {
			return nil, err
		}
		all = append(all, ended)
	}
	return all, nil
}

// checkSession refuses the name of a session that the recording at path does not have. "" names none.
func checkSession(ctx context.Context, t cassette.Source, path, name string) error {
	if name == "" {
		return nil
	}
	sessions, err := t.Sessions(ctx)
	if err != nil || slices.ContainsFunc(sessions, func(s tape.Session) bool { return s.Name == name }) {
		return err
	}
	return &exitError{exitMissing, fmt.Errorf("%s has no session %s; exodeck tape stats --tape %s lists those it has", path, name, shellWord(path))}
}

// holdsNone is the error of a command that found nothing on a tape that it could work on.
func holdsNone(path, what string, q tape.Query) error {
	return &exitError{exitMissing, fmt.Errorf("%s; exodeck tape ls --tape %s lists what it holds", noneOf(path, what, q), shellWord(path))}
}

// tellNone says on stderr why a list is empty.
func tellNone(path, what string, q tape.Query, e env) {
	fmt.Fprintf(e.stderr, "%s; exodeck tape stats --tape %s says what it holds\n", noneOf(path, what, q), shellWord(path))
}

// noneOf says that a recording holds nothing of a kind, and names the flags that left something out.
func noneOf(path, what string, q tape.Query) string {
	fits := ""
	if flags := restrictions(q); len(flags) > 0 {
		fits = " that fits " + strings.Join(flags, " and ")
	}
	return fmt.Sprintf("%s holds no %s%s", path, what, fits)
}

// restrictions are the flags of [queryFlags] that were given.
func restrictions(q tape.Query) []string {
	var flags []string
	add := func(given bool, flag, value string) {
		if given {
			flags = append(flags, "--"+flag+" "+shellWord(value))
		}
	}
	add(q.Session != "", "session", q.Session)
	add(q.API != "", "api", string(q.API))
	add(q.Model != "", "model", q.Model)
	for _, ended := range q.Ended {
		add(true, "ended", string(ended))
	}
	add(!q.From.IsZero(), "since", q.From.Format(time.RFC3339))
	add(!q.To.IsZero(), "until", q.To.Format(time.RFC3339))
	return flags
}

// apis and endings are what --api and --ended may name.
var (
	apis    = []tape.API{tape.OpenAI, tape.Claude, tape.Responses, tape.Ollama, tape.OllamaGenerate, tape.Control, tape.Other}
	endings = []tape.Ended{tape.Complete, tape.ClientGone, tape.UpstreamError, tape.UpstreamTruncated, tape.RecorderError, tape.Interrupted}
)

// oneOf checks the value of a flag against those it can have; an empty one restricts nothing.
func oneOf[T ~string](flag, value string, known []T) (T, error) {
	if value == "" || slices.Contains(known, T(value)) {
		return T(value), nil
	}
	return "", usagef("--%s is one of %s, not %q", flag, oneOfNames(known), value)
}

func oneOfNames[T ~string](known []T) string {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

func parseTime(c *cli.Context, flag string) (time.Time, error) {
	s := c.String(flag)
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return time.Now().Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--%s %q is no time; write 2026-01-31T15:04:05Z, 2026-01-31 or 1h30m", flag, s)
}
