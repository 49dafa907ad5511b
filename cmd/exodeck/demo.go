package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
)

type demoConfig struct {
	Tape string // "" makes one in a new temporary folder
}

func demoCommand(e env) *cli.Command {
	return leaf("demo", "record, go offline, score: all built in, nothing needed", "", 0, []cli.Flag{
		&cli.StringFlag{Name: "tape", Usage: "where to record, a `FILE` (default: a new temporary folder)"},
	}, func(c *cli.Context) error {
		return runDemo(c.Context, demoConfig{Tape: c.String("tape")}, e)
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
	file, err := scenario.Parse("built-in scenarios", fixtures.Scenarios)
	if err != nil {
		return err
	}
	settings := scenario.Settings{Model: standin.DefaultModel, APIs: scenario.AllAPIs, Repeat: 1, Stream: scenario.StreamOff}
	fmt.Fprintf(e.stderr, "1. recording: a stand-in for exo answers %d scenarios in %d API formats, through the proxy, and plays an agent\n", len(file.Scenarios), len(settings.APIs))
	live, settings, err := demoRecord(ctx, path, settings, file.Scenarios, e)
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
	offline, err := demoScore(ctx, path, settings, file.Scenarios, e)
	if err != nil {
		return fmt.Errorf("scoring the demo: %w", err)
	}
	if !sameOutcome(live, offline) {
		return fmt.Errorf("the verdicts from the tape differ from those of the recording; please report this with %s", path)
	}
	all := score.Count(offline, nil)
	fmt.Fprintf(e.stdout, "\n%d of %d passed\n", all.Passed, all.Total)
	if err := agent.score(ctx, e); err != nil {
		return fmt.Errorf("scoring the demo's agent: %w", err)
	}
	fmt.Fprintf(e.stderr, "\nThese are the verdicts that the live answers got. The %d failures are honest: the stand-in leaks a harmony token into\n"+
		"a function's name over one API, and cuts an answer off over another.\n\n", all.Total-all.Passed)
	fmt.Fprintf(e.stderr, "The tape is %s. Look at it:\n", path)
	fmt.Fprintf(e.stderr, "  exodeck tape ls --tape %[1]s\n  exodeck tape show --tape %[1]s 1\n  exodeck score exo --tape %[1]s\n  exodeck score acebench --tape %[1]s\n", path)
	return nil
}

// demoRecord asks the scenarios of a stand-in through a recording proxy, all on loopback, and stops both.
func demoRecord(ctx context.Context, path string, settings scenario.Settings, scenarios []scenario.Scenario, e env) (_ []score.Verdict, _ scenario.Settings, err error) {
	exo := standin.New(standin.Options{Script: standin.Demo()})
	if err := exo.Start(ctx); err != nil {
		return nil, settings, err
	}
	defer exo.Close()
	upstream, err := url.Parse(exo.URL())
	if err != nil {
		return nil, settings, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, settings, err
	}
	defer ln.Close()
	settings.BaseURL = "http://" + ln.Addr().String()
	d, err := openDeck(ctx, path, tape.Session{Upstream: exo.URL(), Version: version(), Labels: settings.Labels()}, e)
	if err != nil {
		return nil, settings, err
	}
	defer func() { err = both(err, d.close()) }()
	server, err := proxy.New(proxy.Config{Upstream: upstream, Session: d.session, Redactor: d.redactor, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, settings, err
	}
	defer server.Close()
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, ln) }()
	client := &http.Transport{}
	run := evaluator.Evaluator{Settings: settings, Scenarios: scenarios, Client: client, Concurrency: 4, Text: io.Discard}
	out, err := run.Run(ctx)
	client.CloseIdleConnections()
	stop()
	if err = errors.Join(err, <-served); err != nil {
		return nil, settings, err
	}
	return out.Verdicts, settings, nil
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
