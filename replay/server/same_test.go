package server_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/replay/server"
)

// modelPaths are the endpoints of the APIs.
var modelPaths = []string{"/v1/chat/completions", "/v1/messages", "/v1/responses", "/ollama/api/chat", "/ollama/api/generate"}

// call is the body of a model call. Every API takes what it knows.
func call(text string, stream bool) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%s}],"input":%[2]s,"prompt":%[2]s,"max_tokens":64,"stream":%v}`,
		standin.DefaultModel, quoted, stream)
}

// TestSameAsLive asks a stand-in for exo of every API, whole and streamed, well and with every fault, and its control endpoints too; what
// a client then gets from the recording is what it got live, to the last header.
func TestSameAsLive(t *testing.T) {
	questions := []question{
		{method: "GET", path: "/models"},
		{method: "GET", path: "/state"},
		{method: "GET", path: "/ollama/api/tags"},
		{method: "HEAD", path: "/ollama/"},
		{method: "GET", path: "/instance/none"},
		{method: "DELETE", path: "/instance/none"},
		{method: "OPTIONS", path: "/v1/chat/completions", header: http.Header{"Origin": {"http://localhost"}, "Access-Control-Request-Method": {"POST"}}},
		{method: "GET", path: "/no/such/path"},
		{method: "POST", path: "/v1/chat/completions", body: `{"model":`},
	}
	for _, path := range modelPaths {
		for _, stream := range []bool{false, true} {
			for _, fault := range append([]standin.Fault{""}, standin.Faults...) {
				if fault == standin.Stalled {
					continue // only a client that leaves ends it
				}
				text := fmt.Sprintf("When is high tide? (%s)", fault) // of another fault is another question
				q := question{method: "POST", path: path, body: call(text, stream), header: http.Header{}}
				if fault != "" {
					q.header.Set(standin.FaultHeader, string(fault))
				}
				questions = append(questions, q)
			}
		}
	}
	live := standin.New(standin.Options{Script: standin.Always(standin.Reply{Steps: []standin.Step{
		standin.Token{Text: "Let me look. "},
		standin.Token{Text: "Nine."},
		standin.Calls{Calls: []standin.Call{{Name: "get_tide", Arguments: `{"harbour": "Whitby"}`}}},
	}})})
	if err := live.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	source, want := recorded(t, live.URL(), questions)
	live.Close()

	s, base := serve(t, server.Config{Source: source})
	client := newClient(t)
	noResponse := 0
	for i, q := range questions {
		got := ask(t, client, base, q)
		if want[i].Status == "" {
			// The proxy has told its client so, and so does the recording.
			if noResponse++; got.Status != "502 Bad Gateway" || !strings.Contains(got.Body, "exodeck got no answer from the upstream "+live.URL()) {
				t.Errorf("%s %s %s: %+v in place of no response", q.method, q.path, q.body, got)
			}
			continue
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("%s %s %s %v (-live +replay):\n%s", q.method, q.path, q.body, q.header, diff)
		}
	}
	if noResponse == 0 {
		t.Error("no exchange without a response was tried")
	}
	report := s.Report()
	if len(report.Missed) > 0 || len(report.Unused) > 0 {
		t.Errorf("report %v, want all used and none missed", report)
	}
}

// TestSameAsLiveHTTP is about what HTTP servers other than exo do.
func TestSameAsLiveHTTP(t *testing.T) {
	upstream := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/trailers":
			h.Set("Trailer", "X-Sum, X-Other")
			io.WriteString(w, "body")
			h.Set("X-Sum", "4")
			h.Add("X-Other", "a")
			h.Add("X-Other", "b")
		case "/no-content":
			h.Set("X-Kept", "yes")
			w.WriteHeader(http.StatusNoContent)
		case "/not-modified":
			h.Set("Etag", `"x"`)
			w.WriteHeader(http.StatusNotModified)
		case "/head":
			h.Set("Content-Length", "12345")
			h.Set("Content-Type", "text/plain")
		case "/redirect":
			http.Redirect(w, r, "/elsewhere?a=b%20c", http.StatusTemporaryRedirect)
		case "/bare":
			h["Content-Type"], h["Date"] = nil, nil
			io.WriteString(w, "<html>")
		case "/many":
			h["Set-Cookie"] = nil
			h["X-Many"] = []string{"one", "two"}
			h.Set("Connection", "close")
			h.Set("Content-Type", "application/octet-stream")
			w.Write(make([]byte, 300<<10))
		case "/gzip":
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Type", "text/plain")
			z := gzip.NewWriter(w)
			io.WriteString(z, strings.Repeat("tide ", 100))
			z.Close()
		}
	})
	questions := []question{
		{method: "GET", path: "/trailers"},
		{method: "GET", path: "/no-content"},
		{method: "GET", path: "/not-modified"},
		{method: "HEAD", path: "/head"},
		{method: "POST", path: "/redirect"},
		{method: "GET", path: "/bare"},
		{method: "GET", path: "/many"},
		{method: "GET", path: "/gzip", header: http.Header{"Accept-Encoding": {"br, gzip"}}},
	}
	source, want := recorded(t, upstream, questions)
	_, base := serve(t, server.Config{Source: source})
	client := newClient(t)
	for i, q := range questions {
		got := ask(t, client, base, q)
		if got.Broken {
			t.Errorf("%s %s broke off", q.method, q.path)
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("%s %s (-live +replay):\n%s", q.method, q.path, diff)
		}
	}
}

// A client that does not accept a coding gets the body without it.
func TestUndoesCodings(t *testing.T) {
	plain := strings.Repeat("data: {}\n\n", 500)
	upstream := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		z := gzip.NewWriter(w)
		for i := range 5 {
			io.WriteString(z, plain[i*1000:(i+1)*1000])
			z.Flush()
			http.NewResponseController(w).Flush()
		}
		z.Close()
	})
	source, _ := recorded(t, upstream, []question{{method: "GET", path: "/events", header: http.Header{"Accept-Encoding": {"gzip"}}}})
	_, base := serve(t, server.Config{Source: source})
	got := ask(t, newClient(t), base, question{method: "GET", path: "/events"})
	if got.Body != plain || got.Header.Get("Content-Encoding") != "" || got.Broken {
		t.Errorf("%d bytes, headers %v, broken %v", len(got.Body), got.Header, got.Broken)
	}
}

// The reason phrase is the recorded one, also behind an earlier response of the same connection.
func TestReasonPhrase(t *testing.T) {
	line := `{"request":{"method":"GET","url":%q},"response":{"status":%d,%s"text":"ok"}}`
	source := hand(t,
		fmt.Sprintf(line, "/none", 200, `"reason":"",`),
		fmt.Sprintf(line, "/own", 200, `"reason":"Fine by me",`),
		fmt.Sprintf(line, "/standard", 404, ""),
		fmt.Sprintf(line, "/split", 200, `"reason":"OK\r\nX-Split: yes",`),
		fmt.Sprintf(line, "/none-unknown", 599, `"reason":"",`))
	_, base := serve(t, server.Config{Source: source})
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, tt := range []struct{ path, want string }{
		{"/none", "HTTP/1.1 200 \r\n"},
		{"/own", "HTTP/1.1 200 Fine by me\r\n"},
		{"/standard", "HTTP/1.1 404 Not Found\r\n"},
		{"/split", "HTTP/1.1 200 OK\r\n"},
		{"/none-unknown", "HTTP/1.1 599 \r\n"},
		{"/none", "HTTP/1.1 400 Bad Request\r\n"}, // used up
	} {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: exo\r\n\r\n", tt.path)
		head, err := in.Peek(len(tt.want))
		if err != nil || string(head) != tt.want {
			t.Fatalf("%s: %q, %v, want %q", tt.path, head, err, tt.want)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.Header.Get("X-Split") != "" {
			t.Fatal(err, resp.Header)
		}
	}
}
