package explain_test

import (
	"path/filepath"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// partsRight tells whether a rule set finds nothing wrong in the parts of an explanation.
func partsRight(e *explain.Explanation, r rules.Rules) bool {
	if e.Special != nil {
		for _, part := range e.Special.Parts {
			if !part.Found[r.String()] {
				return false
			}
		}
		return true
	}
	if e.Agent != nil {
		recorded, expected := 0, 0
		for _, class := range e.Agent.State {
			if class.Recorded != "" {
				recorded++
			}
			if class.Expected != "" {
				expected++
			}
			if class.Recorded == "" && r == rules.Strict {
				return false
			}
			for _, a := range class.Attributes {
				if a.Verdicts[r.String()] != "ok" {
					return false
				}
			}
		}
		return !e.Agent.NoState && recorded == expected
	}
	for _, a := range e.Normal.Alternatives {
		if alternativeRight(a, r) {
			return true
		}
	}
	return false
}

func alternativeRight(a explain.Alternative, r rules.Rules) bool {
	if len(a.Extra) > 0 {
		return false
	}
	for _, pair := range a.Calls {
		_, elsewhere := pair.Elsewhere[r.String()]
		if pair.Given != pair.Expected || pair.Verdicts[r.String()] != "ok" && !elsewhere {
			return false
		}
	}
	return true
}

// TestPartsAgreeWithVerdicts: what is marked in an explanation is what the verdict hangs on. An answer passes when, and only when, no part
// of it is found wrong, for every sample of the benchmark and the answers of several made-up models.
func TestPartsAgreeWithVerdicts(t *testing.T) {
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	models, err := filepath.Glob(shared.Dir(t, "golden", "acebench", "results", "en") + "/*")
	if err != nil || len(models) == 0 {
		t.Fatalf("no result sets: %v", err)
	}
	set, err := d.Load(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range models {
		t.Run(filepath.Base(model), func(t *testing.T) {
			results, err := acebench.ReadResults(model, dataset.English)
			if err != nil {
				t.Fatal(err)
			}
			compared, passing, odd := 0, 0, 0
			for i := range results.Answers {
				a := &results.Answers[i]
				s := set.Sample(a.ID)
				if s == nil {
					continue
				}
				e := explain.Explain(explain.Case{Sample: s, Answer: a})
				for j, r := range rules.All() {
					if e.Verdicts[j].Status == acebench.ScorerError {
						continue
					}
					compared++
					if e.Verdicts[j].Valid {
						passing++
					}
					if right := partsRight(e, r); right != e.Verdicts[j].Valid {
						t.Errorf("%s, %s: valid %v (%s %s), but its parts say %v", a.ID, r, e.Verdicts[j].Valid, e.Verdicts[j].ErrorType, e.Verdicts[j].Error, right)
					}
				}
				odd += odds(e)
				if e.Agent != nil {
					sameProgress(t, s, a, e)
				}
			}
			t.Logf("%d verdicts, %d of them passing; %d calls with another verdict than their arguments", compared, passing, odd)
			if odd > 6 {
				t.Errorf("the verdicts on %d calls are not those on their arguments: they no longer explain them", odd)
			}
		})
	}
}

// odds counts the calls whose verdict the verdicts on their arguments do not explain.
func odds(e *explain.Explanation) int {
	n := 0
	if e.Normal == nil {
		return n
	}
	for _, a := range e.Normal.Alternatives {
		for i := range a.Calls {
			for _, r := range rules.All() {
				if a.Calls[i].Odd(r) {
					n++
				}
			}
		}
	}
	return n
}

// sameProgress compares the milestones that an explanation says were reached with those that the checker counts.
func sameProgress(t *testing.T, s *dataset.Sample, a *acebench.Answer, e *explain.Explanation) {
	t.Helper()
	p, err := check.Milestones(rules.Evalscope, a.Trace, s.MileStone)
	if err != nil {
		return
	}
	if tracks := e.Agent.Milestones; p.Total > 0 && (len(tracks) != 1 || tracks[0].Reached != p.Matched || len(tracks[0].Milestones) != p.Total) {
		t.Errorf("%s: the checker counts %d of %d milestones, the explanation has %+v", a.ID, p.Matched, p.Total, tracks)
	}
}
