package server

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
)

// Source is where recorded exchanges come from. Tapes and cassettes are sources.
type Source interface {
	match.Source
	Exchange(context.Context, tape.Ref) (*tape.Exchange, error)
}

var _ Source = (*tape.Tape)(nil)

// Recording is a source and what people call it, such as its path. No two that are joined have one name.
type Recording struct {
	Name string
	Source
}

// Join makes several recordings one, in which their exchanges stand in the order of the recordings. Of sessions of the same name, those
// behind the first one have the name of their recording and a colon in front.
func Join(recordings ...Recording) Source {
	if len(recordings) == 1 {
		return recordings[0]
	}
	return &joined{recordings: recordings, sessions: map[string]origin{}, bodies: map[tape.Body]Source{}}
}

// joined learns while its exchanges are listed where each session and body is from.
type joined struct {
	recordings []Recording

	mu       sync.Mutex
	sessions map[string]origin // by the name it has in the whole
	bodies   map[tape.Body]Source
}

// origin is where a session is from, and its name there.
type origin struct {
	recording int
	session   string
}

// Exchanges yields the exchanges of one recording after the other. A session that q names may be in several of them.
func (j *joined) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for i, r := range j.recordings {
			for x, err := range r.Exchanges(ctx, q) {
				if err != nil {
					yield(nil, fmt.Errorf("%s: %w", r.Name, err))
					return
				}
				if !yield(j.known(i, x), nil) {
					return
				}
			}
		}
	}
}

// known notes where an exchange is from, and returns it under its name in the whole.
func (j *joined) known(recording int, x *tape.Exchange) *tape.Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	from := origin{recording, x.Session}
	name := x.Session
	if first, taken := j.sessions[name]; taken && first != from {
		name = j.recordings[recording].Name + ":" + name
	}
	j.sessions[name] = from
	j.bodies[x.Request.Body] = j.recordings[recording]
	j.bodies[x.Response.Body] = j.recordings[recording]
	out := *x
	out.Session = name
	return &out
}

// Exchange returns one of the exchanges that have been listed.
func (j *joined) Exchange(ctx context.Context, ref tape.Ref) (*tape.Exchange, error) {
	j.mu.Lock()
	from, ok := j.sessions[ref.Session]
	j.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("exchange %s/%d: %w", ref.Session, ref.Seq, tape.ErrNoExchange)
	}
	x, err := j.recordings[from.recording].Exchange(ctx, tape.Ref{Session: from.session, Seq: ref.Seq})
	if err != nil {
		return nil, err
	}
	return j.known(from.recording, x), nil
}

// Body opens a body of an exchange that has been listed.
func (j *joined) Body(ctx context.Context, b tape.Body) (io.ReadCloser, error) {
	j.mu.Lock()
	src, ok := j.bodies[b]
	j.mu.Unlock()
	if !ok {
		return nil, tape.ErrNoBody
	}
	return src.Body(ctx, b)
}
