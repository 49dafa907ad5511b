package conformance

// Tally counts reports.
type Tally struct {
	Exchanges int `json:"exchanges"`
	// Calls and Protocol count the verdicts, Blames the sides at fault.
	Calls    map[Verdict]int `json:"calls"`
	Protocol map[Verdict]int `json:"protocol"`
	Blames   map[Side]int    `json:"blame"`
	// Failing counts exchanges with an error that no baseline knows.
	Failing int `json:"failing"`
	// Summary counts exchanges by problem, New only those with it that no baseline knows.
	Summary map[string]int `json:"-"`
	New     map[string]int `json:"new"`

	skipped int // see [Report.skipped]
}

func newTally() Tally {
	return Tally{
		Calls: make(map[Verdict]int), Protocol: make(map[Verdict]int), Blames: make(map[Side]int),
		Summary: make(map[string]int), New: make(map[string]int),
	}
}

// add counts a report n times; -1 takes it back.
func (t *Tally) add(r *Report, n int) {
	t.Exchanges += n
	count(t.Calls, r.Calls, n)
	count(t.Protocol, r.Protocol, n)
	if r.Blame != nil {
		count(t.Blames, *r.Blame, n)
	}
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
