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
)

type tapeShowConfig struct {
	Tape     string
	Exchange string // "SEQ" of the latest session that has it, or "SESSION/SEQ"
	Raw      bool
	Curl     bool
}

func tapeShowCommand(e env) *cli.Command {
	return leaf("show", "print an exchange as a conversation", "[SESSION/]SEQ", 1, []cli.Flag{
		tapeFlag(),
		&cli.BoolFlag{Name: "raw", Usage: "print the bytes instead"},
		&cli.BoolFlag{Name: "curl", Usage: "print the command that asks again instead"},
	}, func(c *cli.Context) error {
		cfg := tapeShowConfig{Tape: c.String("tape"), Exchange: c.Args().First(), Raw: c.Bool("raw"), Curl: c.Bool("curl")}
		if cfg.Exchange == "" {
			return usagef("say which exchange: exodeck tape show 12; exodeck tape ls lists them")
		}
		if cfg.Raw && cfg.Curl {
			return usagef("--raw and --curl are two ways to print: choose one")
		}
		return runTapeShow(c.Context, cfg, e)
	})
}

func runTapeShow(ctx context.Context, cfg tapeShowConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	x, err := findExchange(ctx, t, cfg.Exchange)
	if err != nil {
		return err
	}
	switch {
	case cfg.Raw:
		return show.Raw(ctx, e.stdout, t, x)
	case cfg.Curl:
		return show.Curl(ctx, e.stdout, t, x)
	}
	read, err := reading.Of(ctx, t, x)
	if err != nil {
		return err
	}
	return show.Conversation(e.stdout, read)
}

// findExchange finds "SESSION/SEQ", or "SEQ" in the latest session that has it.
func findExchange(ctx context.Context, t cassette.Source, name string) (*tape.Exchange, error) {
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
	return nil, fmt.Errorf("the tape has no exchange %s; exodeck tape ls lists those it has", name)
}
