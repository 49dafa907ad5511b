package acebench_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func mini(t testing.TB, language dataset.Language) *dataset.Set {
	t.Helper()
	set, err := dataset.Mini().Load(language)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// rightAnswer writes down the ground truth of a sample.
func rightAnswer(s *dataset.Sample) acebench.Answer {
	a := acebench.Answer{ID: s.ID, Status: acebench.OK, Place: s.ID}
	truth := s.GroundTruth
	switch s.Category.Family() {
	case dataset.Agent:
		a.State, a.Trace = truth, pyvalue.NewList()
		return a
	case dataset.Special:
		a.Text = "Missing necessary parameters. There is incorrect value. Due to the limitations of the function. " + pyvalue.String(truth)
		return a
	}
	var calls []string
	for name, args := range truth.(*pyvalue.Dict).All() {
		var texts []string
		for key, value := range args.(*pyvalue.Dict).All() {
			texts = append(texts, pyvalue.String(key)+"="+pyvalue.Repr(value))
		}
		calls = append(calls, dataset.CutNumber(pyvalue.String(name))+"("+strings.Join(texts, ", ")+")")
	}
	a.Text = "[" + strings.Join(calls, ", ") + "]"
	return a
}

func rightAnswers(set *dataset.Set) []acebench.Answer {
	var all []acebench.Answer
	for _, s := range set.Samples {
		all = append(all, rightAnswer(s))
	}
	return all
}

func TestRightAnswersToTheMiniDataSet(t *testing.T) {
	for _, l := range dataset.Languages() {
		set := mini(t, l)
		for _, r := range rules.All() {
			report := acebench.Score(set, rightAnswers(set), acebench.Options{Rules: r})
			for _, result := range report.Results {
				if !result.Valid || result.Status != acebench.OK {
					t.Errorf("%s %s: %+v", l, r, result)
				}
			}
			if report.Scores.Overall == nil || report.Scores.Overall.Accuracy != 1 {
				t.Errorf("%s %s: overall %+v", l, r, report.Scores.Overall)
			}
			if len(report.Problems) > 0 {
				t.Errorf("%s %s: problems %v", l, r, report.Problems)
			}
		}
	}
}

func result(t *testing.T, r *acebench.Report, id string) acebench.Result {
	t.Helper()
	for _, one := range r.Results {
		if one.ID == id {
			return one
		}
	}
	t.Fatalf("no result of %s", id)
	return acebench.Result{}
}

func TestMissingAnswers(t *testing.T) {
	set := mini(t, dataset.English)
	var answers []acebench.Answer
	for _, a := range rightAnswers(set) {
		if a.ID != "normal_atom_bool_1" && a.ID != "agent_multi_step_2" {
			answers = append(answers, a)
		}
	}
	listed := acebench.Score(set, answers, acebench.Options{})
	want := acebench.Result{ID: "normal_atom_bool_1", Category: dataset.AtomBool, Status: acebench.Missing, Error: "no answer was recorded"}
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".progress" }, cmp.Ignore())
	if diff := cmp.Diff(want, result(t, listed, want.ID), ignore); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if c := listed.Scores.Categories[dataset.AtomBool]; c.Accuracy != 1 || c.Num != 2 {
		t.Errorf("listed: %+v, want 2 samples, all right", c)
	}
	if c := listed.Counts(); c.Missing != 2 || c.Right != c.Samples-2 {
		t.Errorf("listed: %+v", c)
	}

	zero := acebench.Score(set, answers, acebench.Options{Missing: acebench.MissingZero})
	if got := result(t, zero, want.ID); got.ErrorType != "wrong_output_format" || got.Status != acebench.Missing {
		t.Errorf("zero: %+v", got)
	}
	if got := result(t, zero, "agent_multi_step_2"); got.ErrorType != "missing_end_state" || *got.ProcessAcc != 0 {
		t.Errorf("zero: %+v", got)
	}
	if c := zero.Scores.Categories[dataset.AtomBool]; c.Accuracy != 2.0/3 || c.Num != 3 {
		t.Errorf("zero: %+v, want 2 of 3", c)
	}
}

