package dataset_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func TestMiniHoldsEveryCategoryInBothLanguages(t *testing.T) {
	d := dataset.Mini()
	for _, l := range dataset.Languages() {
		set, err := d.Load(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range dataset.Categories() {
			if n := len(set.Only(c)); n < 3 {
				t.Errorf("%s %s has %d samples, want 3 or more", l, c, n)
			}
		}
		if world, err := d.World(l); err != nil || len(world) == 0 {
			t.Errorf("World(%s) = %d bytes, %v", l, len(world), err)
		}
	}
	templates, err := d.Templates()
	if err != nil || len(templates) != 24 {
		t.Errorf("Templates has %d texts, %v, want 24", len(templates), err)
	}
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  []dataset.Category
		err   string
	}{
		{names: []string{"special"}, want: []dataset.Category{dataset.Incomplete, dataset.ErrorParam, dataset.Irrelevant}},
		{names: []string{"agent_multi_step"}, want: []dataset.Category{dataset.AgentMultiStep}},
		{names: []string{"multi_turn", "normal_multi_turn_user_adjust"}, want: []dataset.Category{dataset.MultiTurnAdjust, dataset.MultiTurnSwitch}},
		{names: []string{"agent", "multi_turn"}, want: []dataset.Category{dataset.AgentMultiStep, dataset.AgentMultiTurn, dataset.MultiTurnAdjust, dataset.MultiTurnSwitch}},
		{names: []string{"test_all"}, want: dataset.Categories()},
		{want: dataset.Categories()},
		{names: []string{"not_a_category"}, err: `unknown category "not_a_category": use one of`},
	} {
		t.Run(strings.Join(tt.names, "+"), func(t *testing.T) {
			got, err := dataset.Expand(tt.names...)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if n := len(dataset.Categories()); n != 17 {
		t.Errorf("%d categories, want 17", n)
	}
}

func TestCategoryOf(t *testing.T) {
	for _, tt := range []struct{ id, sub, want string }{
		{"x", "data_normal_atom_bool", "normal_atom_bool"},
		{"x", "special_incomplete", "special_incomplete"},
		{"normal_multi_turn_user_adjust_3_1", "", "normal_multi_turn_user_adjust"},
		{"agent_multi_step_12", "", "agent_multi_step"},
		{"plain", "", "plain"},
		{"_5", "", ""},
		{"55", "", "55"},
	} {
		if got := dataset.CategoryOf(tt.id, tt.sub); string(got) != tt.want {
			t.Errorf("CategoryOf(%q, %q) = %q, want %q", tt.id, tt.sub, got, tt.want)
		}
	}
}

func TestDialogueOf(t *testing.T) {
	for _, tt := range []struct {
		c        dataset.Category
		id, want string
	}{
		{dataset.MultiTurnSwitch, "normal_multi_turn_user_switch_4_1", "normal_multi_turn_user_switch_4"},
		{dataset.AgentMultiTurn, "agent_multi_turn_4", "agent_multi_turn_4"},
		{dataset.AtomBool, "normal_atom_bool_4", "normal_atom_bool_4"},
	} {
		if got := dataset.DialogueOf(tt.c, tt.id); got != tt.want {
			t.Errorf("DialogueOf(%s, %s) = %s, want %s", tt.c, tt.id, got, tt.want)
		}
	}
}

func TestHubRecordsGiveTheSamplesOfTheirFields(t *testing.T) {
	fsys := fstest.MapFS{
		"en/normal.jsonl": {Data: []byte(`{"id":"normal_atom_bool_0","question":"user: hi\n","function":"[{\"name\": \"f\"}]","time":"noon","profile":"","sub_category":"data_normal_atom_bool","rubric":"{\"ground_truth\": {\"f\": {\"on\": true}}}"}` + "\n")},
		"en/agent.jsonl":  {Data: []byte(`{"id":"agent_multi_step_0","question":"q","function":[],"initial_config":"","involved_classes":"[\"Travel\"]","sub_category":"data_agent_multi_step","rubric":{"ground_truth":[{"Travel":{}}],"mile_stone":["[f()]"]}}` + "\n")},
		"README.md":       {Data: []byte("nothing")},
	}
	d, err := dataset.OpenFS(fsys, "hub")
	if err != nil {
		t.Fatal(err)
	}
	if d.Form() != dataset.Hub {
		t.Fatalf("form %s", d.Form())
	}
	set, err := d.Load(dataset.English, dataset.AtomBool, dataset.AgentMultiStep)
	if err != nil {
		t.Fatal(err)
	}
	bool0, step0 := set.Sample("normal_atom_bool_0"), set.Sample("agent_multi_step_0")
	if got := pyvalue.Repr(bool0.GroundTruth) + pyvalue.Repr(bool0.Function) + bool0.Time; got != "{'f': {'on': True}}[{'name': 'f'}]noon" {
		t.Errorf("normal sample: %s", got)
	}
	if got := pyvalue.Repr(step0.GroundTruth) + pyvalue.Repr(step0.MileStone) + pyvalue.Repr(step0.InitialConfig) + step0.InvolvedClasses[0]; got != "[{'Travel': {}}]['[f()]']{}Travel" {
		t.Errorf("agent sample: %s", got)
	}
	if _, err := d.Templates(); !errors.Is(err, dataset.ErrNotHeld) {
		t.Errorf("Templates: %v, want ErrNotHeld", err)
	}
	_, err = d.Load(dataset.English, dataset.AtomEnum)
	if err == nil || !strings.Contains(err.Error(), "no record of category normal_atom_enum in language en") {
		t.Errorf("a category that is not there: %v", err)
	}
}

// checkout returns a data set in the official form with one category, after a change.
func checkout(change func(fstest.MapFS)) fstest.MapFS {
	fsys := fstest.MapFS{
		"data_all/data_en/data_normal_atom_bool.json": {Data: []byte(
			`{"id": "normal_atom_bool_0", "question": "a", "function": [], "time": ""}` + "\n" +
				`{"id": "normal_atom_bool_1", "question": "b", "function": [], "time": ""}` + "\n")},
		"data_all/data_en/possible_answer/data_normal_atom_bool.json": {Data: []byte(
			`{"id": "normal_atom_bool_0", "ground_truth": {}}` + "\n" +
				`{"id": "normal_atom_bool_1", "ground_truth": {}}` + "\n")},
	}
	change(fsys)
	return fsys
}

func TestBadRecordsAreNamedByFileAndLine(t *testing.T) {
	const questions, answers = "data_all/data_en/data_normal_atom_bool.json", "data_all/data_en/possible_answer/data_normal_atom_bool.json"
	replace := func(file, old, with string) func(fstest.MapFS) {
		return func(fsys fstest.MapFS) {
			fsys[file].Data = []byte(strings.Replace(string(fsys[file].Data), old, with, 1))
		}
	}
	for _, tt := range []struct {
		name   string
		change func(fstest.MapFS)
		want   string // in the message
		left   int    // samples that can still be used
	}{
		{"cut line", replace(questions, `"b", "function": [], "time": ""}`, `"b", "func`), questions + ":2: not JSON: ", 1},
		{"no object", replace(questions, `{"id": "normal_atom_bool_0", "question": "a", "function": [], "time": ""}`, `[1]`), questions + ":1: the line is not an object but list", 1},
		{"no id", replace(questions, `"id": "normal_atom_bool_0"`, `"ID": 1`), questions + `:1: the record has no "id"`, 1},
		{"no question", replace(questions, `"question": "a"`, `"Question": "a"`), questions + `:1: the record has no "question"`, 1},
		{"function of another kind", replace(questions, `"function": []`, `"function": "x"`), questions + `:1: "function" is not a list but str`, 1},
		{"no ground truth", replace(answers, `"ground_truth"`, `"truth"`), questions + `:1: the record has no "ground_truth"`, 1},
		{"not UTF-8", replace(questions, `"a"`, "\"\xff\""), questions + ":1: not JSON: ", 1},
		{"no answer", replace(answers, "normal_atom_bool_1", "normal_atom_bool_7"), questions + ":2: the id normal_atom_bool_1 has no answer in " + answers, 1},
		{"no question for an answer", replace(answers, "normal_atom_bool_1", "normal_atom_bool_7"), answers + ":2: the id normal_atom_bool_7 has no question in " + questions, 1},
		{"the same id twice", replace(questions, "normal_atom_bool_1", "normal_atom_bool_0"), questions + ":2: the id normal_atom_bool_0 was used before, at " + questions + ":1", 1},
		{"the same answer twice", replace(answers, "normal_atom_bool_1", "normal_atom_bool_0"), answers + ":2: the id normal_atom_bool_0 has an answer already", 1},
		{"no answers", func(fsys fstest.MapFS) { delete(fsys, answers) }, answers + ": the file is missing: without it category normal_atom_bool cannot be scored", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := dataset.OpenFS(checkout(tt.change), "data")
			if err != nil {
				t.Fatal(err)
			}
			set, err := d.Load(dataset.English, dataset.AtomBool)
			var problems dataset.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error\n%v\nwant %q", err, tt.want)
			}
			if len(set.Samples) != tt.left {
				t.Errorf("%d samples left, want %d", len(set.Samples), tt.left)
			}
		})
	}
}

func TestOpenSaysWhatToGive(t *testing.T) {
	_, err := dataset.OpenFS(fstest.MapFS{"notes.txt": {}}, "somewhere")
	if !errors.Is(err, dataset.ErrNoData) || !strings.Contains(err.Error(), "give the folder that holds data_all") {
		t.Errorf("error %v", err)
	}
	if _, err := dataset.Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want os.ErrNotExist", err)
	}
}

