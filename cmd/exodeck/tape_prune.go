package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
)

type tapePruneConfig struct {
	Tape    string
	Options tape.PruneOptions
	Format  string
}

func tapePruneCommand(e env) *cli.Command {
	return leaf("prune", "remove exchanges and give the space back", "", 0, append(keepFlags(),
		tapeFlag(),
		&cli.StringFlag{Name: "session", Usage: "only exchanges of this `SESSION`"},
		&cli.StringFlag{Name: "before", Usage: "only exchanges that started before this `TIME` (RFC 3339), or longer ago than that (1h30m)"},
		&cli.StringSliceFlag{Name: "ended", Usage: "only exchanges that ended so: complete, client_gone, upstream_error, …; may be repeated"},
		&cli.BoolFlag{Name: "dry-run", Usage: "say what would be removed, and remove nothing"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	), func(c *cli.Context) error {
		cfg := tapePruneConfig{Tape: c.String("tape"), Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		o := &cfg.Options
		o.Session, o.DryRun = c.String("session"), c.Bool("dry-run")
		var err error
		if o.Keep, err = keepOf(c); err != nil {
			return &exitError{exitUsage, err}
		}
		if o.Before, err = parseTime(c, "before"); err != nil {
			return err
		}
		for _, s := range c.StringSlice("ended") {
			ended, err := oneOf("ended", s, endings)
			if err != nil {
				return err
			}
			o.Ended = append(o.Ended, ended)
		}
		return runTapePrune(c.Context, cfg, e)
	})
}

// prunedTape is what the command prints.
type prunedTape struct {
	Tape      string `json:"tape"`
	DryRun    bool   `json:"dry_run"`
	Exchanges int64  `json:"exchanges"`
	Sessions  int64  `json:"sessions"`
	Bodies    int64  `json:"stored_bytes"`
	Before    int64  `json:"bytes_before"`
	After     int64  `json:"bytes_after"`
}

func runTapePrune(ctx context.Context, cfg tapePruneConfig, e env) error {
	p, err := tape.Prune(ctx, cfg.Tape, cfg.Options)
	switch {
	case errors.Is(err, tape.ErrPruneAll):
		return usagef("nothing says what to prune; name --max-size, --max-age, --session, --before or --ended")
	case errors.Is(err, tape.ErrBusy):
		return fmt.Errorf("%w; exodeck record --max-size and --max-age prune while they record", err)
	case err != nil && !errors.Is(err, tape.ErrOverLimit):
		return err
	}
	if printErr := printPruned(cfg, p, e); printErr != nil {
		return printErr
	}
	return err
}

func printPruned(cfg tapePruneConfig, p tape.Pruned, e env) error {
	if cfg.Format == "json" {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(prunedTape{Tape: cfg.Tape, DryRun: cfg.Options.DryRun,
			Exchanges: p.Exchanges, Sessions: p.Sessions, Bodies: p.StoredBytes, Before: p.Before, After: p.After})
	}
	text := "%s: removed %s and %s; %s came back, it takes %s now\n"
	if cfg.Options.DryRun {
		text = "%s: would remove %s and %s; about %s would come back, it would take about %s\n"
	}
	_, err := fmt.Fprintf(e.stdout, text, cfg.Tape, count(p.Exchanges, "exchange"), count(p.Sessions, "session"),
		formatBytes(max(p.Before-p.After, 0)), formatBytes(p.After))
	return err
}

// count is a number of things, such as 1 session or 2 sessions.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
