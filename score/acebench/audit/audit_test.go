package audit_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench/audit"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv"
)

func findings(t testing.TB, d *dataset.Dataset, l dataset.Language, r rules.Rules) []audit.Finding {
	t.Helper()
	set, err := d.Load(l)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := d.World(l)
	if err != nil {
		t.Fatal(err)
	}
	world, err := simenv.ReadWorld(string(l), tables)
	if err != nil {
		t.Fatal(err)
	}
	return audit.Samples(set, r, world)
}

func TestMiniDataSetIsSound(t *testing.T) {
	for _, l := range dataset.Languages() {
		for _, r := range rules.All() {
			for _, f := range findings(t, dataset.Mini(), l, r) {
				t.Errorf("%s %s %s: %s: %s", l, r, f.ID, f.Kind, f.Reason)
			}
		}
	}
}

// TestRealData holds the audit against what is known about the official data. The first two kinds and Partial together are the ground
// truths that fail their own checker when they are written down as Python prints them.
func TestRealData(t *testing.T) {
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		language dataset.Language
		rules    rules.Rules
	}
	for k, want := range map[key]struct {
		failing    int
		empty      string
		impossible string
	}{
		{dataset.English, rules.Evalscope}: {29, "agent_multi_turn_7", ""},
		{dataset.English, rules.Official}:  {69, "", ""},
		{dataset.English, rules.Strict}:    {1, "", "agent_multi_turn_7"},
		{dataset.Chinese, rules.Evalscope}: {8, "agent_multi_turn_7", "normal_similar_api_2 normal_similar_api_22 normal_atom_object_short_1"},
		{dataset.Chinese, rules.Official}:  {10, "", "normal_similar_api_2 normal_similar_api_22 normal_atom_object_short_1"},
		{dataset.Chinese, rules.Strict}:    {1, "", "agent_multi_turn_7"},
	} {
		failing := 0
		ids := map[audit.Kind][]string{}
		for _, f := range findings(t, d, k.language, k.rules) {
			if f.Kind != audit.Empty && f.Kind != audit.Unchecked {
				failing++
			}
			ids[f.Kind] = append(ids[f.Kind], f.ID)
		}
		if failing != want.failing {
			t.Errorf("%v: %d ground truths fail, want %d", k, failing, want.failing)
		}
		if got := strings.Join(ids[audit.Impossible], " "); got != want.impossible {
			t.Errorf("%v: impossible %q, want %q", k, got, want.impossible)
		}
		if got := strings.Join(ids[audit.Empty], " "); got != want.empty {
			t.Errorf("%v: an empty answer passes %q, want %q", k, got, want.empty)
		}
	}
}

