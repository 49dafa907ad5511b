package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

// Blamed is a failed sample, with whose fault that is.
type Blamed struct {
	Name      string
	Fault     *score.Fault
	Exchanges []tape.Ref
}

// named is how many of the samples that failed alike are named.
const named = 8

// reasonsListed is how many groups of samples with the same problems are told apart by their reasons.
const reasonsListed = 4

// Faults prints how often each side was at fault, then what went wrong: samples that failed alike and for the same reasons stand together,
// and the facts are those of the first of them. It prints nothing when nothing is to blame.
func Faults(w io.Writer, failed []Blamed) error {
	out := bufio.NewWriter(w)
	if line := blameLine(failed); line != "" {
		fmt.Fprintln(out, line)
	}
	for _, alike := range group(failed, func(b Blamed) string { return b.Fault.Kind() }) {
		reasons := group(alike, func(b Blamed) string { return strings.Join(b.Fault.Reasons(), "\n") })
		kind := line(alike[0].Fault.Kind())
		for i, same := range reasons {
			if i == reasonsListed {
				rest := slices.Concat(reasons[i:]...)
				fmt.Fprintf(out, "  %s, for %d other reasons: %s\n", kind, len(reasons)-i, namesOf(rest))
				break
			}
			fmt.Fprintf(out, "  %s: %s\n", kind, namesOf(same))
			tell(out, same)
		}
	}
	return out.Flush()
}

// tell prints the facts of the first of some samples and the reasons of all of them.
func tell(out io.Writer, same []Blamed) {
	first := same[0]
	facts, reasons := first.Fault.Facts(first.Exchanges), first.Fault.Reasons()
	if len(same) > 1 && (first.Fault.Exchange > 0 || len(facts) > 1) {
		// What holds for all of them comes before what is the first one's own.
		facts[0] = "the first: " + facts[0]
		facts, reasons = reasons, facts
	}
	for _, l := range slices.Concat(facts, reasons) {
		fmt.Fprintf(out, "    %s\n", l)
	}
}

// group sorts samples by a key, in the order in which the keys come.
func group(all []Blamed, key func(Blamed) string) [][]Blamed {
	var groups [][]Blamed
	place := map[string]int{}
	for _, b := range all {
		k := key(b)
		i, seen := place[k]
		if !seen {
			i = len(groups)
			place[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], b)
	}
	return groups
}

// namesOf names samples, the first of many.
func namesOf(all []Blamed) string {
	var names []string
	for _, b := range all {
		names = append(names, line(b.Name))
	}
	return few(names)
}

// blamedVerdicts lists the verdicts whose fault is known.
func blamedVerdicts(verdicts []score.Verdict) []Blamed {
	repeated := repeats(verdicts)
	var all []Blamed
	for _, v := range verdicts {
		if v.Fault != nil {
			all = append(all, Blamed{string(v.API) + " " + nameOf(v, repeated), v.Fault, v.Exchanges})
		}
	}
	return all
}

// blameLine counts the faults by side, in a line; "" when there are none.
func blameLine(failed []Blamed) string {
	faults := make([]*score.Fault, len(failed))
	for i, b := range failed {
		faults[i] = b.Fault
	}
	if counts := score.CountFaults(faults); counts != "" {
		return "whose fault: " + counts
	}
	return ""
}

// Blame adds to a report the count of its faults.
func (r *Report) Blame(failed []Blamed) {
	if line := blameLine(failed); line != "" {
		r.Remarks = append(r.Remarks, line)
	}
}

// Blame adds to a case whose fault it is; f may be nil.
func (x *Case) Blame(f *score.Fault) {
	if f != nil {
		x.Detail = strings.TrimPrefix(x.Detail+"\n"+strings.Join(f.Lines(x.Exchanges), "\n"), "\n")
	}
}
