package record_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deck is a tape that is being recorded, and what the transport told of its exchanges.
type deck struct {
	*decktest.Deck

	mu     sync.Mutex
	events []record.Event
}

func newDeck(t *testing.T) *deck {
	t.Helper()
	return &deck{Deck: decktest.New(t, filepath.Join(t.TempDir(), "test.tape"), tape.Session{})}
}

// transport records what passes through base.
func (d *deck) transport(base http.RoundTripper) *record.Transport {
	return &record.Transport{
		Base:     base,
		Session:  d.Session,
		Redactor: decktest.Redactor(),
		OnEnd: func(e record.Event) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.events = append(d.events, e)
		},
	}
}

// event returns the one event there was.
func (d *deck) event(t *testing.T) record.Event {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.events) != 1 {
		t.Fatalf("%d events, want 1: %+v", len(d.events), d.events)
	}
	return d.events[0]
}

// taken is an exchange with its bodies.
type taken struct {
	*tape.Exchange
	request, response string
}

// committed returns what is on the tape now; the recorder may have more in hand.
func (d *deck) committed(t *testing.T) []taken {
	t.Helper()
	tp, err := tape.Open(t.Context(), d.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	var all []taken
	for x, err := range tp.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, taken{x, decktest.Body(t, tp, x.Request.Body), decktest.Body(t, tp, x.Response.Body)})
	}
	return all
}

// only has the recorder commit all it was handed and returns the one exchange there is.
func (d *deck) only(t *testing.T) taken {
	t.Helper()
	if err := d.Recorder.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := d.committed(t)
	if len(all) != 1 {
		t.Fatalf("%d exchanges on the tape, want 1", len(all))
	}
	return all[0]
}

// serve starts an upstream and returns its URL and a transport to it.
func serve(t *testing.T, h http.HandlerFunc) (string, *http.Transport) {
	t.Helper()
	srv := httptest.NewServer(h)
	base := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		srv.Close()
	})
	return srv.URL, base
}

// roundTripper is an upstream without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer is an upstream that always gives this body, of unknown length when length is negative.
func answer(body io.ReadCloser, length int64) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			Status: "200 OK", StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"text/plain"}}, Body: body, ContentLength: length, Request: r,
		}, nil
	}
}

// pieces is a body that yields one of its texts a Read, and then err. With errWithLast the error comes beside the last text, as
// net/http does it when it knows the length.
type pieces struct {
	texts       []string
	err         error
	errWithLast bool
	closed      int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.texts) == 0 {
		return 0, p.err
	}
	n := copy(b, p.texts[0])
	if p.texts[0] = p.texts[0][n:]; p.texts[0] == "" {
		p.texts = p.texts[1:]
	}
	if len(p.texts) == 0 && p.errWithLast {
		return n, p.err
	}
	return n, nil
}

func (p *pieces) Close() error {
	p.closed++
	return nil
}

func newRequest(t *testing.T, ctx context.Context, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}