func TestErrorsOfTheScorer(t *testing.T) {
	set := mini(t, dataset.English)
	answers := rightAnswers(set)
	for i := range answers {
		if answers[i].ID == "normal_atom_bool_0" {
			answers[i].Text = "[Library_bookRoom(date={[1]: 2})]"
		}
	}
	for policy, want := range map[acebench.ErrorPolicy]aggregate.Category{
		acebench.ErrorsScore: {Accuracy: 2.0 / 3, Num: 3},
		acebench.ErrorsDrop:  {Accuracy: 1, Num: 2},
	} {
		r := acebench.Score(set, answers, acebench.Options{Errors: policy})
		if got := result(t, r, "normal_atom_bool_0"); got.ErrorType != "scorer_error" || got.Status != acebench.ScorerError || got.Error != "TypeError: unhashable type: 'list'" {
			t.Errorf("%s: %+v", policy, got)
		}
		if diff := cmp.Diff(want, r.Scores.Categories[dataset.AtomBool]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", policy, diff)
		}
	}
}

func TestAnswersThatCannotBeUsed(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English, dataset.AtomBool)
	if err != nil {
		t.Fatal(err)
	}
	answers := rightAnswers(set)
	second := answers[0]
	second.Place, second.Text = "b:7", "nothing"
	answers = append(answers, second,
		acebench.Answer{ID: "normal_atom_bool_99", Place: "b:8"},
		acebench.Answer{ID: "who_1", Place: "b:9"},
		acebench.Answer{ID: "normal_atom_enum_0", Place: "b:10"}, // of a category that is not scored
		acebench.Answer{ID: "normal_atom_bool_1", Place: "b:11", Status: acebench.Diverged, Note: "step 3 asks what was not recorded"})
	r := acebench.Score(set, answers, acebench.Options{})
	want := []string{
		"b:7: a second answer to normal_atom_bool_0, left out: the first is at normal_atom_bool_0",
		"b:8: the data set has no sample normal_atom_bool_99",
		"b:9: the data set has no sample who_1",
		"b:11: a second answer to normal_atom_bool_1, left out: the first is at normal_atom_bool_1",
	}
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := r.Counts(); c.Right != 3 {
		t.Errorf("counts %+v, want 3 right", c)
	}
	rounds := acebench.Rounds(answers)
	if len(rounds) != 2 || len(rounds[1]) != 2 || rounds[1][0].Text != "nothing" {
		t.Errorf("rounds %+v", rounds)
	}
	diverged := acebench.Score(set, rounds[1][1:], acebench.Options{})
	if got := result(t, diverged, "normal_atom_bool_1"); got.Status != acebench.Diverged || got.Error != "step 3 asks what was not recorded" {
		t.Errorf("diverged: %+v", got)
	}
	if got := diverged.Counts(); got.Diverged != 1 || got.Missing != 2 {
		t.Errorf("diverged: %+v", got)
	}
}

// TestUnasked: a rollout that could not begin is counted, and its verdict is the references', which go on without an end state.
func TestUnasked(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English, dataset.AgentMultiTurn)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []acebench.Options{{}, {Missing: acebench.MissingZero}, {Rules: rules.Official}, {Rules: rules.Strict, Errors: acebench.ErrorsDrop}} {
		answers := rightAnswers(set)
		answers[0].State, answers[0].Trace = nil, nil
		judged := acebench.Score(set, answers, o)
		answers[0].Status, answers[0].Note = acebench.Unasked, "there is no user"
		r := acebench.Score(set, answers, o)
		if c := r.Counts(); c.Unasked != 1 || c.Wrong != 1 || c.Right != len(answers)-1 || judged.Counts().Wrong != 1 {
			t.Errorf("%+v: counts %+v", o, c)
		}
		if got := result(t, r, answers[0].ID); got.Status != acebench.OK || got.Valid || got.ErrorType != "missing_end_state" {
			t.Errorf("%+v: %+v", o, got)
		}
		if diff := cmp.Diff(judged.Scores, r.Scores) + cmp.Diff(judged.Table, r.Table); diff != "" {
			t.Errorf("%+v: figures (-wrong +unasked):\n%s", o, diff)
		}
	}
}

