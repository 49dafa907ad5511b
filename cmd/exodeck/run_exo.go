package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
)

type runExoConfig struct {
	exoQuestions
	Host, Port string
	NoInstance bool
	Tape       string
	JSONOut    string
	Stdout     bool
	// Cluster says how the model is brought up, unless NoInstance is set.
	Cluster cluster.Options

	settings scenario.Settings
}

func runExoCommand(e env) *cli.Command {
	defaults := cluster.DefaultOptions()
	flags := append(exoFlags("the `MODEL` to ask, as the server's /models lists it; needed", "all", "1", string(scenario.StreamOff)),
		&cli.StringFlag{Name: "host", Value: exoHost(e.getenv), Usage: "`HOST` of exo"},
		&cli.StringFlag{Name: "port", Value: exoPort(e.getenv), Usage: "`PORT` of exo"},
		&cli.BoolFlag{Name: "no-instance", Usage: "make no instance: ask a server as it is, exo or another"},
		&cli.BoolFlag{Name: "reuse-instance", Usage: "take a running instance of the model when there is one"},
		&cli.BoolFlag{Name: "force-download", Usage: "add and download a model that exo does not know"},
		&cli.IntFlag{Name: "min-nodes", Value: defaults.MinNodes, Usage: "only placements on at least `N` nodes"},
		&cli.IntFlag{Name: "max-nodes", Value: defaults.MaxNodes, Usage: "only placements on at most `N` nodes"},
		&cli.StringFlag{Name: "instance-meta", Value: defaults.Meta, Usage: "`KIND` of instance: ring, jaccl or both"},
		&cli.StringFlag{Name: "sharding", Value: defaults.Sharding, Usage: "`KIND` of sharding: pipeline, tensor or both"},
		&cli.BoolFlag{Name: "skip-pipeline-jaccl", Usage: "leave out pipeline on jaccl while both choices are open"},
		&cli.BoolFlag{Name: "skip-tensor-ring", Usage: "leave out tensor on ring while both choices are open"},
		&cli.Float64Flag{Name: "settle-timeout", Value: defaults.SettleTimeout.Seconds(), Usage: "wait so many `SECONDS` for a cluster that is coming up"},
		&cli.BoolFlag{Name: "danger-delete-downloads", Usage: "delete other models' files, smallest first, when the disk is too small"},
		&cli.IntFlag{Name: "concurrency", Value: 1, Usage: "ask `N` scenarios at once"},
		&cli.Float64Flag{Name: "timeout", Value: scenario.DefaultTimeout.Seconds(), Usage: "limit of each operation in `SECONDS`"},
		tapeFlag(),
		&cli.StringFlag{Name: "json-out", Value: "eval_results.json", Usage: "the result `FILE`"},
		&cli.BoolFlag{Name: "stdout", Usage: "print the result to stdout instead, and the text to stderr"},
	)
	return leaf("exo", "ask exo's tool-call scenarios, and judge the answers", "", 0, flags, func(c *cli.Context) error {
		cfg := runExoConfig{
			exoQuestions: exoQuestionsOf(c),
			Host:         c.String("host"),
			Port:         c.String("port"),
			NoInstance:   c.Bool("no-instance"),
			Tape:         c.String("tape"),
			JSONOut:      c.String("json-out"),
			Stdout:       c.Bool("stdout"),
			Cluster: cluster.Options{
				ForceDownload:     c.Bool("force-download"),
				MinNodes:          c.Int("min-nodes"),
				MaxNodes:          c.Int("max-nodes"),
				Meta:              c.String("instance-meta"),
				Sharding:          c.String("sharding"),
				SkipPipelineJaccl: c.Bool("skip-pipeline-jaccl"),
				SkipTensorRing:    c.Bool("skip-tensor-ring"),
				SettleTimeout:     time.Duration(c.Float64("settle-timeout") * float64(time.Second)),
				DeleteDownloads:   c.Bool("danger-delete-downloads"),
				ReuseInstance:     c.Bool("reuse-instance"),
			},
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
	if c := &cfg.Cluster; c.MinNodes < 1 || c.MaxNodes < c.MinNodes {
		return usagef("--min-nodes must be >= 1 and --max-nodes not below it (got %d and %d)", c.MinNodes, c.MaxNodes)
	}
	if cfg.Cluster.SettleTimeout < 0 {
		return usagef("--settle-timeout must be >= 0 (got %v)", cfg.Cluster.SettleTimeout)
	}
	if meta := cfg.Cluster.Meta; meta != "ring" && meta != "jaccl" && meta != cluster.Both {
		return usagef("--instance-meta is ring, jaccl or both, not %q", meta)
	}
	if sharding := cfg.Cluster.Sharding; sharding != "pipeline" && sharding != "tensor" && sharding != cluster.Both {
		return usagef("--sharding is pipeline, tensor or both, not %q", sharding)
	}
	if cfg.API == "" {
		cfg.API = "all"
	}
	if cfg.Stream == "" {
		cfg.Stream = string(scenario.StreamOff)
	}
	apis, err := scenario.APIsOf(cfg.API)
	if err != nil {
		return usagef("--api: %w", err)
	}
	stream, err := scenario.StreamOf(cfg.Stream)
	if err != nil {
		return usagef("--stream: %w", err)
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
	if !cfg.NoInstance {
		cfg.settings.Cluster = &cfg.Cluster
	}
	return nil
}

func runRunExo(ctx context.Context, cfg runExoConfig, e env) error {
	file, scenarios, err := cfg.loadScenarios(e.stderr)
	if err != nil {
		return err
	}
	if err := reach(ctx, cfg.settings.BaseURL, "--host and --port"); err != nil {
		return err
	}
	if !cfg.Stdout {
		if err := checkWritable(cfg.JSONOut); err != nil {
			return err
		}
	}
	d, err := openDeck(ctx, cfg.Tape, tape.Session{Upstream: cfg.settings.BaseURL, Version: version(), Labels: cfg.settings.Labels()}, e)
	if err != nil {
		return err
	}
	base := proxy.NewTransport()
	defer base.CloseIdleConnections()
	bars := newDownloads(e.stderr)
	run := evaluator.Evaluator{
		Settings:    cfg.settings,
		Scenarios:   scenarios,
		Client:      &record.Transport{Base: base, Session: d.session, Upstream: cfg.settings.BaseURL, Redactor: d.redactor},
		Concurrency: cfg.Concurrency,
		Timeout:     cfg.Timeout,
		Text:        e.stdout,
		Cluster:     cluster.Client{Log: bars.log, OnDownload: bars.show},
	}
	if cfg.Stdout {
		run.Text = e.stderr
	}
	if cfg.Verbose {
		run.Verbose = e.stderr
	}
	out, err := run.Run(ctx)
	closeErr := d.close()
	if ctx.Err() != nil {
		err = fmt.Errorf("%w; what was asked until then is on %s", told(cmp.Or(err, ctx.Err())), cfg.Tape)
		return both(&exitError{exitInterrupted, err}, closeErr)
	}
	if _, ok := errors.AsType[*cluster.UnknownModelError](err); ok {
		err = fmt.Errorf("%w; %s/models lists those it knows", err, cfg.settings.BaseURL)
	}
	if out == nil {
		return both(err, closeErr)
	}
	runErr := err
	// The result is taken from the tape, as scoring it does; the exchanges it rests on are found nowhere else.
	t, err := tape.Open(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	fmt.Fprintf(e.stderr, "recorded to %s; exodeck score exo --tape %s judges it again, offline\n", cfg.Tape, shellWord(cfg.Tape))
	result, err := exoRunFile(ctx, t, file, out)
	if err != nil {
		return err
	}
	data, err := report.JSON(result, out.Snapshot)
	if err != nil {
		return err
	}
	if cfg.Stdout {
		_, err = e.stdout.Write(data)
	} else if err = writeResult(cfg.JSONOut, data); err == nil {
		err = unlessUnread(out.Text.Written(cfg.JSONOut))
	}
	if err == nil {
		err = unlessUnread(report.Notes(e.stderr, result.Verdicts))
	}
	if err := both(err, both(runErr, closeErr)); err != nil {
		return err
	}
	return verdictStatus(out.Verdicts)
}
