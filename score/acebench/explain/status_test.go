package explain_test

import (
	"testing"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// TestExitStatus: the rules that were chosen decide, and without an answer none of them does.
func TestExitStatus(t *testing.T) {
	s := miniSample(t, dataset.English, "normal_atom_bool_0")
	// Integers are compared by strict alone.
	answer := &acebench.Answer{ID: s.ID, Status: acebench.OK, Text: "[Library_bookRoom(date='2024-06-01', seats=5, quiet=True)]"}
	e := explain.Explain(explain.Case{Sample: s, Answer: answer})
	for _, tt := range []struct {
		chosen []rules.Rules
		want   int
	}{
		{[]rules.Rules{rules.Evalscope, rules.Official}, score.ExitPassed},
		{[]rules.Rules{rules.Evalscope, rules.Strict}, score.ExitFailed},
	} {
		if got := e.ExitStatus(tt.chosen); got != tt.want {
			t.Errorf("%v: status %d, want %d", tt.chosen, got, tt.want)
		}
	}
	if got := explain.Explain(explain.Case{Sample: s}).ExitStatus([]rules.Rules{rules.Evalscope}); got != score.ExitMissing {
		t.Errorf("without an answer: status %d", got)
	}
}
