package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

type parseConfig struct {
	API    tape.API
	Stream bool
	File   string // "" or "-" is stdin
}

func parseCommand(e env) *cli.Command {
	return leaf("parse", "print what the parser sees in a response body, as JSON", "[FILE]", 1, []cli.Flag{
		&cli.StringFlag{Name: "api", Usage: "openai, claude, responses, ollama or ollama-generate"},
		&cli.BoolFlag{Name: "stream", Usage: "the body is an event stream, or NDJSON for Ollama"},
	}, func(c *cli.Context) error {
		cfg := parseConfig{API: tape.API(c.String("api")), Stream: c.Bool("stream"), File: c.Args().First()}
		if !cfg.API.Model() {
			return usagef("--api is openai, claude, responses, ollama or ollama-generate, not %q", cfg.API)
		}
		return runParse(c.Context, cfg, e)
	})
}

func runParse(ctx context.Context, cfg parseConfig, e env) error {
	var in io.Reader
	if cfg.File != "" && cfg.File != "-" {
		f, err := os.Open(cfg.File)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	} else {
		if isTerminal(e.stdin) {
			fmt.Fprintln(e.stderr, "reading a response body from the terminal; Ctrl-D ends it")
		}
		in = interruptible(ctx, e.stdin)
	}
	answer, err := wire.ParseResponse(cfg.API, cfg.Stream, in)
	if err != nil {
		return fmt.Errorf("reading the response body: %w", err)
	}
	_, err = io.WriteString(e.stdout, string(answer.Normalized())+"\n")
	return err
}
