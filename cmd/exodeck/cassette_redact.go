package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/show"
)

type cassetteRedactConfig struct {
	File   string
	Redact redactFlags
	Out    string

	redact redact.Rules
}

func cassetteRedactCommand(e env) *cli.Command {
	return leaf("redact", "take secrets out of a cassette", "FILE", 1, append(redactionFlags(),
		&cli.StringFlag{Name: "out", Usage: "write to this `FILE` instead of the same one"},
	), func(c *cli.Context) error {
		cfg := cassetteRedactConfig{File: c.Args().First(), Redact: redactFlagsOf(c), Out: c.String("out")}
		if cfg.File == "" {
			return usagef("say which cassette: exodeck cassette redact x.cassette.jsonl")
		}
		var err error
		if cfg.redact, err = cfg.Redact.rules(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runCassetteRedact(c.Context, cfg, e)
	})
}

func runCassetteRedact(ctx context.Context, cfg cassetteRedactConfig, e env) error {
	c, err := cassette.Open(cfg.File)
	if err != nil {
		return err
	}
	out := cfg.Out
	if out == "" {
		out = cfg.File
	}
	var done cassette.Exported
	err = writeWhole(out, e, func(w io.Writer) error {
		var err error
		done, err = cassette.Export(ctx, w, c, cassette.ExportOptions{
			Fallback: cassetteName(out, ""), Generator: "exodeck " + version(), Redact: &cfg.redact,
		})
		return errors.Join(err, c.Close()) // before another file takes its place
	})
	if errors.Is(err, cassette.ErrNothing) {
		return &exitError{exitMissing, fmt.Errorf("redacting %s: there is no exchange in it", cfg.File)}
	}
	if err != nil {
		return fmt.Errorf("redacting %s: %w", cfg.File, err)
	}
	fmt.Fprintf(e.stderr, "%s taken out of %s%s\n", show.Count(done.Secrets, "secret"), show.Count(done.Exchanges, "exchange"), filesReplaced(done))
	return nil
}
