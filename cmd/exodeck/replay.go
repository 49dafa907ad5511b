package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/server"
)

// replayConfig is what `replay` was asked to do.
type replayConfig struct {
	Tapes       []string
	Session     string
	Listen      string
	AllowRemote bool
	Timing      string
	AnyModel    bool
	Reuse       bool
	OnMiss      string
	Upstream    string
	Record      string
	Quiet       bool
	// Command is run with its base URLs pointing at the server; serving ends with it.
	Command []string

	timing   server.Timing
	upstream *url.URL // nil unless misses are forwarded
}

func replayCommand(e env, wrapped []string) *cli.Command {
	return leaf("replay", "serve a tape or a cassette as if it were exo", "[-- COMMAND...]", 0, []cli.Flag{
		&cli.StringSliceFlag{Name: "tape", Usage: "a tape or cassette `FILE` to serve; may be repeated (default: " + defaultTape + ")"},
		&cli.StringFlag{Name: "session", Usage: "only exchanges of this `SESSION`"},
		&cli.StringFlag{Name: "listen", Value: defaultListen, Usage: "`ADDRESS` to listen on"},
		&cli.BoolFlag{Name: "allow-remote", Usage: "allow listening on addresses that other machines reach"},
		&cli.StringFlag{Name: "timing", Value: "recorded", Usage: "`TIMING` of answers: recorded, none, or a speed: x2 is twice as fast as recorded"},
		&cli.BoolFlag{Name: "any-model", Usage: "take answers of any model"},
		&cli.BoolFlag{Name: "reuse", Usage: "let one recorded answer serve several equal requests"},
		&cli.StringFlag{Name: "on-miss", Value: "fail", Usage: "what becomes of requests without a recorded answer: `fail`, or forward them to --upstream and record them"},
		&cli.StringFlag{Name: "upstream", Usage: "base `URL` to forward to (default: " + defaultUpstream(e.getenv) + "; EXO_HOST and EXO_PORT name another)"},
		&cli.StringFlag{Name: "record", Usage: "the tape `FILE` to record what is forwarded on; may be one that is served"},
		&cli.BoolFlag{Name: "quiet", Usage: "no line for each answer"},
	}, func(c *cli.Context) error {
		cfg := replayConfig{
			Tapes:       c.StringSlice("tape"),
			Session:     c.String("session"),
			Listen:      c.String("listen"),
			AllowRemote: c.Bool("allow-remote"),
			Timing:      c.String("timing"),
			AnyModel:    c.Bool("any-model"),
			Reuse:       c.Bool("reuse"),
			OnMiss:      c.String("on-miss"),
			Upstream:    c.String("upstream"),
			Record:      c.String("record"),
			Quiet:       c.Bool("quiet"),
			Command:     wrapped,
		}
		if len(cfg.Tapes) == 0 {
			cfg.Tapes = []string{defaultTape}
		}
		if err := cfg.validate(defaultUpstream(e.getenv)); err != nil {
			return &exitError{exitUsage, err}
		}
		return runReplay(c.Context, cfg, e)
	})
}

// validate checks the flags. Misses are forwarded to otherwise unless an upstream is named.
func (cfg *replayConfig) validate(otherwise string) error {
	seen := map[string]bool{}
	for _, path := range cfg.Tapes {
		if path = filepath.Clean(path); seen[path] {
			return fmt.Errorf("--tape %s is given twice; leave one out, or add --reuse to let its answers serve more than once", path)
		}
		seen[path] = true
	}
	var err error
	if cfg.timing, err = server.ParseTiming(cfg.Timing); err != nil {
		return fmt.Errorf("--timing %w", err)
	}
	if err := (address{"--listen", cfg.Listen, ""}).check(true); err != nil {
		return err
	}
	if host, _, err := net.SplitHostPort(cfg.Listen); err == nil && !isLoopback(host) && !cfg.AllowRemote {
		return fmt.Errorf("--listen %s would let other machines read the recording; add --allow-remote if that is meant", cfg.Listen)
	}
	switch {
	case cfg.OnMiss != "fail" && cfg.OnMiss != "forward":
		return fmt.Errorf("--on-miss is fail or forward, not %q", cfg.OnMiss)
	case cfg.OnMiss == "fail" && cfg.Upstream+cfg.Record != "":
		return errors.New("--upstream and --record are for what is forwarded; add --on-miss forward if that is meant")
	case cfg.OnMiss == "fail":
		return nil
	case cfg.Record == "":
		return errors.New("--on-miss forward needs --record TAPE to record what is forwarded on")
	case cfg.Upstream == "":
		cfg.Upstream = otherwise
	}
	if cfg.upstream, err = parseUpstream(cfg.Upstream); err != nil {
		return err
	}
	if proxy.LeadsTo(cfg.upstream, cfg.Listen) {
		return fmt.Errorf("--upstream %s leads to --listen %s: the server would ask itself; choose another address for one of them", cfg.upstream, cfg.Listen)
	}
	return nil
}

