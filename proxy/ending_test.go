package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
)

// TestClientGone has a client leave in the middle of a stream and proves that the upstream learns of it at once.
func TestClientGone(t *testing.T) {
	for _, path := range []string{"/v1/chat/completions", "/ollama/api/chat"} {
		t.Run(path, func(t *testing.T) {
			cancelled := make(chan struct{})
			d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				io.WriteString(w, "data: 1\n\n")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				close(cancelled)
			}), nil)
			ctx, leave := context.WithCancel(context.Background())
			req, _ := http.NewRequestWithContext(ctx, "POST", d.url+path, strings.NewReader(`{}`))
			resp, err := d.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadFull(resp.Body, make([]byte, 9)); err != nil {
				t.Fatal(err)
			}
			leave()
			<-cancelled
			d.stop(t)
			x := d.only(t)
			if x.Ended != tape.ClientGone || x.response != "data: 1\n\n" || x.Cause == "" {
				t.Errorf("recorded %q (%s) %q", x.Ended, x.Cause, x.response)
			}
		})
	}
}

func TestClientGoneBeforeTheAnswer(t *testing.T) {
	asked := make(chan struct{})
	cancelled := make(chan struct{})
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
		close(cancelled)
	}), nil)
	ctx, leave := context.WithCancel(context.Background())
	go func() {
		<-asked
		leave()
	}()
	req, _ := http.NewRequestWithContext(ctx, "POST", d.url+"/v1/messages", strings.NewReader(`{"a":1}`))
	if resp, err := d.client.Do(req); err == nil {
		resp.Body.Close()
		t.Fatal("the request should have been given up")
	}
	<-cancelled
	d.stop(t)
	if x := d.only(t); x.Ended != tape.ClientGone || x.Response.Status != 0 || x.request != `{"a":1}` {
		t.Errorf("recorded %q, status %d, request %q", x.Ended, x.Response.Status, x.request)
	}
}

// TestClientGoneInsideItsRequest sends half a body and leaves.
func TestClientGoneInsideItsRequest(t *testing.T) {
	for _, length := range []int{1000, 1 << 20} {
		d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }), nil)
		conn := d.dial(t)
		fmt.Fprintf(conn, "POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\nhalf", length)
		conn.Close()
		d.stop(t) // waits for the handler, if it has begun
		for _, x := range d.exchanges(t) {
			if x.Ended != tape.ClientGone || x.Cause == "" {
				t.Errorf("%d: recorded %q (%s)", length, x.Ended, x.Cause)
			}
		}
	}
}

// TestUpstreamTruncated breaks the answer off on the upstream's side: the client must not take it for a whole one.
func TestUpstreamTruncated(t *testing.T) {
	for _, tt := range []struct{ name, head, body string }{
		{"chunked", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", "9\r\ndata: 1\n\n\r\n"},
		{"inside a chunk", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", "ff\r\ndata: 1\n\n"},
		{"known length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "data: 1\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newRawUpstream(t, tt.head+tt.body)
			d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
			resp, err := d.client.Get(d.url + "/v1/models")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if string(body) != "data: 1\n\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("the client got %q, %v", body, err)
			}
			if x := d.only(t); x.Ended != tape.UpstreamTruncated || x.response != "data: 1\n\n" || x.Cause != "unexpected EOF" {
				t.Errorf("recorded %q (%s) %q", x.Ended, x.Cause, x.response)
			}
		})
	}
}

// TestUpstreamTruncatedForHTTP10 has a client of HTTP/1.0 ask, whose responses end with their connection: here it must not seem to end.
func TestUpstreamTruncatedForHTTP10(t *testing.T) {
	up := newRawUpstream(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n")
	d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
	conn := d.dial(t)
	fmt.Fprint(conn, "GET /v1/models HTTP/1.0\r\n\r\n")
	if answer, err := io.ReadAll(conn); err == nil {
		t.Errorf("the client took %q for a whole response", answer)
	}
	if x := d.only(t); x.Ended != tape.UpstreamTruncated {
		t.Errorf("recorded %q (%s)", x.Ended, x.Cause)
	}
}

// TestUnreachableUpstream checks the error in the shape of each API.
func TestUnreachableUpstream(t *testing.T) {
	type openai struct {
		Error struct {
			Message, Type string
			Param         *string
			Code          int
		}
	}
	isOpenAI := func(body []byte) bool {
		var e openai
		return json.Unmarshal(body, &e) == nil && e.Error.Type == "upstream_unreachable" && e.Error.Code == 502 && strings.Contains(e.Error.Message, "refused")
	}
	isClaude := func(body []byte) bool {
		var e struct {
			Type  string
			Error struct{ Type, Message string }
		}
		return json.Unmarshal(body, &e) == nil && e.Type == "error" && e.Error.Type == "api_error" && strings.Contains(e.Error.Message, "refused")
	}
	isOllama := func(body []byte) bool {
		var e struct{ Error string }
		return json.Unmarshal(body, &e) == nil && strings.Contains(e.Error, "refused")
	}
	for _, tt := range []struct {
		method, path string
		family       tape.API
		is           func([]byte) bool
	}{
		{"POST", "/v1/chat/completions", tape.OpenAI, isOpenAI},
		{"POST", "/bench/chat/completions", tape.OpenAI, isOpenAI},
		{"POST", "/v1/responses", tape.Responses, isOpenAI},
		{"POST", "/v1/messages", tape.Claude, isClaude},
		{"POST", "/ollama/api/chat", tape.Ollama, isOllama},
		{"POST", "/ollama/api/generate", tape.OllamaGenerate, isOllama},
		{"GET", "/ollama/api/tags", tape.Control, isOllama},
		{"GET", "/v1/models", tape.Control, isOpenAI},
		{"GET", "/dashboard", tape.Other, isOpenAI},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			d := newDeck(t, nil, nil)
			req, _ := http.NewRequest(tt.method, d.url+tt.path+"?key=s3cret-value", strings.NewReader(`{}`))
			resp, err := d.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != http.StatusBadGateway || !tt.is(body) || strings.Contains(string(body), "s3cret") {
				t.Errorf("status %d: %s", resp.StatusCode, body)
			}
			x := d.only(t)
			if x.Ended != tape.UpstreamError || !strings.Contains(x.Cause, "connection refused") || x.Facts.API != tt.family || x.Response.Status != 0 {
				t.Errorf("recorded %q (%s) as %q with status %d", x.Ended, x.Cause, x.Facts.API, x.Response.Status)
			}
		})
	}
}

