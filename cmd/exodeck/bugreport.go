package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/score/bugreport"
)

// The files that --out makes.
const (
	bugreportFile     = "report.md"
	bugreportCassette = "exchange.cassette.jsonl"
)

type bugreportConfig struct {
	Tape     string
	Exchange string // see findExchange
	Out      string
	Redact   redact.Rules
}

func bugreportCommand(e env) *cli.Command {
	return leaf("bugreport", "write a report about an exchange, ready for an issue tracker", "[SESSION/]SEQ", 1, append(redactionFlags(),
		tapeFlag(),
		&cli.StringFlag{Name: "out", Usage: "write the report and a redacted cassette of the exchange into this `DIR`"},
	), func(c *cli.Context) error {
		cfg := bugreportConfig{Tape: c.String("tape"), Exchange: c.Args().First(), Out: c.String("out")}
		if cfg.Exchange == "" {
			return usagef("say which exchange: exodeck bugreport 12; exodeck score conformance lists those with problems")
		}
		var err error
		if cfg.Redact, err = redactFlagsOf(c).rules(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runBugreport(c.Context, cfg, e)
	})
}

func runBugreport(ctx context.Context, cfg bugreportConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	x, err := findExchange(ctx, t, cfg.Exchange)
	if err != nil {
		return err
	}
	r, err := bugreport.Of(ctx, t, x.Ref, bugreport.Options{Redact: cfg.Redact, Generator: "exodeck " + version()})
	switch {
	case errors.Is(err, bugreport.ErrNoCall), errors.Is(err, bugreport.ErrNoProblem):
		return &exitError{exitMissing, fmt.Errorf("exchange %s has nothing to report: %w; exodeck score conformance --tape %s lists those with problems", cfg.Exchange, err, shellWord(cfg.Tape))}
	case err != nil:
		return fmt.Errorf("reporting exchange %s: %w", cfg.Exchange, err)
	}
	if cfg.Out == "" {
		return r.WriteMarkdown(e.stdout, "")
	}
	return writeBugreport(r, cfg.Out, e)
}

func writeBugreport(r *bugreport.Report, dir string, e env) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%w; name another folder with --out", err)
	}
	write := func(name string, write func(io.Writer) error) error {
		path := filepath.Join(dir, name)
		if err := writeWhole(path, e, write); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		fmt.Fprintf(e.stderr, "wrote %s\n", path)
		return nil
	}
	err := write(bugreportCassette, func(w io.Writer) error {
		_, err := w.Write(r.Cassette)
		return err
	})
	if err != nil {
		return err
	}
	return write(bugreportFile, func(w io.Writer) error { return r.WriteMarkdown(w, bugreportCassette) })
}
