package offline

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/report"
)

// WriteText writes the result for people: each exchange that fails, then those with problems that few have, then the problems that come
// again and again, and the totals. With [Options.Verbose] it is each exchange with problems in recorded order, and the totals.
func (res *Result) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	others, told := newFold(), false
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		switch {
		case len(r.Problems) == 0:
		case r.Failing() || res.options.Verbose:
			if err := r.WriteText(out); err != nil {
				return err
			}
			told = true
		default:
			others.add(r)
		}
	}
	for _, text := range others.rare() {
		out.WriteString(text)
		told = true
	}
	if frequent := others.frequent(); len(frequent) > 0 {
		if told {
			fmt.Fprintln(out)
		}
		writeKinds(out, frequent)
		told = true
	}
	if told {
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s; %s\n", show.Count(res.Exchanges, "exchange"), res.outcomes())
	if res.options.Baseline != nil {
		fmt.Fprintln(out, res.compared())
	}
	res.writeTotals(out)
	return out.Flush()
}

// writeKinds writes problems that many exchanges have which do not fail.
func writeKinds(out io.Writer, kinds []kind) {
	fmt.Fprintln(out, "warnings that come again and again, and fail nothing (--verbose shows each exchange):")
	for _, k := range kinds {
		fmt.Fprintf(out, "%6d  %s: %s\n", k.reports, k.code, show.Printable(k.says()))
		if names := k.exchanges(); names != "" {
			fmt.Fprintf(out, "        %s\n", names)
		}
	}
}

func blamed(r *conformance.Report) string {
	if r.Blame == nil {
		return ""
	}
	return ", blame " + string(*r.Blame)
}

// writeTotals writes the counts by problem, and those by model and API.
func (t *Tally) writeTotals(out io.Writer) {
	for _, c := range mostFrequent(t.Summary) {
		fmt.Fprintf(out, "%6d  %s", t.Summary[c], c)
		if known := t.Summary[c] - t.New[c]; known > 0 {
			fmt.Fprintf(out, " (%d known)", known)
		}
		fmt.Fprintln(out)
	}
	if all := t.Parts(); len(all) > 1 { // of one there is no more to say than the totals do
		writeParts(out, all)
	}
}

// writeParts writes the counts by model and API as a table.
func writeParts(out io.Writer, all []*Part) {
	w := report.NewTable()
	w.AppendHeader(tableRow(partsHeader))
	for _, p := range all {
		w.AppendRow(tableRow(p.row()))
	}
	var columns []table.ColumnConfig
	for i := range partsHeader {
		if i >= 2 && i < len(partsHeader)-1 {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	w.SetColumnConfigs(columns)
	fmt.Fprintf(out, "\n%s\n", w.Render())
}

func tableRow(cells []string) table.Row {
	var row table.Row
	for _, c := range cells {
		row = append(row, show.Line(c))
	}
	return row
}

// compared says in a line what a baseline makes of the result, and why.
func (res *Result) compared() string {
	fresh, known := res.fresh()
	line := fmt.Sprintf("against the baseline: %d new, %d known", fresh, known)
	if known > 0 && !res.options.Verbose {
		line += " (--verbose shows where)"
	}
	switch {
	case res.Failing > 0 && res.options.KeepBaseline:
		return line + "; not failed, because the baseline that is written knows what is new"
	case res.Failing > 0:
		return line + "; failed, because of new errors in " + show.Count(res.Failing, "exchange")
	case res.Exchanges > 0 && res.Protocol[conformance.NotJudged] == res.Exchanges:
		return line + "; neither passed nor failed, because nothing could be judged"
	case fresh > 0:
		return line + "; passed, because all that is new are warnings"
	}
	return line + "; passed, because nothing is new"
}

// mostFrequent returns the codes of a summary, the most frequent first.
func mostFrequent(summary map[string]int) []string {
	var codes []string
	for _, c := range conformance.Codes {
		if summary[c.Name] > 0 {
			codes = append(codes, c.Name)
		}
	}
	slices.SortStableFunc(codes, func(a, b string) int { return summary[b] - summary[a] })
	return codes
}

// outcomes is the counts in a line.
func (c *Counts) outcomes() string {
	line := fmt.Sprintf("calls %s; protocol %s", counted(c.Calls, []conformance.Verdict{conformance.OK, conformance.Failed, conformance.NotJudged}), counted(c.Protocol, []conformance.Verdict{conformance.OK, conformance.Failed, conformance.NotJudged}))
	if len(c.Blames) > 0 {
		line += "; blame " + counted(c.Blames, []conformance.Side{conformance.Model, conformance.Server, conformance.Adapter, conformance.Client, conformance.Unknown})
	}
	return line
}

func counted[K ~string](counts map[K]int, order []K) string {
	var parts []string
	for _, k := range order {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], show.Words(k)))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}
