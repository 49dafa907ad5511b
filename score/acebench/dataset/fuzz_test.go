package dataset_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// FuzzLoad reads changed data files of both forms: a sample is whole, or there is a problem with its place.
func FuzzLoad(f *testing.F) {
	f.Add(`{"id": "agent_multi_step_0", "question": "q", "function": [], "initial_config": {}, "involved_classes": ["Travel"]}`,
		`{"id": "agent_multi_step_0", "ground_truth": [{"Travel": {}}], "mile_stone": []}`)
	f.Add(`{"id":"agent_multi_step_0","question":"q","function":"[]","sub_category":"data_agent_multi_step","rubric":"{}"}`, ``)
	f.Add(`{"id": "agent_multi_step_0", "question": 1}`, `[]`)
	f.Fuzz(func(t *testing.T, question, answer string) {
		for _, fsys := range []fstest.MapFS{
			{
				"data_all/data_en/data_agent_multi_step.json":                 {Data: []byte(question)},
				"data_all/data_en/possible_answer/data_agent_multi_step.json": {Data: []byte(answer)},
			},
			{"en/agent.jsonl": {Data: []byte(question + "\n" + answer)}},
		} {
			d, err := dataset.OpenFS(fsys, "data")
			if err != nil {
				t.Fatal(err)
			}
			set, err := d.Load(dataset.English, dataset.AgentMultiStep)
			if err != nil && !strings.Contains(err.Error(), "the data set has ") {
				t.Errorf("error %v", err)
			}
			for _, s := range set.Samples {
				if s.ID == "" || s.Function == nil || s.GroundTruth == nil || s.MileStone == nil || s.Line == 0 {
					t.Errorf("sample %+v is not whole", s)
				}
			}
		}
	})
}

func ExampleMini() {
	set, err := dataset.Mini().Load(dataset.English, dataset.Incomplete)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range set.Samples {
		fmt.Printf("%s %q\n", s.ID, s.Question)
	}
	// Output:
	// special_incomplete_0 "user: Reserve a berth for Tern.\n"
	// special_incomplete_1 "user: I need a reading room.\n"
	// special_incomplete_2 "user: Put the oven on for the tart.\n"
}

func ExampleExpand() {
	categories, err := dataset.Expand("agent", "special_irrelevant")
	fmt.Println(categories, err)
	// Output: [agent_multi_step agent_multi_turn special_irrelevant] <nil>
}
