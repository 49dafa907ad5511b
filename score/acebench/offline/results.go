package offline

import (
	"cmp"
	"fmt"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

// Results scores result files of the official runner, or predictions of evalscope, at path: answers without the exchanges they came by. Of
// Choice the language counts, which is found out where it is not said; of the rest Categories and Sheet do. The error is
// [dataset.Problems] where the data set cannot be read whole.
func (s Scoring) Results(path string, d *dataset.Dataset) (*sheet.Sheet, error) {
	if len(s.Sheet.Rules) == 0 {
		s.Sheet.Rules = []rules.Rules{rules.Evalscope}
	}
	wanted := s.Choice.Language
	results, err := acebench.ReadResults(path, cmp.Or(wanted, dataset.English), s.Categories...)
	if err != nil {
		return nil, err
	}
	if wanted != "" && results.Language != "" && wanted != results.Language {
		return nil, fmt.Errorf("the answers in %s are to questions in %s: leave out --language %s", path, results.Language, wanted)
	}
	set, err := d.Load(cmp.Or(wanted, results.Language, dataset.English), s.Categories...)
	if err != nil {
		return nil, err
	}
	var outcomes []ask.Outcome
	for i, round := range acebench.Rounds(results.Answers) {
		for _, a := range round {
			outcomes = append(outcomes, ask.Outcome{Answer: a, Repeat: i + 1})
		}
	}
	o := s.Sheet
	o.Digest = func([]ask.Outcome) (string, error) { return results.Digest, nil }
	scored, err := sheet.New(set, outcomes, o)
	if err != nil {
		return nil, err
	}
	for _, p := range results.Problems {
		scored.Remarks = append(scored.Remarks, fmt.Sprintf("left out: %s", p))
	}
	return scored, nil
}
