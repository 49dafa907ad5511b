package sheet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
	"github.com/exodeck/exodeck/simenv/pyvalue"
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
		Notes            []map[string]any
		OpenLoop         []map[string]any `json:"open_loop"`
		Divergences      []map[string]any
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := got
	want.Suite, want.Recording = "acebench", "sha256:tape"
	want.Counts = acebench.Counts{Samples: 3, Right: 2, Diverged: 1}
	want.Remarks = []string{"on the whole"}
	want.Notes = []map[string]any{{"id": "special_irrelevant_2", "repeat": 1.0, "note": "shared"}}
	want.OpenLoop = []map[string]any{{"id": "special_irrelevant_2", "repeat": 1.0}}
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
	wrong := outcome(1, 1, "no")
	wrong.OpenLoop, wrong.Remark = true, "dealt out"
	s, err := sheet.New(set, []ask.Outcome{failed, wrong, stray}, options(sheet.Options{Rules: []rules.Rules{rules.Evalscope, rules.Strict}}))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ACEBench en                                  evalscope           strict  samples  counted\n",
		"special_irrelevant                              0.0000           0.0000        1        1\n",
		"evalscope: 0 right, 1 wrong, 2 missing of 3\n",
		"note: special_irrelevant_1: dealt out\n",
		"note: open loop, the recorded messages were executed in order whatever would be asked now: special_irrelevant_1\n",
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

// TestSizes: the samples of all rows add up to those of the groups and of the counts, under any rules, and it is said why what is counted is
// less.
func TestSizes(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English, dataset.MultiTurnAdjust, dataset.MultiTurnSwitch, dataset.AtomBool)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []ask.Outcome
	for i, s := range set.Samples {
		if s.ID != "normal_atom_bool_1" {
			outcomes = append(outcomes, ask.Outcome{Index: i, Repeat: 1, Answer: acebench.Answer{ID: s.ID, Status: acebench.OK, Text: "[]"}})
		}
	}
	for _, r := range rules.All() {
		s, err := sheet.New(set, outcomes, options(sheet.Options{Rules: []rules.Rules{r}}))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := s.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"  samples  counted\n",
			"normal_multi_turn_user_adjust .*        6        3\n",
			"normal_multi_turn_user_switch .*        6        3\n",
			"normal_atom_bool .*        2        2\n",
			"\nMULTI_TURN .*       12        6\n",
			"\nNORMAL .*       14        8\n",
			"\nOVERALL .*       14        8\n",
			`\n\(counted: what a figure is a share of, whole dialogues in the categories normal_multi_turn, `,
			": 0 right, 14 wrong, 1 missing of 15\n",
		} {
			if !regexp.MustCompile(want).MatchString(b.String()) {
				t.Errorf("%s: %q is not in\n%s", r, want, b.String())
			}
		}
	}
}

// TestTextCannotMoveTheCursor: what a model or a server says is shown, and done by no terminal.
func TestTextCannotMoveTheCursor(t *testing.T) {
	const evil = "\x1b[2Jwrong\x07\nright"
	set := load(t)
	failed := outcome(0, 1, "")
	failed.Answer.Status, failed.Answer.Note = acebench.Missing, "the server answered 500: "+evil
	diverged := outcome(1, 1, "")
	diverged.Answer.Status, diverged.Answer.Note = acebench.Diverged, evil
	diverged.Divergence = &ask.Divergence{Step: 4, To: "agent", Diff: "-a\n+" + evil + "\n"}
	said := outcome(2, 1, evil)
	said.Remark = evil
	stray := ask.Outcome{Answer: acebench.Answer{ID: evil, Place: "f:9", Status: acebench.OK}}
	s, err := sheet.New(set, []ask.Outcome{failed, diverged, said, stray}, options(sheet.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s.Remarks = []string{evil}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), `\x1b[2Jwrong\a`); n < 6 || strings.ContainsAny(b.String(), "\x1b\x07") {
		t.Errorf("it is shown %d times in\n%s", n, b.String())
	}
}

