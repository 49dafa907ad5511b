package conformance

import "slices"

// Finding is what a comparison adds to a report.
type Finding struct {
	Problem Problem
	// Blame is the adapter when the other answer was right where this one is wrong; else "", for the report's own.
	Blame    Side
	Evidence string
	// Asked is the digest of what the report's exchange asked, see [Asked].
	Asked [32]byte
}

// Apply adds findings to a report, as far as the rules want their problems. A fault that is the adapter's is told with the calls that fail, and
// with the problem that shows it, be it that the rules leave the failure of the calls out.
func (g *Judge) Apply(r *Report, findings []Finding) {
	for _, f := range findings {
		told := false // whether the problem of the finding counts
		if c, ok := CodeOf(f.Problem.Code); ok && g.rules.Wants(c) && !r.Has(c.Name) {
			p := f.Problem
			p.Severity, p.Group, p.Side = g.rules.SeverityOf(c), c.Group, c.Side
			r.Problems = append(r.Problems, p)
			told = true
			if p.Severity == Error {
				r.Protocol = Failed
			}
			side := Adapter
			if c.Name == "usage-mismatch" {
				side = c.Side
			}
			if r.Blame == nil || r.Calls == OK && side == Adapter {
				r.Blame = &side
			}
		}
		if f.Blame != "" && (r.Calls == Failed || told) {
			side := f.Blame
			r.Blame = &side
			r.Evidence = append(r.Evidence, f.Evidence)
		}
	}
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return rank[a.Code] - rank[b.Code] })
}