func TestUpstreamThatIsNoHTTP(t *testing.T) {
	up := newRawUpstream(t, "SSH-2.0-nothing\r\n")
	d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
	resp, err := d.client.Get(d.url + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadGateway {
		t.Errorf("status %d", resp.StatusCode)
	}
	if x := d.only(t); x.Ended != tape.UpstreamError || !strings.Contains(x.Cause, "malformed HTTP") {
		t.Errorf("recorded %q (%s)", x.Ended, x.Cause)
	}
}

// TestShutdownFinishesWhatIsInFlight lets the first signal come in the middle of a stream.
func TestShutdownFinishesWhatIsInFlight(t *testing.T) {
	stopping := make(chan struct{})
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-stopping
		io.WriteString(w, "data: [DONE]\n\n")
	}), nil)
	resp, err := d.client.Get(d.url + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	d.cancel()
	close(stopping)
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "data: 1\n\ndata: [DONE]\n\n" {
		t.Errorf("got %q, %v", body, err)
	}
	d.stop(t)
	if x := d.only(t); x.Ended != tape.Complete {
		t.Errorf("recorded %q", x.Ended)
	}
}

// TestStopInterrupts lets the second signal come in the middle of a stream.
func TestStopInterrupts(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}), nil)
	resp, err := d.client.Get(d.url + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 9)); err != nil {
		t.Fatal(err)
	}
	d.cancel()
	d.server.Stop()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the client took the answer for a whole one")
	}
	d.stop(t)
	if x := d.only(t); x.Ended != tape.Interrupted || x.response != "data: 1\n\n" {
		t.Errorf("recorded %q %q", x.Ended, x.response)
	}
}

func TestStrictBreaksOffWhatIsNotRecorded(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"known length": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "0123456789") },
		"one byte":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "0") },
		"stream": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "data: 1\n\n")
			w.(http.Flusher).Flush()
		},
		"no body": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
	}
	for name, handler := range answers {
		t.Run("recorded/"+name, func(t *testing.T) {
			d := newDeck(t, handler, func(c *Config) { c.Strict = true })
			resp, err := d.client.Get(d.url + "/x")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadAll(resp.Body); err != nil {
				t.Fatal(err)
			}
			// No Sync: the answer has ended, so the exchange must be there.
			tp, err := tape.Open(context.Background(), d.path)
			if err != nil {
				t.Fatal(err)
			}
			defer tp.Close()
			n := 0
			for x, err := range tp.Exchanges(context.Background(), tape.Query{}) {
				if err != nil || x.Ended != tape.Complete {
					t.Errorf("%v, %v", x, err)
				}
				n++
			}
			if n != 1 {
				t.Errorf("%d exchanges", n)
			}
		})
		t.Run("unrecorded/"+name, func(t *testing.T) {
			d := newDeck(t, handler, func(c *Config) { c.Strict = true })
			d.tape.Recorder.Close() // from here on nothing can be recorded
			resp, err := d.client.Get(d.url + "/x")
			if err == nil {
				defer resp.Body.Close()
				_, err = io.ReadAll(resp.Body)
			}
			if err == nil {
				t.Error("the client took the answer for a whole one")
			}
		})
		t.Run("unrecorded but not strict/"+name, func(t *testing.T) {
			d := newDeck(t, handler, nil)
			d.tape.Recorder.Close()
			resp, err := d.client.Get(d.url + "/x")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err = io.ReadAll(resp.Body); err != nil {
				t.Errorf("a recorder in trouble broke traffic: %v", err)
			}
		})
	}
}

// TestKeepAlive sends two requests over one connection.
func TestKeepAlive(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }), nil)
	conn := d.dial(t)
	br := bufio.NewReader(conn)
	for i := range 3 {
		fmt.Fprintf(conn, "GET /%d HTTP/1.1\r\nHost: h\r\n\r\n", i)
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != fmt.Sprintf("/%d", i) || resp.Close {
			t.Errorf("%q, %v, close %v", body, err, resp.Close)
		}
	}
}
