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
	"github.com/exodeck/exodeck/score/conformance"
)

type tapeGrepConfig struct {
	tapeQuery
	Text       string // "" to find exchanges by their facts alone
	Regexp     bool
	IgnoreCase bool
	Statuses   []string
	Labels     []string
	Tools      []string
	Problems   []string
	Count      bool

	pattern *regexp.Regexp // nil without a text
	filter  search.Filter
	wanted  conformance.Rules // of no meaning without Problems
}

// exitNoMatch is the exit status when nothing was found, as grep has it.
const exitNoMatch = 1

func tapeGrepCommand(e env) *cli.Command {
	c := leaf("grep", "find exchanges by what was said, by what is wrong with them, or by other facts", "[TEXT]", 1, append(tapeQueryFlags(oneALine),
		&cli.BoolFlag{Name: "regexp", Usage: "TEXT is a regular expression (of Go's syntax)"},
		&cli.BoolFlag{Name: "ignore-case", Aliases: []string{"i"}, Usage: "upper and lower case are the same"},
		&cli.StringSliceFlag{Name: "status", Usage: "only this `STATUS`: 500, 5xx, none; may be repeated"},
		&cli.StringSliceFlag{Name: "label", Usage: "only exchanges with the label `K=V`; may be repeated, all count"},
		&cli.StringSliceFlag{Name: "tool", Usage: "only exchanges whose answer calls the tool `NAME`; may be repeated"},
		&cli.StringSliceFlag{Name: "problem", Usage: "only model calls with the problem `CODE`, with one of a group of codes, or with any; exodeck conformance codes lists them; may be repeated"},
		&cli.BoolFlag{Name: "count", Usage: "print the number of places instead"},
	), func(c *cli.Context) error {
		q, err := tapeQueryOf(c)
		if err != nil {
			return err
		}
		cfg := tapeGrepConfig{
			tapeQuery:  q,
			Text:       c.Args().First(),
			Regexp:     c.Bool("regexp"),
			IgnoreCase: c.Bool("ignore-case"),
			Statuses:   c.StringSlice("status"),
			Labels:     c.StringSlice("label"),
			Tools:      c.StringSlice("tool"),
			Problems:   splitCommas(c.StringSlice("problem")),
			Count:      c.Bool("count"),
		}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runTapeGrep(c.Context, cfg, e)
	})
	c.Description = "Places of TEXT are printed as they were recorded, secrets too: export a cassette to pass on what was found. Of problems, " +
		"what has the form of a secret is left out."
	return c
}

func (cfg *tapeGrepConfig) validate() error {
	q := cfg.Query
	facts := q.Session != "" || q.API != "" || q.Model != "" || len(q.Ended) > 0 || !q.From.IsZero() || !q.To.IsZero()
	if cfg.Text == "" && !facts && len(cfg.Statuses)+len(cfg.Labels)+len(cfg.Tools)+len(cfg.Problems) == 0 {
		return fmt.Errorf("say what to find: a TEXT, --problem any, --status 5xx, …; exodeck tape grep --help lists what there is")
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
	cfg.wanted, err = problemsOf(cfg.Problems)
	return err
}

// needsExchange reports whether a report does not tell all that was asked for of its exchange.
func (cfg *tapeGrepConfig) needsExchange() bool {
	f := &cfg.filter
	return cfg.pattern != nil || len(f.Statuses)+len(f.Labels)+len(f.Tools) > 0 || !cfg.Query.From.IsZero() || !cfg.Query.To.IsZero()
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
	conformance.Problem
	// Blame is that of the whole exchange.
	Blame *conformance.Side `json:"blame"`
}

func runTapeGrep(ctx context.Context, cfg tapeGrepConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	out := bufio.NewWriter(e.stdout)
	p := &grepPrinter{cfg: cfg, out: out, enc: jsonLines(out), marked: isTerminal(e.stdout) && e.getenv("NO_COLOR") == ""}
	look := p.all
	if len(cfg.Problems) > 0 {
		look, t = p.judged, e.showReading(t)
	}
	if err := look(ctx, t); err != nil {
		return fmt.Errorf("searching %s: %w", cfg.Tape, err)
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

// all searches all exchanges that the query asks for.
func (p *grepPrinter) all(ctx context.Context, t cassette.Source) error {
	for x, err := range t.Exchanges(ctx, p.cfg.Query) {
		if err == nil && p.cfg.filter.Head(x.Response.Status, x.Labels) {
			err = p.exchange(ctx, t, x, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// judged searches those with a problem that is wanted.
func (p *grepPrinter) judged(ctx context.Context, t cassette.Source) error {
	res, err := judgeAll(ctx, t, p.cfg.Query)
	if err != nil {
		return err
	}
	defer res.Close()
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		r.Problems = slices.DeleteFunc(r.Problems, func(problem conformance.Problem) bool {
			c, _ := conformance.CodeOf(problem.Code)
			return !p.cfg.wanted.Wants(c)
		})
		if len(r.Problems) == 0 {
			continue
		}
		x := &tape.Exchange{Ref: tape.Ref{Session: r.Session, Seq: r.Seq}, Ended: r.Ended, Facts: tape.Facts{API: r.API, Model: r.Model}}
		if p.cfg.needsExchange() {
			x, err = t.Exchange(ctx, x.Ref)
		}
		if err == nil && p.cfg.Query.Matches(x) && p.cfg.filter.Head(x.Response.Status, x.Labels) {
			err = p.exchange(ctx, t, x, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// exchange prints what there is to print of an exchange: where the text is, or without one the problems, or else the exchange itself.
// report has the problems that are wanted; it is nil when none are.
func (p *grepPrinter) exchange(ctx context.Context, t cassette.Source, x *tape.Exchange, report *conformance.Report) error {
	if p.cfg.pattern != nil || len(p.cfg.Tools) > 0 {
		r, err := reading.Of(ctx, t, x)
		if err != nil || !p.cfg.filter.Passes(r) {
			return err
		}
		if p.cfg.pattern != nil {
			search.Find(r, p.cfg.pattern, func(h search.Hit) bool {
				err = p.hit(x, h)
				return err == nil
			})
			return err
		}
	}
	if report == nil {
		return p.print(listed(x), func(w io.Writer) { fmt.Fprintln(w, exchangeLine(x)) })
	}
	for _, problem := range report.Problems {
		if err := p.problem(grepProblem{x.Session, x.Seq, problem, report.Blame}); err != nil {
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

func (p *grepPrinter) problem(found grepProblem) error {
	return p.print(found, func(w io.Writer) {
		times, blame := "", ""
		if found.Count > 1 {
			times = fmt.Sprintf(", %d times", found.Count)
		}
		if found.Blame != nil {
			blame = ", blame " + string(*found.Blame)
		}
		detail := strings.Join(strings.Fields(found.Detail), " ")
		fmt.Fprintf(w, "%s/%d  %s %s (%s%s)%s: %s\n", found.Session, found.Seq, found.Severity, found.Code,
			show.Printable(found.Where.String()), times, blame, show.Printable(cut(detail, 200)))
	})
}
