package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// recordConfig is what `record` was asked to do.
type recordConfig struct {
	Listen        string
	ListenFor     []string
	Upstreams     []string
	Forward       bool
	AllowHosts    []string
	Admin         string
	Tape          string
	AllowRemote   bool
	Strict        bool
	RedactHeaders []string
	Labels        []string
	LogFormat     string
	LogLevel      string
	Quiet         bool
	Watch         bool
	Rules         conformance.Rules // of --watch
	Keep          tape.Retention
	// Command is run with its base URLs pointing at the proxy; recording ends with it.
	Command []string

	upstreams []upstream
	hosts     []proxy.Host
	listens   []address // --listen first
	labels    map[string]string
	level     slog.Level
}

func recordCommand(e env, wrapped []string) *cli.Command {
	return leaf("record", "stand in front of exo and record everything", "[-- COMMAND...]", 0, append(append(keepFlags(), ruleFlags("with --watch, ")...), []cli.Flag{
		&cli.StringFlag{Name: "listen", Value: defaultListen, Usage: "`ADDRESS` to listen on"},
		&cli.StringSliceFlag{Name: "upstream", Usage: "base `URL` of exo, or NAME=URL for one of several, reached at /NAME; may be repeated (default: " + defaultUpstream(e.getenv) + "; EXO_HOST and EXO_PORT name another)"},
		&cli.StringSliceFlag{Name: "listen-for", Usage: "`NAME=ADDRESS` to listen on for one upstream alone, without /NAME; may be repeated"},
		&cli.BoolFlag{Name: "forward", Usage: "be an HTTP proxy too (HTTP_PROXY), for the hosts of --allow-host; without --upstream, be nothing else"},
		&cli.StringSliceFlag{Name: "allow-host", Usage: "`HOST[:PORT]` that --forward may forward to; may be repeated"},
		&cli.StringFlag{Name: "admin", Usage: "`ADDRESS` to answer /healthz and /metrics on (default: none)"},
		tapeFlag(),
		&cli.BoolFlag{Name: "allow-remote", Usage: "allow listening on addresses that other machines reach"},
		&cli.BoolFlag{Name: "strict", Usage: "hold back the end of each response until it is on the tape; break off what cannot be recorded"},
		&cli.StringSliceFlag{Name: "redact-header", Usage: "keep only a fingerprint of this `HEADER` too; may be repeated"},
		&cli.StringSliceFlag{Name: "label", Usage: "`K=V` to keep with every exchange; may be repeated"},
		&cli.StringFlag{Name: "log-format", Value: "text", Usage: "log lines as `text` or json, when there is no terminal"},
		&cli.StringFlag{Name: "log-level", Value: "info", Usage: "least `LEVEL` of log lines: debug, info, warn or error"},
		&cli.BoolFlag{Name: "watch", Usage: "judge what is recorded as it happens: a line for each problem, and the totals at the end"},
		&cli.BoolFlag{Name: "quiet", Usage: "neither live status nor a line for each exchange"},
	}...), func(c *cli.Context) error {
		keep, err := keepOf(c)
		if err == nil {
			err = keep.Check()
		}
		if err != nil {
			return &exitError{exitUsage, err}
		}
		cfg := recordConfig{
			Listen:        c.String("listen"),
			ListenFor:     c.StringSlice("listen-for"),
			Upstreams:     c.StringSlice("upstream"),
			Forward:       c.Bool("forward"),
			AllowHosts:    c.StringSlice("allow-host"),
			Admin:         c.String("admin"),
			Tape:          c.String("tape"),
			AllowRemote:   c.Bool("allow-remote"),
			Strict:        c.Bool("strict"),
			RedactHeaders: c.StringSlice("redact-header"),
			Labels:        c.StringSlice("label"),
			LogFormat:     c.String("log-format"),
			LogLevel:      c.String("log-level"),
			Quiet:         c.Bool("quiet"),
			Watch:         c.Bool("watch"),
			Keep:          keep,
			Command:       wrapped,
		}
		if len(cfg.Upstreams) == 0 && !cfg.Forward {
			cfg.Upstreams = []string{defaultUpstream(e.getenv)}
		}
		if !cfg.Watch && slices.ContainsFunc(ruleFlagNames, c.IsSet) {
			return usagef("--only, --ignore and --rules-file say what --watch tells; add --watch if that is meant (everything is recorded in any case)")
		}
		if cfg.Rules, err = rulesOf(c); err != nil {
			return err
		}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runRecord(c.Context, cfg, e)
	})
}

func (cfg *recordConfig) validate() error {
	var err error
	if cfg.upstreams, err = parseUpstreams(cfg.Upstreams); err != nil {
		return err
	}
	if cfg.labels, err = parseLabels(cfg.Labels); err != nil {
		return err
	}
	if cfg.LogFormat != "text" && cfg.LogFormat != "json" {
		return fmt.Errorf("--log-format is text or json, not %q", cfg.LogFormat)
	}
	if err := cfg.level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		return fmt.Errorf("--log-level is debug, info, warn or error, not %q", cfg.LogLevel)
	}
	if err := cfg.validateForward(); err != nil {
		return err
	}
	return cfg.validateAddresses()
}

