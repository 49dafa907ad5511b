package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/report"
)

// Report brings the sheet into the form that the formats for CI systems are made from: a group for each category, of each run where
// there are several, and tables of the figures as the text has them.
func (s *Sheet) Report() *report.Report {
	r := &report.Report{
		Suite:   "acebench",
		Remarks: slices.Clone(s.remarks()),
		Facts:   []report.Fact{{Name: "language", Value: string(s.Set.Language)}, {Name: "data", Value: s.Set.Digest}},
	}
	categories := report.Table{Title: "Categories", Header: []string{"category"}}
	groups := report.Table{Title: "Groups", Header: []string{"group"}}
	for i, run := range s.Runs {
		name := ""
		if len(s.Runs) > 1 {
			name = run.name()
		}
		if i == 0 {
			r.Facts = append([]report.Fact{{Name: "exodeck", Value: run.File.Exodeck}}, r.Facts...)
		}
		for _, head := range []string{"accuracy", "process", "samples", "counted"} {
			categories.Header = append(categories.Header, strings.TrimSpace(name+" "+head))
		}
		for _, head := range []string{"accuracy", "samples", "counted"} {
			groups.Header = append(groups.Header, strings.TrimSpace(name+" "+head))
		}
		for _, f := range []report.Fact{
			{Name: "rules", Value: run.File.Rules},
			{Name: "recording", Value: run.File.Recording},
			{Name: "rules digest", Value: run.File.RulesDigest},
			{Name: "verdicts", Value: run.File.Verdicts},
		} {
			f.Name = strings.TrimSpace(name + " " + f.Name)
			r.Facts = append(r.Facts, f)
		}
		r.Groups = append(r.Groups, s.groups(run, name)...)
		for _, p := range run.Report.Problems {
			if remark := "problem: " + p.String(); !slices.Contains(r.Remarks, remark) {
				r.Remarks = append(r.Remarks, remark)
			}
		}
	}
	failed := s.blamed()
	r.Blame(failed)
	if union := s.union(len(failed)); union != "" {
		r.Remarks = append(r.Remarks, union)
	}
	for _, c := range dataset.Categories() {
		if cells := s.categoryRow(c); cells != nil {
			categories.Rows = append(categories.Rows, cells)
		}
	}
	for _, g := range append(aggregate.GroupNames(), "OVERALL") {
		if cells := s.groupRow(g); cells != nil {
			groups.Rows = append(groups.Rows, cells)
		}
	}
	if len(groups.Rows) > 0 {
		r.Remarks = append(r.Remarks, s.averaged()...)
	}
	r.Tables = []report.Table{groups, categories}
	return r
}

// categoryRow is the row of a category's figures; nil when no run has any.
func (s *Sheet) categoryRow(c dataset.Category) []string {
	row, any := []string{string(c)}, false
	for _, run := range s.Runs {
		got, ok := run.File.Categories[c]
		if !ok || len(s.Set.Only(c)) == 0 {
			row = append(row, "", "", "", "")
			continue
		}
		process := ""
		if got.ProcessAcc != nil {
			process = figure(*got.ProcessAcc)
		}
		n := run.size(c)
		row, any = append(row, figure(got.Accuracy), process, count(n.samples), count(n.counted)), true
	}
	if !any {
		return nil
	}
	return row
}

// groupRow is the row of a group's figures; nil when no run has any.
func (s *Sheet) groupRow(name string) []string {
	row, any := []string{name}, false
	for _, run := range s.Runs {
		got, ok := group(run.File, name)
		if !ok {
			row = append(row, "", "", "")
			continue
		}
		n := run.size(aggregate.GroupCategories(name)...)
		row, any = append(row, figure(got.Accuracy), count(n.samples), count(n.counted)), true
	}
	if !any {
		return nil
	}
	return row
}

// groups are the cases of a run by category, in the order of the samples.
func (s *Sheet) groups(run Run, name string) []report.Group {
	outcomes := run.answers()
	var groups []report.Group
	place := map[dataset.Category]int{}
	for i := range run.File.Samples {
		result := &run.File.Samples[i]
		k, seen := place[result.Category]
		if !seen {
			k = len(groups)
			place[result.Category] = k
			groups = append(groups, report.Group{Name: strings.TrimSpace(name + " " + string(result.Category))})
		}
		o := outcomes[result.ID]
		x := caseOf(result, o)
		if x.Outcome != report.Passed && o != nil {
			x.Blame(s.Fault(o))
		}
		groups[k].Cases = append(groups[k].Cases, x)
	}
	return groups
}

// caseOf says of a sample what the exit status says: an error of the scorer is a failure, whatever it counts for in the figures. o is
// nil when there is no answer.
func caseOf(r *acebench.Result, o *ask.Outcome) report.Case {
	x := report.Case{Name: r.ID, Outcome: report.Failed}
	if o != nil {
		x.Exchanges = o.Exchanges
	}
	switch {
	case r.Status == acebench.OK && r.Valid:
		x.Outcome = report.Passed
		return x
	case r.Status == acebench.OK:
		x.Kind = r.ErrorType
	case r.Status == acebench.ScorerError:
		x.Kind = acebench.ErrorTypeScorer
	default:
		x.Outcome, x.Kind = report.Missing, string(r.Status)
	}
	reason, more, _ := strings.Cut(r.Error, "\n")
	x.Reason = reason
	details := []string{more}
	if r.ProcessAcc != nil {
		details = append(details, "how far it came: "+figure(*r.ProcessAcc))
	}
	if o != nil && o.Divergence != nil {
		details = append(details, fmt.Sprintf("step %d (- recorded, + asked):\n%s", o.Divergence.Step, o.Divergence.Diff))
	}
	x.Detail = strings.Join(slices.DeleteFunc(details, func(s string) bool { return s == "" }), "\n")
	return x
}
