package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/report"
)

// asked names an answer: that to a sample, asked for the repeat-th time.
type asked struct {
	id     string
	repeat int
}

func askedOf(o *ask.Outcome) asked { return asked{o.Answer.ID, max(o.Repeat, 1)} }

// answers are the outcomes of a run by sample. Of two answers the first counts.
func (run Run) answers() map[string]*ask.Outcome {
	by := make(map[string]*ask.Outcome, len(run.outcomes))
	for i := range run.outcomes {
		o := &run.outcomes[i]
		if by[o.Answer.ID] == nil {
			by[o.Answer.ID] = o
		}
	}
	return by
}

// findFaults looks for the faults of all answers that fail by the rules of a run, also where the reference scorer does, and of those that
// could not be had.
func (s *Sheet) findFaults(find func([]ask.Outcome) ([]*score.Fault, error)) error {
	failing := make(map[asked]bool)
	for _, run := range s.Runs {
		answers := run.answers()
		for _, r := range run.File.Samples {
			fails := r.Status == acebench.Missing || r.Status == acebench.ScorerError || r.Status == acebench.OK && !r.Valid
			if o := answers[r.ID]; o != nil && len(o.Exchanges) > 0 && fails {
				failing[askedOf(o)] = true
			}
		}
	}
	var outcomes []ask.Outcome
	for _, o := range s.inOrder() {
		if failing[askedOf(&o)] {
			outcomes = append(outcomes, o)
		}
	}
	faults, err := find(outcomes)
	if err != nil {
		return err
	}
	s.faults = make(map[asked]*score.Fault, len(faults))
	for i, f := range faults {
		s.faults[askedOf(&outcomes[i])] = f
	}
	return nil
}

// Fault returns whose fault it is that an answer failed; nil when it did not, or when nobody looked.
func (s *Sheet) Fault(o *ask.Outcome) *score.Fault { return s.faults[askedOf(o)] }

// union says what the faults are counted over where there are several sets of rules, which do not fail the same answers; "" for one set.
func (s *Sheet) union(failed int) string {
	var names []string
	for _, run := range s.Runs {
		if !slices.Contains(names, run.File.Rules) {
			names = append(names, run.File.Rules)
		}
	}
	if len(names) < 2 || failed == 0 {
		return ""
	}
	last := len(names) - 1
	return fmt.Sprintf("faults are counted once for each answer that fails or is missing under %s or %s: %d in all", strings.Join(names[:last], ", "), names[last], failed)
}

// blamed lists the answers whose fault is known, by sample and repeat.
func (s *Sheet) blamed() []report.Blamed {
	var all []report.Blamed
	for _, o := range s.inOrder() {
		if f := s.Fault(&o); f != nil {
			all = append(all, report.Blamed{Name: o.Answer.ID + of(o.Repeat), Fault: f, Exchanges: o.Exchanges})
		}
	}
	return all
}
