package sheet_test

import (
	"bytes"
	"flag"
	"testing"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
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
			tt.options.Faults = blame
			s, err := sheet.New(set, tt.outcomes, options(tt.options))
			if err != nil {
				t.Fatal(err)
			}
			s.Remarks = []string{"the tape holds two runs"}
			var got bytes.Buffer
			if err := report.Markdown(&got, s.Report()); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, *update, "testdata/report_"+tt.name+".md", got.Bytes())
		})
	}
}

// blame lays every fault at the server.
func blame(outcomes []ask.Outcome) ([]*score.Fault, error) {
	faults := make([]*score.Fault, len(outcomes))
	for i, o := range outcomes {
		faults[i] = &score.Fault{Blame: "server", Exchange: 1, Evidence: []string{"told of " + o.Answer.ID},
			Problems: []score.Problem{{Code: "call-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response", Detail: "a call"}}}
	}
	return faults, nil
}
