package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
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
		&cli.StringFlag{Name: "before", Usage: "only exchanges that started before this `TIME`: 2026-01-31T15:04:05Z, 2026-01-31 (UTC), or 1h30m (so long ago)"},
		endedFlag(),
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
		if o.Ended, err = endedOf(c); err != nil {
			return err
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
		return jsonLines(e.stdout).Encode(prunedTape{Tape: cfg.Tape, DryRun: cfg.Options.DryRun,
			Exchanges: p.Exchanges, Sessions: p.Sessions, Bodies: p.StoredBytes, Before: p.Before, After: p.After})
	}
	text := "%s: removed %s and %s; %s came back, it takes %s now\n"
	if cfg.Options.DryRun {
		text = "%s: would remove %s and %s; about %s would come back, it would take about %s\n"
	}
	_, err := fmt.Fprintf(e.stdout, text, cfg.Tape, show.Count(p.Exchanges, "exchange"), show.Count(p.Sessions, "session"),
		formatBytes(max(p.Before-p.After, 0)), formatBytes(p.After))
	return err
}
