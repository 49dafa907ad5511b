package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/search"
	"github.com/exodeck/exodeck/replay/show"
)

type tapeGrepConfig struct {
	Tape       string
	Text       string // "" to find exchanges by their facts alone
	Regexp     bool
	IgnoreCase bool
	Query      tape.Query
	Statuses   []string
	Labels     []string
	Tools      []string
	Problems   []string
	Count      bool
	Format     string

	pattern *regexp.Regexp // nil without a text
	filter  search.Filter
}

// anyProblem is the value of --problem that stands for every code.
const anyProblem = "any"

// exitNoMatch is the exit status when nothing was found, as grep has it.
const exitNoMatch = 1

func tapeGrepCommand(e env) *cli.Command {
	return leaf("grep", "find exchanges by what was said, by what is wrong with them, or by other facts", "[TEXT]", 1, append(queryFlags(),
		tapeFlag(),
		&cli.BoolFlag{Name: "regexp", Usage: "TEXT is a regular expression (of Go's syntax)"},
		&cli.BoolFlag{Name: "ignore-case", Aliases: []string{"i"}, Usage: "upper and lower case are the same"},
		&cli.StringSliceFlag{Name: "status", Usage: "only this `STATUS`: 500, 5xx, none; may be repeated"},
		&cli.StringSliceFlag{Name: "label", Usage: "only exchanges with the label `K=V`; may be repeated, all count"},
		&cli.StringSliceFlag{Name: "tool", Usage: "only exchanges whose answer calls the tool `NAME`; may be repeated"},
		&cli.StringSliceFlag{Name: "problem", Usage: "only exchanges with the problem `CODE`, or any; may be repeated"},
		&cli.BoolFlag{Name: "count", Usage: "print the number of places instead"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := tapeGrepConfig{
			Tape:       c.String("tape"),
			Text:       c.Args().First(),
			Regexp:     c.Bool("regexp"),
			IgnoreCase: c.Bool("ignore-case"),
			Query:      q,
			Statuses:   c.StringSlice("status"),
			Labels:     c.StringSlice("label"),
			Tools:      c.StringSlice("tool"),
			Problems:   c.StringSlice("problem"),
			Count:      c.Bool("count"),
			Format:     c.String("format"),
		}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runTapeGrep(c.Context, cfg, e)
	})
}

func (cfg *tapeGrepConfig) validate() error {
	q := cfg.Query
	facts := q.Session != "" || q.API != "" || q.Model != "" || len(q.Ended) > 0 || !q.From.IsZero() || !q.To.IsZero()
	if cfg.Text == "" && !facts && len(cfg.Statuses)+len(cfg.Labels)+len(cfg.Tools)+len(cfg.Problems) == 0 {
		return fmt.Errorf("say what to find: a TEXT, --problem any, --status 5xx, …; exodeck tape grep --help lists what there is")
	}
	if err := checkTextOrJSON(cfg.Format); err != nil {
		return err
	}
	if cfg.Text != "" {
		pattern, err := search.Pattern(cfg.Text, cfg.Regexp, cfg.IgnoreCase)
		if err != nil {
			return fmt.Errorf("%w; without --regexp the text is taken as it is", err)
		}
		cfg.pattern = pattern
	}
	for _, s := range cfg.Statuses {
		status, err := search.ParseStatus(s)
		if err != nil {
			return fmt.Errorf("--status %w", err)
		}
		cfg.filter.Statuses = append(cfg.filter.Statuses, status)
	}
	labels, err := parseLabels(cfg.Labels)
	if err != nil {
		return err
	}
	cfg.filter.Labels, cfg.filter.Tools = labels, cfg.Tools
	for _, code := range cfg.Problems {
		if code != anyProblem && !slices.ContainsFunc(search.Codes, func(c search.Code) bool { return c.Name == code }) {
			return fmt.Errorf("there is no problem %q; it is %s or one of %s", code, anyProblem, strings.Join(problemCodes(), ", "))
		}
	}
	return nil
}

func problemCodes() []string {
	var names []string
	for _, c := range search.Codes {
		names = append(names, c.Name)
	}
	return names
}

// problems returns the problems of an exchange that were asked for.
func (cfg *tapeGrepConfig) problems(x *reading.Exchange) []search.Problem {
	all := search.Problems(x)
	if slices.Contains(cfg.Problems, anyProblem) {
		return all
	}
	return slices.DeleteFunc(all, func(p search.Problem) bool { return !slices.Contains(cfg.Problems, p.Code) })
}

// grepHit is a text that was found.
type grepHit struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
	search.Place
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

// grepProblem is a problem that was found.
type grepProblem struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
	search.Problem
}

