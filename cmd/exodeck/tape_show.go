package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/coding"
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
	shown, err := loadExchange(ctx, t, x, !cfg.Raw && !cfg.Curl)
	if err != nil {
		return err
	}
	switch {
	case cfg.Raw:
		return show.Raw(e.stdout, shown)
	case cfg.Curl:
		return show.Curl(e.stdout, shown)
	}
	return show.Conversation(e.stdout, shown)
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

// loadExchange reads the bodies of an exchange, with their content coding undone if that is asked for.
func loadExchange(ctx context.Context, t cassette.Source, x *tape.Exchange, decode bool) (show.Exchange, error) {
	request, err := loadBody(ctx, t, x.Request.Body, x.Request.Header, decode)
	if err != nil {
		return show.Exchange{}, fmt.Errorf("reading the request body of %s/%d: %w", x.Session, x.Seq, err)
	}
	response, err := loadBody(ctx, t, x.Response.Body, x.Response.Header, decode)
	if err != nil {
		return show.Exchange{}, fmt.Errorf("reading the response body of %s/%d: %w", x.Session, x.Seq, err)
	}
	return show.Exchange{Exchange: x, RequestBody: request, ResponseBody: response}, nil
}

// shownBody is how much of a body is read into memory to be shown.
const shownBody = 64 << 20

func loadBody(ctx context.Context, t cassette.Source, b tape.Body, h http.Header, decode bool) ([]byte, error) {
	rc, err := t.Body(ctx, b)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var r io.Reader = rc
	if codings := coding.Of(h); decode && coding.Known(codings) {
		decoded, err := coding.NewReader(rc, codings)
		if err != nil {
			return nil, err
		}
		defer decoded.Close()
		r = decoded
	}
	data, err := io.ReadAll(io.LimitReader(r, shownBody))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return data, nil // a coded body that broke off is shown as far as it goes
	}
	return data, err
}