func runReplay(ctx context.Context, cfg replayConfig, e env) (err error) {
	listeners, err := listen([]address{{"--listen", cfg.Listen, ""}})
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	log := newReplayLog(e.stderr, cfg.Quiet)
	config := server.Config{
		Match:  match.Options{Query: tape.Query{Session: cfg.Session}, AnyModel: cfg.AnyModel, Reuse: cfg.Reuse},
		Timing: cfg.timing,
		OnMiss: func(m *match.Miss) { printMiss(e.stderr, m, cfg.upstream) },
		Log:    log,
	}
	if cfg.upstream != nil {
		// Before the tapes are opened: the one that is recorded on may be one of them, and be new.
		forward, d, err := openForward(ctx, cfg, log, e)
		if err != nil {
			return err
		}
		defer func() { err = both(err, d.close()) }()
		defer forward.Close()
		config.Forward = forward
	}
	recordings, err := server.Open(ctx, cfg.Tapes...)
	if err != nil {
		return err
	}
	defer recordings.Close()
	config.Source = recordings
	if config.Match, err = recordings.Matching(ctx, config.Match); err != nil {
		return err
	}
	s, err := server.New(ctx, config)
	if err != nil {
		return err
	}
	if s.Len() == 0 && cfg.upstream == nil {
		return &exitError{exitMissing, nothingToReplay(cfg)}
	}
	bases := baseURLs(listeners[0].Addr().String(), "")
	printReplayBases(e.stderr, cfg, s.Len(), bases)
	err = serveReplay(ctx, cfg, s, listeners[0], bases, e)
	report := s.Report()
	printReplayReport(e.stderr, report)
	if len(report.Missed) > 0 && cfg.upstream == nil {
		err = both(err, &exitError{exitMissing, nil})
	}
	return err
}

// openForward opens the tape for what is forwarded, and makes the proxy that forwards and records it.
func openForward(ctx context.Context, cfg replayConfig, log *slog.Logger, e env) (*proxy.Server, *deck, error) {
	d, err := openDeck(ctx, cfg.Record, tape.Session{Upstream: cfg.upstream.String(), Version: version()}, e)
	if err != nil {
		return nil, nil, err
	}
	forward, err := proxy.New(proxy.Config{Upstream: cfg.upstream, Session: d.session, Redactor: d.redactor, Log: log})
	if err != nil {
		return nil, nil, both(&exitError{exitUsage, err}, d.close())
	}
	return forward, d, nil
}

// serveReplay serves until a signal comes or the command has ended, whose status it passes on.
func serveReplay(ctx context.Context, cfg replayConfig, s *server.Server, ln net.Listener, bases []baseURL, e env) error {
	if len(cfg.Command) == 0 {
		return s.Serve(ctx, ln)
	}
	serving, finish := context.WithCancel(ctx)
	defer finish()
	command, err := startWrapped(ctx, cfg.Command, bases, e)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		defer finish()
		ended <- command.Wait()
	}()
	if err := s.Serve(serving, ln); err != nil {
		_ = command.Process.Kill() // it may just have ended
		<-ended
		return err
	}
	err = <-ended
	if ctx.Err() != nil {
		return &exitError{exitInterrupted, nil}
	}
	return commandStatus(cfg.Command, err)
}
