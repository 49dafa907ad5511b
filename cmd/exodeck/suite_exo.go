package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
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
		return nil, nil, usagef("no scenario of %s is called %s; it has %s", file.Name, strings.Join(unknown, ", "), strings.Join(file.Names(), ", "))
	}
	if len(unknown) > 0 {
		fmt.Fprintf(stderr, "exodeck: %s has no scenario %s\n", file.Name, strings.Join(unknown, ", "))
	}
	return file, selected, nil
}

func parseStream(s string) (scenario.Stream, error) {
	switch v := scenario.Stream(s); v {
	case scenario.StreamOff, scenario.StreamOn, scenario.StreamBoth:
		return v, nil
	}
	return "", usagef("--stream is off, on or both, not %q", s)
}

// exoRun asks the scenarios through a client and prints the verdicts as they come.
type exoRun struct {
	settings    scenario.Settings
	scenarios   []scenario.Scenario
	client      http.RoundTripper
	concurrency int
	timeout     time.Duration
	verbose     io.Writer // nil for none
	text        io.Writer
}

func (r exoRun) run(ctx context.Context) ([]score.Verdict, *report.Text, error) {
	suite := &scenario.Suite{
		Client:      r.client,
		BaseURL:     r.settings.BaseURL,
		Model:       r.settings.Model,
		APIs:        r.settings.APIs,
		Scenarios:   r.scenarios,
		Repeat:      r.settings.Repeat,
		Concurrency: r.concurrency,
		Timeout:     r.timeout,
		Stream:      r.settings.Stream,
		Verbose:     r.verbose,
	}
	ways := 1
	if r.settings.Stream == scenario.StreamBoth {
		ways = 2
	}
	text := report.NewText(r.text, report.Header{
		Model:       r.settings.Model,
		Endpoint:    r.settings.BaseURL,
		APIs:        r.settings.APIs,
		Scenarios:   len(r.scenarios),
		Repeats:     r.settings.Repeat,
		Ways:        ways,
		Concurrency: r.concurrency,
	})
	verdicts, err := suite.Run(ctx, func(_ scenario.Task, v []score.Verdict) { text.Task(v) })
	if err != nil {
		return verdicts, text, err
	}
	return verdicts, text, text.Summary(verdicts)
}

// exoResult is the run file of verdicts whose exchanges are on a tape.
func exoResult(ctx context.Context, t *tape.Tape, file *scenario.File, verdicts []score.Verdict) ([]byte, error) {
	recording, err := score.RecordingDigest(ctx, t, verdicts)
	if err != nil {
		return nil, err
	}
	return report.JSON(score.RunFile{
		Version:     version(),
		Suite:       scenario.Name,
		Rules:       scenario.Rules,
		Recording:   recording,
		RulesDigest: scenario.RulesDigest(),
		Data:        file.Digest,
		Verdicts:    verdicts,
	}, nil)
}

// writeResult writes a result file whole or not at all, and makes the folders above it.
func writeResult(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the folder of %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// verdictStatus turns what verdicts call for into the end of the command.
func verdictStatus(verdicts []score.Verdict) error {
	if status := score.ExitStatus(verdicts); status != 0 {
		return &exitError{status, nil}
	}
	return nil
}
