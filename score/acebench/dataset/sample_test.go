package dataset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/dataset"
)

func TestNearest(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][]string{
		"normal_atom_bool_9":  {"normal_atom_bool_0", "normal_atom_bool_1", "normal_atom_bool_2"},
		"atom_bool_1":         {"normal_atom_bool_1"},
		"agent_multiturn_2":   {"agent_multi_turn_2", "agent_multi_step_2", "agent_multi_step_0"},
		"normal_atom_enum_1":  {"normal_atom_enum_1", "normal_atom_enum_0", "normal_atom_enum_2"},
		"normal_atom_enum_1x": {"normal_atom_enum_1", "normal_atom_enum_0", "normal_atom_enum_2"},
		"easy":                nil,
		"":                    nil,
	} {
		if diff := cmp.Diff(want, set.Nearest(id)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", id, diff)
		}
	}
}
