package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/again"
	"github.com/exodeck/exodeck/score/conformance"
)

type askConfig struct {
	Tape     string
	Query    tape.Query
	Upstream string
	Record   string
	Stream   string
	AsModel  string
	Headers  []string
	Timeout  time.Duration
	Format   string
	Rules    conformance.Rules

	upstream *url.URL
	changes  again.Changes
}

func askCommand(e env) *cli.Command {
	return leaf("ask", "ask a live server the recorded requests again, and say which verdicts changed", "", 0, append(append(queryFlags(), ruleFlags("")...),
		recordingFlag(),
		&cli.StringFlag{Name: "upstream", Usage: "base `URL` of the server (default: " + defaultUpstream(e.getenv) + "; EXO_HOST and EXO_PORT name another)"},
		&cli.StringFlag{Name: "record", Usage: "record the answers on this tape, a `FILE` (default: the tape that is asked from)"},
		&cli.StringFlag{Name: "stream", Usage: "have all answers streamed (`on`), none (off), or each the other way (flip)"},
		&cli.StringFlag{Name: "as-model", Usage: "ask this `MODEL` instead of the recorded one"},
		&cli.StringSliceFlag{Name: "header", Usage: "send this header too, a `NAME:VALUE`, such as a credential; may be repeated"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, DefaultText: "10m", Usage: "the longest `TIME` an answer may take, such as 90s or 10m"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := askConfig{
			Tape:     c.String("tape"),
			Query:    q,
			Upstream: cmp.Or(c.String("upstream"), defaultUpstream(e.getenv)),
			Record:   cmp.Or(c.String("record"), c.String("tape")),
			Stream:   c.String("stream"),
			AsModel:  c.String("as-model"),
			Headers:  c.StringSlice("header"),
			Timeout:  c.Duration("timeout"),
			Format:   c.String("format"),
		}
		if cfg.Rules, err = rulesOf(c); err != nil {
			return err
		}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runAsk(c.Context, cfg, e)
	})
}

func (cfg *askConfig) validate() error {
	var err error
	if cfg.upstream, err = parseUpstream(cfg.Upstream); err != nil {
		return err
	}
	mode, err := oneOf("stream", cfg.Stream, []again.Mode{again.On, again.Off, again.Flip})
	if err != nil {
		return err
	}
	if err := checkTextOrJSON(cfg.Format); err != nil {
		return err
	}
	if cfg.Timeout <= 0 {
		return fmt.Errorf("--timeout must be more than 0 (got %s)", cfg.Timeout)
	}
	cfg.changes = again.Changes{Stream: mode, Model: cfg.AsModel, Header: http.Header{}}
	for _, s := range cfg.Headers {
		name, value, ok := strings.Cut(s, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("--header is NAME:VALUE, such as 'x-api-key: …'; one that was given has no name") // it may hold a credential
		}
		cfg.changes.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return nil
}

func runAsk(ctx context.Context, cfg askConfig, e env) error {
	src, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer src.Close()
	if _, ok := src.(*tape.Tape); !ok && cfg.Record == cfg.Tape {
		return usagef("%s is a cassette, which cannot be recorded on; name a tape for the answers with --record FILE", cfg.Tape)
	}
	questions, err := again.Questions(ctx, src, cfg.Query)
	if err != nil {
		return fmt.Errorf("reading %s: %w", cfg.Tape, err)
	}
	if len(questions) == 0 {
		return holdsNone(cfg.Tape, "request to a model to ask again", cfg.Query)
	}
	if err := reach(ctx, cfg.upstream.String(), "--upstream URL"); err != nil {
		return err
	}
	pairs, err := cfg.askAll(ctx, src, questions, e)
	if err != nil {
		return err
	}
	t, err := tape.Open(ctx, cfg.Record)
	if err != nil {
		return err
	}
	defer t.Close()
	result, err := again.Compare(ctx, src, t, pairs, cfg.Rules)
	if err != nil {
		return fmt.Errorf("comparing the answers: %w", err)
	}
	if result.Refused == result.Asked {
		return cfg.refused(result.Asked)
	}
	if err := printAsked(result, cfg.Format, e); err != nil {
		return err
	}
	if result.Worse > 0 || result.Modes.Differ > 0 {
		return &exitError{score.ExitFailed, nil}
	}
	return nil
}

// refused is the error when the server refused all of the requests: they say nothing about its answers.
func (cfg *askConfig) refused(asked int) error {
	return fmt.Errorf("%s refused all that was asked: the status of %s is 401 or 403; no recording holds a credential, so give one that it takes "+
		"with --header 'Authorization: Bearer …' or --header 'x-api-key: …'", cfg.upstream.Redacted(), show.Count(asked, "answer"))
}

// askAll asks all questions, one after the other, in a session of their own.
func (cfg *askConfig) askAll(ctx context.Context, src cassette.Source, questions []tape.Ref, e env) (pairs []again.Pair, err error) {
	upstream := cfg.upstream.Redacted()
	d, err := openDeck(ctx, cfg.Record, tape.Session{Upstream: upstream, Version: version(), Labels: map[string]string{again.Label: cfg.Tape}}, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = both(err, d.close()) }()
	base := proxy.NewTransport()
	defer base.CloseIdleConnections()
	asker := again.Asker{
		Client:   &record.Transport{Base: base, Session: d.session, Upstream: upstream, BasePath: cfg.upstream.Path, Redactor: d.redactor},
		Upstream: cfg.upstream, Changes: cfg.changes, Timeout: cfg.Timeout,
	}
	for i, ref := range questions {
		recorded, err := src.Exchange(ctx, ref)
		if err != nil {
			return nil, err
		}
		x, err := reading.Of(ctx, src, recorded)
		if err != nil {
			return nil, err
		}
		if x.Request == nil {
			fmt.Fprintf(e.stderr, "%s/%d is left out: its request cannot be read\n", ref.Session, ref.Seq)
			continue
		}
		now, err := asker.Ask(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("%w; %d of %d were asked, and are on %s", err, i, len(questions), cfg.Record)
		}
		pairs = append(pairs, again.Pair{Reference: ref, Now: now})
	}
	if len(pairs) == 0 {
		return nil, &exitError{exitMissing, fmt.Errorf("no request of %s can be read", cfg.Tape)}
	}
	fmt.Fprintf(e.stderr, "recorded to %s as session %s\n", cfg.Record, pairs[0].Now.Session)
	return pairs, nil
}

func printAsked(r *again.Result, format string, e env) error {
	if format == "text" {
		return r.WriteText(e.stdout)
	}
	return e.printJSON(r)
}
