package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
)

type cassetteDiffConfig struct {
	Old, New string
	Format   string
}

// exitDiffers is the exit status when recordings differ, as diff has it.
const exitDiffers = 1

func cassetteDiffCommand(e env) *cli.Command {
	return leaf("diff", "tell which exchanges of two cassettes or tapes are new, gone or changed", "OLD NEW", 2, []cli.Flag{
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	}, func(c *cli.Context) error {
		cfg := cassetteDiffConfig{Old: c.Args().Get(0), New: c.Args().Get(1), Format: c.String("format")}
		if c.NArg() != 2 {
			return usagef("say which two: exodeck cassette diff old.cassette.jsonl new.cassette.jsonl")
		}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		return runCassetteDiff(c.Context, cfg, e)
	})
}

// diffChange is a change as JSON shows it.
type diffChange struct {
	Change string          `json:"change"` // new, gone or changed
	Old    *listedExchange `json:"old,omitempty"`
	New    *listedExchange `json:"new,omitempty"`
	Diff   string          `json:"diff,omitempty"`
}

func runCassetteDiff(ctx context.Context, cfg cassetteDiffConfig, e env) error {
	before, err := cassette.OpenSource(ctx, cfg.Old)
	if err != nil {
		return err
	}
	defer before.Close()
	after, err := cassette.OpenSource(ctx, cfg.New)
	if err != nil {
		return err
	}
	defer after.Close()
	d, err := cassette.Diff(ctx, before, after)
	if err != nil {
		return fmt.Errorf("comparing %s with %s: %w", cfg.Old, cfg.New, err)
	}
	enc := jsonLines(e.stdout)
	counts := map[string]int{}
	for _, change := range d.Changes {
		c := diffChange{Change: "changed", Diff: change.Diff}
		if change.Old == nil {
			c.Change = "new"
		} else {
			x := listed(change.Old)
			c.Old = &x
		}
		if change.New == nil {
			c.Change = "gone"
		} else {
			x := listed(change.New)
			c.New = &x
		}
		counts[c.Change]++
		if cfg.Format == "json" {
			err = enc.Encode(c)
		} else {
			err = printChange(e.stdout, c.Change, change)
		}
		if err != nil {
			return err
		}
	}
	if cfg.Format == "text" {
		if _, err := fmt.Fprintf(e.stdout, "%d new, %d gone, %d changed, %d the same\n", counts["new"], counts["gone"], counts["changed"], d.Same); err != nil {
			return err
		}
	}
	if len(d.Changes) > 0 {
		return &exitError{exitDiffers, nil}
	}
	return nil
}

func printChange(w io.Writer, kind string, c cassette.Change) error {
	x := c.New
	if x == nil {
		x = c.Old
	}
	if _, err := fmt.Fprintf(w, "%s %s\n", kind, exchangeTitle(x)); err != nil || c.Diff == "" {
		return err
	}
	for line := range strings.Lines(c.Diff) {
		if _, err := fmt.Fprintf(w, "    %s\n", show.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// exchangeTitle names an exchange, what it asks and what it is about.
func exchangeTitle(x *tape.Exchange) string {
	s := fmt.Sprintf("%s/%d %s %s", x.Session, x.Seq, x.Request.Method, show.Target(x.Request.URL))
	if labels := labelCell(x.Labels); labels != "" {
		s += " [" + labels + "]"
	}
	return show.Printable(s)
}