func (cfg *recordConfig) validateForward() error {
	switch {
	case cfg.Forward && len(cfg.AllowHosts) == 0:
		return errors.New("--forward needs --allow-host HOST[:PORT] for each host that may be forwarded to")
	case !cfg.Forward && len(cfg.AllowHosts) > 0:
		return errors.New("--allow-host is for a forward proxy; add --forward if that is meant")
	}
	for _, s := range cfg.AllowHosts {
		host, err := proxy.ParseHost(s)
		if err != nil {
			return fmt.Errorf("--allow-host: %w", err)
		}
		cfg.hosts = append(cfg.hosts, host)
	}
	return nil
}

func (cfg *recordConfig) validateAddresses() error {
	cfg.listens = []address{{"--listen", cfg.Listen, ""}}
	for _, s := range cfg.ListenFor {
		a, err := parseListenFor(s)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(cfg.upstreams, func(u upstream) bool { return u.name == a.upstream }) {
			return fmt.Errorf("--listen-for %s: no upstream is called %s; add --upstream %s=URL", s, a.upstream, a.upstream)
		}
		cfg.listens = append(cfg.listens, a)
	}
	for _, a := range cfg.listens {
		if err := a.check(cfg.AllowRemote); err != nil {
			return err
		}
		for _, u := range cfg.upstreams {
			if proxy.LeadsTo(u.url, a.value) {
				return fmt.Errorf("--upstream %s leads to %s: the proxy would ask itself; exo listens on %s by default, and EXO_HOST and EXO_PORT name the upstream when no flag does", u, a, defaultPort)
			}
		}
	}
	if cfg.Admin != "" {
		return address{"--admin", cfg.Admin, ""}.check(cfg.AllowRemote)
	}
	return nil
}

func parseLabels(list []string) (map[string]string, error) {
	labels := make(map[string]string, len(list))
	for _, s := range list {
		k, v, ok := record.ParseLabel(s)
		if !ok {
			return nil, fmt.Errorf("--label %q is not of the form key=value", s)
		}
		labels[k] = v
	}
	return labels, nil
}

func runRecord(ctx context.Context, cfg recordConfig, e env) (err error) {
	listeners, err := listen(cfg.listens)
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	said := make(warnings, 8)
	defer close(said)
	d, err := openTape(ctx, cfg.Tape, tape.RecorderOptions{Keep: cfg.Keep, Warn: said.add}, e)
	if err != nil {
		return err
	}
	var summary func() string // of what was recorded
	defer func() {
		err = both(err, d.close())
		if summary != nil {
			fmt.Fprintln(e.stderr, summary())
		}
	}()
	d.redactor.Headers = cfg.RedactHeaders

	live := newLive(e.stderr, d.recorder.Stats, cfg.LogFormat, cfg.level, cfg.Quiet)
	defer live.stop()
	go said.pass(live.log)
	config, err := startSessions(ctx, cfg, d)
	if err != nil {
		return err
	}
	config.OnEnd, config.Log = live.ended, live.log
	operators := operators{}
	if cfg.Admin != "" {
		if operators, err = startOperators(ctx, cfg.Admin, d.recorder, live.log); err != nil {
			return err
		}
		defer operators.stop()
		config.OnEnd = func(ev record.Event) {
			operators.metrics.Ended(ev)
			live.ended(ev)
		}
	}
	if cfg.Watch {
		watched, err := startWatch(ctx, cfg.Tape, cfg.Rules, live)
		if err != nil {
			return err
		}
		defer watched.stop()
		if operators.metrics != nil {
			operators.metrics.Judge(watched.counts)
		}
		shown := config.OnEnd
		config.OnEnd = func(ev record.Event) {
			watched.ended(ev)
			shown(ev)
		}
	}
	server, err := proxy.New(config)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer server.Close()
	ways := waysThrough(cfg, listeners)
	printBases(e.stderr, cfg, ways, operators.address)

	var looking sync.WaitGroup
	defer looking.Wait()
	serving, finish := context.WithCancel(ctx)
	defer finish()
	if !cfg.Quiet {
		looking.Go(func() { tellAbsent(serving, cfg.upstreams, live.log) })
	}
	var command *exec.Cmd
	var commandErr error
	commandDone := make(chan struct{})
	if len(cfg.Command) > 0 {
		if command, err = startWrapped(ctx, cfg.Command, commandBases(cfg, ways), e); err != nil {
			return err
		}
		go func() {
			defer close(commandDone)
			defer finish()
			commandErr = command.Wait()
		}()
	} else {
		close(commandDone)
	}
	if !cfg.Quiet {
		summary = func() string { return live.summary(cfg.Tape, listeners[0].Addr().String()) }
	}
	release := onSecondSignal(serving, func() {
		live.log.Warn("stopping at once; what was in flight is marked as interrupted")
		server.Stop()
		if command != nil {
			_ = command.Process.Kill() // it may just have ended
		}
	})
	err = serveAll(serving, server, listeners)
	if err != nil && command != nil {
		_ = command.Process.Kill()
	}
	<-commandDone
	stopped := release()
	if err != nil {
		return err
	}
	// A signal is how recording ends; what it cuts short is another matter.
	if stopped || command != nil && ctx.Err() != nil {
		return &exitError{exitInterrupted, nil}
	}
	return commandStatus(cfg.Command, commandErr)
}
