package offline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/quote"
	"github.com/exodeck/exodeck/score/report"
)

// mostRows is how many exchanges that fail stand in the table of them. The list of failures behind it has all, and needs the room.
const mostRows = 100

// Report brings the result into the form that the formats for CI systems are made from: a case for each exchange, by API, which fails on
// errors that no baseline knows; tables of the problems, of the exchanges that fail, and of the warnings of all others.
// With [Options.Verbose] the exchanges are all that have problems.
func (res *Result) Report() (*report.Report, error) {
	about := res.about()
	out := &report.Report{
		Suite: about.Suite,
		Facts: []report.Fact{
			{Name: "exodeck", Value: about.Version},
			{Name: "recording", Value: about.Recording},
			{Name: "rules digest", Value: about.RulesDigest},
		},
		Remarks: []string{res.outcomes()},
	}
	if res.options.Baseline != nil {
		out.Remarks = append(out.Remarks, res.compared())
	}
	problems := report.Table{Title: "Problems", Header: []string{"problem", "severity", "exchanges", "new"}}
	for _, name := range mostFrequent(res.Summary) {
		c, _ := conformance.CodeOf(name)
		problems.Rows = append(problems.Rows, []string{name, string(res.options.Rules.SeverityOf(c)), strconv.Itoa(res.Summary[name]), strconv.Itoa(res.New[name])})
	}
	by := report.Table{Title: "By model and API", Header: partsHeader}
	for _, p := range res.Parts() {
		by.Rows = append(by.Rows, p.row())
	}
	exchanges := report.Table{Title: "Exchanges that fail", Header: []string{"exchange", "api", "calls", "protocol", "blame", "problems"}}
	if res.options.Verbose {
		exchanges.Title = "Exchanges with problems"
	}
	others := newFold()
	for r, err := range res.Reports() {
		if err != nil {
			return nil, err
		}
		switch {
		case len(r.Problems) == 0:
		case r.Failing() || res.options.Verbose:
			exchanges.Rows = append(exchanges.Rows, rowOf(r))
		default:
			others.add(r)
		}
		i := slices.IndexFunc(out.Groups, func(g report.Group) bool { return g.Name == string(r.API) })
		if i < 0 {
			i = len(out.Groups)
			out.Groups = append(out.Groups, report.Group{Name: string(r.API)})
		}
		out.Groups[i].Cases = append(out.Groups[i].Cases, caseOf(r))
	}
	if n := len(exchanges.Rows); n > mostRows && !res.options.Verbose {
		exchanges.Title += fmt.Sprintf(", the first %d of %d", mostRows, n)
		exchanges.Rows = exchanges.Rows[:mostRows]
	}
	warnings := report.Table{Title: "Warnings of exchanges that do not fail", Header: []string{"problem", "exchanges", "such as", "it says"}}
	for _, k := range others.kinds(1) {
		warnings.Rows = append(warnings.Rows, []string{k.code, strconv.Itoa(k.reports), k.exchanges(), k.says()})
	}
	out.Tables = []report.Table{problems, by, exchanges, warnings}
	return out, nil
}

// nameOf is what `exodeck tape show` takes.
func nameOf(r *conformance.Report) string { return r.Session + "/" + strconv.FormatInt(r.Seq, 10) }

func rowOf(r *conformance.Report) []string {
	var codes []string
	for _, p := range r.Problems {
		codes = append(codes, p.Code)
	}
	blame := ""
	if r.Blame != nil {
		blame = string(*r.Blame)
	}
	return []string{nameOf(r), string(r.API), show.Words(r.Calls), show.Words(r.Protocol), blame, strings.Join(codes, ", ")}
}

func caseOf(r *conformance.Report) report.Case {
	x := report.Case{Name: nameOf(r), Outcome: report.Passed}
	switch {
	case r.Failing():
		x.Outcome, x.Kind = report.Failed, failure(r)
		x.Reason, x.Detail, _ = strings.Cut(details(r), "\n")
	case skipped(r):
		x.Outcome, x.Reason = report.NotJudged, headline(r)
	}
	return x
}

// failure is for what a report fails, and whose fault that is. Warnings beside it do not make it another failure.
func failure(r *conformance.Report) string {
	var codes []string
	for _, p := range r.Problems {
		if p.Severity == conformance.Error && !p.Known {
			codes = append(codes, p.Code)
		}
	}
	return strings.Join(codes, ", ") + blamed(r)
}

// headline is a report in a line: its codes and whose fault it is.
func headline(r *conformance.Report) string {
	var codes []string
	for _, p := range r.Problems {
		if !p.Known {
			codes = append(codes, p.Code)
		}
	}
	return strings.Join(codes, ", ") + blamed(r)
}

// details has a line for each problem, those for which the exchange fails first, for each call that was meant, and for each reason.
func details(r *conformance.Report) string {
	var lines, others []string
	for _, p := range r.Problems {
		text := fmt.Sprintf("%s %s (%s): %s", p.Severity, p.Code, p.Where, quote.Line(p.Detail))
		switch {
		case p.Known:
			others = append(others, text+" (known)")
		case p.Severity == conformance.Error:
			lines = append(lines, text)
		default:
			others = append(others, text)
		}
	}
	lines = append(lines, others...)
	for _, c := range r.Recovered {
		lines = append(lines, "meant "+c.String())
	}
	for _, e := range r.Evidence {
		lines = append(lines, "because "+quote.Line(e))
	}
	return strings.Join(lines, "\n")
}