func TestImportedBundleIsTheSameDataAndKnowsWhenItIsChanged(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bundle")
	done, err := dataset.Import(dataset.Mini(), out)
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Missing) > 0 || done.Files != 2*2*17+3+1 {
		t.Errorf("Import: %+v", done)
	}
	d, err := dataset.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range dataset.Languages() {
		want, err := dataset.Mini().Load(l)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Load(l)
		if err != nil {
			t.Fatal(err)
		}
		if got.Digest != want.Digest {
			t.Errorf("%s: digest %s, want that of the source %s", l, got.Digest, want.Digest)
		}
	}
	if _, err := dataset.Import(dataset.Mini(), out); err == nil || !strings.Contains(err.Error(), "the folder is not empty: give a new one") {
		t.Errorf("import into a folder that is not empty: %v", err)
	}
	changed := filepath.Join(out, "data_all", "data_en", "data_normal_atom_bool.json")
	if err := os.WriteFile(changed, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = d.Load(dataset.English)
	if err == nil || !strings.Contains(err.Error(), "data_normal_atom_bool.json: the file is not what SHA256SUMS says") {
		t.Errorf("changed file: %v", err)
	}
}

func TestImportOfHubRecordsGivesTheOfficialForm(t *testing.T) {
	source := dataset.Mini()
	want, err := source.Load(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.OpenFS(fstest.MapFS{"en/all.jsonl": {Data: hubLines(t, want)}}, "hub")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "bundle")
	done, err := dataset.Import(d, out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"world tables", "prompt templates"}, done.Missing); diff != "" {
		t.Errorf("Missing (-want +got):\n%s", diff)
	}
	bundle, err := dataset.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := bundle.Load(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	// Our files are written as the official ones are, so the round trip gives their bytes.
	if got.Digest != want.Digest {
		t.Errorf("digest %s, want %s", got.Digest, want.Digest)
	}
}
