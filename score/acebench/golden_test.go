package acebench_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var models = []string{"all-right", "mixed", "mostly-wrong"}

func load(t testing.TB, language dataset.Language) *dataset.Set {
	t.Helper()
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := d.Load(language)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func results(t testing.TB, language dataset.Language, model string) *acebench.ResultFiles {
	t.Helper()
	r, err := acebench.ReadResults(shared.Dir(t, "golden", "acebench", "results", string(language), model), language)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) > 0 {
		t.Fatalf("problems: %v", r.Problems)
	}
	return r
}

func TestResultsOfModels(t *testing.T) {
	var all map[string]struct {
		Evalscope struct {
			Categories map[dataset.Category]map[string]struct {
				Score  float64 `json:"score"`
				Score4 float64 `json:"score4"`
				Num    int     `json:"num"`
			} `json:"categories"`
			Groups map[string]struct {
				Score float64 `json:"score"`
				Num   int     `json:"num"`
			} `json:"groups"`
		} `json:"evalscope"`
		Official struct {
			Categories map[dataset.Category]map[string]float64 `json:"categories"`
			Row        map[string]any                          `json:"row"`
		} `json:"official"`
	}
	if err := json.Unmarshal(shared.Read(t, "golden/acebench/results/scores.json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, language := range dataset.Languages() {
		set := load(t, language)
		for _, model := range models {
			name := string(language) + "/" + model
			t.Run(name, func(t *testing.T) {
				answers := results(t, language, model).Answers
				want, ok := all[name]
				if !ok {
					t.Fatalf("no scores of %s", name)
				}

				es := acebench.Score(set, answers, acebench.Options{Errors: acebench.ErrorsDrop}) // the reference left them out
				off := acebench.Score(set, answers, acebench.Options{Rules: rules.Official})
				compareVerdicts(t, name, set, es, off)

				report := aggregate.Report{Categories: map[dataset.Category]aggregate.Category{}, Groups: map[string]aggregate.Score{}}
				for c, m := range want.Evalscope.Categories {
					one := aggregate.Category{Accuracy: m["accuracy"].Score, Num: m["accuracy"].Num}
					if p, ok := m["process_acc"]; ok {
						one.ProcessAcc = &p.Score
					}
					report.Categories[c] = one
				}
				for g, s := range want.Evalscope.Groups {
					if g == "OVERALL" {
						report.Overall = &aggregate.Score{Accuracy: s.Score, Num: s.Num}
						continue
					}
					report.Groups[g] = aggregate.Score{Accuracy: s.Score, Num: s.Num}
				}
				if diff := cmp.Diff(report, es.Scores); diff != "" {
					t.Errorf("evalscope's scores (-want +got):\n%s", diff)
				}

				row := map[string]any{"Model": model}
				for _, cell := range off.Table.Row {
					row[cell.Column] = cell.Value
				}
				if diff := cmp.Diff(want.Official.Row, row); diff != "" {
					t.Errorf("the official row (-want +got):\n%s", diff)
				}
				for c, m := range want.Official.Categories {
					got := off.Table.Categories[c]
					have := map[string]float64{"accuracy": got.Accuracy, "correct_count": float64(got.Correct), "total_count": float64(got.Total)}
					if c.Family() == dataset.Agent {
						have = map[string]float64{"end_to_end_accuracy": got.Accuracy, "correct_count": float64(got.Correct), "total_count": float64(got.Total)}
					}
					if got.ProcessAccuracy != nil {
						have["process_accuracy"] = *got.ProcessAccuracy
					}
					if diff := cmp.Diff(m, have); diff != "" {
						t.Errorf("official %s (-want +got):\n%s", c, diff)
					}
				}
			})
		}
	}
}

// compareVerdicts holds the verdict on every sample against the references'. The official score file lists a sample among the
// errors although it is counted right when its first alternative failed and a later one did not.
func compareVerdicts(t *testing.T, name string, set *dataset.Set, es, off *acebench.Report) {
	t.Helper()
	type row struct {
		ID        string `json:"id"`
		Evalscope any    `json:"evalscope"` // 0, 1, or "error" where it raised
		Official  int    `json:"official_listed_ok"`
	}
	index := map[string]int{}
	for i := range set.Samples {
		index[es.Results[i].ID] = i
	}
	n := 0
	shared.Lines(t, "golden/acebench/results/"+name+"/verdicts.jsonl", func(_ int, r row) {
		n++
		i, ok := index[r.ID]
		if !ok {
			t.Fatalf("no verdict on %s", r.ID)
		}
		var have any = 0.0
		if es.Results[i].Valid {
			have = 1.0
		}
		if es.Results[i].Status == acebench.ScorerError {
			have = "error"
		}
		if have != r.Evalscope {
			t.Errorf("%s: evalscope says %v, got %v", r.ID, r.Evalscope, have)
		}
		_, alternatives := set.Sample(r.ID).GroundTruth.(*pyvalue.List)
		alternatives = alternatives && set.Sample(r.ID).Category.Family() == dataset.Normal
		if got := off.Results[i].Valid; got != (r.Official == 1) && !(alternatives && got) {
			t.Errorf("%s: official says %d, got %v", r.ID, r.Official, got)
		}
	})
	if n != len(set.Samples) {
		t.Errorf("%d verdicts for %d samples", n, len(set.Samples))
	}
}
