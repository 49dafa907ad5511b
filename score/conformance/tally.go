package conformance

// Counts are how many reports have which outcome.
type Counts struct {
	Exchanges int `json:"exchanges"`
	// Calls and Protocol count the verdicts, Blames the sides at fault.
	Calls    map[Verdict]int `json:"calls"`
	Protocol map[Verdict]int `json:"protocol"`
	Blames   map[Side]int    `json:"blame"`
}

func newCounts() Counts {
	return Counts{Calls: make(map[Verdict]int), Protocol: make(map[Verdict]int), Blames: make(map[Side]int)}
}

// add counts a report n times; -1 takes it back.
func (c *Counts) add(r *Report, n int) {
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

	skipped int // see [Report.skipped]
	parts   parts
}

func newTally() Tally {
	return Tally{Counts: newCounts(), Summary: make(map[string]int), New: make(map[string]int), parts: make(parts)}
}

// add counts a report n times; -1 takes it back.
func (t *Tally) add(r *Report, n int) {
	t.Counts.add(r, n)
	t.parts.add(r, n)
	if r.Failing() {
		t.Failing += n
	}
	if r.skipped() {
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
