package match

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// fakeTape is a tape in memory.
type fakeTape struct {
	exchanges []*tape.Exchange
	bodies    map[[sha256.Size]byte][]byte
	opened    atomic.Int64 // bodies
	err       error        // of every body
}

func newFakeTape() *fakeTape { return &fakeTape{bodies: map[[sha256.Size]byte][]byte{}} }

func (f *fakeTape) body(b string) tape.Body {
	if b == "" {
		return tape.Body{}
	}
	sum := sha256.Sum256([]byte(b))
	f.bodies[sum] = []byte(b)
	return tape.Body{Size: int64(len(b)), SHA256: sum}
}

// add records an exchange that ended well; change, when not nil, alters it.
func (f *fakeTape) add(method, url, body string, change func(*tape.Exchange)) *tape.Exchange {
	x := &tape.Exchange{
		Ref:     tape.Ref{Session: "s1", Seq: int64(len(f.exchanges) + 1)},
		Request: tape.Request{Method: method, URL: url, Header: http.Header{}, Body: f.body(body)},
		Response: tape.Response{
			Status: 200,
			Body:   f.body(fmt.Sprintf("answer %d", len(f.exchanges)+1)),
		},
		Pieces: make([]tape.Piece, 3),
		Ended:  tape.Complete,
	}
	x.Facts.API = tape.FamilyOf(method, url)
	if change != nil {
		change(x)
	}
	f.exchanges = append(f.exchanges, x)
	return x
}

func (f *fakeTape) Exchanges(_ context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for _, x := range f.exchanges {
			if (q.Session == "" || q.Session == x.Session) && !yield(x, nil) {
				return
			}
		}
	}
}

func (f *fakeTape) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	f.opened.Add(1)
	if f.err != nil {
		return nil, f.err
	}
	data, ok := f.bodies[b.SHA256]
	if !ok {
		return nil, fmt.Errorf("no body %x", b.SHA256)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (f *fakeTape) index(t testing.TB, o Options) *Index {
	t.Helper()
	ix, err := NewIndex(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// labels makes a change for add.
func labels(kv ...string) func(*tape.Exchange) {
	return func(x *tape.Exchange) { x.Labels = labelMap(kv) }
}

func labelMap(kv []string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

// ask makes a request with labels.
func ask(method, url, body string, kv ...string) Request {
	r := Request{Method: method, URL: url, Header: http.Header{}, Body: []byte(body)}
	for i := 0; i < len(kv); i += 2 {
		r.Header.Add(record.LabelHeader, kv[i]+"="+kv[i+1])
	}
	return r
}