// TestFaults: the answers that fail under any rule set are looked at, once each, and what is found is in text and JSON.
func TestFaults(t *testing.T) {
	set := load(t)
	on := func(seq int64, o ask.Outcome) ask.Outcome {
		o.Exchanges = []tape.Ref{{Session: "s", Seq: seq}}
		return o
	}
	died := on(4, outcome(2, 1, ""))
	died.Answer.Status, died.Answer.Note = acebench.Missing, "the server answered 500: no"
	diverged := on(6, outcome(2, 2, ""))
	diverged.Answer.Status = acebench.Diverged
	outcomes := []ask.Outcome{on(1, outcome(0, 1, sorry)), on(2, outcome(1, 1, "no")), died, on(3, outcome(0, 2, "no")), outcome(1, 2, "no"), diverged}
	asked := 0
	s, err := sheet.New(set, outcomes, options(sheet.Options{
		Rules: []rules.Rules{rules.Evalscope, rules.Strict},
		Faults: func(failed []ask.Outcome) ([]*score.Fault, error) {
			asked++
			faults := make([]*score.Fault, len(failed))
			for i, o := range failed {
				faults[i] = &score.Fault{Blame: "server", Exchange: 1, Evidence: []string{"seen"},
					Problems: []score.Problem{{Code: "empty-answer", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response", Detail: "nothing"}}}
				if o.Answer.Status == acebench.Missing {
					faults[i].Problems[0].Code = "http-error"
				}
			}
			return faults, nil
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if asked != 1 {
		t.Errorf("faults were asked for %d times", asked)
	}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "\nfaults are ")
	want := `counted once for each answer that fails or is missing under evalscope or strict: 3 in all
whose fault: 3 server
  server: empty-answer: special_irrelevant_0 #2, special_irrelevant_1
    because seen
    the first: blame server in s/3
    error empty-answer (response): nothing
  server: http-error: special_irrelevant_2
    blame server in s/4
    error http-error (response): nothing
    because seen
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	data, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Faults []struct {
			ID       string
			Repeat   int
			Blame    string
			Exchange int
			Problems []struct{ Code string }
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range doc.Faults {
		names = append(names, fmt.Sprintf("%s #%d: %s in %d, %s", f.ID, f.Repeat, f.Blame, f.Exchange, f.Problems[0].Code))
	}
	if diff := cmp.Diff([]string{
		"special_irrelevant_0 #2: server in 1, empty-answer",
		"special_irrelevant_1 #1: server in 1, empty-answer",
		"special_irrelevant_2 #1: server in 1, http-error",
	}, names); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	bad := errors.New("the tape is gone")
	_, err = sheet.New(set, outcomes, options(sheet.Options{Faults: func([]ask.Outcome) ([]*score.Fault, error) { return nil, bad }}))
	if !errors.Is(err, bad) {
		t.Errorf("error %v", err)
	}
}

// TestFaultsOfScorerErrors: an answer on which the reference scorer fails counts as wrong, so somebody is at fault for it, too.
func TestFaultsOfScorerErrors(t *testing.T) {
	sample := &dataset.Sample{ID: "special_error_param_0", Category: dataset.ErrorParam, GroundTruth: pyvalue.DictOf("n", pyvalue.NewList(pyvalue.NewInt(5)))}
	set := dataset.NewSet(dataset.English, []*dataset.Sample{sample}, "")
	o := ask.Outcome{Repeat: 1, Exchanges: []tape.Ref{{Session: "s", Seq: 1}}}
	o.Answer = acebench.Answer{ID: sample.ID, Status: acebench.OK, Text: "There is incorrect value 5."}
	s, err := sheet.New(set, []ask.Outcome{o}, options(sheet.Options{
		Rules: []rules.Rules{rules.Official},
		Faults: func(failed []ask.Outcome) ([]*score.Fault, error) {
			return slices.Repeat([]*score.Fault{{Blame: "model"}}, len(failed)), nil
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Fault(&o); f == nil || f.Blame != "model" {
		t.Errorf("fault %+v", f)
	}
	if got := s.Runs[0].File.Samples[0].Status; got != acebench.ScorerError {
		t.Fatalf("status %s", got)
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
	// ACEBench en                                  evalscope  samples  counted
	// special_irrelevant                              1.0000        2        2
	//
	// SPECIAL                                         1.0000        2        2
	// OVERALL                                         1.0000        2        2
	//
	// (groups are plain means of their categories, whatever their size; OVERALL is a weighted mean of NORMAL, SPECIAL and AGENT, by 0.578, 0.2676 and 0.1545, of those that were run)
	//
	// evalscope: 2 right, 0 wrong, 1 missing of 3
	// special_irrelevant_2: missing: no answer was recorded
}
