package cassette

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Summary counts the exchanges that q asks for. Its StoredBytes are the lengths of their lines.
func (c *Cassette) Summary(_ context.Context, q tape.Query) (*tape.Summary, error) {
	s := new(tape.Summary)
	groups := map[tape.Kind]tape.Group{}
	seen := map[[32]byte]bool{}
	for i := range c.index {
		p := &c.index[i]
		if !p.asked(q) {
			continue
		}
		s.Exchanges++
		s.StoredBytes += int64(p.size)
		if s.First.IsZero() || p.started.Before(s.First) {
			s.First = p.started
		}
		if p.started.After(s.Last) {
			s.Last = p.started
		}
		kind := tape.Kind{Facts: p.facts, Ended: p.ended}
		g := groups[kind]
		g.Kind = kind
		g.Exchanges++
		g.RequestBytes += p.request.Size
		g.ResponseBytes += p.response.Size
		groups[kind] = g
		for _, b := range []tape.Body{p.request, p.response} {
			if b.Size > 0 && !seen[b.SHA256] {
				seen[b.SHA256] = true
				s.Bodies++
				s.BodyBytes += b.Size
			}
		}
	}
	s.Groups = slices.SortedFunc(maps.Values(groups), func(a, b tape.Group) int {
		return cmp.Or(cmp.Compare(b.Exchanges, a.Exchanges), cmp.Compare(a.API, b.API), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Ended, b.Ended))
	})
	return s, nil
}
