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
	"github.com/exodeck/exodeck/score/fault"
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

// exoFlags are the flags that [exoQuestionsOf] reads. model is what the help says of --model; api, repeat and stream are what holds without
// these flags.
func exoFlags(model, api, repeat, stream string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: model},
		&cli.StringFlag{Name: "api", DefaultText: api, Usage: "the `API` to ask: openai, claude, responses, all (these three) or ollama"},
		&cli.StringFlag{Name: "scenarios-file", Usage: "scenarios in exo's format, a TOML `FILE` (default: those built in)"},
		&cli.StringSliceFlag{Name: "scenarios", Usage: "only the scenarios of these `NAMES`"},
		&cli.IntFlag{Name: "repeat", DefaultText: repeat, Usage: "ask each scenario `N` times"},
		&cli.StringFlag{Name: "stream", DefaultText: stream, Usage: "ask for whole answers (`off`), for streams (on), or for each (both)"},
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
		if file, err = scenario.Load(q.ScenariosFile); err != nil {
			err = fmt.Errorf("--scenarios-file: %w; name a TOML file in the format of exo's evaluator, or leave the flag out for the scenarios built in", err)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	selected, unknown := file.Select(q.Scenarios)
	if len(selected) == 0 {
		hint := ""
		if q.ScenariosFile == "" {
			hint = "; those of a file need --scenarios-file"
		}
		return nil, nil, usagef("no scenario of %s is called %s; %s%s", file.Name, strings.Join(unknown, ", "), file.NoMatch(), hint)
	}
	if len(unknown) > 0 {
		fmt.Fprintf(stderr, "exodeck: %s has no scenario %s\n", file.Name, strings.Join(unknown, ", "))
	}
	return file, selected, nil
}

// exoRunFile is the run file of verdicts whose exchanges are on a tape. It says whose fault the failed ones are.
func exoRunFile(ctx context.Context, t cassette.Source, file *scenario.File, out *evaluator.Outcome) (score.RunFile, error) {
	recording, err := score.RecordingDigest(ctx, t, out.Verdicts)
	if err == nil {
		err = fault.Verdicts(ctx, t, out.Verdicts)
	}
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
