package bugreport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
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

// Report is what there is to tell about one exchange. It names exchanges as its cassette does.
type Report struct {
	// Cassette is the file that goes with the report: the exchange and Others, without their secrets.
	Cassette []byte
	// Recorded is the number of the exchange in the recording that the report is made of. The cassette counts from 1.
	Recorded int64
	// Exchange is the exchange of that cassette, and Verdict what is wrong with it.
	Exchange *reading.Exchange
	Verdict  *conformance.Report
	// Others are the exchanges without which not all of Verdict shows: its answer was compared with theirs.
	Others []Other
	// Smallest is nil when there is none to tell, and when other answers to the same request count: of these a smaller request has none.
	Smallest *Reduction
	// Command is the shell command that asks again: the smallest request, or else all of it.
	Command string
	// Hidden are problems of the exchange on the tape that do not show once its secrets are taken out.
	Hidden []string
	// Secrets is how many different ones were taken out, Files how many packed files were replaced.
	Secrets, Files int
	generator      string
}

// Other is an exchange with an answer to the same question, and the shell command that asks for it again.
type Other struct {
	Exchange *reading.Exchange
	Command  string
}

// Of makes the report of one exchange of a recording, comparing its answer with others to the same question. The error is [ErrNoCall] or
// [ErrNoProblem] when there is nothing to report.
func Of(ctx context.Context, src cassette.Source, ref tape.Ref, o Options) (*Report, error) {
	judge := conformance.New(o.Rules)
	before, comparison, err := judged(ctx, src, ref, judge)
	if err != nil {
		return nil, err
	}
	if len(before.Problems) == 0 && len(before.Evidence) == 0 {
		return nil, ErrNoProblem
	}
	r := &Report{Recorded: ref.Seq, generator: o.Generator}
	place := slices.Index(comparison.exchanges, ref)
	if err := r.export(ctx, src, comparison, place, o); err != nil {
		return nil, err
	}
	if r.Verdict = r.judge(judge, place); r.Verdict == nil {
		return nil, ErrNoCall
	}
	asked, request := r.Exchange.Exchange, r.Exchange.RequestBody
	if len(r.Others) == 0 {
		if r.Smallest, err = reduce(ctx, r.Exchange, judge, reduceLimit); err != nil {
			return nil, err
		}
		if r.Smallest != nil {
			asked, request = withHeader(asked, r.Smallest.Header), r.Smallest.Body
		}
	}
	for _, p := range before.Problems {
		if !r.Verdict.Has(p.Code) {
			r.Hidden = append(r.Hidden, p.Code)
		}
	}
	if r.Command, err = command(ctx, asked, request); err != nil {
		return nil, err
	}
	for i := range r.Others {
		if r.Others[i].Command, err = command(ctx, r.Others[i].Exchange.Exchange, r.Others[i].Exchange.RequestBody); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// command is the shell command that asks what x asked, with another body.
func command(ctx context.Context, x *tape.Exchange, asked []byte) (string, error) {
	var b strings.Builder
	err := show.Curl(ctx, &b, body(asked), x)
	return b.String(), err
}

// withHeader is x, asked with other headers.
func withHeader(x *tape.Exchange, h http.Header) *tape.Exchange {
	y := *x
	y.Request.Header = h
	return &y
}

// judge judges the exchange, and compares it with the others. place is its place among them.
func (r *Report) judge(judge *conformance.Judge, place int) *conformance.Report {
	verdict := judge.Exchange(r.Exchange)
	if verdict == nil || len(r.Others) == 0 {
		return verdict
	}
	var all pairs.Pairs
	answer := pairs.AnswerOf(r.Exchange, verdict)
	own := len(r.Others)
	for i, other := range r.Others {
		if i == place {
			all.Add(own, answer)
		}
		if v := judge.Exchange(other.Exchange); v != nil {
			all.Add(i, pairs.AnswerOf(other.Exchange, v))
		}
	}
	if place == own {
		all.Add(own, answer)
	}
	judge.Apply(verdict, all.Findings()[own])
	return verdict
}

// body stands in for a recording whose bodies are all the same.
type body []byte

func (b body) Body(context.Context, tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b)), nil
}

// export writes the cassette of what was compared and reads it back from it. The exchange at place is that of the report.
func (r *Report) export(ctx context.Context, src cassette.Source, c compared, place int, o Options) error {
	var out bytes.Buffer
	done, err := cassette.Export(ctx, &out, src, cassette.ExportOptions{
		Name: "bugreport", Generator: o.Generator, Redact: &o.Redact, Query: c.when,
		Keep: func(x *tape.Exchange) bool { return slices.Contains(c.exchanges, x.Ref) },
	})
	if err != nil {
		return err
	}
	if done.Exchanges != len(c.exchanges) {
		return errors.New("exchanges were removed meanwhile; try again")
	}
	r.Cassette, r.Secrets, r.Files = out.Bytes(), done.Secrets, done.Files
	written, err := cassette.Read(bytes.NewReader(r.Cassette), "the cassette of the report")
	if err != nil {
		return err
	}
	defer written.Close()
	for recorded, err := range written.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return err
		}
		x, err := reading.Of(ctx, written, recorded)
		if err != nil {
			return err
		}
		if place == 0 {
			r.Exchange = x
		} else {
			r.Others = append(r.Others, Other{Exchange: x})
		}
		place--
	}
	return nil
}

// Judge judges one exchange of a recording as judging all of it would: its answer is compared with others to the same question. The error
// is [ErrNoCall] when there is nothing to judge.
func Judge(ctx context.Context, src cassette.Source, ref tape.Ref, rules conformance.Rules) (*conformance.Report, error) {
	report, _, err := judged(ctx, src, ref, conformance.New(rules))
	return report, err
}

// judged is as [Judge], and returns what the answer was compared with.
func judged(ctx context.Context, src cassette.Source, ref tape.Ref, judge *conformance.Judge) (*conformance.Report, compared, error) {
	recorded, err := src.Exchange(ctx, ref)
	if err != nil {
		return nil, compared{}, err
	}
	x, err := reading.Of(ctx, src, recorded)
	if err != nil {
		return nil, compared{}, err
	}
	report := judge.Exchange(x)
	if report == nil {
		return nil, compared{}, ErrNoCall
	}
	comparison, err := compare(ctx, src, x, report, judge)
	if err != nil {
		return nil, compared{}, err
	}
	judge.Apply(report, comparison.findings)
	return report, comparison, nil
}

// problemsInOrder are the problems, errors first.
func (r *Report) problemsInOrder() []conformance.Problem {
	grade := func(p conformance.Problem) int {
		if p.Severity == conformance.Error {
			return 0
		}
		return 1
	}
	problems := slices.Clone(r.Verdict.Problems)
	slices.SortStableFunc(problems, func(a, b conformance.Problem) int { return grade(a) - grade(b) })
	return problems
}

// codes are the names of the problems, in the same order.
func (r *Report) codes() []string {
	var codes []string
	for _, p := range r.problemsInOrder() {
		codes = append(codes, p.Code)
	}
	return codes
}
