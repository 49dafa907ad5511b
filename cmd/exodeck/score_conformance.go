package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

type scoreConformanceConfig struct {
	Tape          string
	Query         tape.Query
	Rules         conformance.Rules
	Baseline      string
	WriteBaseline string
	Verbose       bool
	Format        string
	Out           string
}

func scoreConformanceCommand(e env) *cli.Command {
	return leaf("conformance", "what is wrong with recorded answers, and whose fault it is; no expected answers needed", "", 0, append(append(queryFlags(), ruleFlags("")...),
		recordingFlag(),
		&cli.DurationFlag{Name: "timeout", DefaultText: "5m", Usage: "the longest `TIME` a stream may be without an event, such as 90s or 5m"},
		&cli.StringFlag{Name: "baseline", Usage: "the problems in this `FILE` are known and do not fail"},
		&cli.StringFlag{Name: "write-baseline", Usage: "write all problems to this `FILE`, for --baseline: they are known from now on, and do not fail"},
		&cli.BoolFlag{Name: "verbose", Usage: "show each exchange that has problems, also known ones and warnings that come again and again; json always has all"},
		scoreFormatFlag(),
		&cli.StringFlag{Name: "out", Usage: "write the result, as JSON, to this `FILE` too"},
	), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := scoreConformanceConfig{
			Tape:          c.String("tape"),
			Query:         q,
			Baseline:      c.String("baseline"),
			WriteBaseline: c.String("write-baseline"),
			Verbose:       c.Bool("verbose"),
			Format:        c.String("format"),
			Out:           c.String("out"),
		}
		if err := checkScoreFormat(cfg.Format); err != nil {
			return err
		}
		if cfg.Rules, err = rulesOf(c); err != nil {
			return err
		}
		if c.IsSet("timeout") {
			if cfg.Rules.Timeout = c.Duration("timeout"); cfg.Rules.Timeout <= 0 {
				return usagef("--timeout must be more than 0 (got %s)", cfg.Rules.Timeout)
			}
		}
		return runScoreConformance(c.Context, cfg, e)
	})
}

func runScoreConformance(ctx context.Context, cfg scoreConformanceConfig, e env) error {
	o := offline.Options{Query: cfg.Query, Rules: cfg.Rules, KeepBaseline: cfg.WriteBaseline != "", Verbose: cfg.Verbose, Version: version()}
	var err error
	if o.Baseline, err = cfg.baseline(); err != nil {
		return err
	}
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	res, err := offline.Run(ctx, e.showReading(t), o)
	if err != nil {
		return fmt.Errorf("judging %s: %w", cfg.Tape, err)
	}
	defer res.Close()
	if res.Exchanges == 0 {
		return holdsNone(cfg.Tape, "model call to judge", cfg.Query)
	}
	// What is kept comes before what is printed: whoever reads that may stop early.
	if cfg.Out != "" {
		if err := writeFile(cfg.Out, res.WriteJSON); err != nil {
			return err
		}
	}
	if cfg.WriteBaseline != "" {
		if err := writeBaseline(cfg.WriteBaseline, res.Baseline(), e); err != nil {
			return err
		}
	}
	err = printConformance(res, cfg.Format, e)
	if cfg.Out != "" || cfg.WriteBaseline != "" {
		err = unlessUnread(err)
	}
	if err != nil {
		return err
	}
	if res.Forgotten > 0 {
		fmt.Fprintf(e.stderr, "%d answers were not compared with others that come much later\n", res.Forgotten)
	}
	switch {
	case res.Failing > 0 && cfg.WriteBaseline == "":
		return &exitError{score.ExitFailed, nil}
	case res.Protocol[conformance.NotJudged] == res.Exchanges:
		return &exitError{exitMissing, errors.New("none of the exchanges could be judged")}
	}
	return nil
}

// writeBaseline writes a baseline and says what that means for later runs.
func writeBaseline(path string, b *offline.Baseline, e env) error {
	data, err := b.Encode()
	if err != nil {
		return err
	}
	if err := writeResult(path, data); err != nil {
		return err
	}
	are := "are"
	if b.Len() == 1 {
		are = "is"
	}
	fmt.Fprintf(e.stderr, "wrote %s: %s %s known from now on\n", path, show.Count(b.Len(), "problem"), are)
	return nil
}

func printConformance(res *offline.Result, format string, e env) error {
	var text bytes.Buffer
	switch format {
	case "text":
		return res.WriteText(e.stdout)
	case "json":
		return res.WriteJSON(e.stdout)
	case "github":
		if err := res.WriteText(&text); err != nil {
			return err
		}
	}
	r, err := res.Report()
	if err != nil {
		return err
	}
	return e.printReport(format, r, text.Bytes())
}

func (cfg *scoreConformanceConfig) baseline() (*offline.Baseline, error) {
	if cfg.Baseline == "" {
		return nil, nil
	}
	data, err := os.ReadFile(cfg.Baseline)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline: %w; score conformance --write-baseline FILE writes one", err)
	}
	b, err := offline.ParseBaseline(data)
	if err != nil {
		return nil, usagef("--baseline %s: %v", cfg.Baseline, err)
	}
	return b, nil
}
