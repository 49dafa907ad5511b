package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// recordConfig is what `record` was asked to do.
type recordConfig struct {
	Listen        string
	Upstream      string
	Tape          string
	AllowRemote   bool
	Strict        bool
	RedactHeaders []string
	Labels        []string
	LogFormat     string
	Quiet         bool
	// Command is run with its base URLs pointing at the proxy; recording ends with it.
	Command []string

	upstream *url.URL
	labels   map[string]string
}

func recordCommand(e env, wrapped []string) *cli.Command {
	return leaf("record", "stand in front of exo and record everything", "[-- COMMAND...]", 0, []cli.Flag{
		&cli.StringFlag{Name: "listen", Value: defaultListen, Usage: "`ADDRESS` to listen on"},
		&cli.StringFlag{Name: "upstream", Value: defaultUpstream(e.getenv), Usage: "base `URL` of exo (EXO_HOST and EXO_PORT name another)"},
		tapeFlag(),
		&cli.BoolFlag{Name: "allow-remote", Usage: "allow --listen on an address that other machines reach"},
		&cli.BoolFlag{Name: "strict", Usage: "hold back the end of each response until it is on the tape; break off what cannot be recorded"},
		&cli.StringSliceFlag{Name: "redact-header", Usage: "keep only a fingerprint of this header too; may be repeated"},
		&cli.StringSliceFlag{Name: "label", Usage: "`K=V` to keep with every exchange; may be repeated"},
		&cli.StringFlag{Name: "log-format", Value: "text", Usage: "log lines as `text` or json, when there is no terminal"},
		&cli.BoolFlag{Name: "quiet", Usage: "neither live status nor a line for each exchange"},
	}, func(c *cli.Context) error {
		cfg := recordConfig{
			Listen:        c.String("listen"),
			Upstream:      c.String("upstream"),
			Tape:          c.String("tape"),
			AllowRemote:   c.Bool("allow-remote"),
			Strict:        c.Bool("strict"),
			RedactHeaders: c.StringSlice("redact-header"),
			Labels:        c.StringSlice("label"),
			LogFormat:     c.String("log-format"),
			Quiet:         c.Bool("quiet"),
			Command:       wrapped,
		}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runRecord(c.Context, cfg, e)
	})
}

