package sheet_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

const sorry = "Due to the limitations of the function, I cannot solve this problem."

// load is the one category that a text answers.
func load(t testing.TB) *dataset.Set {
	t.Helper()
	set, err := dataset.Mini().Load(dataset.English, dataset.Irrelevant)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func options(o sheet.Options) sheet.Options {
	o.Version = "test"
	o.Digest = func(outcomes []ask.Outcome) (string, error) {
		if len(outcomes) == 0 {
			return "", nil
		}
		return "sha256:tape", nil
	}
	return o
}

func outcome(index, repeat int, text string) ask.Outcome {
	id := []string{"special_irrelevant_0", "special_irrelevant_1", "special_irrelevant_2"}[index]
	return ask.Outcome{Index: index, Repeat: repeat, Answer: acebench.Answer{ID: id, Status: acebench.OK, Text: text}}
}

func TestRepeats(t *testing.T) {
	set := load(t)
	outcomes := []ask.Outcome{outcome(0, 1, sorry), outcome(1, 1, "no"), outcome(2, 1, sorry), outcome(0, 2, "no"), outcome(1, 2, sorry)}
	for _, tt := range []struct {
		repeats sheet.Repeats
		right   []int // of each run
		status  int
	}{
		{sheet.All, []int{2, 1}, 3}, // the second time one sample has no answer
		{sheet.First, []int{2}, 1},
		{sheet.Last, []int{2}, 1},
	} {
		s, err := sheet.New(set, outcomes, options(sheet.Options{Repeats: tt.repeats}))
		if err != nil {
			t.Fatal(err)
		}
		var right []int
		for _, run := range s.Runs {
			right = append(right, run.File.Counts.Right)
		}
		if diff := cmp.Diff(tt.right, right); diff != "" || s.ExitStatus() != tt.status {
			t.Errorf("%s: status %d, right (-want +got):\n%s", tt.repeats, s.ExitStatus(), diff)
		}
	}
}

func TestExitStatus(t *testing.T) {
	set := load(t)
	diverged := outcome(2, 1, "")
	diverged.Answer.Status = acebench.Diverged
	for _, tt := range []struct {
		name     string
		outcomes []ask.Outcome
		want     int
	}{
		{"all right", []ask.Outcome{outcome(0, 1, sorry), outcome(1, 1, sorry), outcome(2, 1, sorry)}, 0},
		{"one wrong", []ask.Outcome{outcome(0, 1, sorry), outcome(1, 1, "no"), outcome(2, 1, sorry)}, 1},
		{"one missing", []ask.Outcome{outcome(0, 1, sorry), outcome(1, 1, "no")}, 3},
		{"one diverged", []ask.Outcome{outcome(0, 1, sorry), outcome(1, 1, sorry), diverged}, 3},
		{"nothing", nil, 3},
	} {
		s, err := sheet.New(set, tt.outcomes, options(sheet.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.ExitStatus(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestJSONSaysWhatTheVerdictsDoNot(t *testing.T) {
	set := load(t)
	diverged := outcome(1, 1, "")
	diverged.Answer.Status, diverged.Answer.Note = acebench.Diverged, "diverged"
	diverged.Divergence = &ask.Divergence{Step: 4, To: "agent", Nearest: &tape.Ref{Session: "s", Seq: 7}, Recorded: "a <b>", Asked: "c", Diff: "-a\n+c\n"}
	loop := outcome(2, 1, sorry)
	loop.OpenLoop, loop.Remark = true, "shared"
	s, err := sheet.New(set, []ask.Outcome{outcome(0, 1, sorry), loop, diverged}, options(sheet.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s.Remarks = []string{"on the whole"}
	data, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suite, Recording string
		Counts           acebench.Counts
		Remarks          []string
		Notes            []map[string]string
		OpenLoop         []string `json:"open_loop"`
		Divergences      []map[string]any
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := got
	want.Suite, want.Recording = "acebench", "sha256:tape"
	want.Counts = acebench.Counts{Samples: 3, Right: 2, Diverged: 1}
	want.Remarks = []string{"on the whole"}
	want.Notes = []map[string]string{{"id": "special_irrelevant_2", "note": "shared"}}
	want.OpenLoop = []string{"special_irrelevant_2"}
	want.Divergences = []map[string]any{{"id": "special_irrelevant_1", "repeat": 1.0, "step": 4.0, "to": "agent",
		"nearest": map[string]any{"session": "s", "seq": 7.0}, "recorded": "a <b>", "asked": "c", "diff": "-a\n+c\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(string(data), "a <b>") {
		t.Error("angle brackets are escaped")
	}
}

func TestTextNamesWhatIsNotJudged(t *testing.T) {
	set := load(t)
	failed := outcome(0, 1, "")
	failed.Answer.Status, failed.Answer.Note = acebench.Missing, "the server answered 500: no"
	stray := ask.Outcome{Index: 0, Repeat: 1, Answer: acebench.Answer{ID: "special_irrelevant_77", Place: "f:9", Status: acebench.OK}}
	s, err := sheet.New(set, []ask.Outcome{failed, outcome(1, 1, "no"), stray}, options(sheet.Options{Rules: []rules.Rules{rules.Evalscope, rules.Strict}}))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ACEBench en                                  evalscope           strict      n\n",
		"special_irrelevant                              0.0000           0.0000      1\n",
		"evalscope: 0 right, 1 wrong, 2 missing of 3\n",
		"special_irrelevant_0: missing: the server answered 500: no\n",
		"special_irrelevant_2: missing: no answer was recorded\n",
		"problem: f:9: the data set has no sample special_irrelevant_77\n",
		"wrong (evalscope): special_irrelevant_1: error_detection: ",
	} {
		if n := strings.Count(b.String(), want); n != 1 {
			t.Errorf("%q is there %d times in\n%s", want, n, b.String())
		}
	}
}

func TestNames(t *testing.T) {
	if _, err := sheet.RepeatsOf("third"); err == nil || err.Error() != `unknown choice of repeats "third": choose all, first or last` {
		t.Errorf("error %v", err)
	}
}

func ExampleSheet_WriteText() {
	set, err := dataset.Mini().Load(dataset.English, dataset.Irrelevant)
	if err != nil {
		panic(err)
	}
	s, err := sheet.New(set, []ask.Outcome{outcome(0, 1, sorry), outcome(1, 1, sorry)}, options(sheet.Options{}))
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		panic(err)
	}
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(line, "sha256:") {
			os.Stdout.WriteString(line)
		}
	}
	// Output:
	// ACEBench en                                  evalscope      n
	// special_irrelevant                              1.0000      2
	//
	// SPECIAL                                         1.0000      2
	// OVERALL                                         1.0000      2
	//
	// evalscope: 2 right, 0 wrong, 1 missing of 3
	// special_irrelevant_2: missing: no answer was recorded
}
