package follow

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Source is a recording. [tape.Tape] is one.
type Source interface {
	Sessions(context.Context) ([]tape.Session, error)
	Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error]
	Exchange(context.Context, tape.Ref) (*tape.Exchange, error)
}

var _ Source = (*tape.Tape)(nil)

// Follower finds out which exchanges have ended since it last looked.
type Follower struct {
	src      Source
	query    tape.Query
	ended    []tape.Ended // which of them are asked for; none means all
	sessions map[string]*followed
	flying   []tape.Ref
}

// followed is how far a session has been seen. An exchange gets on the tape when its request has arrived whole, so a later one may be
// there first.
type followed struct {
	over  bool  // the session had ended before it was read: nothing more comes
	next  int64 // all before it have been seen, or are given up
	from  time.Time
	ahead map[int64]time.Time // start of those seen at or after next
}

// lateArrival is how long a request may take to arrive whole after a later one has: what comes even later is not told.
const lateArrival = time.Minute

// New returns a follower of the exchanges that q asks for. It does not tell those that have ended by now.
func New(ctx context.Context, src Source, q tape.Query, now time.Time) (*Follower, error) {
	f := &Follower{src: src, query: q, ended: q.Ended, sessions: make(map[string]*followed)}
	if err := f.begin(ctx, now); err != nil {
		return nil, err
	}
	return f, nil
}

// begin learns what is there already: what is in flight, and what started a short time ago.
func (f *Follower) begin(ctx context.Context, now time.Time) error {
	f.query.Ended = []tape.Ended{tape.InFlight}
	for x, err := range f.src.Exchanges(ctx, f.query) {
		if err != nil {
			return err
		}
		f.flying = append(f.flying, x.Ref)
	}
	f.query.Ended = nil // how an exchange ends is not known when it gets on the tape
	if recent := now.Add(-lateArrival); recent.After(f.query.From) {
		f.query.From = recent
	}
	return f.unseen(ctx, now, func(x *tape.Exchange) {
		if x.Ended == tape.InFlight && !slices.Contains(f.flying, x.Ref) {
			f.flying = append(f.flying, x.Ref)
		}
	})
}

// Look returns the exchanges that have ended since the last look, by their end.
func (f *Follower) Look(ctx context.Context, now time.Time) ([]*tape.Exchange, error) {
	var list []*tape.Exchange
	take := func(x *tape.Exchange) {
		switch {
		case x.Ended == tape.InFlight:
			f.flying = append(f.flying, x.Ref)
		case len(f.ended) == 0 || slices.Contains(f.ended, x.Ended):
			list = append(list, x)
		}
	}
	flying := f.flying
	f.flying = nil
	for _, ref := range flying {
		x, err := f.src.Exchange(ctx, ref)
		if errors.Is(err, tape.ErrNoExchange) {
			continue // it has been pruned
		}
		if err != nil {
			return nil, err
		}
		take(x)
	}
	err := f.unseen(ctx, now, take)
	slices.SortStableFunc(list, func(a, b *tape.Exchange) int { return a.Started.Add(a.Total).Compare(b.Started.Add(b.Total)) })
	return list, err
}

// unseen takes the exchanges that have not been seen.
func (f *Follower) unseen(ctx context.Context, now time.Time, take func(*tape.Exchange)) error {
	sessions, err := f.src.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if f.query.Session != "" && f.query.Session != session.Name {
			continue
		}
		s := f.sessions[session.Name]
		if s == nil {
			s = &followed{next: 1, from: f.query.From, ahead: make(map[int64]time.Time)}
			f.sessions[session.Name] = s
		}
		if s.over {
			continue
		}
		q := f.query
		q.Session, q.From = session.Name, s.from
		for x, err := range f.src.Exchanges(ctx, q) {
			if err != nil {
				return err
			}
			if _, seen := s.ahead[x.Seq]; !seen && x.Seq >= s.next {
				s.ahead[x.Seq] = x.Started
				take(x)
			}
		}
		s.advance(now)
		if s.over = !session.Ended.IsZero(); s.over {
			s.ahead = nil
		}
	}
	return nil
}

// advance moves next past all that has been seen, and past what is missing for too long: exchanges that went unrecorded, or that the
// query does not ask for.
func (s *followed) advance(now time.Time) {
	for _, seq := range slices.Sorted(maps.Keys(s.ahead)) {
		started := s.ahead[seq]
		if seq != s.next && now.Sub(started) < lateArrival {
			return
		}
		delete(s.ahead, seq)
		s.next = seq + 1
		// Exchanges are numbered in the order of their starts, but for the moment that numbering takes.
		if from := started.Add(-time.Second); from.After(s.from) {
			s.from = from
		}
	}
}
