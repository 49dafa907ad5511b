package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/scenario"
)

type runExoConfig struct {
	exoQuestions
	Host, Port string
	NoInstance bool
	Tape       string
	JSONOut    string
	Stdout     bool

	settings scenario.Settings
}

func runExoCommand(e env) *cli.Command {
	flags := append(exoFlags(),
		&cli.StringFlag{Name: "host", Value: exoHost(e.getenv), Usage: "`HOST` of exo"},
		&cli.StringFlag{Name: "port", Value: exoPort(e.getenv), Usage: "`PORT` of exo"},
		&cli.BoolFlag{Name: "no-instance", Usage: "make no instance: ask a server as it is, exo or another"},
		&cli.IntFlag{Name: "concurrency", Value: 1, Usage: "how many scenarios are asked at once"},
		&cli.Float64Flag{Name: "timeout", Value: scenario.DefaultTimeout.Seconds(), Usage: "limit of each operation in `SECONDS`"},
		tapeFlag(),
		&cli.StringFlag{Name: "json-out", Value: "eval_results.json", Usage: "the result `FILE`"},
		&cli.BoolFlag{Name: "stdout", Usage: "print the result to stdout instead, and the text to stderr"},
	)
	return leaf("exo", "exo's tool-call scenarios", "", 0, flags, func(c *cli.Context) error {
		cfg := runExoConfig{
			exoQuestions: exoQuestionsOf(c),
			Host:         c.String("host"),
			Port:         c.String("port"),
			NoInstance:   c.Bool("no-instance"),
			Tape:         c.String("tape"),
			JSONOut:      c.String("json-out"),
			Stdout:       c.Bool("stdout"),
		}
		cfg.Concurrency = c.Int("concurrency")
		cfg.Timeout = time.Duration(c.Float64("timeout") * float64(time.Second))
		if !c.IsSet("repeat") {
			cfg.Repeat = 1
		}
		if err := cfg.validate(); err != nil {
			return err
		}
		return runRunExo(c.Context, cfg, e)
	})
}

func (cfg *runExoConfig) validate() error {
	if cfg.Model == "" {
		return usagef("--model is needed: the model to ask, as the server's /models lists it")
	}
	if cfg.Concurrency < 1 {
		return usagef("--concurrency must be >= 1 (got %d)", cfg.Concurrency)
	}
	if cfg.Repeat < 1 {
		return usagef("--repeat must be >= 1 (got %d)", cfg.Repeat)
	}
	if cfg.Timeout <= 0 {
		return usagef("--timeout must be above 0")
	}
	if !cfg.NoInstance {
		return usagef("exodeck makes no instances yet: start the model in exo and add --no-instance")
	}
	if cfg.API == "" {
		cfg.API = "all"
	}
	if cfg.Stream == "" {
		cfg.Stream = string(scenario.StreamOff)
	}
	apis, err := scenario.APIsOf(cfg.API)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	stream, err := parseStream(cfg.Stream)
	if err != nil {
		return err
	}
	base, err := exoURL(cfg.Host, cfg.Port)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	cfg.settings = scenario.Settings{
		BaseURL:   base,
		Model:     cfg.Model,
		APIs:      apis,
		Repeat:    cfg.Repeat,
		Stream:    stream,
		Scenarios: cfg.Scenarios,
	}
	return nil
}

func runRunExo(ctx context.Context, cfg runExoConfig, e env) error {
	file, scenarios, err := cfg.loadScenarios(e.stderr)
	if err != nil {
		return err
	}
	d, err := openDeck(ctx, cfg.Tape, tape.Session{Upstream: cfg.settings.BaseURL, Version: version(), Labels: cfg.settings.Labels()}, e)
	if err != nil {
		return err
	}
	base := proxy.NewTransport()
	defer base.CloseIdleConnections()
	run := exoRun{
		settings:    cfg.settings,
		scenarios:   scenarios,
		client:      &record.Transport{Base: base, Session: d.session, Upstream: cfg.settings.BaseURL, Redactor: d.redactor},
		concurrency: cfg.Concurrency,
		timeout:     cfg.Timeout,
		text:        e.stdout,
	}
	if cfg.Stdout {
		run.text = e.stderr
	}
	if cfg.Verbose {
		run.verbose = e.stderr
	}
	verdicts, text, err := run.run(ctx)
	closeErr := d.close()
	if err != nil {
		return both(err, closeErr)
	}
	// The result is taken from the tape, as scoring it does; the exchanges it rests on are found nowhere else.
	t, err := tape.Open(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	data, err := exoResult(ctx, t, file, verdicts)
	if err != nil {
		return err
	}
	if cfg.Stdout {
		_, err = e.stdout.Write(data)
	} else if err = writeResult(cfg.JSONOut, data); err == nil {
		err = text.Written(cfg.JSONOut)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "recorded to %s; exodeck score exo --tape %s judges it again, offline\n", cfg.Tape, cfg.Tape)
	if closeErr != nil {
		return closeErr
	}
	return verdictStatus(verdicts)
}
