package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/bugreport"
	"github.com/exodeck/exodeck/score/conformance"
)

type tapeShowConfig struct {
	Tape     string
	Exchange string // "SEQ" of the latest session that has it, or "SESSION/SEQ"
	Raw      bool
	Curl     bool
	Problems bool
}

func tapeShowCommand(e env) *cli.Command {
	c := leaf("show", "print an exchange as a conversation", "[SESSION/]SEQ", 1, []cli.Flag{
		recordingFlag(),
		&cli.BoolFlag{Name: "raw", Usage: "print the bytes instead"},
		&cli.BoolFlag{Name: "curl", Usage: "print the command that asks again instead"},
		&cli.BoolFlag{Name: "problems", Usage: "print what is wrong with it instead, and whose fault it is, as score conformance judges"},
	}, func(c *cli.Context) error {
		cfg := tapeShowConfig{Tape: c.String("tape"), Exchange: c.Args().First(), Raw: c.Bool("raw"), Curl: c.Bool("curl"), Problems: c.Bool("problems")}
		if cfg.Exchange == "" {
			return usagef("say which exchange: exodeck tape show 12; exodeck tape ls lists them")
		}
		if cfg.Raw && cfg.Curl || cfg.Problems && (cfg.Raw || cfg.Curl) {
			return usagef("--raw, --curl and --problems are ways to print: choose one")
		}
		return runTapeShow(c.Context, cfg, e)
	})
	c.Description = exchangeNames
	return c
}

// exchangeNames is what the help says of arguments that [findExchange] reads.
const exchangeNames = "SEQ alone means the exchange of that number in the latest session that has one; exodeck tape ls lists sessions and numbers."

func runTapeShow(ctx context.Context, cfg tapeShowConfig, e env) error {
	t, x, err := openExchange(ctx, cfg.Tape, cfg.Exchange)
	if err != nil {
		return err
	}
	defer t.Close()
	switch {
	case cfg.Raw:
		return show.Raw(ctx, e.stdout, t, x)
	case cfg.Curl:
		return show.Curl(ctx, e.stdout, t, x)
	case cfg.Problems:
		report, err := bugreport.Judge(ctx, e.showReading(t), x.Ref, conformance.Rules{})
		if errors.Is(err, bugreport.ErrNoCall) {
			return &exitError{exitMissing, fmt.Errorf("exchange %s cannot be judged: %w", cfg.Exchange, err)}
		}
		if err != nil {
			return err
		}
		return report.WriteText(e.stdout)
	}
	read, err := reading.Of(ctx, t, x)
	if err != nil {
		return err
	}
	return show.Conversation(e.stdout, read)
}

// openExchange opens the recording at path and finds an exchange in it, as [findExchange] does. The recording is to be closed.
func openExchange(ctx context.Context, path, name string) (cassette.Source, *tape.Exchange, error) {
	t, err := cassette.OpenSource(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	x, err := findExchange(ctx, t, path, name)
	if err != nil {
		return nil, nil, errors.Join(err, t.Close())
	}
	return t, x, nil
}

// findExchange finds "SESSION/SEQ", or "SEQ" in the latest session that has it, in the recording at path.
func findExchange(ctx context.Context, t cassette.Source, path, name string) (*tape.Exchange, error) {
	session, number, ok := strings.Cut(name, "/")
	if !ok {
		session, number = "", name
	}
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, usagef("%q names no exchange; write SEQ or SESSION/SEQ as exodeck tape ls prints them", name)
	}
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(sessions) - 1; i >= 0; i-- {
		if session != "" && sessions[i].Name != session {
			continue
		}
		x, err := t.Exchange(ctx, tape.Ref{Session: sessions[i].Name, Seq: seq})
		if err == nil || !errors.Is(err, tape.ErrNoExchange) {
			return x, err
		}
	}
	return nil, fmt.Errorf("%s has no exchange %s; exodeck tape ls --tape %s lists those it has", path, name, shellWord(path))
}
