package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
	"github.com/exodeck/exodeck/score/watch"
)

// demoRun asks a stand-in for exo scenarios through a recording proxy, all on loopback.
type demoRun struct {
	path        string // of the tape
	script      standin.Script
	settings    scenario.Settings // record fills in the address that was asked
	scenarios   []scenario.Scenario
	concurrency int
	// tell is called with the report on each exchange while others are recorded, judged by rules; nil for nobody. record fills in totals.
	tell   func(*conformance.Report)
	rules  conformance.Rules
	totals watch.Totals
}

// record runs stand-in and proxy until all is asked, and returns the verdicts on the live answers.
func (r *demoRun) record(ctx context.Context, e env) (_ []score.Verdict, err error) {
	exo := standin.New(standin.Options{Script: r.script})
	if err := exo.Start(ctx); err != nil {
		return nil, err
	}
	defer exo.Close()
	upstream, err := url.Parse(exo.URL())
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	r.settings.BaseURL = "http://" + ln.Addr().String()
	d, err := openDeck(ctx, r.path, tape.Session{Upstream: exo.URL(), Version: version(), Labels: r.settings.Labels()}, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = both(err, d.close()) }()
	config := proxy.Config{Upstream: upstream, Session: d.session, Redactor: d.redactor, Log: slog.New(slog.DiscardHandler)}
	if r.tell != nil {
		t, err := tape.Open(ctx, r.path)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		w := watch.Start(ctx, t, conformance.New(r.rules), r.tell)
		defer func() { r.totals = w.Stop(watchLimit) }()
		config.OnEnd = w.Ended
	}
	server, err := proxy.New(config)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, ln) }()
	client := &http.Transport{}
	run := evaluator.Evaluator{Settings: r.settings, Scenarios: r.scenarios, Client: client, Concurrency: r.concurrency, Text: io.Discard}
	out, err := run.Run(ctx)
	client.CloseIdleConnections()
	stop()
	if err = errors.Join(err, <-served); err != nil {
		return nil, err
	}
	return out.Verdicts, nil
}
