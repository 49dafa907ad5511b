package acebench

import (
	"testing"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// FuzzReadResult reads changed lines of result files and judges them as answers to a sample of each family.
func FuzzReadResult(f *testing.F) {
	f.Add([]byte(`{"id": "normal_atom_bool_0", "result": "[Library_bookRoom(date='2024-06-01', seats=2, quiet=True)]"}`))
	f.Add([]byte(`{"id": "agent_multi_step_0", "result": [{"BaseApi": {"wifi": true}}, {"MessageApi": null}], "process": ["[f()]", 1]}`))
	f.Add([]byte(`{"model_output": {"choices": [{"message": {"content": "[f()]"}}]}, "metadata": {"id": "special_incomplete_0"}}`))
	f.Add([]byte(`{"model_output": 1, "metadata": {"id": "agent_multi_turn_0", "end_state": {}, "process": {}}}`))
	set, err := dataset.Mini().Load(dataset.English, dataset.AtomBool, dataset.Incomplete, dataset.AgentMultiStep)
	if err != nil {
		f.Fatal(err)
	}
	var scorers []*Scorer
	for _, r := range rules.All() {
		scorers = append(scorers, NewScorer(set, r))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := new(ResultFiles).line(line)
		if err != nil {
			return
		}
		for _, s := range scorers {
			for i := 0; i < len(set.Samples); i += 3 { // the first sample of each category
				r := s.Judge(i, &a)
				if r.Valid != (r.ErrorType == "") || r.Status == ScorerError && r.Error == "" {
					t.Errorf("%s: %+v", s.rules, r)
				}
			}
		}
	})
}
