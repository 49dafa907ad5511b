package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

// printExplanation explains the answers to one sample, in place of the sheet that they are on: one for each repeat. The exit status is
// that of the sample under the rules of the command line.
func printExplanation(s *sheet.Sheet, d *dataset.Dataset, cfg scoreACEBenchConfig, e env) error {
	sample := s.Set.Sample(cfg.Explain)
	if sample == nil {
		return fmt.Errorf("there is no sample %s among those that are scored, language %s; exodeck data ls CATEGORY lists the samples, --categories and --language choose",
			cfg.Explain, s.Set.Language)
	}
	c := explain.Case{Sample: sample}
	if sample.Category.Family() == dataset.Agent {
		worlds, err := loadWorldsIfHeld(d)
		if err != nil {
			return err
		}
		c.World = worlds[string(sample.Language)]
	}
	cases := explainedCases(c, s.Outcomes)
	status := score.ExitPassed
	for i, c := range cases {
		explanation := explain.Explain(c)
		status = max(status, explainedStatus(explanation, cfg.options.Rules)) // missing is graver than failed
		if err := printCase(explanation, i, len(cases), cfg.Format, e); err != nil {
			return err
		}
	}
	if status != score.ExitPassed {
		return &exitError{status, nil}
	}
	return nil
}

// explainedCases are the answers to the sample of a case, by repeat; the case itself, without an answer, when there is none.
func explainedCases(c explain.Case, outcomes []ask.Outcome) []explain.Case {
	var cases []explain.Case
	for i := range outcomes {
		o := &outcomes[i]
		if o.Answer.ID != c.Sample.ID {
			continue
		}
		one, answer := c, o.Answer
		one.Answer = &answer
		answer.Note = joinNotes(o)
		if answer.Place == "" && len(o.Exchanges) > 0 {
			first := o.Exchanges[0]
			answer.Place = fmt.Sprintf("exchange %s/%d", first.Session, first.Seq)
		}
		if o.Rollout != nil {
			one.Trajectory = o.Rollout.Trajectory
		}
		cases = append(cases, one)
	}
	if cases == nil {
		cases = append(cases, c)
	}
	return cases
}

// joinNotes says all that there is to say of an outcome.
func joinNotes(o *ask.Outcome) string {
	var notes []string
	if o.Answer.Note != "" {
		notes = append(notes, o.Answer.Note)
	}
	if o.Remark != "" {
		notes = append(notes, o.Remark)
	}
	if o.OpenLoop {
		notes = append(notes, "open loop: the recorded messages were executed in order, whatever would be asked now")
	}
	if o.Divergence != nil {
		if text := o.Divergence.String(); text != o.Answer.Note {
			notes = append(notes, text)
		}
		notes = append(notes, o.Divergence.Diff)
	}
	return strings.Join(notes, "\n")
}

func explainedStatus(e *explain.Explanation, chosen []rules.Rules) int {
	if e.Answer.Status != acebench.OK {
		return score.ExitMissing
	}
	for _, v := range e.Verdicts {
		for _, r := range chosen {
			if v.Rules == r.String() && !v.Valid {
				return score.ExitFailed
			}
		}
	}
	return score.ExitPassed
}

// printCase prints one explanation; as JSON, one object for each repeat.
func printCase(explanation *explain.Explanation, i, n int, format string, e env) error {
	if format == "json" {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(explanation)
	}
	if n > 1 {
		heading := fmt.Sprintf("== repeat %d of %d\n", i+1, n)
		if i > 0 {
			heading = "\n" + heading
		}
		if _, err := fmt.Fprint(e.stdout, heading); err != nil {
			return err
		}
	}
	return explanation.WriteText(e.stdout)
}