func runTapeGrep(ctx context.Context, cfg tapeGrepConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	out := bufio.NewWriter(e.stdout)
	p := &grepPrinter{cfg: cfg, out: out, enc: json.NewEncoder(out), marked: isTerminal(e.stdout) && e.getenv("NO_COLOR") == ""}
	p.enc.SetEscapeHTML(false)
	for x, err := range t.Exchanges(ctx, cfg.Query) {
		if err == nil {
			err = p.exchange(ctx, t, x)
		}
		if err != nil {
			return fmt.Errorf("searching %s: %w", cfg.Tape, err)
		}
	}
	if cfg.Count {
		fmt.Fprintln(out, p.found)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if p.found == 0 {
		return &exitError{exitNoMatch, nil}
	}
	return nil
}

// grepPrinter prints what is found.
type grepPrinter struct {
	cfg    tapeGrepConfig
	out    *bufio.Writer
	enc    *json.Encoder
	marked bool // the match is shown in colour
	found  int
}

func (p *grepPrinter) exchange(ctx context.Context, t cassette.Source, x *tape.Exchange) error {
	if !p.cfg.filter.Head(x.Response.Status, x.Labels) {
		return nil
	}
	if p.cfg.pattern == nil && len(p.cfg.Problems)+len(p.cfg.Tools) == 0 {
		return p.print(listed(x), func(w io.Writer) { fmt.Fprintln(w, exchangeLine(x)) })
	}
	r, err := reading.Of(ctx, t, x)
	if err != nil || !p.cfg.filter.Passes(r) {
		return err
	}
	var problems []search.Problem
	if len(p.cfg.Problems) > 0 {
		if problems = p.cfg.problems(r); len(problems) == 0 {
			return nil
		}
	}
	switch {
	case p.cfg.pattern != nil:
		search.Find(r, p.cfg.pattern, func(h search.Hit) bool {
			err = p.hit(x, h)
			return err == nil
		})
		return err
	case len(problems) == 0:
		return p.print(listed(x), func(w io.Writer) { fmt.Fprintln(w, exchangeLine(x)) })
	}
	for _, problem := range problems {
		if err := p.problem(x, problem); err != nil {
			return err
		}
	}
	return nil
}

// print prints one thing that was found: the object, or what text writes.
func (p *grepPrinter) print(object any, text func(io.Writer)) error {
	p.found++
	switch {
	case p.cfg.Count:
		return nil
	case p.cfg.Format == "json":
		if err := p.enc.Encode(object); err != nil {
			return err
		}
	default:
		text(p.out)
	}
	return p.out.Flush()
}

func (p *grepPrinter) hit(x *tape.Exchange, h search.Hit) error {
	object := grepHit{Session: x.Session, Seq: x.Seq, Place: h.Place, Before: h.Before, Match: h.Match, After: h.After}
	return p.print(object, func(w io.Writer) {
		before, match, after := show.Printable(h.Before), show.Printable(cut(h.Match, 400)), show.Printable(h.After)
		if h.CutBefore {
			before = "…" + before
		}
		if h.CutAfter {
			after += "…"
		}
		if p.marked {
			match = "\x1b[1;31m" + match + "\x1b[0m"
		}
		fmt.Fprintf(w, "%s/%d  %s: %s%s%s\n", x.Session, x.Seq, show.Printable(h.Place.String()), before, match, after)
	})
}

func (p *grepPrinter) problem(x *tape.Exchange, problem search.Problem) error {
	return p.print(grepProblem{x.Session, x.Seq, problem}, func(w io.Writer) {
		where := ""
		if problem.Event > 0 {
			where = fmt.Sprintf(" event %d", problem.Event)
		}
		line := fmt.Sprintf("%s/%d  %s%s: %s", x.Session, x.Seq, problem.Code, where, show.Printable(cut(problem.Detail, 200)))
		fmt.Fprintln(w, strings.TrimSuffix(line, ": "))
	})
}
