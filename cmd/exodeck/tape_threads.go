package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/replay/thread"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

type tapeThreadsConfig struct {
	tapeQuery
	Exchange string // of the conversation to print; "" lists all
}

func tapeThreadsCommand(e env) *cli.Command {
	c := leaf("threads", "list the conversations, or print the one that an exchange belongs to", "[[SESSION/]SEQ]", 1, tapeQueryFlags("`text`, or json: one conversation a line"), func(c *cli.Context) error {
		q, err := tapeQueryOf(c)
		if err != nil {
			return err
		}
		return runTapeThreads(c.Context, tapeThreadsConfig{tapeQuery: q, Exchange: c.Args().First()}, e)
	})
	c.Description = exchangeNames
	return c
}

// listedThread is a conversation as it is listed.
type listedThread struct {
	Opening    string       `json:"opening"`
	Started    time.Time    `json:"started"`
	DurationMS float64      `json:"duration_ms"`
	Models     []string     `json:"models"`
	Branches   int          `json:"branches"`
	Calls      int          `json:"tool_calls"`
	Problems   int          `json:"problems"`
	Errors     int          `json:"errors"` // those of the problems that are errors
	Turns      []listedTurn `json:"turns"`
}

// listedTurn is a turn of a conversation. After is the number of the turn that it follows, from 1; 0 for the first.
type listedTurn struct {
	Session  string                `json:"session"`
	Seq      int64                 `json:"seq"`
	Link     thread.Link           `json:"link"`
	After    int                   `json:"after"`
	Branch   bool                  `json:"branch"`
	Model    string                `json:"model"`
	Calls    int                   `json:"tool_calls"`
	Problems []conformance.Problem `json:"problems"`
}

// conversations are the threads of a tape, with what is wrong with their turns.
type conversations struct {
	threads []*thread.Thread
	// problems are those of turns, once they are judged.
	problems map[tape.Ref][]conformance.Problem
}

// judge finds out what is wrong with the turns.
func (c *conversations) judge(ctx context.Context, t offline.Source, q tape.Query) error {
	res, err := judgeAll(ctx, t, q)
	if err != nil {
		return err
	}
	defer res.Close()
	c.problems = make(map[tape.Ref][]conformance.Problem)
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		if len(r.Problems) > 0 {
			c.problems[tape.Ref{Session: r.Session, Seq: r.Seq}] = r.Problems
		}
	}
	return nil
}

func (c *conversations) listed(t *thread.Thread) listedThread {
	l := listedThread{
		Opening:    t.Opening,
		Started:    t.Turns[0].Started.UTC(),
		DurationMS: float64(t.Duration().Microseconds()) / 1000,
		Models:     t.Models(),
		Branches:   t.Branches(),
		Calls:      t.Calls(),
	}
	for _, turn := range t.Turns {
		problems := c.problems[turn.Ref]
		l.Problems += len(problems)
		for i := range problems {
			if problems[i].Severity == conformance.Error {
				l.Errors++
			}
		}
		l.Turns = append(l.Turns, listedTurn{
			Session: turn.Session, Seq: turn.Seq, Link: turn.Link, After: turn.After + 1, Branch: turn.Branch,
			Model: turn.Model, Calls: turn.Calls, Problems: append([]conformance.Problem{}, problems...),
		})
	}
	return l
}

func runTapeThreads(ctx context.Context, cfg tapeThreadsConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	var chosen *tape.Exchange
	if cfg.Exchange != "" {
		if chosen, err = findExchange(ctx, t, cfg.Tape, cfg.Exchange); err != nil {
			return err
		}
	}
	t = e.showReading(t)
	c := new(conversations)
	if chosen == nil || cfg.Format == "json" {
		tap := thread.NewTap(t, cfg.Query)
		if err := c.judge(ctx, tap, cfg.Query); err != nil {
			return fmt.Errorf("judging the exchanges of %s: %w", cfg.Tape, err)
		}
		c.threads, err = tap.Threads()
	} else {
		c.threads, err = thread.Read(ctx, t, cfg.Query)
	}
	if err != nil {
		return fmt.Errorf("grouping the exchanges of %s: %w", cfg.Tape, err)
	}
	if chosen != nil {
		return c.printOne(ctx, t, chosen.Ref, cfg, e)
	}
	if cfg.Format == "json" {
		return c.printJSON(c.threads, e)
	}
	if len(c.threads) == 0 {
		tellNone(cfg.Tape, "model call", cfg.Query, e)
		return nil
	}
	return c.printTable(e)
}

func (c *conversations) printOne(ctx context.Context, t cassette.Source, ref tape.Ref, cfg tapeThreadsConfig, e env) error {
	for _, one := range c.threads {
		if !one.Holds(ref) {
			continue
		}
		if cfg.Format == "json" {
			return c.printJSON([]*thread.Thread{one}, e)
		}
		return thread.Print(e.stdout, one, func(ref tape.Ref) (*reading.Exchange, error) {
			x, err := t.Exchange(ctx, ref)
			if err != nil {
				return nil, err
			}
			return reading.Of(ctx, t, x)
		})
	}
	return fmt.Errorf("exchange %s of %s is no part of a conversation; exodeck tape show --tape %s %s prints it", cfg.Exchange, cfg.Tape, shellWord(cfg.Tape), shellWord(cfg.Exchange))
}

func (c *conversations) printJSON(threads []*thread.Thread, e env) error {
	enc := jsonLines(e.stdout)
	for _, t := range threads {
		if err := enc.Encode(c.listed(t)); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversations) printTable(e env) error {
	w := newTable("exchange", "started", "opening", "turns", "branches", "calls", "errors", "warnings", "duration", "model")
	session := ""
	for _, t := range c.threads {
		l := c.listed(t)
		if first := l.Turns[0].Session; first != session {
			session = first
			w.AppendRow(table.Row{"", "session " + session})
		}
		opening := strings.Join(strings.Fields(l.Opening), " ")
		w.AppendRow(table.Row{
			l.Turns[0].Seq, l.Started.Format("15:04:05.000"), show.Printable(cut(opening, 50)), len(l.Turns), l.Branches, l.Calls, l.Errors, l.Problems - l.Errors,
			formatDuration(t.Duration()), show.Printable(cut(strings.Join(l.Models, ", "), 40)),
		})
	}
	_, err := fmt.Fprintln(e.stdout, w.Render())
	return err
}
