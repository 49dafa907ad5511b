package tape

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// Summary counts exchanges.
type Summary struct {
	Exchanges int64
	// First and Last are when the first and the last of them started; zero when there are none.
	First, Last time.Time
	// Groups splits them up, the largest group first.
	Groups []Group
	// Bodies is how many bodies they have that differ from one another, BodyBytes how large these are, and StoredBytes what
	// they take on the tape.
	Bodies, BodyBytes, StoredBytes int64
}

// Group counts the exchanges of one kind.
type Group struct {
	Kind
	Exchanges int64
	// RequestBytes and ResponseBytes are the sizes of the bodies as they went over the wire.
	RequestBytes, ResponseBytes int64
}

// Kind is what the exchanges of a [Group] have in common.
type Kind struct {
	Facts
	Ended Ended
}

// Summary counts the exchanges that q asks for. Of exchanges in flight it leaves out the bodies.
func (t *Tape) Summary(ctx context.Context, q Query) (*Summary, error) {
	s := new(Summary)
	groups := make(map[Kind]Group)
	seen := make(map[int64]bool)
	for r, err := range t.matching(ctx, q) {
		if err != nil {
			return nil, failure("reading tape", t.path, err)
		}
		s.Exchanges++
		if started := r.x.Started; s.First.IsZero() || started.Before(s.First) {
			s.First = started
		}
		if r.x.Started.After(s.Last) {
			s.Last = r.x.Started
		}
		kind := Kind{Facts: r.x.Facts, Ended: r.x.Ended}
		g := groups[kind]
		g.Kind = kind
		g.Exchanges++
		g.RequestBytes += r.request.size.Int64
		g.ResponseBytes += r.response.size.Int64
		groups[kind] = g
		for _, b := range []bodyColumns{r.request, r.response} {
			if b.id.Valid && !seen[b.id.Int64] {
				seen[b.id.Int64] = true
				s.Bodies++
				s.BodyBytes += b.size.Int64
				s.StoredBytes += b.stored.Int64
			}
		}
	}
	s.Groups = slices.SortedFunc(maps.Values(groups), func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Exchanges, a.Exchanges), cmp.Compare(a.API, b.API), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Ended, b.Ended))
	})
	return s, nil
}
