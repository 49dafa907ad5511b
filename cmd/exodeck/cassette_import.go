package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
)

type cassetteImportConfig struct {
	File string
	Tape string
}

func cassetteImportCommand(e env) *cli.Command {
	return leaf("import", "put the exchanges of a cassette on a tape", "FILE", 1, []cli.Flag{tapeFlag()}, func(c *cli.Context) error {
		cfg := cassetteImportConfig{File: c.Args().First(), Tape: c.String("tape")}
		if cfg.File == "" {
			return usagef("say which cassette: exodeck cassette import x.cassette.jsonl")
		}
		return runCassetteImport(c.Context, cfg, e)
	})
}

func runCassetteImport(ctx context.Context, cfg cassetteImportConfig, e env) error {
	c, err := cassette.Open(cfg.File)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := cassette.Import(ctx, c, cfg.Tape); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "imported %s to %s\n", counted(c.Head().Exchanges, "exchange"), cfg.Tape)
	return nil
}
