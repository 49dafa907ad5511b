package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/server"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// hand opens a cassette that was written by hand.
func hand(t testing.TB, lines ...string) *cassette.Cassette {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(strings.Join(lines, "\n")), "hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve starts a server on a port of its own until the test ends, and returns it with its base URL.
func serve(t testing.TB, cfg server.Config) (*server.Server, string) {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s, err := server.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	base, _ := decktest.Serve(t, s)
	return s, base
}

// newClient returns a client that shows answers as they were sent.
func newClient(t testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// question is a request of a test.
type question struct {
	method, path, body string
	header             http.Header
}

// received is all that a client sees of an answer.
type received struct {
	Status  string
	Header  http.Header
	Body    string
	Trailer http.Header
	Close   bool
	// Broken says that the answer broke off, or that there was none.
	Broken bool
}

// ask sends a request.
func ask(t testing.TB, client *http.Client, base string, q question) received {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), q.method, base+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = q.header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return received{Broken: true}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	got := received{Status: resp.Status, Header: resp.Header, Body: string(body), Close: resp.Close, Broken: err != nil}
	if len(resp.Trailer) > 0 {
		got.Trailer = resp.Trailer
	}
	return got
}

// recorded asks questions of a live server through the recorder, and returns the tape with what the client saw.
func recorded(t testing.TB, upstream string, questions []question) (*tape.Tape, []received) {
	t.Helper()
	d, client := newRecorder(t, upstream)
	var live []received
	for _, q := range questions {
		live = append(live, ask(t, client, upstream, q))
	}
	return d.Rewind(t), live
}

// newRecorder returns a tape that is being recorded and a client that records on it.
func newRecorder(t testing.TB, upstream string) (*decktest.Deck, *http.Client) {
	t.Helper()
	d := decktest.New(t, filepath.Join(t.TempDir(), "live.tape"), tape.Session{Upstream: upstream})
	client := newClient(t)
	client.Transport = d.Transport(t)
	return d, client
}

// startUpstream starts a live server.
func startUpstream(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// logged is a log that can be looked at.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}
