// Package offline judges the model calls of a recording, and prints what was found: as text, as JSON, and in the formats of CI systems.
//
// It joins the packages that do the parts: conformance judges each exchange by itself, pairs compares those that ask the same. Here they are
// handed out, counted and written. The same recording and rules give the same bytes, in memory that does not grow with the recording.
package offline

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"runtime"
	"sync"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// Source hands out recorded exchanges and their bodies. [tape.Tape] is one.
type Source interface {
	Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error]
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Options say what [Run] judges, and how.
type Options struct {
	Query tape.Query
	Rules conformance.Rules
	// Baseline has the problems that are known; nil for none.
	Baseline *Baseline
	// KeepBaseline says that [Result.Baseline] will be asked for.
	KeepBaseline bool
	// Verbose says that the result tells of each exchange with problems. Without it only those that fail are all told, see
	// [Result.WriteText]. The JSON always has them all.
	Verbose bool
	// Version is that of the exodeck that judges, for the result.
	Version string
}

// Result is what was found out about a recording. It must be closed.
type Result struct {
	Tally
	// Recording is the digest of the exchanges that were judged.
	Recording string
	// Forgotten counts answers that were not compared with others because there were too many.
	Forgotten int

	options  Options
	judge    *conformance.Judge
	reports  spool                         // each exchange by itself
	findings map[int][]conformance.Finding // what comparisons add, by the number of the report
	baseline Baseline
}

// Run judges the model calls of a recording, each by itself and those that ask the same together. Reports stand in recorded order.
// Memory does not grow with the recording.
func Run(ctx context.Context, src Source, o Options) (*Result, error) {
	res := &Result{Tally: newTally(), options: o, judge: conformance.New(o.Rules)}
	c := &collector{result: res, recording: sha256.New()}
	err := judged(ctx, src, o, res.judge, c.add)
	if err == nil {
		err = res.reports.flush()
	}
	if err == nil {
		err = c.compare()
	}
	if err != nil {
		res.reports.close()
		return nil, err
	}
	if res.Exchanges > 0 {
		res.Recording = fmt.Sprintf("sha256:%x", c.recording.Sum(nil))
	}
	return res, nil
}

// judgement is all that is kept of an exchange once it is judged.
type judgement struct {
	report *conformance.Report
	line   []byte        // the report as it is kept
	digest [32]byte      // of the exchange
	asked  string        // see [questionName]; "" without problems
	answer *pairs.Answer // nil when it is not to be compared
	err    error
}

// judgementOf reads and judges an exchange. The result has no report when there is nothing to judge.
func judgementOf(ctx context.Context, src Source, x *tape.Exchange, judge *conformance.Judge, b *Baseline) judgement {
	read, err := reading.Of(ctx, src, x)
	if err != nil {
		return judgement{err: err}
	}
	r := judge.Exchange(read)
	if r == nil {
		return judgement{}
	}
	j := judgement{report: r, digest: x.Digest(), answer: pairs.AnswerOf(read, r)}
	if len(r.Problems) > 0 {
		j.asked = questionName(conformance.Asked(read))
		b.mark(r, j.asked)
	}
	j.line, j.err = encode(r)
	return j
}

