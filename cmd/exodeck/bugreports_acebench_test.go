package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
	"github.com/exodeck/exodeck/score/acebench"
)

// sample is an ACEBench sample with one function, and an answer to it.
type sample struct {
	expected   *bugreports.Call
	properties string // of the function's schema; all of them are required
	answer     string
}

// sheetOf is a run file, and the text and markdown of the same scoring.
type sheetOf struct {
	acebench.RunFile
	text, markdown string
	status         int
}

// scoreSamples scores answers to samples, by category, as files of another runner.
func scoreSamples(t *testing.T, samples map[string][]sample, flags ...string) sheetOf {
	t.Helper()
	data, results := t.TempDir(), t.TempDir()
	for category, list := range samples {
		var questions, truths, answers strings.Builder
		for i, s := range list {
			id := fmt.Sprintf("%s_%d", category, i)
			var properties map[string]any
			if err := json.Unmarshal([]byte(s.properties), &properties); err != nil {
				t.Fatal(err)
			}
			var required []string
			for name := range properties {
				required = append(required, name)
			}
			line(t, &questions, map[string]any{"id": id, "question": "user: Please.\n", "time": "", "function": []any{map[string]any{
				"name": s.expected.Name, "description": "Does it.", "parameters": map[string]any{"type": "object", "properties": properties, "required": required},
			}}})
			line(t, &truths, map[string]any{"id": id, "ground_truth": map[string]any{s.expected.Name: s.expected.Arguments}})
			line(t, &answers, map[string]any{"id": id, "result": s.answer})
		}
		for name, text := range map[string]string{
			filepath.Join(data, "data_all", "data_en", "data_"+category+".json"):                    questions.String(),
			filepath.Join(data, "data_all", "data_en", "possible_answer", "data_"+category+".json"): truths.String(),
			filepath.Join(results, "data_"+category+"_result.json"):                                 answers.String(),
		} {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	args := append([]string{"score", "acebench", "--data", data, "--results", results}, flags...)
	for category := range samples {
		args = append(args, "--categories", category)
	}
	var s sheetOf
	status, out, stderr := exodeck(t.Context(), t, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(out), &s.RunFile); err != nil {
		t.Fatalf("exit status %d, %v:\n%s%s", status, err, out, stderr)
	}
	s.status = status
	_, s.text, _ = exodeck(t.Context(), t, args...)
	_, s.markdown, _ = exodeck(t.Context(), t, append(args, "--format", "md")...)
	return s
}

func line(t *testing.T, b *strings.Builder, v any) {
	t.Helper()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		t.Fatal(err)
	}
}

// testScalars: numbers are compared by their amount, and true is no number. Under the rules of evalscope, which are those of the benchmark,
// integers are not compared at all: strict stands beside them for that.
func testScalars(t *testing.T, c *bugreports.Case) {
	var items []item
	var want map[string]string
	c.Score(t, &items, &want)
	const schema = `{"room":{"type":"string"},"level":{"type":"integer"}}`
	one := &bugreports.Call{Name: "set_lamp", Arguments: map[string]any{"room": "hall", "level": 1}}
	samples := map[string][]sample{"normal_atom_number": {
		{items[0].Call, schema, "[set_lamp(room='hall', level=99)]"},
		{items[1].Call, schema, "[set_lamp(room='hall', level=40.0)]"},
		{one, schema, "[set_lamp(room='hall', level=True)]"},
	}}
	got := scoreSamples(t, samples, "--rules", "strict")
	for i, passed := range []bool{want["q1"] == "pass", want["q2"] == "pass", false} {
		if got.Samples[i].Valid != passed {
			t.Errorf("answer %d: %+v, want valid %v", i+1, got.Samples[i], passed)
		}
	}
	if official := scoreSamples(t, samples, "--rules", "evalscope"); !official.Samples[0].Valid {
		t.Errorf("evalscope compares integers now: %+v", official.Samples[0])
	}
}

// testScorerErrors: what the scorer itself cannot judge is counted apart. Whether it counts as wrong too is the choice of --errors, and the
// references differ in it: without a flag it does, and the count stands beside the figure.
func testScorerErrors(t *testing.T, c *bugreports.Case) {
	var items []item
	var want struct {
		Accuracy string
		Scored   int
		Unscored int
		Print    bool `json:"must_print_unscored"`
	}
	c.Score(t, &items, &want)
	call := &bugreports.Call{Name: "get_tide", Arguments: map[string]any{"port": "Vigo"}}
	answers := map[string]string{
		"pass":         "[get_tide(port='Vigo')]",
		"fail":         "[get_tide(port='Faro')]",
		"scorer_error": "[get_tide(port={[1]: 2})]", // a list as a key: the reference scorer ends with an exception
	}
	var list []sample
	for _, i := range items {
		list = append(list, sample{call, `{"port":{"type":"string"}}`, answers[i.Verdict]})
	}
	samples := map[string][]sample{"normal_atom_bool": list}
	for _, tt := range []struct {
		flags    []string
		accuracy float64
		num      int
	}{
		{[]string{"--errors", "drop"}, 1.0 / 2, want.Scored},
		{nil, 1.0 / 3, want.Scored + want.Unscored},
	} {
		got := scoreSamples(t, samples, tt.flags...)
		figure := got.Categories["normal_atom_bool"]
		if figure.Accuracy != tt.accuracy || figure.Num != tt.num || got.Counts.ScorerError != want.Unscored || got.Counts.Right+got.Counts.Wrong != want.Scored {
			t.Errorf("%v: %+v, counts %+v", tt.flags, figure, got.Counts)
		}
		has(t, got.text, "1 right, 1 wrong, 1 errors of the scorer of 3", "normal_atom_bool_1: scorer_error: evalscope: TypeError")
		has(t, got.markdown, "TypeError")
		if !want.Print || got.status != 1 {
			t.Errorf("%v: exit status %d", tt.flags, got.status)
		}
	}
	if want.Accuracy != "1/2" {
		t.Errorf("the case expects %s", want.Accuracy)
	}
}

// testAverages: a figure over groups says how it was averaged, and the count over all stands beside it.
func testAverages(t *testing.T, c *bugreports.Case) {
	var groups []struct {
		Group         string
		Passed, Total int
	}
	var want struct {
		Weighted, Unweighted string
		Label                bool `json:"must_label"`
	}
	c.Score(t, &groups, &want)
	call := &bugreports.Call{Name: "get_tide", Arguments: map[string]any{"port": "Vigo"}}
	samples := map[string][]sample{}
	for i, g := range groups {
		category := []string{"normal_atom_bool", "normal_atom_enum"}[i]
		for n := range g.Total {
			answer := "[get_tide(port='Vigo')]"
			if n >= g.Passed {
				answer = "[get_tide(port='Faro')]"
			}
			samples[category] = append(samples[category], sample{call, `{"port":{"type":"string"}}`, answer})
		}
	}
	got := scoreSamples(t, samples)
	if figure := got.Groups["ATOM"]; figure.Accuracy != 0.575 || !strings.HasSuffix(want.Unweighted, "= 0.575") || figure.Num != 104 {
		t.Errorf("the group is %+v, want %s", figure, want.Unweighted)
	}
	if counts := fmt.Sprintf("%d/%d", got.Counts.Right, got.Counts.Samples); counts != want.Weighted || !want.Label {
		t.Errorf("counts %s, want %s", counts, want.Weighted)
	}
	has(t, got.text, "91 right, 13 wrong of 104", averaged)
	has(t, got.markdown, "acebench: 91 of 104 passed", averaged)
}

// averaged is how reports say what their figures over several categories are.
const averaged = "groups are plain means of their categories, whatever their size; OVERALL is a weighted mean of NORMAL, SPECIAL and AGENT"
