package acebench

import (
	"errors"
	"runtime"
	"sync"

	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// ErrorTypeScorer is the error type of a sample on which the reference scorer itself would have failed.
const ErrorTypeScorer = "scorer_error"

// A Result is the verdict on one sample.
type Result struct {
	ID        string           `json:"id"`
	Category  dataset.Category `json:"category"`
	Valid     bool             `json:"valid"`
	ErrorType string           `json:"error_type"`
	Error     string           `json:"error"`
	Status    Status           `json:"status"`
	// ProcessAcc is how far an agent came: 1 with the right end state, else the share of milestones, rounded to three decimals.
	ProcessAcc *float64 `json:"process_acc,omitempty"`
	// Unasked says that there is no answer since nothing was asked, see the status of this name.
	Unasked bool `json:"-"`

	progress check.Progress
}

// A Scorer judges answers to the samples of a set under one rule set. It may be used from several goroutines.
type Scorer struct {
	set   *dataset.Set
	rules rules.Rules
	jobs  []job // by sample
}

// A job is what judging one sample needs beside the sample.
type job struct {
	family   dataset.Family
	dialogue bool
	key      *check.Key // of a normal sample
}

// NewScorer prepares the ground truths of a set.
func NewScorer(set *dataset.Set, r rules.Rules) *Scorer {
	s := &Scorer{set: set, rules: r, jobs: make([]job, len(set.Samples))}
	each(len(set.Samples), func(i int) {
		sample := set.Samples[i]
		s.jobs[i] = job{family: sample.Category.Family(), dialogue: sample.Category.Dialogues()}
		if s.jobs[i].family == dataset.Normal {
			s.jobs[i].key = check.NewKey(r, sample.Category, sample.Function, sample.GroundTruth)
		}
	})
	return s
}

// Judge judges an answer to the i-th sample of the set.
func (s *Scorer) Judge(i int, a *Answer) Result {
	sample := s.set.Samples[i]
	r := Result{ID: sample.ID, Category: sample.Category, Status: OK}
	var v check.Verdict
	var err error
	switch s.jobs[i].family {
	case dataset.Special:
		v, err = check.Special(s.rules, sample.Category, sample.GroundTruth, a.Said(s.rules))
	case dataset.Agent:
		v, r.progress, err = s.agent(sample, a)
		if err == nil {
			share := r.progress.Share
			r.ProcessAcc = &share
		}
	default:
		v, err = s.normal(&s.jobs[i], a)
	}
	if err != nil {
		r.Status, r.ErrorType, r.Error = ScorerError, ErrorTypeScorer, err.Error()
		return r
	}
	r.Valid, r.ErrorType, r.Error = v.Valid, v.Type, v.Error
	return r
}

// readers hold the memory in which answers are decoded.
var readers = sync.Pool{New: func() any { return new(decode.Reader) }}

func (s *Scorer) normal(j *job, a *Answer) (check.Verdict, error) {
	if a.NotText {
		return check.Wrong(check.WrongFormat, "Model output is not text."), nil
	}
	reader := readers.Get().(*decode.Reader)
	defer readers.Put(reader) // the verdict holds nothing of the calls
	calls, err := reader.Calls(s.rules, j.dialogue, a.Said(s.rules))
	if err == nil {
		return j.key.Check(calls)
	}
	var format *decode.FormatError
	if errors.As(err, &format) {
		return check.Wrong(check.WrongFormat, format.Error()), nil
	}
	return check.Verdict{}, err
}

// agent judges an end state. The right end state counts as all of the way; so the milestones are looked at only without it, except
// under evalscope's rules, which look first.
func (s *Scorer) agent(sample *dataset.Sample, a *Answer) (check.Verdict, check.Progress, error) {
	trace := a.Trace
	if trace == nil || !pyvalue.Truth(trace) {
		trace = pyvalue.NewList()
	}
	v := check.Wrong(check.MissingEndState, "No environment state was recorded for this agent sample.")
	if a.State != nil {
		var err error
		if v, err = check.EndState(s.rules, a.State, sample.GroundTruth); err != nil {
			return v, check.Progress{}, err
		}
	}
	if v.Valid && s.rules == rules.Official {
		return v, check.Progress{Share: 1}, nil
	}
	p, err := check.Milestones(s.rules, trace, sample.MileStone)
	if v.Valid {
		p = check.Progress{Share: 1}
	}
	return v, p, err
}

// sampleFor turns a result into what counting needs.
func (r *Result) sampleFor() aggregate.Sample {
	return aggregate.Sample{
		ID: r.ID, Category: r.Category, Right: r.Valid,
		Process: r.progress.Share, Matched: r.progress.Matched, Total: r.progress.Total,
	}
}

// each calls f with every number below n, on all processors. The calls must not depend on each other.
func each(n int, f func(i int)) {
	const chunk = 64
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), n/chunk+1) {
		wg.Go(func() {
			for start := range next {
				for i := start; i < min(start+chunk, n); i++ {
					f(i)
				}
			}
		})
	}
	for start := 0; start < n; start += chunk {
		next <- start
	}
	close(next)
	wg.Wait()
}
