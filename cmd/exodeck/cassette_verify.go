package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
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
	return leaf("verify", "look for secrets in cassettes, and for changes in ours", "FILE…", 1000, []cli.Flag{
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
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	total := 0
	for _, file := range cfg.Files {
		problems, err := cassette.VerifyFile(ctx, file, redact.Rules{PII: cfg.PII})
		if err != nil {
			return err
		}
		total += len(problems)
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
		return &exitError{exitSecrets, fmt.Errorf("%s found; exodeck cassette redact FILE takes secrets out", counted(total, "problem"))}
	}
	fmt.Fprintf(e.stderr, "%s verified: no secrets\n", counted(len(cfg.Files), "file"))
	return nil
}
