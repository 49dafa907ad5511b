package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

// OfVerdicts makes a report of verdicts: a group for each API, and a table of the scenarios by API.
func OfVerdicts(run score.RunFile) *Report {
	r := &Report{
		Suite:  run.Suite,
		Tables: []Table{verdictTable(run.Verdicts)},
		Facts: []Fact{
			{"exodeck", run.Version},
			{"rules", run.Rules},
			{"recording", run.Recording},
			{"rules digest", run.RulesDigest},
			{"data", run.Data},
		},
	}
	r.Remarks = append(answered(run.Verdicts), byRun(run.Verdicts)...)
	r.Blame(blamedVerdicts(run.Verdicts))
	r.Remarks = append(r.Remarks, doubted(run.Verdicts)...)
	repeated := repeats(run.Verdicts)
	for _, v := range run.Verdicts {
		i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Name == string(v.API) })
		if i < 0 {
			i = len(r.Groups)
			r.Groups = append(r.Groups, Group{Name: string(v.API)})
		}
		r.Groups[i].Cases = append(r.Groups[i].Cases, caseOf(v, repeated))
	}
	return r
}

// repeats reports whether there is more than one verdict on a sample asked in one way.
func repeats(verdicts []score.Verdict) bool {
	return slices.ContainsFunc(verdicts, func(v score.Verdict) bool { return v.Repeat > 1 })
}

// nameOf is what a verdict is called among those of its API.
func nameOf(v score.Verdict, repeated bool) string {
	name := v.Sample + " " + v.Phase + way(v)
	if repeated {
		name += fmt.Sprintf(" #%d", v.Repeat)
	}
	return name
}

func caseOf(v score.Verdict, repeated bool) Case {
	x := Case{Name: nameOf(v, repeated), Outcome: outcomeOf(v), Seconds: v.LatencyMS / 1000, Exchanges: v.Exchanges}
	if x.Outcome == Passed {
		return x
	}
	var failed []string
	for _, c := range v.Checks {
		if !c.OK {
			failed = append(failed, c.Name)
		}
	}
	x.Kind = strings.Join(failed, ", ")
	if v.Error != nil {
		x.Reason, x.Detail, _ = strings.Cut(*v.Error, "\n")
	}
	switch {
	case x.Outcome == Missing:
		x.Kind = "no recorded answer"
	case x.Kind == "":
		x.Kind = x.Reason
	case x.Reason == "":
		x.Reason = "failed: " + x.Kind
	}
	if x.Detail != "" && len(v.Checks) > 0 {
		x.Detail += "\n"
	}
	x.Detail += checkList(v.Checks)
	x.Blame(v.Fault)
	return x
}

func outcomeOf(v score.Verdict) Outcome {
	switch {
	case v.Status != score.OK:
		return Missing
	case v.Passed:
		return Passed
	}
	return Failed
}

func checkList(checks []score.Check) string {
	var list []string
	for _, c := range checks {
		sign := "- "
		if c.OK {
			sign = "+ "
		}
		list = append(list, sign+c.Name)
	}
	return strings.Join(list, "\n")
}

// verdictTable has a row for each sample and phase and a column for each API. A cell says how often it passed of how many answers
// that are there, when it was asked more than once, and how many are missing.
func verdictTable(verdicts []score.Verdict) Table {
	type row struct{ sample, phase string }
	type cell struct {
		row
		api tape.API
	}
	var rows []row
	var apis []tape.API
	tallies := map[cell]*counts{}
	for _, v := range verdicts {
		c := cell{row{v.Sample, v.Phase}, v.API}
		if tallies[c] == nil {
			tallies[c] = &counts{}
		}
		tallies[c].add(outcomeOf(v))
		if !slices.Contains(rows, c.row) {
			rows = append(rows, c.row)
		}
		if !slices.Contains(apis, v.API) {
			apis = append(apis, v.API)
		}
	}
	t := Table{Title: "Scenarios", Header: []string{"scenario", "phase"}}
	for _, api := range apis {
		t.Header = append(t.Header, string(api))
	}
	for _, r := range rows {
		line := []string{r.sample, r.phase}
		for _, api := range apis {
			line = append(line, tallies[cell{r, api}].cell())
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// cell is what a table says of some verdicts: how many passed of those that were judged, as [score.Count] counts them.
func (c *counts) cell() string {
	if c == nil {
		return ""
	}
	judged := c.passed + c.failed
	switch {
	case c.missing > 0 && judged > 0:
		return fmt.Sprintf("%d/%d, %d missing", c.passed, judged, c.missing)
	case c.missing > 0:
		return "missing"
	case judged > 1:
		return fmt.Sprintf("%d/%d", c.passed, judged)
	case c.failed > 0:
		return "FAIL"
	}
	return "pass"
}
