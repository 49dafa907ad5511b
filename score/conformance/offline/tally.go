package offline

import "github.com/exodeck/exodeck/score/conformance"

// Counts are how many reports have which outcome.
type Counts struct {
	Exchanges int `json:"exchanges"`
	// Calls and Protocol count the verdicts, Blames the sides at fault.
	Calls    map[conformance.Verdict]int `json:"calls"`
	Protocol map[conformance.Verdict]int `json:"protocol"`
	Blames   map[conformance.Side]int    `json:"blame"`
}

func newCounts() Counts {
	return Counts{Calls: make(map[conformance.Verdict]int), Protocol: make(map[conformance.Verdict]int), Blames: make(map[conformance.Side]int)}
}

// add counts a report n times; -1 takes it back.
func (c *Counts) add(r *conformance.Report, n int) {
	c.Exchanges += n
	count(c.Calls, r.Calls, n)
	count(c.Protocol, r.Protocol, n)
	if r.Blame != nil {
		count(c.Blames, *r.Blame, n)
	}
}

// Tally counts reports.
type Tally struct {
	Counts
	// Failing counts exchanges with an error that no baseline knows.
	Failing int `json:"failing"`
	// Summary counts exchanges by problem, New only those with it that no baseline knows.
	Summary map[string]int `json:"-"`
	New     map[string]int `json:"new"`

	skipped int // see [skipped]
	parts   parts
}

func newTally() Tally {
	return Tally{Counts: newCounts(), Summary: make(map[string]int), New: make(map[string]int), parts: make(parts)}
}

// add counts a report n times; -1 takes it back.
func (t *Tally) add(r *conformance.Report, n int) {
	t.Counts.add(r, n)
	t.parts.add(r, n)
	if r.Failing() {
		t.Failing += n
	}
	if skipped(r) {
		t.skipped += n
	}
	for _, p := range r.Problems {
		count(t.Summary, p.Code, n)
		if !p.Known {
			count(t.New, p.Code, n)
		}
	}
}

// count adds to a count, and forgets one that comes to nothing.
func count[K comparable](m map[K]int, key K, n int) {
	if m[key] += n; m[key] == 0 {
		delete(m, key)
	}
}

// fresh counts the problems that no baseline knows, known the others: each once for each exchange that has it.
func (t *Tally) fresh() (fresh, known int) {
	for code, n := range t.Summary {
		fresh += t.New[code]
		known += n - t.New[code]
	}
	return fresh, known
}

// skipped reports whether an exchange neither passes nor fails: its calls were not judged, and it has no error that is new.
func skipped(r *conformance.Report) bool { return r.Calls == conformance.NotJudged && !r.Failing() }
