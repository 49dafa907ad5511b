package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
)

// exoQuestions says which questions `run exo` asks and `score exo` judges.
type exoQuestions struct {
	Model         string
	API           string
	ScenariosFile string
	Scenarios     []string
	Repeat        int
	Concurrency   int
	Timeout       time.Duration
	Stream        string
	Verbose       bool
}

func exoFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "the `MODEL` to ask"},
		&cli.StringFlag{Name: "api", Usage: "openai, claude, responses, all (these three) or ollama"},
		&cli.StringFlag{Name: "scenarios-file", Usage: "scenarios in exo's format, a TOML `FILE` (default: those built in)"},
		&cli.StringSliceFlag{Name: "scenarios", Usage: "only the scenarios of these `NAMES`"},
		&cli.IntFlag{Name: "repeat", Usage: "how often each scenario is asked"},
		&cli.StringFlag{Name: "stream", Usage: "off, on or both: ask for whole answers, for streams, or for each"},
		&cli.BoolFlag{Name: "verbose", Usage: "print requests and responses to stderr"},
	}
}

func exoQuestionsOf(c *cli.Context) exoQuestions {
	return exoQuestions{
		Model:         c.String("model"),
		API:           c.String("api"),
		ScenariosFile: c.String("scenarios-file"),
		Scenarios:     c.StringSlice("scenarios"),
		Repeat:        c.Int("repeat"),
		Stream:        c.String("stream"),
		Verbose:       c.Bool("verbose"),
	}
}

// loadScenarios reads the scenarios that were asked for.
func (q exoQuestions) loadScenarios(stderr io.Writer) (*scenario.File, []scenario.Scenario, error) {
	file, err := scenario.Parse("built-in scenarios", fixtures.Scenarios)
	if q.ScenariosFile != "" {
		file, err = scenario.Load(q.ScenariosFile)
	}
	if err != nil {
		return nil, nil, err
	}
	selected, unknown := file.Select(q.Scenarios)
	if len(selected) == 0 {
		return nil, nil, usagef("no scenario of %s is called %s; %s", file.Name, strings.Join(unknown, ", "), file.NoMatch())
	}
	if len(unknown) > 0 {
		fmt.Fprintf(stderr, "exodeck: %s has no scenario %s\n", file.Name, strings.Join(unknown, ", "))
	}
	return file, selected, nil
}

// exoResult is the run file of verdicts whose exchanges are on a tape, as it is written.
func exoResult(ctx context.Context, t cassette.Source, file *scenario.File, out *evaluator.Outcome) ([]byte, error) {
	run, err := exoRunFile(ctx, t, file, out)
	if err != nil {
		return nil, err
	}
	return report.JSON(run, out.Snapshot)
}

// exoRunFile is the run file of verdicts whose exchanges are on a tape.
func exoRunFile(ctx context.Context, t cassette.Source, file *scenario.File, out *evaluator.Outcome) (score.RunFile, error) {
	recording, err := score.RecordingDigest(ctx, t, out.Verdicts)
	return score.RunFile{
		Version:     version(),
		Suite:       scenario.Name,
		Rules:       scenario.Rules,
		Recording:   recording,
		RulesDigest: scenario.RulesDigest(),
		Data:        file.Digest,
		Verdicts:    out.Verdicts,
	}, err
}

// verdictStatus turns what verdicts call for into the end of the command.
func verdictStatus(verdicts []score.Verdict) error {
	if status := score.ExitStatus(verdicts); status != 0 {
		return &exitError{status, nil}
	}
	return nil
}