// sample makes a data set of one normal sample.
func sample(t *testing.T, c dataset.Category, functions, truth string) *dataset.Set {
	t.Helper()
	id := string(c) + "_0"
	fsys := fstest.MapFS{
		"data_all/data_en/data_" + string(c) + ".json":                 {Data: fmt.Appendf(nil, `{"id": %q, "question": "q", "time": "", "function": %s}`, id, functions)},
		"data_all/data_en/possible_answer/data_" + string(c) + ".json": {Data: fmt.Appendf(nil, `{"id": %q, "ground_truth": %s}`, id, truth)},
	}
	d, err := dataset.OpenFS(fsys, "data")
	if err != nil {
		t.Fatal(err)
	}
	set, err := d.Load(dataset.English, c)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestKindsAndReasons(t *testing.T) {
	const list = `[{"name": "list_all", "parameters": {"properties": {"deep": {"type": "object"}, "tags": {"type": "array", "items": {"type": "string"}}, "n": {"type": "integer"}}, "required": ["n"]}}]`
	for _, tt := range []struct {
		name             string
		category         dataset.Category
		functions, truth string
		want             map[rules.Rules]string // "" when nothing is found
	}{
		{"sound", dataset.AtomBool, list, `{"list_all": {"n": 1}}`, nil},
		{"name ends like a number", dataset.AtomBool,
			strings.ReplaceAll(list, "list_all", "list_2"), `{"list_2": {"n": 1}}`,
			map[rules.Rules]string{
				rules.Evalscope: "impossible: the name of the function list_2 ends like the number of a repeated call, which is cut off the expected name",
				rules.Official:  "impossible: the name of the function list_2 ends like the number of a repeated call, which is cut off the expected name",
			}},
		{"required argument not expected", dataset.AtomBool, list, `{"list_all": {"tags": ["a"]}}`,
			map[rules.Rules]string{
				rules.Evalscope: "impossible: the schema of list_all requires the argument n, which the ground truth does not have",
				rules.Official:  "impossible: the schema of list_all requires the argument n, which the ground truth does not have",
			}},
		{"empty list expected", dataset.AtomList, list, `{"list_all": {"n": 1, "tags": []}}`,
			map[rules.Rules]string{
				rules.Evalscope: "partial: the ground truth fails with type_error (wrong inner type for parameter (tags) of api (list_all)); it passes without the optional argument tags of list_all",
				rules.Official:  "partial: the ground truth fails with type_error (Nested type checking failed for parameter 'tags'. Expected outer type array with inner type <class 'str'>. Parameter value: [].); it passes without the optional argument tags of list_all",
			}},
		{"list with blanks inside an object", dataset.AtomObjectDeep,
			strings.Replace(list, `"required": ["n"]`, `"required": ["deep"]`, 1), `{"list_all": {"deep": {"names": ["a b"]}}}`,
			map[rules.Rules]string{
				rules.Official: `contrived: the ground truth fails with value_error (wrong value for parameter (deep) of api (list_all): [excepted: {'names': ['a b']}, real: [{'names': ['ab']}]]); it passes only when the blanks in its texts are written as \x20`,
			}},
		{"no call expected", dataset.AtomBool, list, `{}`,
			map[rules.Rules]string{
				rules.Evalscope: `empty: the answer "[]" passes`,
				rules.Official:  `empty: the answer "[]" passes`,
				rules.Strict:    `empty: the answer "[]" passes`,
			}},
		{"nothing to point out", dataset.Incomplete, list, `{}`,
			map[rules.Rules]string{
				rules.Evalscope: "empty: every answer passes, an empty one too",
				rules.Official:  "empty: every answer passes, an empty one too",
				rules.Strict:    "empty: every answer passes, an empty one too",
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := sample(t, tt.category, tt.functions, tt.truth)
			for _, r := range rules.All() {
				var got string
				for _, f := range audit.Samples(set, r, nil) {
					got += string(f.Kind) + ": " + f.Reason
				}
				if diff := cmp.Diff(tt.want[r], got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", r, diff)
				}
			}
		})
	}
}

func TestAgentsOfABrokenWorld(t *testing.T) {
	fsys := fstest.MapFS{
		"data_all/data_en/data_agent_multi_turn.json": {Data: []byte(
			`{"id": "agent_multi_turn_0", "question": "q", "function": [], "initial_config": {}, "involved_classes": ["BaseApi"]}` + "\n" +
				`{"id": "agent_multi_turn_1", "question": "q", "function": [], "initial_config": {}, "involved_classes": ["BaseApi", "Travel"]}` + "\n" +
				`{"id": "agent_multi_turn_2", "question": "q", "function": [], "initial_config": {"BaseApi": {"wifi": true}}, "involved_classes": ["BaseApi"]}` + "\n")},
		"data_all/data_en/possible_answer/data_agent_multi_turn.json": {Data: []byte(
			`{"id": "agent_multi_turn_0", "ground_truth": [{"Basepi": {"wifi": true, "logged_in": true}}], "mile_stone": []}` + "\n" +
				`{"id": "agent_multi_turn_1", "ground_truth": [{"BaseApi": {"wifi": true, "logged_in": true}}], "mile_stone": []}` + "\n" +
				`{"id": "agent_multi_turn_2", "ground_truth": [{"BaseApi": {"wifi": true, "logged_in": true}}], "mile_stone": []}` + "\n")},
	}
	d, err := dataset.OpenFS(fsys, "data")
	if err != nil {
		t.Fatal(err)
	}
	set, err := d.Load(dataset.English, dataset.AgentMultiTurn)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := dataset.Mini().World(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	world, err := simenv.ReadWorld("en", tables)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range audit.Samples(set, rules.Evalscope, world) {
		got = append(got, f.ID+" "+string(f.Kind)+": "+f.Reason)
	}
	want := []string{
		"agent_multi_turn_0 unchecked: the class Basepi of the ground truth is never compared: the sample involves BaseApi",
		"agent_multi_turn_0 empty: an agent that does nothing passes: the state it starts from is the expected one",
		"agent_multi_turn_1 impossible: the expected state, under the names of the simulated classes, fails with wrong number of class (the sample involves BaseApi, Travel)",
		"agent_multi_turn_2 empty: an agent that does nothing passes: the state it starts from is the expected one",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func ExampleSamples() {
	set, err := dataset.Mini().Load(dataset.English)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(audit.Samples(set, rules.Strict, nil)), "findings")
	// Output: 0 findings
}
