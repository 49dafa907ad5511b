package aggregate_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

type score struct {
	Score  float64 `json:"score"`
	Score4 float64 `json:"score4"`
	Num    int     `json:"num"`
}

type row struct {
	ID    string `json:"id"`
	Input struct {
		Samples []struct {
			ID       string           `json:"id"`
			Category dataset.Category `json:"category"`
			Acc      int              `json:"acc"`
			Process  float64          `json:"process_acc"`
			Matched  int              `json:"milestones_matched"`
			Total    int              `json:"milestones_total"`
			Errored  bool             `json:"errored"`
		} `json:"samples"`
	} `json:"input"`
	Evalscope struct {
		Categories map[dataset.Category]map[string]score `json:"categories"`
		Groups     map[string]score                      `json:"groups"`
	} `json:"evalscope"`
	Official *struct {
		Categories map[dataset.Category]map[string]float64 `json:"categories"`
		Row        map[string]json.RawMessage              `json:"row"`
	} `json:"official"`
}

func (r row) samples() []aggregate.Sample {
	var all []aggregate.Sample
	for _, s := range r.Input.Samples {
		all = append(all, aggregate.Sample{ID: s.ID, Category: s.Category, Right: s.Acc == 1, Dropped: s.Errored, Process: s.Process, Matched: s.Matched, Total: s.Total})
	}
	return all
}

func TestAggregateVectors(t *testing.T) {
	shared.Lines(t, "golden/acebench/aggregate.jsonl", func(_ int, r row) {
		t.Run(r.ID, func(t *testing.T) {
			compareEvalscope(t, r)
			if r.Official != nil {
				compareOfficial(t, r)
			}
		})
	})
}

func compareEvalscope(t *testing.T, r row) {
	got := aggregate.Evalscope(r.samples())
	want := aggregate.Report{
		Categories: map[dataset.Category]aggregate.Category{},
		Groups:     map[string]aggregate.Score{},
	}
	for c, metrics := range r.Evalscope.Categories {
		one := aggregate.Category{Accuracy: metrics["accuracy"].Score, Num: metrics["accuracy"].Num}
		if p, ok := metrics["process_acc"]; ok {
			one.ProcessAcc = &p.Score
		}
		want.Categories[c] = one
		if rounded := pyvalue.Round(one.Accuracy, 4); rounded != metrics["accuracy"].Score4 {
			t.Errorf("%s: pyvalue.Round(%v, 4) = %v, want %v", c, one.Accuracy, rounded, metrics["accuracy"].Score4)
		}
	}
	for name, g := range r.Evalscope.Groups {
		if name == "OVERALL" {
			want.Overall = &aggregate.Score{Accuracy: g.Score, Num: g.Num}
			continue
		}
		want.Groups[name] = aggregate.Score{Accuracy: g.Score, Num: g.Num}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Evalscope (-want +got):\n%s", diff)
	}
}

func compareOfficial(t *testing.T, r row) {
	got := aggregate.Official(r.samples())
	if len(got.Categories) != len(r.Official.Categories) {
		t.Errorf("Official has %d categories, want %d", len(got.Categories), len(r.Official.Categories))
	}
	for c, want := range r.Official.Categories {
		have := map[string]float64{"accuracy": got.Categories[c].Accuracy, "total_count": float64(got.Categories[c].Total)}
		if p := got.Categories[c].ProcessAccuracy; p != nil {
			have["process_accuracy"] = *p
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("Official %s (-want +got):\n%s", c, diff)
		}
	}
	want := map[string]float64{}
	for name, raw := range r.Official.Row {
		if name == "Model" {
			continue
		}
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		want[name] = v
	}
	have := map[string]float64{}
	for _, cell := range got.Row {
		have[cell.Column] = cell.Value
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("Official row (-want +got):\n%s", diff)
	}
}
