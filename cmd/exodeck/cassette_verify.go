package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/formats"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/show"
)

// exitSecrets is the exit status when a file holds something it should not: it failed a check.
const exitSecrets = 1

type cassetteVerifyConfig struct {
	Files  []string
	PII    bool
	Format string
}

func cassetteVerifyCommand(e env) *cli.Command {
	return leaf("verify", "look for secrets in cassettes, and for changes in ours", "FILE...", 1000, []cli.Flag{
		&cli.BoolFlag{Name: "redact-pii", Usage: "e-mail and IP addresses are secrets too"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	}, func(c *cli.Context) error {
		cfg := cassetteVerifyConfig{Files: c.Args().Slice(), PII: c.Bool("redact-pii"), Format: c.String("format")}
		if len(cfg.Files) == 0 {
			return usagef("say which files: exodeck cassette verify *.cassette.jsonl")
		}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		return runCassetteVerify(c.Context, cfg, e)
	})
}

// verifyProblem is a problem as JSON shows it.
type verifyProblem struct {
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"`
	Field string `json:"field,omitempty"`
	What  string `json:"what"`
}

func runCassetteVerify(ctx context.Context, cfg cassetteVerifyConfig, e env) error {
	enc := jsonLines(e.stdout)
	total := 0
	ours, foreign := false, false // secrets in cassettes, and in other files
	for _, file := range cfg.Files {
		problems, err := cassette.VerifyFile(ctx, file, redact.Rules{PII: cfg.PII})
		if err != nil {
			return err
		}
		total += len(problems)
		if slices.ContainsFunc(problems, func(p cassette.Problem) bool { return !p.Damage }) {
			format, err := formats.Of(file)
			if err != nil {
				return err
			}
			ours, foreign = ours || format == formats.Cassette, foreign || format != formats.Cassette
		}
		for _, p := range problems {
			if cfg.Format == "json" {
				err = enc.Encode(verifyProblem{file, p.Line, p.Field, p.What})
			} else {
				_, err = fmt.Fprintf(e.stdout, "%s: %s\n", file, show.Printable(p.String()))
			}
			if err != nil {
				return err
			}
		}
	}
	if total > 0 {
		said := show.Count(total, "problem") + " found"
		if ours {
			said += "; exodeck cassette redact FILE takes secrets out"
		}
		if foreign {
			said += "; exodeck cassette import FILE and then export take them out of a recording of another kind"
		}
		return &exitError{exitSecrets, errors.New(said)}
	}
	in := "it"
	if len(cfg.Files) > 1 {
		in = "them"
	}
	fmt.Fprintf(e.stderr, "%s verified: nothing in %s looks like a secret\n", show.Count(len(cfg.Files), "file"), in)
	return nil
}
