package offline_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

const mini = "../../../fixtures/cassettes/acebench_mini.cassette.jsonl"

// recording is the recorded run of the built-in data, without its head, whose checksum would not outlive the change.
func recording(t *testing.T, change func(string) string) *cassette.Cassette {
	t.Helper()
	data, err := os.ReadFile(mini)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n")
	c, err := cassette.Read(strings.NewReader(change(text)), "changed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func same(text string) string { return text }

// foreign takes off all labels, as another client leaves none.
func foreign(text string) string {
	return regexp.MustCompile(`,"labels":\{[^{}]*\}\}\n`).ReplaceAllString(text, "}\n")
}

// TestScore scores one run in several ways.
func TestScore(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(text string) string {
			if strings.Count(text, old) != 1 {
				t.Fatalf("%q is in the recording %d times", old, strings.Count(text, old))
			}
			return strings.Replace(text, old, new, 1)
		}
	}
	for _, tt := range []struct {
		name         string
		change       func(string) string
		scoring      offline.Scoring
		right, wrong int
		missing      int
		told         []string
	}{
		{"as it was run", same, offline.Scoring{}, 17, 0, 0, nil},
		{"some categories", same, offline.Scoring{Categories: []dataset.Category{dataset.Irrelevant}}, 1, 0, 0, nil},
		{"its session", same, offline.Scoring{Choice: recorded.Choice{Session: "20261130T160212Z-7ajt2g"}}, 17, 0, 0, nil},
		{"of other data", replace(`"data":"sha256:d222`, `"data":"sha256:beef`), offline.Scoring{}, 17, 0, 0,
			[]string{"the data differ from those that were asked (sha256:beef556c256589b62d0db69c7efcb951aaf5247c8683e88c75688ec03216b3bd, now " +
				"sha256:d222556c256589b62d0db69c7efcb951aaf5247c8683e88c75688ec03216b3bd): the answers may not be found"}},
		{"by another client", foreign, offline.Scoring{Categories: []dataset.Category{dataset.Irrelevant}}, 1, 0, 2,
			[]string{"language: en, by the recorded prompts"}},
		{"by another client, in a language that is said", foreign,
			offline.Scoring{Choice: recorded.Choice{Language: dataset.English}, Categories: []dataset.Category{dataset.Irrelevant}}, 1, 0, 2, nil},
		{"a wrong answer", replace("[Trail_checkSnow(trail='Fir Loop'), Trail_checkSnow(trail='Mill Path')]", "[Trail_checkSnow(trail='Fir Loop'), Trail_checkSnow(trail='Mill Road')]"),
			offline.Scoring{}, 16, 1, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told []string
			tt.scoring.Tell = func(line string) { told = append(told, line) }
			s, err := tt.scoring.Score(t.Context(), recording(t, tt.change), dataset.Mini())
			if err != nil {
				t.Fatal(err)
			}
			if c := s.Runs[0].File.Counts; len(s.Runs) != 1 || c.Right != tt.right || c.Wrong != tt.wrong || c.Missing != tt.missing {
				t.Errorf("%d runs, the first of %+v", len(s.Runs), c)
			}
			if diff := cmp.Diff(tt.told, told); diff != "" {
				t.Errorf("told (-want +got)\n%s", diff)
			}
		})
	}
}

// TestBlame: a wrong answer is the model's fault, also when its reasoning stands in the text and is taken off. One that would be right without
// the markup in it is the server's, and so is a rollout that went on with markup in an answer.
func TestBlame(t *testing.T) {
	const (
		single  = "[Trail_checkSnow(trail='Fir Loop'), Trail_checkSnow(trail='Mill Path')]"
		rollout = "[add_reminder(title='Glaze', description='Fire the kiln', time='2024-07-21 10:00')]"
		early   = "finish conversation, as there is nothing left to be done" // no shorter than what was recorded
	)
	wrong := strings.Replace(single, "Path", "Road", 1)
	for _, tt := range []struct{ name, answer, said, blame string }{
		{"wrong", single, wrong, "model"},
		{"wrong behind its reasoning", single, "<think>Which?</think>" + wrong, "model"},
		{"wrong behind reasoning that nobody takes off", single, `I look at the trails [1].\n</think>\n\n` + wrong, "model"},
		{"right before a token", single, single + "<|im_end|>", "server"},
		{"right behind reasoning without its beginning", single, `I look at the trails [1].\n</think>\n\n` + single, "server"},
		{"right behind reasoning of another mark", single, "◁think▷I look at the trails [1].◁/think▷" + single, "server"},
		{"right behind a channel", single, "<|channel|>analysis<|message|>Trails [1].<|end|><|start|>assistant<|channel|>final<|message|>" + single, "server"},
		{"right behind a channel without its tokens", single, "analysisTrails [1].assistantfinal" + single, "server"},
		{"a rollout that ends early", rollout, early, "model"},
		{"a rollout that ends early, behind its reasoning", rollout, "<think>All done?</think>" + early, "model"},
		{"a rollout that ends early, with markup", rollout, "All done.</think>" + early, "server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := recording(t, func(text string) string { return strings.Replace(text, tt.answer, tt.said, 1) })
			o := sheet.Options{Rules: []rules.Rules{rules.Strict, rules.Official}}
			s, err := offline.Scoring{Sheet: o}.Score(t.Context(), c, dataset.Mini())
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Runs) != 2 {
				t.Errorf("%d runs under two sets of rules", len(s.Runs))
			}
			found := ""
			for i := range s.Outcomes {
				if f := s.Fault(&s.Outcomes[i]); f != nil {
					found += f.Blame
				}
			}
			if found != tt.blame {
				t.Errorf("blame %q, want %q", found, tt.blame)
			}
		})
	}
}

// TestNothingRecorded: what cannot be scored is an error that says so.
func TestNothingRecorded(t *testing.T) {
	c := recording(t, func(string) string {
		return `{"request":{"method":"GET","url":"/state"},"response":{"status":200,"body":{}}}` + "\n"
	})
	if _, err := (offline.Scoring{}).Score(t.Context(), c, dataset.Mini()); !errors.Is(err, recorded.ErrNothingRecorded) {
		t.Errorf("nothing: %v", err)
	}
	for name, change := range map[string]func(string) string{"our own": same, "another client's": foreign} {
		choice := recorded.Choice{Language: dataset.Chinese}
		_, err := offline.Scoring{Choice: choice}.Score(t.Context(), recording(t, change), dataset.Mini())
		want := "the tape holds no answers to ACEBench samples in zh, but to 17 questions in en: --language en scores them"
		if !errors.Is(err, recorded.ErrNothingRecorded) || err.Error() != want {
			t.Errorf("%s, in another language: %v", name, err)
		}
		_, err = offline.Scoring{Choice: choice}.Score(t.Context(), c, dataset.Mini())
		if !errors.Is(err, recorded.ErrNothingRecorded) || strings.Contains(err.Error(), "--language") {
			t.Errorf("nothing in any language: %v", err)
		}
	}
	choice := recorded.Choice{Session: "gone"}
	if _, err := (offline.Scoring{Choice: choice}).Score(t.Context(), recording(t, same), dataset.Mini()); !errors.Is(err, recorded.ErrNothingRecorded) {
		t.Errorf("a session that is not there: %v", err)
	}
}
