package explain_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func TestSignature(t *testing.T) {
	tests := []struct {
		name, function, want string
	}{
		{"all kinds", `{"name": "book", "parameters": {"properties": {"day": {"type": "string"}, "seats": {"type": "integer", "default": 2},
			"quiet": {"type": "boolean"}, "colour": {"type": "string", "enum": ["red", "green"]}, "tags": {"type": "array", "items": {"type": "string"}}},
			"required": ["day"]}}`,
			"book(day: string, seats: integer = 2, quiet?: boolean, colour?: string 'red'|'green', tags?: array[string])"},
		{"no parameters", `{"name": "go", "parameters": {}}`, "go()"},
		{"arguments instead", `{"name": "go", "arguments": {"properties": {"day": {}}}}`, "go(day?: any)"},
		{"no type", `{"name": "go", "parameters": {"properties": {"day": {}, "odd": 1}}}`, "go(day?: any, odd?: any)"},
		{"no name", `{"parameters": {}}`, "{'parameters': {}}"},
		{"no object", `"go"`, "'go'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := pyjson.DecodeString(tt.function)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, explain.Signature(f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	for _, id := range []string{"normal_single_turn_parallel_function_0", "normal_preference_1", "special_incomplete_1", "agent_multi_step_1"} {
		t.Run(id, func(t *testing.T) {
			described := explain.Describe(miniSample(t, dataset.English, id))
			var text bytes.Buffer
			if err := described.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, *update, "testdata/sample_"+id+".txt", text.Bytes())
		})
	}
}

// TestAlternatives: a ground truth with several alternatives shows each.
func TestAlternatives(t *testing.T) {
	s := *miniSample(t, dataset.English, "normal_similar_api_0")
	s.GroundTruth = pyvalue.NewList(s.GroundTruth, pyvalue.DictOf("Trail_checkSky", pyvalue.DictOf("trail", pyvalue.Str("Mill Path"))))
	want := []string{"[Trail_checkMud(trail='Mill Path')]", "[Trail_checkSky(trail='Mill Path')]"}
	if diff := cmp.Diff(want, explain.Describe(&s).Expected); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrompt(t *testing.T) {
	templates, err := dataset.Mini().Templates()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"normal_atom_bool_0", "special_irrelevant_0", "agent_multi_step_0", "agent_multi_turn_0"} {
		for _, l := range dataset.Languages() {
			name := fmt.Sprintf("prompt_%s_%s", id, l)
			t.Run(name, func(t *testing.T) {
				messages, err := explain.Prompt(context.Background(), miniSample(t, l, id), templates, miniWorld(t, l))
				if err != nil {
					t.Fatal(err)
				}
				var text bytes.Buffer
				for _, m := range messages {
					fmt.Fprintf(&text, "== to the %s, %s\n%s\n", m.To, m.Role, m.Content)
				}
				golden.Check(t, *update, "testdata/"+name+".txt", text.Bytes())
			})
		}
	}
}

func TestPromptLacksTemplate(t *testing.T) {
	for _, id := range []string{"normal_atom_bool_0", "agent_multi_step_0"} {
		if _, err := explain.Prompt(context.Background(), miniSample(t, dataset.English, id), dataset.Templates{}, miniWorld(t, dataset.English)); err == nil {
			t.Errorf("%s: there is a prompt without a template", id)
		}
	}
}