func (cfg *recordConfig) validate() error {
	var err error
	if cfg.upstream, err = parseUpstream(cfg.Upstream); err != nil {
		return err
	}
	if cfg.labels, err = parseLabels(cfg.Labels); err != nil {
		return err
	}
	if cfg.LogFormat != "text" && cfg.LogFormat != "json" {
		return fmt.Errorf("--log-format is text or json, not %q", cfg.LogFormat)
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--listen %q is no address and port; write it like %s", cfg.Listen, defaultListen)
	}
	if !isLoopback(host) && !cfg.AllowRemote {
		return fmt.Errorf("--listen %s would let other machines use exo through this one and be recorded; add --allow-remote if that is meant", cfg.Listen)
	}
	if cfg.upstream.Host == cfg.Listen {
		return fmt.Errorf("--upstream and --listen are both %s: the proxy would ask itself; exo listens on %s by default", cfg.Listen, defaultPort)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
	ln, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return listenError(cfg.Listen, err)
	}
	defer ln.Close()
	d, err := openDeck(ctx, cfg.Tape, tape.Session{Upstream: cfg.upstream.String(), Version: version(), Labels: cfg.labels}, e)
	if err != nil {
		return err
	}
	defer func() { err = both(err, d.close()) }()
	d.redactor.Headers = cfg.RedactHeaders

	live := newLive(e.stderr, d.recorder, cfg.LogFormat, cfg.Quiet)
	defer live.stop()
	server, err := proxy.New(proxy.Config{
		Upstream: cfg.upstream,
		Session:  d.session,
		Redactor: d.redactor,
		Labels:   cfg.labels,
		Strict:   cfg.Strict,
		OnEnd:    live.ended,
		Log:      live.log,
	})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer server.Close()
	printBases(e.stderr, ln.Addr().String(), cfg)

	serving, finish := context.WithCancel(ctx)
	defer finish()
	var command *exec.Cmd
	var commandErr error
	commandDone := make(chan struct{})
	if len(cfg.Command) > 0 {
		command = wrapCommand(ctx, cfg.Command, ln.Addr().String(), e)
		if err := command.Start(); err != nil {
			return fmt.Errorf("running %s: %w; write the command behind -- as you would without exodeck", cfg.Command[0], err)
		}
		go func() {
			defer close(commandDone)
			defer finish()
			commandErr = command.Wait()
		}()
	} else {
		close(commandDone)
	}
	release := onSecondSignal(serving, func() {
		live.log.Warn("stopping at once; what was in flight is marked as interrupted")
		server.Stop()
		if command != nil {
			_ = command.Process.Kill() // it may just have ended
		}
	})
	err = server.Serve(serving, ln)
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

// onSecondSignal calls stop when another signal comes while what is in flight when serving ends is finished. The function it returns
// ends the waiting for one and reports whether one came.
func onSecondSignal(serving context.Context, stop func()) (release func() (came bool)) {
	again := make(chan os.Signal, 2)
	done := make(chan struct{})
	finished := make(chan bool, 1)
	go func() {
		came := false
		defer func() { finished <- came }()
		select {
		case <-serving.Done():
		case <-done:
			return
		}
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(again)
		select {
		case <-again:
			came = true
			stop()
		case <-done:
		}
	}()
	return func() bool {
		close(done)
		return <-finished
	}
}

func listenError(address string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken: another exodeck may be recording there; stop it, or choose another port with --listen 127.0.0.1:0", address)
	}
	return fmt.Errorf("%w; choose another address with --listen", err)
}

// printBases shows what to point each kind of client at.
func printBases(w io.Writer, address string, cfg recordConfig) {
	fmt.Fprintf(w, "recording %s to %s\n\n", cfg.upstream.Redacted(), cfg.Tape)
	for _, line := range baseURLs(address) {
		fmt.Fprintf(w, "  %-21s export %s=%s\n", line.client, line.name, line.value)
	}
	fmt.Fprintf(w, "\nCtrl-C finishes what is in flight and closes the tape; a second one stops at once.\n")
}

// baseURL is an environment variable that points a kind of client at the proxy.
type baseURL struct{ client, name, value string }

func baseURLs(address string) []baseURL {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil // a listener's address always splits
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	root := "http://" + net.JoinHostPort(host, port)
	return []baseURL{
		{"OpenAI SDKs", "OPENAI_BASE_URL", root + "/v1"},
		{"Anthropic SDKs", "ANTHROPIC_BASE_URL", root},
		{"Ollama", "OLLAMA_HOST", root + "/ollama"},
		{"exo's own tools", "EXO_HOST", host},
		{"", "EXO_PORT", port},
	}
}

// wrapCommand prepares the command whose traffic is recorded. A signal that ends the recorder is passed on to it.
func wrapCommand(ctx context.Context, args []string, address string, e env) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.stdin, e.stdout, e.stderr
	cmd.Env = os.Environ()
	for _, b := range baseURLs(address) {
		cmd.Env = append(cmd.Env, b.name+"="+b.value)
	}
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill()
		}
		// Ctrl-C on a terminal reaches the command by itself.
		if isTerminal(e.stdin) && strings.Contains(context.Cause(ctx).Error(), "interrupt") {
			return nil
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	return cmd
}

// commandStatus passes the exit status of a wrapped command on.
func commandStatus(args []string, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		// A signal is told as shells tell it.
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return &exitError{128 + int(status.Signal()), nil}
		}
		return &exitError{exit.ExitCode(), nil}
	}
	return fmt.Errorf("running %s: %w", args[0], err)
}
