package main

import (
	"context"
	"fmt"
	"io"

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
	c := leaf("parse", "print what the parser sees in a response body, as JSON", "[FILE]", 1, []cli.Flag{
		&cli.StringFlag{Name: "api", Usage: "the `API` family of the body: openai, claude, responses, ollama or ollama-generate; needed"},
		&cli.BoolFlag{Name: "stream", Usage: "the body is an event stream, or NDJSON for Ollama"},
	}, func(c *cli.Context) error {
		cfg := parseConfig{API: tape.API(c.String("api")), Stream: c.Bool("stream"), File: c.Args().First()}
		switch {
		case cfg.API == "":
			return usagef("--api is needed: whose body it is; openai, claude, responses, ollama or ollama-generate")
		case !cfg.API.Model():
			return usagef("--api is openai, claude, responses, ollama or ollama-generate, not %q", cfg.API)
		}
		return runParse(c.Context, cfg, e)
	})
	c.Description = inputNames
	return c
}

func runParse(ctx context.Context, cfg parseConfig, e env) error {
	in, err := openInput(cfg.File, "a response body", e)
	if err != nil {
		return err
	}
	defer in.Close()
	answer, err := wire.ParseResponse(cfg.API, cfg.Stream, interruptible(ctx, in))
	if err != nil {
		return fmt.Errorf("reading the response body: %w", err)
	}
	_, err = io.WriteString(e.stdout, string(answer.Normalized())+"\n")
	return err
}
