package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"iter"
	"net/http"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
)

// fakeTape is a tape in memory, for exchanges that are hard to come by.
type fakeTape struct {
	exchanges []*tape.Exchange
	bodies    map[[sha256.Size]byte]io.Reader
}

func (f *fakeTape) body(b []byte) tape.Body {
	if len(b) == 0 {
		return tape.Body{}
	}
	sum := sha256.Sum256(b)
	if f.bodies == nil {
		f.bodies = map[[sha256.Size]byte]io.Reader{}
	}
	f.bodies[sum] = bytes.NewReader(b)
	return tape.Body{Size: int64(len(b)), SHA256: sum}
}

func (f *fakeTape) Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for _, x := range f.exchanges {
			if !yield(x, nil) {
				return
			}
		}
	}
}

func (f *fakeTape) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(f.bodies[b.SHA256]), nil
}

const target = "http://localhost:52415/models"

// one makes a client over a tape of one GET of target; change alters the exchange.
func one(t *testing.T, body []byte, change func(*tape.Exchange)) *http.Client {
	t.Helper()
	f := &fakeTape{}
	x := &tape.Exchange{
		Ref:      tape.Ref{Session: "s1", Seq: 7},
		Request:  tape.Request{Method: "GET", URL: "/models"},
		Response: tape.Response{Status: 200, Proto: "HTTP/1.1", Header: http.Header{}, Body: f.body(body)},
		Ended:    tape.Complete,
	}
	if change != nil {
		change(x)
	}
	f.exchanges = append(f.exchanges, x)
	return client(t, f, match.Default())
}

func client(t testing.TB, src Source, o match.Options) *http.Client {
	t.Helper()
	transport, err := NewTransport(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: transport}
}

// get asks for target and reads the body to its end.
func get(t *testing.T, c *http.Client, header http.Header) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	if cerr := resp.Body.Close(); cerr != nil {
		t.Errorf("Close: %v", cerr)
	}
	return resp, string(body), err
}
