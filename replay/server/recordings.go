package server

import (
	"context"
	"errors"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/match"
)

// Recordings are tapes and cassettes that are open and served as one.
type Recordings struct {
	Source
	open []cassette.Source
}

// Open opens tapes and cassettes, and joins them as [Join] does.
func Open(ctx context.Context, paths ...string) (*Recordings, error) {
	r := &Recordings{}
	var named []Recording
	for _, path := range paths {
		src, err := cassette.OpenSource(ctx, path)
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.open = append(r.open, src)
		named = append(named, Recording{path, src})
	}
	r.Source = Join(named...)
	return r, nil
}

// Matching returns o with what the recordings that were redacted need to answer requests that hold the real values.
func (r *Recordings) Matching(ctx context.Context, o match.Options) (match.Options, error) {
	for _, src := range r.open {
		one, err := cassette.Matching(ctx, src, match.Options{})
		if err != nil {
			return o, err
		}
		o.Canonical = chain(o.Canonical, one.Canonical)
	}
	return o, nil
}

// chain does one after the other. Both may be nil.
func chain(first, second func(match.Request) match.Request) func(match.Request) match.Request {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(r match.Request) match.Request { return second(first(r)) }
}

// Close closes them all. Nothing can be read any more.
func (r *Recordings) Close() error {
	var err error
	for _, src := range r.open {
		err = errors.Join(err, src.Close())
	}
	return err
}