func TestSameBytesForAnyNumberOfProcessors(t *testing.T) {
	set := mini(t, dataset.Chinese)
	answers := rightAnswers(set)
	for i := range answers {
		if i%3 == 0 {
			answers[i].Text = "[f(x=" + answers[i].ID + ")]"
		}
	}
	encode := func(procs int) []byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		f, err := acebench.Score(set, answers, acebench.Options{}).RunFile("v0", "sha256:1")
		if err != nil {
			t.Fatal(err)
		}
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := encode(1)
	for _, procs := range []int{1, 2, 8} {
		if !bytes.Equal(first, encode(procs)) {
			t.Errorf("with %d processors the run file differs", procs)
		}
	}
}

// TestRunFile holds the outcome of a fixed scoring. A change of the digest of the verdicts asks for a new version of the rules.
func TestRunFile(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English, dataset.AtomBool, dataset.AgentMultiStep)
	if err != nil {
		t.Fatal(err)
	}
	answers := rightAnswers(set)
	answers[1].Text = "no"
	for _, r := range rules.All() {
		f, err := acebench.Score(set, answers[:5], acebench.Options{Rules: r}).RunFile("v0.0.0", "sha256:feed")
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "run-"+r.String()+".json")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
		var again acebench.RunFile
		if err := json.Unmarshal(got, &again); err != nil {
			t.Errorf("reading it again: %v", err)
		}
	}
}

