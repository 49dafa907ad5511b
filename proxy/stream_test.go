package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
)

// TestPieceArrivesBeforeTheNextIsSent holds the upstream until the client has read the piece before. Nothing here sleeps: if a piece
// were held back anywhere, the test would not end.
func TestPieceArrivesBeforeTheNextIsSent(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, path string
		length                  bool
		piece                   func(i int) string
	}{
		{"event stream", "text/event-stream; charset=utf-8", "/v1/chat/completions", false, func(i int) string { return fmt.Sprintf("data: {\"n\":%d}\n\n", i) }},
		{"ndjson", "application/x-ndjson", "/ollama/api/chat", false, func(i int) string { return fmt.Sprintf("{\"n\":%d}\n", i) }},
		{"chunked json", "application/json", "/v1/chat/completions", false, func(i int) string { return fmt.Sprintf("[%d]", i) }},
		{"known length", "application/octet-stream", "/download", true, func(i int) string { return fmt.Sprintf("%08d", i) }},
		{"no type at all", "", "/events", false, func(i int) string { return fmt.Sprintf("%d;", i) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const pieces = 20
			seen := make(chan struct{})
			d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if tt.contentType != "" {
					w.Header().Set("Content-Type", tt.contentType)
				}
				if tt.length {
					w.Header().Set("Content-Length", fmt.Sprint(8*pieces))
				} else {
					w.(http.Flusher).Flush()
					<-seen // the client has the headers
				}
				for i := range pieces {
					io.WriteString(w, tt.piece(i))
					w.(http.Flusher).Flush()
					<-seen
				}
			}), nil)
			resp, err := d.client.Post(d.url+tt.path, "application/json", strings.NewReader(`{"stream":true}`))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if !tt.length {
				seen <- struct{}{}
			}
			var whole strings.Builder
			buf := make([]byte, 1024)
			for i := range pieces {
				want := tt.piece(i)
				n, err := io.ReadAtLeast(resp.Body, buf, len(want))
				if err != nil {
					t.Fatal(err)
				}
				if got := string(buf[:n]); got != want {
					t.Fatalf("piece %d is %q, want %q", i, got, want)
				}
				whole.WriteString(want)
				seen <- struct{}{}
			}
			if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
				t.Fatalf("%q, %v after the last piece", rest, err)
			}
			x := d.only(t)
			if x.Ended != tape.Complete || x.response != whole.String() {
				t.Errorf("recorded %q, %d bytes", x.Ended, len(x.response))
			}
			if len(x.Pieces) != pieces {
				t.Errorf("%d pieces recorded, want %d", len(x.Pieces), pieces)
			}
			last := x.TTFB
			for i, p := range x.Pieces {
				if want := int64(len(whole.String()) / pieces); i == 1 && tt.length && p.Offset != want {
					t.Errorf("piece 1 at offset %d, want %d", p.Offset, want)
				}
				if p.At < last || p.At > x.Total {
					t.Errorf("piece %d came at %v, after %v and within %v", i, p.At, last, x.Total)
				}
				last = p.At
			}
		})
	}
}

// TestEarlyAnswersAreNotCut asks an upstream that answers before it has read the request (golang/go#40747 cut 6 to 9 % of such
// streams in plain proxies).
func TestEarlyAnswersAreNotCut(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 50 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
		}
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "data: [DONE]\n\n")
	}), nil)
	body := strings.Repeat("x", 6<<10)
	const streams = 400
	for i := range streams {
		var request io.Reader = strings.NewReader(body)
		if i%2 == 1 {
			request = io.MultiReader(request) // no length known: sent in chunks
		}
		resp, err := d.client.Post(d.url+"/v1/chat/completions", "application/json", request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.HasSuffix(string(answer), "data: [DONE]\n\n") {
			t.Fatalf("stream %d was cut after %d bytes: %v", i, len(answer), err)
		}
	}
	all := d.exchanges(t)
	if len(all) != streams {
		t.Fatalf("%d exchanges recorded, want %d", len(all), streams)
	}
	for _, x := range all {
		if x.Ended != tape.Complete || x.request != body || !strings.HasSuffix(x.response, "data: [DONE]\n\n") {
			t.Fatalf("exchange %d: %s (%s), request of %d bytes", x.Seq, x.Ended, x.Cause, len(x.request))
		}
	}
}
