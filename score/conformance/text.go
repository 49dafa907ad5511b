package conformance

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/show"
)

// WriteText writes the result for people: each exchange with its problems, then the totals.
func (res *Result) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		if len(r.Problems) > 0 {
			writeReport(out, r)
		}
	}
	res.writeTotals(out)
	return out.Flush()
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	writeReport(out, r)
	return out.Flush()
}

func writeReport(out *bufio.Writer, r *Report) {
	mode := ""
	if r.Stream {
		mode = " stream"
	}
	fmt.Fprintf(out, "%s/%d  %s%s  calls %s, protocol %s%s\n", r.Session, r.Seq, r.API, mode, words(r.Calls), words(r.Protocol), blamed(r))
	for _, p := range r.Problems {
		known := ""
		if p.Known {
			known = ", known"
		}
		if p.Count > 1 {
			known += fmt.Sprintf(", %d times", p.Count)
		}
		fmt.Fprintf(out, "  %-7s  %s (%s%s): %s\n", p.Severity, p.Code, show.Printable(p.Where.String()), known, show.Printable(oneLine(p.Detail)))
	}
	for _, c := range r.Recovered {
		fmt.Fprintf(out, "  meant    %s %s (%s, in the %s)\n", show.Printable(c.Name), show.Printable(oneLine(shorten(string(c.Arguments)))), c.Family, c.From)
	}
	for _, e := range r.Evidence {
		fmt.Fprintf(out, "  because  %s\n", show.Printable(oneLine(e)))
	}
}

// words is a verdict as people write it.
func words(v Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

func blamed(r *Report) string {
	if r.Blame == nil {
		return ""
	}
	return ", blame " + string(*r.Blame)
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (t *Tally) writeTotals(out *bufio.Writer) {
	if len(t.Summary) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s; calls %s; protocol %s", plural(t.Exchanges, "exchange"),
		counted(t.Calls, []Verdict{OK, Failed, NotJudged}), counted(t.Protocol, []Verdict{OK, Failed, NotJudged}))
	if len(t.Blames) > 0 {
		fmt.Fprintf(out, "; blame %s", counted(t.Blames, []Side{Model, Server, Adapter, Client, Unknown}))
	}
	fmt.Fprintln(out)
	for _, c := range t.codes() {
		fmt.Fprintf(out, "%6d  %s", t.Summary[c], c)
		if known := t.Summary[c] - t.New[c]; known > 0 {
			fmt.Fprintf(out, " (%d known)", known)
		}
		fmt.Fprintln(out)
	}
}

// codes returns the codes of the summary, the most frequent first.
func (t *Tally) codes() []string {
	var codes []string
	for _, c := range Codes {
		if t.Summary[c.Name] > 0 {
			codes = append(codes, c.Name)
		}
	}
	slices.SortStableFunc(codes, func(a, b string) int { return t.Summary[b] - t.Summary[a] })
	return codes
}

func counted[K ~string](counts map[K]int, order []K) string {
	var parts []string
	for _, k := range order {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], strings.ReplaceAll(string(k), "_", " ")))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
