package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
)

type demoConfig struct {
	Tape  string // "" makes one in a new temporary folder
	Watch bool   // show what record --watch tells, and nothing else
}

func demoCommand(e env) *cli.Command {
	return leaf("demo", "record, go offline, score: all built in, nothing needed", "", 0, []cli.Flag{
		&cli.StringFlag{Name: "tape", Usage: "where to record, a `FILE` (default: a new temporary folder)"},
		&cli.BoolFlag{Name: "watch", Usage: "show instead what record --watch says of a server that leaves a call in the text"},
	}, func(c *cli.Context) error {
		return runDemo(c.Context, demoConfig{Tape: c.String("tape"), Watch: c.Bool("watch")}, e)
	})
}

func runDemo(ctx context.Context, cfg demoConfig, e env) error {
	path := cfg.Tape
	if path == "" {
		dir, err := os.MkdirTemp("", "exodeck-demo-")
		if err != nil {
			return err
		}
		path = filepath.Join(dir, "demo.tape")
	}
	if cfg.Watch {
		return runDemoWatch(ctx, path, e)
	}
	file, err := scenario.Parse("built-in scenarios", fixtures.Scenarios)
	if err != nil {
		return err
	}
	settings := scenario.Settings{Model: standin.DefaultModel, APIs: scenario.AllAPIs, Repeat: 1, Stream: scenario.StreamOff}
	fmt.Fprintf(e.stderr, "1. recording: a stand-in for exo answers %d scenarios in %d API formats, through the proxy, and plays an agent\n", len(file.Scenarios), len(settings.APIs))
	run := demoRun{path: path, script: standin.Demo(), settings: settings, scenarios: file.Scenarios, concurrency: 4}
	live, err := run.record(ctx, e)
	if err != nil {
		return fmt.Errorf("recording the demo: %w", err)
	}
	agent, err := newDemoAgent(path)
	if err == nil {
		err = agent.record(ctx, e)
	}
	if err != nil {
		return fmt.Errorf("recording the demo's agent: %w", err)
	}
	fmt.Fprintf(e.stderr, "2. the stand-in and the proxy are stopped; %s holds what they said\n", path)
	fmt.Fprintf(e.stderr, "3. scoring from the tape alone:\n\n")
	offline, err := demoScore(ctx, path, run.settings, file.Scenarios, e)
	if err != nil {
		return fmt.Errorf("scoring the demo: %w", err)
	}
	if !sameOutcome(live, offline) {
		return fmt.Errorf("the verdicts from the tape differ from those of the recording; please report this with %s", path)
	}
	all := score.Count(offline, nil)
	if _, err := fmt.Fprintf(e.stdout, "\n%d of %d passed\n", all.Passed, all.Total); err != nil {
		return err
	}
	if err := agent.score(ctx, e); err != nil {
		return fmt.Errorf("scoring the demo's agent: %w", err)
	}
	fmt.Fprintf(e.stderr, "\nThese are the verdicts that the live answers got. The %d failures are honest: the stand-in leaks a harmony token into\n"+
		"a function's name over one API, and calls a whole answer cut off over another.\n\n", all.Total-all.Passed)
	fmt.Fprintf(e.stderr, "The tape is %s. Look at it:\n", path)
	fmt.Fprintf(e.stderr, "  exodeck tape ls --tape %[1]s\n  exodeck tape show --tape %[1]s 1\n  exodeck score exo --tape %[1]s\n  exodeck score acebench --tape %[1]s\n", path)
	return nil
}

func demoScore(ctx context.Context, path string, settings scenario.Settings, scenarios []scenario.Scenario, e env) ([]score.Verdict, error) {
	t, err := tape.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	session, _, err := scenario.Recorded(ctx, t, "", "")
	if err != nil {
		return nil, err
	}
	transport, err := replay.NewTransport(ctx, t, match.Options{Query: tape.Query{Session: session}})
	if err != nil {
		return nil, err
	}
	run := evaluator.Evaluator{Settings: settings, Scenarios: scenarios, Client: transport, Text: io.Discard}
	out, err := run.Run(ctx)
	if err != nil {
		return nil, err
	}
	return out.Verdicts, report.Matrix(e.stdout, out.Verdicts)
}

// sameOutcome compares verdicts without latencies: the client measured them, the tape has the proxy's.
func sameOutcome(a, b []score.Verdict) bool {
	return slices.EqualFunc(a, b, func(a, b score.Verdict) bool {
		return a.Sample == b.Sample && a.API == b.API && a.Phase == b.Phase && a.Status == b.Status && a.Passed == b.Passed &&
			slices.Equal(a.Checks, b.Checks)
	})
}
