// Package evaluator runs exo's tool-call scenarios from beginning to end, as exo's own script does: a model is brought up on the
// cluster, if that is asked for, the scenarios are asked and printed as they are judged, and the model is taken down again.
//
// It runs live and offline alike. Offline, Client answers from a tape; the calls to the cluster are on it too.
package evaluator

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Evaluator is one run. Settings, Scenarios, Client and Text are needed; the rest has working zero values.
type Evaluator struct {
	// Settings say what is asked. With Settings.Cluster its Model may be a short name.
	Settings  scenario.Settings
	Scenarios []scenario.Scenario
	// Client sends all requests, as for [scenario.Suite].
	Client http.RoundTripper
	// Concurrency and Timeout are those of the suite.
	Concurrency int
	Timeout     time.Duration
	// Text gets what exo's script prints to its log stream, Verbose requests and responses when it is set.
	Text, Verbose io.Writer
	// Cluster are the hooks and the clock for the calls to the cluster. Its HTTP, BaseURL and Timeout are filled in.
	Cluster cluster.Client
}

// Outcome is what a run leaves.
type Outcome struct {
	// Verdicts are in sample order.
	Verdicts []score.Verdict
	// Snapshot is what the cluster looked like; nil without one.
	Snapshot *pyvalue.Dict
	// Text is the printer, which has printed the summary.
	Text *report.Text
	// Unprinted is why not all of the text could be printed; nil when it was. Answers are costly, so that ends no run.
	Unprinted error
}

// Run asks everything. An outcome beside an error holds verdicts all the same: the instance could not be deleted. When ctx ends
// the instance is deleted first, and there is no outcome.
//
// An error without an outcome says why nothing could be asked. Offline it is one of the recording, which then holds nothing to score,
// or a [*tape.Error]: the tape cannot be read.
func (e *Evaluator) Run(ctx context.Context) (*Outcome, error) {
	p := &printer{w: e.Text}
	out, err := e.run(ctx, p)
	if out != nil {
		out.Unprinted = p.err
	}
	return out, err
}

func (e *Evaluator) run(ctx context.Context, p *printer) (*Outcome, error) {
	if e.Settings.Cluster == nil {
		return e.ask(ctx, e.Settings.Model, e.header(p, e.Settings.Model, ""))
	}
	client := e.Cluster
	client.HTTP, client.BaseURL, client.Timeout = e.Client, e.Settings.BaseURL, e.Timeout
	options := *e.Settings.Cluster
	options.Model = e.Settings.Model
	plan, err := client.Plan(ctx, options)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(p, "Planning phase: checking downloads...")
	if err := client.PrepareDownloads(ctx, plan); err != nil {
		return nil, err
	}
	text := e.header(p, plan.Model, plan.Placement.String())
	var out *Outcome
	err = client.Use(ctx, plan, func(ctx context.Context, snapshot *pyvalue.Dict) (err error) {
		if out, err = e.ask(ctx, plan.Model, text); out != nil {
			out.Snapshot = snapshot
		}
		return err
	})
	return out, err
}

// printer writes until writing fails, and remembers why it did.
type printer struct {
	w   io.Writer
	err error
}

// Write implements [io.Writer].
func (p *printer) Write(b []byte) (n int, err error) {
	if p.err == nil {
		n, p.err = p.w.Write(b)
	}
	return n, p.err
}

func (e *Evaluator) header(p *printer, model, placement string) *report.Text {
	return report.NewText(p, report.Header{
		Model:       model,
		Placement:   placement,
		Endpoint:    e.Settings.BaseURL,
		APIs:        e.Settings.APIs,
		Scenarios:   len(e.Scenarios),
		Repeats:     e.Settings.Repeat,
		Ways:        e.Settings.Stream.Ways(),
		Concurrency: e.Concurrency,
	})
}

func (e *Evaluator) ask(ctx context.Context, model string, text *report.Text) (*Outcome, error) {
	suite := &scenario.Suite{
		Client:      e.Client,
		BaseURL:     e.Settings.BaseURL,
		Model:       model,
		APIs:        e.Settings.APIs,
		Scenarios:   e.Scenarios,
		Repeat:      e.Settings.Repeat,
		Concurrency: e.Concurrency,
		Timeout:     e.Timeout,
		Stream:      e.Settings.Stream,
		Verbose:     e.Verbose,
	}
	verdicts, err := suite.Run(ctx, func(_ scenario.Task, v []score.Verdict) { text.Task(v) })
	if err != nil {
		return nil, err
	}
	_ = text.Summary(verdicts) // the printer remembers why it could not be printed
	return &Outcome{Verdicts: verdicts, Text: text}, nil
}
