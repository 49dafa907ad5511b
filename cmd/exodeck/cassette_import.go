package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/formats"
	"github.com/exodeck/exodeck/replay/show"
)

type cassetteImportConfig struct {
	File   string
	Format formats.Format // "" is what the file looks like
	Tape   string
}

func cassetteImportCommand(e env) *cli.Command {
	return leaf("import", "put the exchanges of a cassette, or of another kind of recording, on a tape", "FILE", 1, []cli.Flag{
		tapeFlag(),
		&cli.StringFlag{Name: "format", Usage: "`cassette`, har, vcr (YAML of go-vcr or VCR.py), or pairs: JSON Lines of OpenAI requests and responses (default: what the file looks like)"},
	}, func(c *cli.Context) error {
		cfg := cassetteImportConfig{File: c.Args().First(), Tape: c.String("tape")}
		if cfg.File == "" {
			return usagef("say which cassette: exodeck cassette import x.cassette.jsonl")
		}
		if name := c.String("format"); name != "" {
			var err error
			if cfg.Format, err = formats.Parse(name); err != nil {
				return usagef("--format: %w", err)
			}
		}
		return runCassetteImport(c.Context, cfg, e)
	})
}

func runCassetteImport(ctx context.Context, cfg cassetteImportConfig, e env) error {
	format := cfg.Format
	if format == "" {
		var err error
		if format, err = formats.Of(cfg.File); err != nil {
			return fmt.Errorf("importing: %w; check the path", err)
		}
	}
	c, err := formats.Open(cfg.File, format)
	if err != nil {
		return err
	}
	defer c.Close()
	redactor, err := newRedactor(e)
	if err != nil {
		return err
	}
	if err := cassette.Import(ctx, c, cfg.Tape, redactor); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "imported %s to %s\n", show.Count(c.Head().Exchanges, "exchange"), cfg.Tape)
	return nil
}
