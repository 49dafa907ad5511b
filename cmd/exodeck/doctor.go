package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/doctor"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/replay/show"
)

type doctorConfig struct {
	Upstream string
	Listen   string
	Tape     string
	Format   string

	upstream upstream
}

func doctorCommand(e env) *cli.Command {
	return leaf("doctor", "check exo, the proxy, the tape and the environment", "", 0, []cli.Flag{
		&cli.StringFlag{Name: "upstream", Value: defaultUpstream(e.getenv), Usage: "base `URL` of exo; EXO_HOST and EXO_PORT name another"},
		&cli.StringFlag{Name: "listen", Value: defaultListen, Usage: "`ADDRESS` that exodeck listens on"},
		tapeFlag(),
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	}, func(c *cli.Context) error {
		cfg := doctorConfig{Upstream: c.String("upstream"), Listen: c.String("listen"), Tape: c.String("tape"), Format: c.String("format")}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runDoctor(c.Context, cfg, e)
	})
}

func (cfg *doctorConfig) validate() error {
	if err := checkTextOrJSON(cfg.Format); err != nil {
		return err
	}
	upstreams, err := parseUpstreams([]string{cfg.Upstream})
	if err != nil {
		return err
	}
	if cfg.upstream = upstreams[0]; cfg.upstream.name != "" || cfg.upstream.url.Host == "" {
		return fmt.Errorf("--upstream is the URL of one exo; write it like http://localhost:%s", defaultPort)
	}
	return address{"--listen", cfg.Listen, ""}.check(true)
}

// doctorReport is what the command prints.
type doctorReport struct {
	Version string         `json:"version"`
	Checks  []doctor.Check `json:"checks"`
	// Problems and Warnings count the checks.
	Problems int `json:"problems"`
	Warnings int `json:"warnings"`
}

func runDoctor(ctx context.Context, cfg doctorConfig, e env) error {
	config := doctor.Config{
		Upstream: cfg.upstream.url,
		Listen:   cfg.Listen,
		Tape:     cfg.Tape,
		NoProxy:  e.getenv("NO_PROXY") + "," + e.getenv("no_proxy"),
		Start:    startCommand(cfg, e),
	}
	// Without a folder for exodeck's own files the check says so.
	config.StateDir, _ = record.StateDir(e.getenv, runtime.GOOS)
	for _, b := range baseURLs(cfg.Listen, "") {
		if !strings.HasPrefix(b.name, "EXO_") { // they name the upstream
			config.Variables = append(config.Variables, doctor.Variable{Name: b.name, Value: e.getenv(b.name), Want: b.value})
		}
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		config.Variables = append(config.Variables, doctor.Variable{Name: name, Value: e.getenv(name)})
	}
	report := doctorReport{Version: version(), Checks: doctor.Examine(ctx, config)}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range report.Checks {
		switch c.Status {
		case doctor.Problem:
			report.Problems++
		case doctor.Warning:
			report.Warnings++
		}
	}
	if err := report.print(cfg.Format, e); err != nil {
		return err
	}
	if report.Problems > 0 {
		return &exitError{exitCannotRun, nil}
	}
	return nil
}

func (r *doctorReport) print(format string, e env) error {
	if format == "json" {
		return e.printJSON(r)
	}
	for _, c := range r.Checks {
		line := fmt.Sprintf("%-8s %-12s %s", c.Status, c.Name, c.Detail)
		if c.Next != "" {
			line += " → " + c.Next
		}
		fmt.Fprintln(e.stdout, line)
	}
	_, err := fmt.Fprintf(e.stdout, "exodeck %s: %s, %s\n", r.Version, show.Count(r.Problems, "problem"), show.Count(r.Warnings, "warning"))
	return err
}

// startCommand is the command that would record as the flags say.
func startCommand(cfg doctorConfig, e env) string {
	line := "exodeck record"
	if cfg.Listen != defaultListen {
		line += " --listen " + shellWord(cfg.Listen)
	}
	if cfg.Upstream != defaultUpstream(e.getenv) {
		line += " --upstream " + shellWord(cfg.Upstream)
	}
	if cfg.Tape != defaultTape {
		line += " --tape " + shellWord(cfg.Tape)
	}
	return line
}
