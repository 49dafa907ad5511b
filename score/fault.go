package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
)

// Fault says of a sample that failed whose fault that is, and what is wrong with the exchanges behind it. Its JSON is a part of run files:
// it names exchanges by their place in the sample, since their names on a tape change when it is merged or cut.
type Fault struct {
	// Blame is the side at fault: model, server, adapter, client, or unknown.
	Blame string `json:"blame"`
	// Budget says that the model ran into its token limit: with more room it may have been right.
	Budget bool `json:"budget,omitempty"`
	// Exchange is the number, from 1, of the exchange at which it went wrong, among those of the verdict; 0 when no single one is known.
	Exchange int `json:"exchange,omitempty"`
	// Evidence are the reasons, one each.
	Evidence []string `json:"evidence"`
	// Problems are those of all exchanges of the verdict, each code once.
	Problems []Problem `json:"problems,omitempty"`
	// Meant are calls that were meant but are none in the answer.
	Meant []MeantCall `json:"meant,omitempty"`
}

// Problem is something wrong with an exchange; its code is one of those that `exodeck conformance codes` lists.
type Problem struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	// Exchange is the number, from 1, of the first exchange with this problem; Exchanges says how many have it.
	Exchange  int `json:"exchange"`
	Exchanges int `json:"exchanges"`
	// Place is where in the exchange it is, Detail has the facts; both for a person.
	Place  string `json:"place"`
	Detail string `json:"detail"`
}

// MeantCall is a call that was recovered from where it was left.
type MeantCall struct {
	Exchange int `json:"exchange"`
	// Family is the markup it was written in, From where it stood: text, reasoning or error.
	Family string `json:"family"`
	From   string `json:"from"`
	Name   string `json:"name"`
	// Arguments are JSON as it was written.
	Arguments string `json:"arguments"`
}

// grave has the errors among the problems, or all of them when none is one.
func (f *Fault) grave() []Problem {
	errors := slices.DeleteFunc(slices.Clone(f.Problems), func(p Problem) bool { return p.Severity != "error" })
	if len(errors) > 0 {
		return errors
	}
	return f.Problems
}

// class is what a fault is counted as: its side, or the budget.
func (f *Fault) class() string {
	if f.Budget {
		return "budget"
	}
	return f.Blame
}

// Kind is the fault in a few words, the same for samples that went wrong in the same way: the class and the codes.
func (f *Fault) Kind() string {
	var codes []string
	for _, p := range f.grave() {
		codes = append(codes, p.Code)
	}
	return strings.TrimSuffix(f.class()+": "+strings.Join(codes, ", "), ": ")
}

// Lines tells the fault to a person, a line for each thing to say: the facts, then the reasons. exchanges are those of the verdict.
func (f *Fault) Lines(exchanges []tape.Ref) []string {
	return append(f.Facts(exchanges), f.Reasons()...)
}

// Reasons tells why the fault is laid where it is.
func (f *Fault) Reasons() []string {
	var all []string
	for _, e := range f.Evidence {
		all = append(all, show.Line("because "+e))
	}
	return all
}

// Facts tells where the fault is laid, what is wrong with the exchanges, and what was meant. Warnings are told when there is nothing worse.
func (f *Fault) Facts(exchanges []tape.Ref) []string {
	in := func(n int) string {
		if n < 1 || n > len(exchanges) {
			return ""
		}
		return fmt.Sprintf(" in %s/%d", exchanges[n-1].Session, exchanges[n-1].Seq)
	}
	all := []string{"blame " + f.Blame + in(f.Exchange)}
	for _, p := range f.grave() {
		place := p.Place
		if len(exchanges) > 1 {
			place += in(p.Exchange)
		}
		if p.Exchanges > 1 {
			place += fmt.Sprintf(" and %d more", p.Exchanges-1)
		}
		all = append(all, fmt.Sprintf("%s %s (%s): %s", p.Severity, p.Code, place, p.Detail))
	}
	for _, c := range f.Meant {
		all = append(all, fmt.Sprintf("meant %s %s (%s, in the %s)", c.Name, c.Arguments, c.Family, c.From))
	}
	for i, line := range all {
		all[i] = show.Line(line)
	}
	return all
}

// classes are the values of [Fault.Blame] and the budget, in the order in which they are counted.
var classes = []string{"model", "budget", "server", "adapter", "client", "unknown"}

// CountFaults counts faults by class, as "3 model, 1 server"; nil ones do not count. It is "" when there are none.
func CountFaults(faults []*Fault) string {
	counts := map[string]int{}
	for _, f := range faults {
		if f != nil {
			counts[f.class()]++
		}
	}
	var parts []string
	for _, class := range classes {
		if counts[class] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[class], class))
		}
	}
	return strings.Join(parts, ", ")
}
