package fault

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/conformance"
)

// Source hands out recorded exchanges and their bodies. [tape.Tape] is one.
type Source interface {
	Exchange(ctx context.Context, ref tape.Ref) (*tape.Exchange, error)
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Sample is something that was asked, and how it ended.
type Sample struct {
	Passed bool
	// Exchanges are those the verdict rests on, in the order of asking.
	Exchanges []tape.Ref
	// Played are those of the exchanges in which a model played somebody else than the one that is judged.
	Played []tape.Ref
	// Without reports whether the sample passes when its answer is read without the markup that leaked into it; see [Plain]. It is nil when
	// that cannot be told.
	Without func() bool
	// Takes returns what the suite takes for the answer in an exchange, when that is less than the text in it: markup that it takes off did
	// no harm. It is nil when the suite takes the text as it is.
	Takes func(x *reading.Exchange) string
	// Name is the same for samples that differ only in how they were asked, in API and Stream; "" for one that is like no other. Samples of
	// one name are held against each other when their last exchanges ask the same, and for the same answer each time.
	Name   string
	API    tape.API
	Stream bool
}

// Find returns the fault of each sample that failed, and nil for each that passed.
func Find(ctx context.Context, src Source, samples []Sample) ([]*score.Fault, error) {
	return newJudgement(src).find(ctx, samples)
}

func (j *judgement) find(ctx context.Context, samples []Sample) ([]*score.Fault, error) {
	faults := make([]*score.Fault, len(samples))
	passed := passing(samples)
	for i := range samples {
		s := &samples[i]
		if s.Passed {
			continue
		}
		looks, err := j.looks(ctx, s)
		if err != nil {
			return nil, err
		}
		rival, err := j.rival(ctx, s, looks, passed[s.Name])
		if err != nil {
			return nil, err
		}
		faults[i] = faultOf(s, looks, rival)
	}
	return faults, nil
}

// Verdicts finds the faults of verdicts, and the doubts about those that passed, and attaches them.
func Verdicts(ctx context.Context, src Source, verdicts []score.Verdict) error {
	samples := make([]Sample, len(verdicts))
	for i, v := range verdicts {
		samples[i] = Sample{
			// There is no fault where nothing was judged.
			Passed:    v.Passed || v.Status != score.OK,
			Exchanges: v.Exchanges, API: v.API, Stream: v.Stream,
		}
		if v.Status == score.OK {
			samples[i].Name = fmt.Sprintf("%s %s %d", v.Sample, v.Phase, v.Repeat)
		}
	}
	j := newJudgement(src)
	faults, err := j.find(ctx, samples)
	if err != nil {
		return err
	}
	for i, f := range faults {
		verdicts[i].Fault = f
		if verdicts[i].Passed {
			looks, err := j.looks(ctx, &samples[i])
			if err != nil {
				return err
			}
			verdicts[i].Doubts = doubts(looks)
		}
	}
	return nil
}

// doubts lists the errors of the exchanges that an agent would go wrong by. Other errors of an exchange, such as events in another order than
// the API's own, change nothing of what was judged.
func doubts(looks []look) []score.Problem {
	wrong := slices.DeleteFunc(problems(looks, func(r *conformance.Report) bool { return r.Calls == conformance.Failed }), func(p score.Problem) bool {
		return p.Severity != string(conformance.Error)
	})
	if len(wrong) == 0 {
		return nil
	}
	return wrong
}

// passing sorts the samples that passed by their name.
func passing(samples []Sample) map[string][]*Sample {
	by := make(map[string][]*Sample)
	for i := range samples {
		if s := &samples[i]; s.Passed && s.Name != "" {
			by[s.Name] = append(by[s.Name], s)
		}
	}
	return by
}
