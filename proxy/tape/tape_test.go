package tape

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRoundTrip(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	x := s.Begin(Start{
		Started: day, Upstream: "http://other:1", Method: "POST", URL: "/v1/chat/completions?a=%20b", Host: "deck:1", Proto: "HTTP/1.0",
		Header: http.Header{"X-Two": {"b", "a"}, "X-Latin": {"caf\xe9"}, "X-Empty": {""}},
		Labels: map[string]string{"sample": "one", "why": "bad \xff byte"},
	})
	x.RequestBody([]byte(`{"model":"tiny",`))
	x.RequestBody([]byte(`"messages":[]}`))
	x.RequestEnd(http.Header{"X-Sum": {"1"}})
	x.ResponseHead(200, "Fine", false, "HTTP/1.1", http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, 2*time.Millisecond)
	x.ResponseBody([]byte("data: one\n\n"), 3*time.Millisecond+999)
	x.ResponseBody(nil, 4*time.Millisecond)
	x.ResponseBody([]byte("data: two\n\n"), 5*time.Millisecond)
	x.End(ClientGone, "context canceled", http.Header{"X-After": {"z"}}, 6*time.Millisecond+7*time.Microsecond+8)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	tp := openTape(t, path)
	got, err := tp.Exchange(t.Context(), x.Ref())
	if err != nil {
		t.Fatal(err)
	}
	want := &Exchange{
		Ref: Ref{Session: s.Session().Name, Seq: 1}, Started: day, Upstream: "http://other:1",
		Request: Request{Method: "POST", URL: "/v1/chat/completions?a=%20b", Host: "deck:1", Proto: "HTTP/1.0",
			Header:  http.Header{"X-Two": {"b", "a"}, "X-Latin": {"caf\xe9"}, "X-Empty": {""}},
			Body:    bodyOf(`{"model":"tiny","messages":[]}`),
			Trailer: http.Header{"X-Sum": {"1"}}},
		Response: Response{Status: 200, Reason: "Fine", Proto: "HTTP/1.1",
			Header:  http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
			Body:    bodyOf("data: one\n\ndata: two\n\n"),
			Trailer: http.Header{"X-After": {"z"}}},
		TTFB: 3 * time.Millisecond, Total: 6*time.Millisecond + 7*time.Microsecond,
		Pieces: []Piece{{0, 3 * time.Millisecond}, {11, 5 * time.Millisecond}},
		Ended:  ClientGone, Cause: "context canceled",
		Labels: map[string]string{"sample": "one", "why": "bad \uFFFD byte"},
		Facts:  Facts{API: OpenAI, Model: "tiny", Stream: true},
	}
	if diff := cmp.Diff(want, got, sameExchange); diff != "" {
		t.Errorf("exchange read back (-want +got):\n%s", diff)
	}
	if got, want := string(readBody(t, tp, got.Response.Body)), "data: one\n\ndata: two\n\n"; got != want {
		t.Errorf("response body %q, want %q", got, want)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	closed := openTape(t, path)
	again, err := closed.Exchange(t.Context(), x.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != got.Digest() {
		t.Error("the digest changed when the recorder was closed")
	}
}