// judged judges the exchanges of a recording on all processors, and hands them to add in recorded order.
func judged(ctx context.Context, src Source, o Options, judge *conformance.Judge, add func(*judgement) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	type job struct {
		x    *tape.Exchange
		done chan judgement
	}
	workers := runtime.GOMAXPROCS(0)
	jobs, order := make(chan job), make(chan chan judgement, 4*workers)
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				j.done <- judgementOf(ctx, src, j.x, judge, o.Baseline)
			}
		})
	}
	wg.Go(func() {
		defer close(order)
		defer close(jobs)
		for x, err := range src.Exchanges(ctx, o.Query) {
			if err == nil && !x.Facts.API.Model() {
				continue
			}
			done := make(chan judgement, 1)
			if err != nil {
				done <- judgement{err: err}
			}
			select {
			case order <- done:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			select {
			case jobs <- job{x, done}:
			case <-ctx.Done():
				return
			}
		}
	})
	for done := range order {
		select {
		case j := <-done:
			if j.err != nil {
				return j.err
			}
			if j.report == nil {
				continue
			}
			if err := add(&j); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// collector takes judged exchanges in recorded order.
type collector struct {
	result    *Result
	pairs     pairs.Pairs
	recording hash.Hash
}

func (c *collector) add(j *judgement) error {
	res := c.result
	if j.asked != "" && res.options.KeepBaseline {
		res.baseline.add(j.report, j.asked)
	}
	c.pairs.Add(res.reports.count, j.answer)
	c.recording.Write(j.digest[:])
	res.Tally.add(j.report, 1)
	return res.reports.append(j.line)
}

// compare finds what comparing answers adds to the reports, and counts it.
func (c *collector) compare() error {
	res := c.result
	res.Forgotten = c.pairs.Forgotten
	res.findings = c.pairs.Findings()
	if len(res.findings) == 0 {
		return nil
	}
	for n, line := range res.reports.lines() {
		found := res.findings[n]
		if len(found) == 0 {
			continue
		}
		r, err := decode(line)
		if err != nil {
			return err
		}
		res.Tally.add(r, -1)
		res.complete(r, found)
		res.Tally.add(r, 1)
		if res.options.KeepBaseline {
			res.baseline.add(r, questionName(found[0].Asked))
		}
	}
	return res.reports.err
}

// complete adds to a report what comparisons found.
func (res *Result) complete(r *conformance.Report, found []conformance.Finding) {
	res.judge.Apply(r, found)
	res.options.Baseline.mark(r, questionName(found[0].Asked))
}

// Close frees what the result holds.
func (res *Result) Close() error { return res.reports.close() }

// Reports yields the reports in recorded order.
func (res *Result) Reports() iter.Seq2[*conformance.Report, error] {
	return func(yield func(*conformance.Report, error) bool) {
		for n, line := range res.reports.lines() {
			r, err := decode(line)
			if found := res.findings[n]; err == nil && len(found) > 0 {
				res.complete(r, found)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := res.reports.err; err != nil {
			yield(nil, err)
		}
	}
}

// lines yields the reports as lines of JSON, without their ends.
func (res *Result) lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for n, line := range res.reports.lines() {
			var err error
			if found := res.findings[n]; len(found) > 0 {
				var r *conformance.Report
				if r, err = decode(line); err == nil {
					res.complete(r, found)
					line, err = encode(r)
				}
			}
			if !yield(bytes.TrimSuffix(line, []byte{'\n'}), err) || err != nil {
				return
			}
		}
		if err := res.reports.err; err != nil {
			yield(nil, err)
		}
	}
}

// Baseline returns a baseline that has all problems of the recording. It is empty without [Options.KeepBaseline].
func (res *Result) Baseline() *Baseline { return &res.baseline }

// WriteJSON writes the result as `score conformance --format json` prints it: an exchange a line.
func (res *Result) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString(`{"exchanges":[`)
	between := "\n"
	for line, err := range res.lines() {
		if err != nil {
			return err
		}
		out.WriteString(between)
		out.Write(line)
		between = ",\n"
	}
	out.WriteString("\n]")
	for _, member := range []struct {
		name  string
		value any
	}{{"summary", res.Summary}, {"totals", totals{res.Tally, res.Parts()}}, {"exodeck", res.about()}} {
		data, err := json.Marshal(member.value)
		if err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
		fmt.Fprintf(out, ",\n%q:%s", member.name, data)
	}
	out.WriteString("}\n")
	if err := out.Flush(); err != nil { // it has the first error there was
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// totals are the counts of all exchanges, and those by model and API.
type totals struct {
	Tally
	By []*Part `json:"by"`
}

// about is what the result can be proved with, under the names of a run file.
func (res *Result) about() about {
	return about{score.Schema, res.options.Version, "conformance", res.Recording, score.DigestBytes([]byte(res.options.Rules.String()))}
}

type about struct {
	Schema      int    `json:"schema"`
	Version     string `json:"version"`
	Suite       string `json:"suite"`
	Recording   string `json:"recording"`
	RulesDigest string `json:"rules_digest"`
}
