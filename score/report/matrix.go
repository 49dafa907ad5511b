package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

// Matrix prints verdicts as a table: a line for each sample and phase, a column for each API. A cell says how often it passed when
// it was asked more than once.
func Matrix(w io.Writer, verdicts []score.Verdict) error {
	type line struct{ sample, phase string }
	type cell struct {
		line
		api tape.API
	}
	var lines []line
	var apis []tape.API
	tallies := map[cell]score.Tally{}
	missing := map[cell]bool{}
	for _, v := range verdicts {
		l := line{v.Sample, v.Phase}
		if !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
		if !slices.Contains(apis, v.API) {
			apis = append(apis, v.API)
		}
		c := cell{l, v.API}
		if v.Status != score.OK {
			missing[c] = true
			continue
		}
		t := tallies[c]
		t.Total++
		if v.Passed {
			t.Passed++
		}
		tallies[c] = t
	}
	out := NewTable()
	header := table.Row{"scenario", "phase"}
	for _, api := range apis {
		header = append(header, string(api))
	}
	out.AppendHeader(header)
	for _, l := range lines {
		row := table.Row{l.sample, l.phase}
		for _, api := range apis {
			c := cell{l, api}
			t := tallies[c]
			switch {
			case missing[c]:
				row = append(row, "missing")
			case t.Total == 0:
				row = append(row, "")
			case t.Total > 1:
				row = append(row, fmt.Sprintf("%d/%d", t.Passed, t.Total))
			case t.Passed == 1:
				row = append(row, "pass")
			default:
				row = append(row, "FAIL")
			}
		}
		out.AppendRow(row)
	}
	_, err := fmt.Fprintln(w, out.Render())
	return err
}
