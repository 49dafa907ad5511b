package ask_test

import (
	"testing"

	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// TestMaterialsFor: prompts are there for all, worlds where there are agents.
func TestMaterialsFor(t *testing.T) {
	for category, worlds := range map[dataset.Category]bool{dataset.Irrelevant: false, dataset.AgentMultiStep: true} {
		set, err := dataset.Mini().Load(dataset.Chinese, category)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ask.MaterialsFor(dataset.Mini(), set)
		if err != nil || m.Single == nil || (m.Worlds[string(dataset.Chinese)] != nil) != worlds {
			t.Errorf("%s: %+v, %v", category, m, err)
		}
	}
}
