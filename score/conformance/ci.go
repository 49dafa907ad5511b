package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/score/report"
)

// Report brings the result into the form that the formats for CI systems are made from: a case for each exchange, by API, which fails on
// errors that no baseline knows; tables of the problems, and of the exchanges that have some.
func (res *Result) Report() (*report.Report, error) {
	about := res.about()
	out := &report.Report{
		Suite: about.Suite,
		Facts: []report.Fact{
			{Name: "exodeck", Value: about.Version},
			{Name: "recording", Value: about.Recording},
			{Name: "rules digest", Value: about.RulesDigest},
		},
		Remarks: []string{fmt.Sprintf("calls %s; protocol %s", counted(res.Calls, []Verdict{OK, Failed, NotJudged}), counted(res.Protocol, []Verdict{OK, Failed, NotJudged}))},
	}
	problems := report.Table{Title: "Problems", Header: []string{"problem", "severity", "exchanges", "new"}}
	for _, name := range res.codes() {
		c, _ := CodeOf(name)
		problems.Rows = append(problems.Rows, []string{name, string(res.options.Rules.severity(c)), strconv.Itoa(res.Summary[name]), strconv.Itoa(res.New[name])})
	}
	exchanges := report.Table{Title: "Exchanges with problems", Header: []string{"exchange", "api", "calls", "protocol", "blame", "problems"}}
	for r, err := range res.Reports() {
		if err != nil {
			return nil, err
		}
		if len(r.Problems) > 0 {
			exchanges.Rows = append(exchanges.Rows, r.row())
		}
		i := slices.IndexFunc(out.Groups, func(g report.Group) bool { return g.Name == string(r.API) })
		if i < 0 {
			i = len(out.Groups)
			out.Groups = append(out.Groups, report.Group{Name: string(r.API)})
		}
		out.Groups[i].Cases = append(out.Groups[i].Cases, r.asCase())
	}
	out.Tables = []report.Table{problems, exchanges}
	return out, nil
}

// name is what `exodeck tape show` takes.
func (r *Report) name() string { return r.Session + "/" + strconv.FormatInt(r.Seq, 10) }

func (r *Report) row() []string {
	var codes []string
	for _, p := range r.Problems {
		codes = append(codes, p.Code)
	}
	blame := ""
	if r.Blame != nil {
		blame = string(*r.Blame)
	}
	return []string{r.name(), string(r.API), words(r.Calls), words(r.Protocol), blame, strings.Join(codes, ", ")}
}

func (r *Report) asCase() report.Case {
	x := report.Case{Name: r.name(), Outcome: report.Passed}
	switch {
	case r.Failing():
		x.Outcome, x.Kind = report.Failed, headline(r)
		x.Reason, x.Detail, _ = strings.Cut(details(r), "\n")
	case r.skipped():
		x.Outcome, x.Reason = report.NotJudged, headline(r)
	}
	return x
}

// headline is a report in a line: its codes and whose fault it is.
func headline(r *Report) string {
	var codes []string
	for _, p := range r.Problems {
		if !p.Known {
			codes = append(codes, p.Code)
		}
	}
	return strings.Join(codes, ", ") + blamed(r)
}

// details has a line for each problem, those for which the exchange fails first, and for each reason.
func details(r *Report) string {
	var lines, others []string
	for _, p := range r.Problems {
		text := fmt.Sprintf("%s %s (%s): %s", p.Severity, p.Code, p.Where, oneLine(p.Detail))
		switch {
		case p.Known:
			others = append(others, text+" (known)")
		case p.Severity == Error:
			lines = append(lines, text)
		default:
			others = append(others, text)
		}
	}
	lines = append(lines, others...)
	for _, e := range r.Evidence {
		lines = append(lines, "because "+oneLine(e))
	}
	return strings.Join(lines, "\n")
}
