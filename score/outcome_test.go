package score_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

func TestParseOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       []score.Outcome
	}{
		{"scenarios", `{"results":[{"name":"tide","api":"openai","phase":"tool_call","passed":true},{"name":"tide","api":"claude","passed":false}],"exodeck":{"missing":[{"name":"ferry","api":"openai"}]}}`,
			[]score.Outcome{{"tide", tape.OpenAI, score.Passed}, {"tide", tape.Claude, score.Failed}, {"ferry", tape.OpenAI, score.NoAnswer}}},
		{"scenarios of exo's own evaluator", `{"results":[{"name":"tide","api":"openai","passed":true}],"cluster":null}`, []score.Outcome{{"tide", tape.OpenAI, score.Passed}}},
		{"no scenario", `{"results":[]}`, nil},
		{"ACEBench", `{"schema":1,"exodeck":"v1.0.0","samples":[{"id":"a_0","valid":true,"status":"ok"},{"id":"a_1","valid":false,"status":"ok"},{"id":"a_2","valid":false,"status":"missing"},{"id":"a_3","valid":false,"status":"diverged"}]}`,
			[]score.Outcome{{"a_0", "", score.Passed}, {"a_1", "", score.Failed}, {"a_2", "", score.NoAnswer}, {"a_3", "", score.NoAnswer}}},
		{"ACEBench several times", `{"schema":1,"exodeck":"v1.0.0","runs":[{"repeat":1,"result":{"samples":[{"id":"a_0","valid":true}]}},{"repeat":2,"result":{"samples":[{"id":"a_0","valid":false}]}}]}`,
			[]score.Outcome{{"a_0", "", score.Passed}, {"a_0", "", score.Failed}}},
	} {
		got, err := score.ParseOutcomes([]byte(tt.file))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", tt.name, err, diff)
		}
	}
	if _, err := score.ParseOutcomes([]byte(`{"exchanges":[]}`)); !errors.Is(err, score.ErrNotRunFile) {
		t.Errorf("a file of another kind: %v", err)
	}
	if _, err := score.ParseOutcomes([]byte(`{"results":[],"exodeck":"v1.0.0"}`)); err == nil {
		t.Error("a file that mixes those of two suites was read")
	}
	if _, err := score.ParseOutcomes([]byte(`results`)); err == nil {
		t.Error("what is no JSON was read")
	}
}

func TestParseResult(t *testing.T) {
	for _, s := range []string{"failed", "passed", "missing"} {
		if r, err := score.ParseResult(s); string(r) != s || err != nil {
			t.Errorf("%s is %q, %v", s, r, err)
		}
	}
	if _, err := score.ParseResult("good"); err == nil {
		t.Error("good was taken for a result")
	}
}

// FuzzParseOutcomes: every outcome has a result there is, and there are as many as the file has samples.
func FuzzParseOutcomes(f *testing.F) {
	for _, s := range []string{
		`{"results":[{"name":"tide","api":"openai","passed":true}],"exodeck":{"missing":[{"name":"ferry","api":"openai"}]}}`,
		`{"samples":[{"id":"a_0","valid":true,"status":"ok"},{"id":"a_1","status":"missing"}]}`,
		`{"runs":[{"result":{"samples":[{"id":"a_0"}]}},{"result":{}}],"samples":[]}`, `{"results":null,"runs":null}`, `{"results":[],"exodeck":"v1"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := score.ParseOutcomes(data)
		if err != nil {
			return
		}
		for _, o := range all {
			if _, err := score.ParseResult(string(o.Result)); err != nil {
				t.Errorf("%+v: %v", o, err)
			}
		}
		var file struct {
			Results, Samples []any
			Exodeck          any
			Runs             []struct{ Result struct{ Samples []any } }
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		want := len(file.Samples)
		for _, run := range file.Runs {
			want += len(run.Result.Samples)
		}
		if file.Results != nil {
			if want = len(file.Results); file.Exodeck != nil {
				return // what is missing is counted there
			}
		}
		if len(all) != want {
			t.Errorf("%d outcomes of %d", len(all), want)
		}
	})
}
