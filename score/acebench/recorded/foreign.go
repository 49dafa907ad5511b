package recorded

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// foreign finds the answers in a recording of another client.
func (g *Game) foreign(ctx context.Context) (*Played, error) {
	f := &foreign{
		Game:  g,
		part:  &Part{Tape: g.Tape, Names: g.Found.Sessions},
		index: map[*dataset.Sample]int{},
		found: map[*dataset.Sample][]ask.Outcome{},
	}
	language := dataset.English
	for i, s := range g.Samples {
		f.index[s] = i
		language = s.Language
	}
	if err := f.read(ctx, language); err != nil {
		return nil, err
	}
	if err := f.oneModel(); err != nil {
		return nil, err
	}
	f.singles()
	if err := f.rollouts(ctx); err != nil {
		return nil, err
	}
	played := &Played{Remarks: f.remarks}
	for repeat := 1; ; repeat++ {
		n := len(played.Outcomes)
		for i, s := range g.Samples {
			if of := f.found[s]; len(of) >= repeat {
				o := of[repeat-1]
				o.Sample, o.Index, o.Repeat, o.Recorded, o.Answer.ID = s, i, repeat, true, s.ID
				if len(o.Exchanges) > 0 {
					o.Answer.Place = fmt.Sprintf("exchange %s/%d", o.Exchanges[0].Session, o.Exchanges[0].Seq)
				}
				played.Outcomes = append(played.Outcomes, o)
			}
		}
		if len(played.Outcomes) == 0 {
			return nil, ErrNothingRecorded
		}
		if len(played.Outcomes) == n {
			return played, nil
		}
	}
}

// foreign is the work on a recording of another client.
type foreign struct {
	*Game
	part       *Part
	index      map[*dataset.Sample]int
	recogniser *recogniser
	calls      []*call // the benchmark's questions, in recorded order
	found      map[*dataset.Sample][]ask.Outcome
	remarks    []string
}

// read takes the benchmark's questions off the tape.
func (f *foreign) read(ctx context.Context, language dataset.Language) error {
	f.recogniser = newRecogniser(ctx, f.Samples, f.Materials)
	for x, err := range f.part.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return err
		}
		c, err := f.recogniser.recognise(ctx, f.part, language, x)
		if err != nil {
			return err
		}
		if c != nil {
			f.calls = append(f.calls, c)
		}
	}
	return nil
}

// oneModel leaves the questions to one model, and those to whoever plays the user.
func (f *foreign) oneModel() error {
	models := map[string]bool{}
	for _, c := range f.calls {
		if c.to != rollout.User {
			models[c.model] = true
		}
	}
	switch {
	case len(models) == 0:
		return nil
	case f.Model != "":
		f.calls = slices.DeleteFunc(f.calls, func(c *call) bool { return c.to != rollout.User && c.model != f.Model })
		if !models[f.Model] {
			return fmt.Errorf("%w by the model %q; it has some by %s", ErrNothingRecorded, f.Model, strings.Join(slices.Sorted(maps.Keys(models)), ", "))
		}
	case len(models) > 1:
		return &score.AmbiguousError{What: "model", Flag: "--model", Choices: slices.Sorted(maps.Keys(models))}
	}
	return nil
}

// singles gives normal and special samples their answers. Of several answers to a question the usable ones count: a client that was
// refused has asked again.
func (f *foreign) singles() {
	var order []*dataset.Sample // the first of the samples that are asked the same
	asked := map[*dataset.Sample][]*call{}
	for _, c := range f.calls {
		if len(c.samples) == 0 {
			continue
		}
		first := c.samples[0]
		if asked[first] == nil {
			order = append(order, first)
		}
		asked[first] = append(asked[first], c)
	}
	shared, inOrder := 0, oneByOne(byTime(f.calls))
	for _, first := range order {
		calls := asked[first]
		usable := slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return c.err != nil })
		if len(usable) == 0 {
			usable = calls[len(calls)-1:]
		}
		samples := usable[0].samples
		for i, s := range samples {
			remark, open := "", ""
			of := usable
			switch {
			case len(samples) == 1:
			case len(usable) < len(samples):
				shared++
				remark = fmt.Sprintf("its recorded answer is that of %s, too: both are asked the same", others(samples, s))
			default:
				// Each once, in recorded order, as a client that takes one sample after the other asks.
				of = nil
				for k := i; k < len(usable); k += len(samples) {
					of = append(of, usable[k])
				}
				remark = fmt.Sprintf("asked the same as %s; the recorded answers were dealt out in recorded order", others(samples, s))
				if !inOrder && !f.alike(s, usable) {
					remark = ""
					open = fmt.Sprintf("asked the same as %s, and answered in another way, by a client with several questions under way: which answer is whose cannot be told", others(samples, s))
				}
			}
			for _, c := range of {
				o := ask.Outcome{Exchanges: []tape.Ref{c.x.Ref}, Remark: remark}
				o.Answer = c.answer()
				if open != "" {
					o.Answer.Status, o.Answer.Note = acebench.Ambiguous, open
				}
				f.found[s] = append(f.found[s], o)
			}
		}
	}
	if shared > 0 {
		f.remarks = append(f.remarks, fmt.Sprintf("%d samples share a recorded answer with another that is asked the same", shared))
	}
}

// answer is what a call to a single question comes to.
func (c *call) answer() acebench.Answer {
	a := acebench.Answer{Text: c.Text, Sent: c.Sent, Status: acebench.OK}
	if c.err != nil {
		a.Status, a.Note = acebench.Missing, c.err.Error()
	}
	return a
}

// alike reports whether a sample gets the same verdict with each of the calls.
func (f *foreign) alike(s *dataset.Sample, calls []*call) bool {
	first := calls[0].answer()
	return !slices.ContainsFunc(calls[1:], func(c *call) bool {
		a := c.answer()
		return !f.Same(f.index[s], &first, &a)
	})
}

func others(samples []*dataset.Sample, but *dataset.Sample) string {
	var ids []string
	for _, s := range samples {
		if s != but {
			ids = append(ids, s.ID)
		}
	}
	return strings.Join(ids, " and ")
}
