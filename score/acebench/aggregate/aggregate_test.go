package aggregate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// dialogues makes samples of one category: every text is a dialogue, every letter of it a step, r for right.
func dialogues(c dataset.Category, texts ...string) []aggregate.Sample {
	var all []aggregate.Sample
	for i, text := range texts {
		for j, step := range text {
			all = append(all, aggregate.Sample{ID: fmt.Sprintf("%s_%d_%d", c, i, j), Category: c, Right: step == 'r'})
		}
	}
	return all
}

// singles makes samples of one category, r for right and x for left out.
func singles(c dataset.Category, text string) []aggregate.Sample {
	var all []aggregate.Sample
	for i, one := range text {
		all = append(all, aggregate.Sample{ID: fmt.Sprintf("%s_%d", c, i), Category: c, Right: one == 'r', Dropped: one == 'x'})
	}
	return all
}

func ptr(f float64) *float64 { return &f }

func TestDialoguesCountAsAWhole(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  aggregate.Category
	}{
		{"all right", []string{"rr"}, aggregate.Category{Accuracy: 1, ProcessAcc: ptr(1), Num: 1}},
		{"half", []string{"rw"}, aggregate.Category{Accuracy: 0, ProcessAcc: ptr(0.5), Num: 1}},
		{"none", []string{"ww"}, aggregate.Category{Accuracy: 0, ProcessAcc: ptr(0), Num: 1}},
		{"two of three steps, rounded", []string{"rrw", "r"}, aggregate.Category{Accuracy: 0.5, ProcessAcc: ptr((0.667 + 1) / 2), Num: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := aggregate.Evalscope(dialogues(dataset.MultiTurnSwitch, tt.texts...))
			if diff := cmp.Diff(tt.want, got.Categories[dataset.MultiTurnSwitch]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStepsOfADialogueNeedNotStandTogetherForEvalscope(t *testing.T) {
	steps := dialogues(dataset.MultiTurnAdjust, "rr", "wr")
	steps[1], steps[2] = steps[2], steps[1]
	es, off := aggregate.Evalscope(steps), aggregate.Official(steps)
	if got := es.Categories[dataset.MultiTurnAdjust]; got.Num != 2 || got.Accuracy != 0.5 {
		t.Errorf("evalscope: %+v, want 2 dialogues, one right", got)
	}
	// The official scorer takes the steps 0_0, 1_0, 0_1, 1_1 for four dialogues of one step each.
	if got := off.Categories[dataset.MultiTurnAdjust]; got.Accuracy != 0.75 || *got.ProcessAccuracy != 0.75 {
		t.Errorf("official: %+v, want 0.75", got)
	}
}

func TestWhatDidNotRun(t *testing.T) {
	samples := append(singles(dataset.AtomBool, "rwrx"), singles(dataset.Irrelevant, "rrr")...)
	es := aggregate.Evalscope(samples)
	want := aggregate.Report{
		Categories: map[dataset.Category]aggregate.Category{
			dataset.AtomBool:   {Accuracy: 2.0 / 3, Num: 3},
			dataset.Irrelevant: {Accuracy: 1, Num: 3},
		},
		Groups: map[string]aggregate.Score{"ATOM": {Accuracy: 0.6667, Num: 3}, "NORMAL": {Accuracy: 0.6667, Num: 3}, "SPECIAL": {Accuracy: 1, Num: 3}},
		// (0.6667*0.578 + 1*0.2676) / (0.578 + 0.2676)
		Overall: &aggregate.Score{Accuracy: 0.7722, Num: 6},
	}
	if diff := cmp.Diff(want, es); diff != "" {
		t.Errorf("evalscope (-want +got):\n%s", diff)
	}
	off := map[string]float64{}
	for _, cell := range aggregate.Official(samples).Row {
		off[cell.Column] = cell.Value
	}
	// Officially the eleven other categories count as 0: 0.667/12 = 0.056, 1/3 = 0.333, and 0.333*0.2676 + 0.056*0.578 = 0.121.
	for column, want := range map[string]float64{"bool": 0.667, "atom": 0.111, "normal_summary": 0.056, "special_summary": 0.333, "Summary": 0.121} {
		if off[column] != want {
			t.Errorf("official %s = %v, want %v", column, off[column], want)
		}
	}
	if got := aggregate.Evalscope(nil); got.Overall != nil || len(got.Groups) > 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestAgentProgress(t *testing.T) {
	samples := []aggregate.Sample{
		{ID: "agent_multi_step_0", Category: dataset.AgentMultiStep, Right: true, Process: 1},
		{ID: "agent_multi_step_1", Category: dataset.AgentMultiStep, Process: 0.667, Matched: 2, Total: 3},
		{ID: "agent_multi_step_2", Category: dataset.AgentMultiStep, Process: 0.333},
	}
	es, off := aggregate.Evalscope(samples).Categories[dataset.AgentMultiStep], aggregate.Official(samples).Categories[dataset.AgentMultiStep]
	if *es.ProcessAcc != (1+0.667+0.333)/3 {
		t.Errorf("evalscope: %v, want the mean of rounded shares", *es.ProcessAcc)
	}
	// The official scorer adds the unrounded 2/3 and the rounded best of alternatives.
	if *off.ProcessAccuracy != 0.667 || off.Accuracy != 0.333 {
		t.Errorf("official: %v, %v", off.Accuracy, *off.ProcessAccuracy)
	}
}

func TestRowKeepsTheOrderOfTheSheet(t *testing.T) {
	row := aggregate.Official(singles(dataset.AtomObjectDeep, "r")).Row
	data, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	const begins = `{"bool":0,"enum":0,"number":0,"list":0,"object_short":1,"object_deep":0,"atom":0.167,`
	if len(data) < len(begins) || string(data[:len(begins)]) != begins {
		t.Errorf("row %s", data)
	}
	var again aggregate.Row
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(row, again); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"bool":"x"}`), &again); err == nil {
		t.Error("a row with text in it was read")
	}
}

func ExampleEvalscope() {
	report := aggregate.Evalscope([]aggregate.Sample{
		{ID: "normal_atom_bool_0", Category: dataset.AtomBool, Right: true},
		{ID: "normal_atom_bool_1", Category: dataset.AtomBool},
		{ID: "special_irrelevant_0", Category: dataset.Irrelevant, Right: true},
	})
	for _, name := range aggregate.GroupNames() {
		if g, ok := report.Groups[name]; ok {
			fmt.Println(name, g.Accuracy, g.Num)
		}
	}
	fmt.Println("OVERALL", report.Overall.Accuracy)
	// Output:
	// ATOM 0.5 2
	// NORMAL 0.5 2
	// SPECIAL 1 1
	// OVERALL 0.6582
}

// TestGroupsAndWeights: what a figure is made of is told by the same tables that it is counted by.
func TestGroupsAndWeights(t *testing.T) {
	want := map[string]int{"ATOM": 6, "SINGLE_TURN": 2, "MULTI_TURN": 2, "NORMAL": 12, "SPECIAL": 3, "AGENT": 2, "OVERALL": 17}
	got := map[string]int{}
	for name := range want {
		got[name] = len(aggregate.GroupCategories(name))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]aggregate.Weight{{"NORMAL", 0.578}, {"SPECIAL", 0.2676}, {"AGENT", 0.1545}}, aggregate.Weights()); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
}
