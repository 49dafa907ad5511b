package acebench_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// TestBugReports gives both verdicts on the cases made after public reports: the official one, and that of our strict rules, which
// the cases call the meaning.
//
// In two cases strict is not as kind as the case, on purpose: it compares texts whole, so a longer name of the same town is another
// text; and it judges special samples as the references do, so a right question in other words than the agreed ones is not found.
func TestBugReports(t *testing.T) {
	stricter := map[string]bool{"133-ace-substring-longer-name-ok": true, "143-ace-special-needs-exact-phrase": true}
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "golden", "bugreports"), "*-ace-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	n := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			ID       string `json:"id"`
			AceBench struct {
				Category   dataset.Category `json:"category"`
				Functions  json.RawMessage  `json:"functions"`
				Truth      json.RawMessage  `json:"ground_truth"`
				Output     string           `json:"model_output"`
				Milestones json.RawMessage  `json:"milestones"`
				Recorded   json.RawMessage  `json:"recorded_calls"`
			} `json:"acebench"`
			Expect struct {
				AceBench struct {
					Valid    bool     `json:"official_valid"`
					Type     string   `json:"official_error_type"`
					Meaning  bool     `json:"semantic_valid"`
					Process  *float64 `json:"process_accuracy"`
					NoStones *float64 `json:"process_accuracy_without_milestones"`
				} `json:"acebench"`
			} `json:"expect"`
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			want := c.Expect.AceBench
			if want.Process != nil {
				got, err := check.Milestones(rules.Evalscope, parsed(t, c.AceBench.Recorded), parsed(t, c.AceBench.Milestones))
				if err != nil || got.Share != *want.Process {
					t.Errorf("process %v, %v, want %v", got, err, *want.Process)
				}
				got, err = check.Milestones(rules.Evalscope, parsed(t, c.AceBench.Recorded), pyvalue.NewList())
				if err != nil || got.Share != *want.NoStones {
					t.Errorf("process without milestones %v, %v, want %v", got, err, *want.NoStones)
				}
				return
			}
			verdict := func(r rules.Rules) check.Verdict {
				if c.AceBench.Category.Family() == dataset.Special {
					v, err := check.Special(r, c.AceBench.Category, parsed(t, c.AceBench.Truth), c.AceBench.Output)
					if err != nil {
						t.Fatal(err)
					}
					return v
				}
				calls, err := decode.Calls(r, c.AceBench.Category.Dialogues(), c.AceBench.Output)
				if err != nil {
					return check.Wrong(check.WrongFormat, err.Error())
				}
				v, err := check.NewKey(r, c.AceBench.Category, parsed(t, c.AceBench.Functions), parsed(t, c.AceBench.Truth)).Check(calls)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if got := verdict(rules.Official); got.Valid != want.Valid || got.Type != want.Type {
				t.Errorf("official: %+v, want valid=%v type %q", got, want.Valid, want.Type)
			}
			if got := verdict(rules.Strict); got.Valid != (want.Meaning && !stricter[c.ID]) {
				t.Errorf("strict: %+v, want valid=%v", got, want.Meaning)
			}
		})
	}
	if n < 20 {
		t.Errorf("%d cases, want 20 or more", n)
	}
}

func parsed(t *testing.T, raw json.RawMessage) pyvalue.Value {
	t.Helper()
	v, err := pyjson.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
