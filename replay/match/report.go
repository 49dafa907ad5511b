package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Use says how often an exchange answered in one way.
type Use struct {
	Exchange *tape.Exchange
	Rule     Rule
	// Filled says that placeholders were filled in.
	Filled bool
	Times  int
}

// Report says what an index was asked for.
type Report struct {
	// Used lists the exchanges that answered, in recorded order.
	Used []Use
	// Unused lists those that nothing asked for, in recorded order. A failure in whose place a complete exchange of the same
	// request answered is among them.
	Unused []*tape.Exchange
	// Missed lists the requests that none answered, in the order of asking.
	Missed []*Miss
}

// Report tells what has been asked for until now.
func (ix *Index) Report() Report {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	r := Report{Missed: slices.Clone(ix.missed)}
	for _, e := range ix.entries {
		if len(e.served) == 0 {
			r.Unused = append(r.Unused, e.x)
		}
		for _, rule := range Rules {
			for _, filled := range []bool{false, true} {
				if n := e.served[how{rule, filled}]; n > 0 {
					r.Used = append(r.Used, Use{e.x, rule, filled, n})
				}
			}
		}
	}
	return r
}

// Answered counts the requests that a rule answered.
func (r Report) Answered(rule Rule) int { return r.count(how{rule, false}) + r.Filled(rule) }

// Filled counts those of them that it answered with placeholders filled in.
func (r Report) Filled(rule Rule) int { return r.count(how{rule, true}) }

func (r Report) count(by how) int {
	n := 0
	for _, u := range r.Used {
		if (how{u.Rule, u.Filled}) == by {
			n += u.Times
		}
	}
	return n
}

// String is the report in one line, such as "26 answered (24 label, 2 meaning), 0 missed, 3 recorded exchanges unused".
func (r Report) String() string {
	total := 0
	var rules []string
	for _, rule := range Rules {
		total += r.Answered(rule)
		if n := r.count(how{rule, false}); n > 0 {
			rules = append(rules, fmt.Sprintf("%d %s", n, rule))
		}
		if n := r.Filled(rule); n > 0 {
			rules = append(rules, fmt.Sprintf("%d %s with placeholders filled in", n, rule))
		}
	}
	by := ""
	if total > 0 {
		by = " (" + strings.Join(rules, ", ") + ")"
	}
	exchanges := "exchanges"
	if len(r.Unused) == 1 {
		exchanges = "exchange"
	}
	return fmt.Sprintf("%d answered%s, %d missed, %d recorded %s unused", total, by, len(r.Missed), len(r.Unused), exchanges)
}
