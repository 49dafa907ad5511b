package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Use says how often an exchange answered by one rule.
type Use struct {
	Exchange *tape.Exchange
	Rule     Rule
	Times    int
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
			if n := e.served[rule]; n > 0 {
				r.Used = append(r.Used, Use{e.x, rule, n})
			}
		}
	}
	return r
}

// Answered counts the requests that a rule answered.
func (r Report) Answered(rule Rule) int {
	n := 0
	for _, u := range r.Used {
		if u.Rule == rule {
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
		if n := r.Answered(rule); n > 0 {
			total += n
			rules = append(rules, fmt.Sprintf("%d %s", n, rule))
		}
	}
	by := ""
	if total > 0 {
		by = " (" + strings.Join(rules, ", ") + ")"
	}
	return fmt.Sprintf("%d answered%s, %d missed, %d recorded exchanges unused", total, by, len(r.Missed), len(r.Unused))
}
