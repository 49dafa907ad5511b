package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score"
)

// Notes prints what exo's own text has no room for, since that is kept to the character: what the total is of when not all was answered,
// what each of several runs came to, whose fault the failed ones are, and which passed although an agent that reads their answers would go wrong.
func Notes(w io.Writer, verdicts []score.Verdict) error {
	if err := printLines(w, slices.Concat(answered(verdicts), unanswered(verdicts), byRun(verdicts))); err != nil {
		return err
	}
	if err := Faults(w, blamedVerdicts(verdicts)); err != nil {
		return err
	}
	return printLines(w, doubted(verdicts))
}

func printLines(w io.Writer, lines []string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}

// answered tells the two figures apart that one total mixes: how many of the answers passed, and how many of all that was judged. It is empty
// when all that was judged had an answer that could be checked.
func answered(verdicts []score.Verdict) []string {
	all := score.Count(verdicts, nil)
	checked := score.Count(verdicts, func(v score.Verdict) bool { return len(v.Checks) > 0 })
	if checked.Total == all.Total {
		return nil
	}
	return []string{fmt.Sprintf("of those that were answered %d/%d passed, of all %d/%d; %d got no usable answer",
		checked.Passed, checked.Total, all.Passed, all.Total, all.Total-checked.Total)}
}

// unanswered counts what has no recorded answer: the totals of the text leave it out, and list it without a count.
func unanswered(verdicts []score.Verdict) []string {
	missing := len(verdicts) - score.Count(verdicts, nil).Total
	if missing == 0 {
		return nil
	}
	return []string{fmt.Sprintf("no recorded answer: %d of %d, which are in no total", missing, len(verdicts))}
}

// byRun counts each repeat by itself, since a total of several says nothing of how far they are apart. It is empty when there is one,
// or none that was judged.
func byRun(verdicts []score.Verdict) []string {
	last := 1
	for _, v := range verdicts {
		last = max(last, v.Repeat)
	}
	if last == 1 || score.Count(verdicts, nil).Total == 0 {
		return nil
	}
	var runs []string
	for n := 1; n <= last; n++ {
		run := score.Count(verdicts, func(v score.Verdict) bool { return v.Repeat == n })
		runs = append(runs, fmt.Sprintf("run %d %d/%d", n, run.Passed, run.Total))
	}
	return []string{"passed by run: " + strings.Join(runs, ", ")}
}

// doubted lists the verdicts that passed with errors, those with the same ones together.
func doubted(verdicts []score.Verdict) []string {
	repeated := repeats(verdicts)
	var kinds []string
	alike := map[string][]string{}
	for _, v := range verdicts {
		var codes []string
		for _, p := range v.Doubts {
			codes = append(codes, p.Code)
		}
		if len(codes) == 0 {
			continue
		}
		kind := strings.Join(codes, ", ")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		alike[kind] = append(alike[kind], line(string(v.API)+" "+nameOf(v, repeated)))
	}
	var lines []string
	for _, kind := range kinds {
		lines = append(lines, "passed, though an agent that reads the answer would go wrong: "+kind+": "+few(alike[kind]))
	}
	return lines
}

// few is a list that does not get long.
func few(names []string) string {
	if more := len(names) - named; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:named], ", "), more)
	}
	return strings.Join(names, ", ")
}
