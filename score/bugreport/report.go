package bugreport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
)

var (
	// ErrNoCall: the exchange is no model call that has ended, so there is nothing to judge.
	ErrNoCall = errors.New("it is no model call that has ended")
	// ErrNoProblem: nothing is wrong with the exchange.
	ErrNoProblem = errors.New("nothing is wrong with it")
)

// Options say how a report is made.
type Options struct {
	// Redact is what is taken out beside what always is.
	Redact redact.Rules
	// Rules say what counts as a problem.
	Rules conformance.Rules
	// Generator is the program that makes the report, such as "exodeck v1.0.0".
	Generator string
}

// Report is what there is to tell about one exchange.
type Report struct {
	// Cassette is the file that goes with the report: the exchange without its secrets.
	Cassette []byte
	// Exchange is the exchange of that cassette, and Verdict what is wrong with it.
	Exchange *reading.Exchange
	Verdict  *conformance.Report
	// Smallest is nil when the request cannot be taken apart, and when other answers to the same request count: of these a smaller
	// request has none.
	Smallest *Reduction
	// Command is the shell command that asks again: the smallest request, or else all of it.
	Command string
	// Hidden are problems of the exchange on the tape that do not show once its secrets are taken out.
	Hidden []string
	// Secrets is how many different ones were taken out.
	Secrets   int
	generator string
}

// Of makes the report of one exchange of a recording, comparing its answer with others to the same question. The error is [ErrNoCall] or
// [ErrNoProblem] when there is nothing to report.
func Of(ctx context.Context, src cassette.Source, ref tape.Ref, o Options) (*Report, error) {
	judge := conformance.New(o.Rules)
	_, before, err := judged(ctx, src, ref, judge)
	if err != nil {
		return nil, err
	}
	comparison, err := compare(ctx, src, ref, judge)
	if err != nil {
		return nil, err
	}
	judge.Apply(before, comparison.findings)
	if len(before.Problems) == 0 && len(before.Evidence) == 0 {
		return nil, ErrNoProblem
	}
	r := &Report{generator: o.Generator}
	if err := r.export(ctx, src, ref, o); err != nil {
		return nil, err
	}
	if r.Verdict = judge.Exchange(r.Exchange); r.Verdict == nil {
		return nil, ErrNoCall
	}
	asked := r.Exchange.RequestBody
	if len(comparison.findings) > 0 {
		findings, err := comparison.redacted(ctx, src, ref, judge, o)
		if err != nil {
			return nil, err
		}
		judge.Apply(r.Verdict, findings)
	} else if r.Smallest = Reduce(r.Exchange, judge); r.Smallest != nil {
		asked = r.Smallest.Body
	}
	for _, p := range before.Problems {
		if !r.Verdict.Has(p.Code) {
			r.Hidden = append(r.Hidden, p.Code)
		}
	}
	var command strings.Builder
	if err := show.Curl(ctx, &command, body(asked), r.Exchange.Exchange); err != nil {
		return nil, err
	}
	r.Command = command.String()
	return r, nil
}

// body stands in for a recording whose bodies are all the same.
type body []byte

func (b body) Body(context.Context, tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b)), nil
}

// export writes the cassette and reads the exchange back from it.
func (r *Report) export(ctx context.Context, src cassette.Source, ref tape.Ref, o Options) error {
	var out bytes.Buffer
	done, err := cassette.Export(ctx, &out, src, cassette.ExportOptions{
		Name: "bugreport", Generator: o.Generator, Redact: &o.Redact,
		Query: tape.Query{Session: ref.Session},
		Keep:  func(x *tape.Exchange) bool { return x.Ref == ref },
	})
	if err != nil {
		return err
	}
	r.Cassette, r.Secrets = out.Bytes(), done.Secrets
	exchanges, err := readBack(ctx, r.Cassette, []tape.Ref{ref})
	if err != nil {
		return err
	}
	r.Exchange = exchanges[0]
	return nil
}

// codes are the names of the problems, those that fail first.
func (r *Report) codes() []string {
	var failing, others []string
	for _, p := range r.Verdict.Problems {
		if p.Severity == conformance.Error {
			failing = append(failing, p.Code)
		} else {
			others = append(others, p.Code)
		}
	}
	return slices.Concat(failing, others)
}