func TestWithoutReasoning(t *testing.T) {
	for text, want := range map[string]string{
		"[f()]":                            "[f()]",
		" [f()] ":                          " [f()] ",
		"<think>a\nb</think>\n[f()]":       "[f()]",
		"x <think>a</think> y":             "x  y",
		`<think signature="s">a</think>b`:  "b",
		"<think>a</think><think>b</think>": "<think>b</think>",
		"<think>open [f()]":                "<think>open [f()]",
	} {
		if got := acebench.WithoutReasoning(text); got != want {
			t.Errorf("WithoutReasoning(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestReasoningInTheText: evalscope's client takes reasoning out of an answer, the official runner leaves it in.
func TestReasoningInTheText(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English, dataset.AtomBool, dataset.Irrelevant)
	if err != nil {
		t.Fatal(err)
	}
	const call = "[Library_bookRoom(date='2024-06-01', seats=2, quiet=True)]"
	const limits = "It is due to the limitations of the function."
	for i, a := range map[int]acebench.Answer{
		0: {Text: call, Sent: "<think>A room.</think>\n" + call},
		3: {Text: "No.", Sent: "<think>" + limits + "</think>\nNo."},
	} {
		evalscope := acebench.NewScorer(set, rules.Evalscope).Judge(i, &a)
		official := acebench.NewScorer(set, rules.Official).Judge(i, &a)
		if first := i == 0; evalscope.Valid != first || official.Valid == first {
			t.Errorf("%s: evalscope %v, official %v", set.Samples[i].ID, evalscope.Valid, official.Valid)
		}
	}
}

func TestReadResults(t *testing.T) {
	const official = `{"id": "normal_atom_bool_0", "result": "[f()]"}
{"id": "normal_atom_bool_1", "result": [1]}

{"id": "normal_atom_bool_2"}
{"result": "[f()]"}
[1]
{"id": "normal_atom_bool_3", "res`
	const agents = `{"id": "agent_multi_step_0", "result": [{"BaseApi": {"wifi": true}}], "process": ["[f()]"]}`
	const predictions = `{"index": 0, "model": "m", "model_output": {"choices": [{"message": {"content": [{"type": "reasoning", "reasoning": "r"}, {"type": "text", "text": "[f()]"}]}}]}, "metadata": {"id": "normal_atom_enum_0"}}
{"index": 1, "model_output": {"choices": [{"message": {"content": "<think>r</think> [g()]"}}]}, "metadata": {"id": "normal_atom_enum_1"}}
{"index": 2, "model_output": {"choices": []}, "metadata": {"id": "agent_multi_turn_0", "process": ["[a()]"], "end_state": [{"Travel": {}}]}}
{"index": 3, "model_output": {"choices": []}, "metadata": {"id": "agent_multi_turn_1", "rollout_error": "no user model"}}
{"index": 4, "model_output": {"choices": []}, "metadata": {}}`
	root := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("official/result_en/m/data_normal_atom_bool_result.json", official)
	write("official/result_en/m/data_agent_multi_step_result.json", agents)
	write("official/result_zh/m/data_normal_atom_bool_result.json", "")
	write("evalscope/predictions/m/acebench_normal_atom_enum.jsonl", predictions)
	write("evalscope/reviews/m/acebench_normal_atom_enum.jsonl", `{"index": 0, "sample_score": {"score": {"value": {"acc": 1.0}}}}`)
	write("languages/acebench_normal_atom_enum.jsonl", `{"model_output": {"choices": []}, "metadata": {"id": "normal_atom_enum_0", "language": "zh"}}
{"model_output": {"choices": []}, "metadata": {"id": "normal_atom_enum_1", "language": "en"}}
{"model_output": {"choices": []}, "metadata": {"id": "normal_atom_enum_2", "language": "tlh"}}`)
	write("two/a/data_normal_atom_bool_result.json", "")
	write("two/b/data_normal_atom_bool_result.json", "")
	write("none/readme.txt", "")

	describe := func(name string, categories ...dataset.Category) string {
		r, err := acebench.ReadResults(filepath.Join(root, filepath.FromSlash(name)), dataset.English, categories...)
		if err != nil {
			return strings.ReplaceAll(err.Error(), root, "…")
		}
		var b strings.Builder
		for _, a := range r.Answers {
			fmt.Fprintf(&b, "%s text=%q not=%v", a.ID, a.Text, a.NotText)
			if a.State != nil {
				fmt.Fprintf(&b, " state=%s", pyvalue.Repr(a.State))
			}
			if a.Trace != nil {
				fmt.Fprintf(&b, " trace=%s", pyvalue.Repr(a.Trace))
			}
			fmt.Fprintf(&b, " at %s\n", filepath.Base(a.Place))
		}
		for _, p := range r.Problems {
			fmt.Fprintf(&b, "%s\n", filepath.Base(p.String()))
		}
		return b.String()
	}
	const bools = `normal_atom_bool_0 text="[f()]" not=false at data_normal_atom_bool_result.json:1
normal_atom_bool_1 text="" not=true at data_normal_atom_bool_result.json:2
`
	const boolProblems = `data_normal_atom_bool_result.json:4: the result of normal_atom_bool_2 has no "result"
data_normal_atom_bool_result.json:5: the result has no "id"
data_normal_atom_bool_result.json:6: the line is not an object but list
data_normal_atom_bool_result.json:7: the line is not JSON, it may have been cut: Unterminated string starting at: line 1 column 30 (char 29)
`
	const step = `agent_multi_step_0 text="" not=false state=[{'BaseApi': {'wifi': True}}] trace=['[f()]'] at data_agent_multi_step_result.json:1
`
	for name, want := range map[string]string{
		"official": bools + step + boolProblems,
		"official/result_en/m/data_normal_atom_bool_result.json": bools + boolProblems,
		"evalscope": `normal_atom_enum_0 text="[f()]" not=false at acebench_normal_atom_enum.jsonl:1
normal_atom_enum_1 text="[g()]" not=false at acebench_normal_atom_enum.jsonl:2
agent_multi_turn_0 text="" not=false state=[{'Travel': {}}] trace=['[a()]'] at acebench_normal_atom_enum.jsonl:3
agent_multi_turn_1 text="" not=false at acebench_normal_atom_enum.jsonl:4
acebench_normal_atom_enum.jsonl:5: the prediction has no "id" in its "metadata": evalscope was run without saving metadata, so its samples cannot be told apart
`,
		"evalscope/reviews/m": "acebench_normal_atom_enum.jsonl:1: the line is a verdict of evalscope and holds no answer: give the folder of its predictions\n",
		"languages": `normal_atom_enum_0 text="" not=false at acebench_normal_atom_enum.jsonl:1
acebench_normal_atom_enum.jsonl:2: the prediction is of language en, those before it of zh
acebench_normal_atom_enum.jsonl:3: the prediction's metadata: unknown language "tlh": use en or zh
`,
		"two":    "reading results in …/two: there are result files in several folders, give one of them: a, b",
		"none":   "reading results in …/none: no result files: expected files such as data_normal_atom_bool_result.json or acebench_normal_atom_bool.jsonl",
		"absent": "reading results: stat …/absent: no such file or directory",
	} {
		if diff := cmp.Diff(want, describe(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(step, describe("official", dataset.AgentMultiStep)); diff != "" {
		t.Errorf("one category (-want +got):\n%s", diff)
	}
	if _, err := acebench.ReadResults(filepath.Join(root, "none"), dataset.English); !errors.Is(err, acebench.ErrNoResults) {
		t.Errorf("error %v, want ErrNoResults", err)
	}
}

// TestLanguageOfResults: the predictions themselves count for more than where they lie.
func TestLanguageOfResults(t *testing.T) {
	for _, tt := range []struct {
		file, metadata string
		want           dataset.Language
	}{
		{"result_zh/m/data_normal_atom_bool_result.json", "", dataset.Chinese},
		{"zh/m/data_normal_atom_bool_result.json", "", dataset.Chinese},
		{"zh/of/en/data_normal_atom_bool_result.json", "", dataset.English},
		{"enzh/m-zh/data_normal_atom_bool_result.json", "", ""},
		{"result_zh/predictions/acebench_normal_atom_bool.jsonl", `, "language": "en"`, dataset.English},
	} {
		t.Run(tt.file, func(t *testing.T) {
			root := t.TempDir()
			name := filepath.Join(root, filepath.FromSlash(tt.file))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf(`{"id": "normal_atom_bool_0", "result": "", "model_output": {}, "metadata": {"id": "normal_atom_bool_0"%s}}`, tt.metadata)
			if err := os.WriteFile(name, []byte(line), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, at := range []string{root, name} {
				r, err := acebench.ReadResults(at, dataset.English)
				if err != nil || r.Language != tt.want {
					t.Errorf("reading %s: language %q, error %v, want %q", at, r.Language, err, tt.want)
				}
			}
		})
	}
}

func ExampleScore() {
	set, err := dataset.Mini().Load(dataset.English, dataset.AtomBool)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := []acebench.Answer{
		{ID: "normal_atom_bool_0", Text: "[Library_bookRoom(date='2024-06-01', seats=2, quiet=True)]"},
		{ID: "normal_atom_bool_1", Text: "[Harbor_getTide(port='Vela', exact='yes')]"},
	}
	report := acebench.Score(set, answers, acebench.Options{})
	for _, r := range report.Results {
		fmt.Println(r.ID, r.Status, r.Valid)
	}
	fmt.Println(report.Scores.Categories[dataset.AtomBool].Accuracy)
	// Output:
	// normal_atom_bool_0 ok true
	// normal_atom_bool_1 ok false
	// normal_atom_bool_2 missing false
	// 0.5
}
