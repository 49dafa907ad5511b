package sheet_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
	"github.com/exodeck/exodeck/score/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestReport: figures, reasons and exchanges come into the report, for one run and for several beside each other.
func TestReport(t *testing.T) {
	set := load(t)
	right, wrong, diverged := outcome(0, 1, sorry), outcome(1, 1, "no"), outcome(2, 1, "")
	right.Exchanges, wrong.Exchanges = []tape.Ref{{Session: "s1", Seq: 1}}, []tape.Ref{{Session: "s1", Seq: 2}}
	diverged.Answer.Status, diverged.Answer.Note = acebench.Diverged, "step 3 is not on the tape\nrecord it again"
	diverged.Divergence = &ask.Divergence{Step: 3, Diff: "-a\n+b\n"}
	again := outcome(1, 2, sorry)
	again.Exchanges = []tape.Ref{{Session: "s1", Seq: 9}}
	tests := []struct {
		name     string
		outcomes []ask.Outcome
		options  sheet.Options
	}{
		{"one", []ask.Outcome{right, wrong, diverged}, sheet.Options{}},
		{"several", []ask.Outcome{right, wrong, diverged, again, right}, sheet.Options{Rules: []rules.Rules{rules.Evalscope, rules.Official}}},
		{"first", []ask.Outcome{right, wrong, again}, sheet.Options{Repeats: sheet.First}},
		{"last", []ask.Outcome{right, wrong, again}, sheet.Options{Repeats: sheet.Last}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sheet.New(set, tt.outcomes, options(tt.options))
			if err != nil {
				t.Fatal(err)
			}
			s.Remarks = []string{"the tape holds two runs"}
			var got bytes.Buffer
			if err := report.Markdown(&got, s.Report()); err != nil {
				t.Fatal(err)
			}
			golden(t, "testdata/report_"+tt.name+".md", got.Bytes())
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}
