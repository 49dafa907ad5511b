package cassette

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/exodeck/exodeck/proxy/tape"
)

// recorded is what a source holds, in the form of a cassette.
type recorded struct {
	src      Source
	head     Head
	sessions []*sessionLine
	kept     map[string]kept // by session; of a tape
}

func readRecorded(ctx context.Context, src Source) (*recorded, error) {
	r := &recorded{src: src, kept: map[string]kept{}}
	if c, ok := src.(*Cassette); ok {
		r.head = c.head
		for _, s := range c.sessions {
			r.sessions = append(r.sessions, &s.sessionLine)
		}
		return r, nil
	}
	sessions, err := src.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		k := takeKept(&s)
		r.kept[s.Name] = k
		if r.head.Name == "" {
			r.head.Name = k.name
		}
		if r.head.unknown == nil {
			r.head.unknown = k.head
		}
		r.sessions = append(r.sessions, &sessionLine{s, k.session})
	}
	return r, nil
}

// entries yields the exchanges that q and keep ask for. Those that have not ended are none yet.
func (r *recorded) entries(ctx context.Context, q tape.Query, keep func(*tape.Exchange) bool) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		if c, ok := r.src.(*Cassette); ok {
			for x, err := range c.Entries(ctx, q) {
				if err == nil && keep != nil && !keep(&x.Exchange) {
					continue
				}
				if !yield(x, err) || err != nil {
					return
				}
			}
			return
		}
		for x, err := range r.src.Exchanges(ctx, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			if x.Ended == tape.InFlight || keep != nil && !keep(x) {
				continue
			}
			e, err := r.entry(ctx, x)
			if err != nil {
				err = fmt.Errorf("reading exchange %s/%d: %w", x.Session, x.Seq, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// entry reads the bodies of an exchange and shows them decoded.
func (r *recorded) entry(ctx context.Context, x *tape.Exchange) (*Entry, error) {
	e := &Entry{Exchange: *x}
	var err error
	if e.RequestBody, err = r.body(ctx, x.Request.Body); err != nil {
		return nil, err
	}
	if e.ResponseBody, err = r.body(ctx, x.Response.Body); err != nil {
		return nil, err
	}
	// What cannot be decoded is shown as it is.
	e.RequestBody, e.Request.Header, _, e.RequestEncoding, _ = decode(e.RequestBody, x.Request.Header, nil)
	e.ResponseBody, e.Response.Header, e.Pieces, e.ResponseEncoding, _ = decode(e.ResponseBody, x.Response.Header, x.Pieces)
	k := r.kept[x.Session].exchanges[x.Seq]
	e.unknown = k.unknown
	if e.RequestEncoding == "" {
		e.RequestEncoding = k.requestEncoding
	}
	if e.ResponseEncoding == "" {
		e.ResponseEncoding = k.responseEncoding
	}
	// The tape has the digests of the bodies as they are on it, and the facts that are derived from them.
	e.shape()
	if e.ResponseEncoding != "" {
		e.Response.Body = bodyOf(e.ResponseBody)
	}
	if e.RequestEncoding != "" {
		e.Request.Body, e.Facts.Model = bodyOf(e.RequestBody), modelOf(e.RequestBody)
	}
	return e, nil
}

func (r *recorded) body(ctx context.Context, b tape.Body) ([]byte, error) {
	if b.Size > MaxBody {
		return nil, fmt.Errorf("%w: a body has %d MiB, %d are allowed; leave the exchange out", ErrTooLarge, b.Size>>20, MaxBody>>20)
	}
	rc, err := r.src.Body(ctx, b)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var data bytes.Buffer
	data.Grow(int(b.Size) + bytes.MinRead)
	_, err = data.ReadFrom(rc)
	return data.Bytes(), err
}
