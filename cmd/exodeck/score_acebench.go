package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/score/acebench/sheet"
	"github.com/exodeck/exodeck/simenv/rollout"
)

type scoreACEBenchConfig struct {
	acebenchRules
	Data       string
	Tape       string
	Results    string
	Session    string
	Model      string
	Language   string
	Categories []dataset.Category
	MaxSteps   int
	Explain    string // the sample to explain, in place of the scores; "" for none
	Format     string
	Out        string

	language dataset.Language // "" when it is to be found out
}

func scoreACEBenchCommand(e env) *cli.Command {
	flags := append([]cli.Flag{
		dataFlag(),
		recordingFlag(),
		&cli.StringFlag{Name: "results", Usage: "score result files of the official runner or predictions of evalscope at this `PATH` instead of a tape"},
		&cli.StringFlag{Name: "session", Usage: "the `SESSION` to score (default: the latest run of this suite, else the whole tape)"},
		&cli.StringFlag{Name: "model", Usage: "only answers of this `MODEL`"},
		&cli.StringFlag{Name: "language", Usage: "`en` or zh (default: what the tape or the results hold)"},
		categoriesFlag(),
		&cli.StringFlag{Name: "repeat", Value: string(sheet.All), Usage: "of several answers to a sample: `all`, each reported apart, first or last"},
		&cli.IntFlag{Name: "max-dialog-turns", Value: rollout.DefaultMaxSteps, Usage: "budget of another client's rollouts in `STEPS`; a run of exodeck keeps its own"},
		&cli.StringFlag{Name: "explain", Usage: "print why the sample `ID` got its verdict, under every rule set, instead of the scores"},
		scoreFormatFlag(),
		&cli.StringFlag{Name: "out", Usage: "write the run file, as JSON, to this `FILE` too"},
	}, acebenchScoringFlags()...)
	return leaf("acebench", "judge recorded answers to ACEBench's samples, agents included", "", 0, flags, func(c *cli.Context) error {
		cfg := scoreACEBenchConfig{
			acebenchRules: acebenchRulesOf(c),
			Data:          c.String("data"),
			Tape:          c.String("tape"),
			Results:       c.String("results"),
			Session:       c.String("session"),
			Model:         c.String("model"),
			Language:      c.String("language"),
			MaxSteps:      c.Int("max-dialog-turns"),
			Explain:       c.String("explain"),
			Format:        c.String("format"),
			Out:           c.String("out"),
		}
		cfg.Repeats = c.String("repeat")
		if c.IsSet("results") && c.IsSet("tape") {
			return usagef("give --tape or --results, not both")
		}
		var err error
		if cfg.Categories, err = categoriesOf(c); err != nil {
			return err
		}
		if err := cfg.validate(); err != nil {
			return err
		}
		return runScoreACEBench(c.Context, cfg, e)
	})
}

func (cfg *scoreACEBenchConfig) validate() error {
	if err := cfg.acebenchRules.validate(); err != nil {
		return err
	}
	if err := checkScoreFormat(cfg.Format); err != nil {
		return err
	}
	if cfg.MaxSteps < 1 {
		return usagef("--max-dialog-turns must be >= 1 (got %d)", cfg.MaxSteps)
	}
	if cfg.Explain != "" && cfg.Format != "text" && cfg.Format != "json" {
		return usagef("--explain prints text or json, not %s", cfg.Format)
	}
	if cfg.Explain != "" && cfg.Out != "" {
		return usagef("--explain prints one sample and writes no run file: leave out --out, or --explain")
	}
	if cfg.Language == "" {
		return nil
	}
	var err error
	if cfg.language, err = dataset.ParseLanguage(cfg.Language); err != nil {
		return usagef("--language: %v", err)
	}
	return nil
}

func runScoreACEBench(ctx context.Context, cfg scoreACEBenchConfig, e env) error {
	d, err := openData(cfg.Data, e)
	if err != nil {
		return err
	}
	scoring := offline.Scoring{
		Choice:     recorded.Choice{Session: cfg.Session, Model: cfg.Model, Language: cfg.language},
		Categories: cfg.Categories,
		MaxSteps:   cfg.MaxSteps,
		OnDiverge:  cfg.diverge,
		Sheet:      cfg.options,
	}
	var s *sheet.Sheet
	if cfg.Results != "" {
		s, err = scoring.Results(cfg.Results, d)
		err = wholeData(err)
	} else {
		s, err = scoreTape(ctx, cfg.Tape, scoring, d, e)
	}
	if err != nil {
		return err
	}
	if cfg.Explain != "" {
		return printExplanation(s, d, cfg, e)
	}
	return printSheet(s, cfg.Format, cfg.Out, e)
}
