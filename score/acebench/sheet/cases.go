package sheet

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/simenv"
)

// Cases are the answers to a sample, by repeat, to be explained. It is one case without an answer when there is none. world may be nil for a
// sample that is no agent's.
func (s *Sheet) Cases(sample *dataset.Sample, world *simenv.World) []explain.Case {
	var cases []explain.Case
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		if o.Answer.ID != sample.ID {
			continue
		}
		answer := o.Answer
		answer.Note = notes(o)
		if answer.Place == "" && len(o.Exchanges) > 0 {
			first := o.Exchanges[0]
			answer.Place = fmt.Sprintf("exchange %s/%d", first.Session, first.Seq)
		}
		c := explain.Case{Sample: sample, World: world, Answer: &answer, Fault: s.Fault(o), Exchanges: o.Exchanges}
		if o.Rollout != nil {
			c.Trajectory = o.Rollout.Trajectory
		}
		cases = append(cases, c)
	}
	if cases == nil {
		cases = append(cases, explain.Case{Sample: sample, World: world})
	}
	return cases
}

// notes say all that there is to say of an outcome.
func notes(o *ask.Outcome) string {
	var all []string
	if o.Answer.Note != "" {
		all = append(all, o.Answer.Note)
	}
	if o.Remark != "" {
		all = append(all, o.Remark)
	}
	if o.OpenLoop {
		all = append(all, "open loop: the recorded messages were executed in order, whatever would be asked now")
	}
	if o.Divergence != nil {
		if text := o.Divergence.String(); text != o.Answer.Note {
			all = append(all, text)
		}
		all = append(all, o.Divergence.Diff)
	}
	return strings.Join(all, "\n")
}
