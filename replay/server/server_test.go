package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/server"
)

const chatPath = "/v1/chat/completions"

// chat is a line of a cassette with a question and its answer.
func chat(question, answer string, more string) string {
	return fmt.Sprintf(`{"request":{"method":"POST","url":%q,"body":{"model":"m","messages":[{"role":"user","content":%q}]}},"response":{"status":200,"text":%q}%s}`,
		chatPath, question, answer, more)
}

func chatBody(question string) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":%q}],"model":"m"}`, question)
}

// A miss is told in the shape of each API, and to the one who asked for the server.
func TestMiss(t *testing.T) {
	for _, tt := range []struct{ path, body, begins string }{
		{chatPath, chatBody("What is the depth?"), `{"error":{"message":"no recorded answer to POST /v1/chat/completions\n`},
		{"/v1/messages", chatBody("What is the depth?"), `{"type":"error","error":{"type":"invalid_request_error","message":"no recorded answer to POST /v1/messages\n`},
		{"/ollama/api/chat", chatBody("What is the depth?"), `{"error":"no recorded answer to POST /ollama/api/chat\n`},
	} {
		t.Run(tt.path, func(t *testing.T) {
			var mu sync.Mutex
			var missed []*match.Miss
			s, base := serve(t, server.Config{
				Source: hand(t, chat("When is high tide?", "Nine.", "")),
				OnMiss: func(m *match.Miss) {
					mu.Lock()
					defer mu.Unlock()
					missed = append(missed, m)
				},
			})
			got := ask(t, newClient(t), base, question{method: "POST", path: tt.path, body: tt.body})
			if got.Status != "400 Bad Request" || got.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(got.Body, tt.begins) {
				t.Errorf("answer %+v\nwant %s", got, tt.begins)
			}
			if tt.path == chatPath && !strings.Contains(got.Body, `\n  +  text | What is the depth?\n`) {
				t.Errorf("the answer does not show what was asked: %s", got.Body)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(missed) != 1 || missed[0].URL != tt.path {
				t.Errorf("told of %v", missed)
			}
			if n := len(s.Report().Missed); n != 1 {
				t.Errorf("the report has %d misses", n)
			}
		})
	}
}

// What is missed can be handed on: the request is then as it was sent.
func TestForward(t *testing.T) {
	forward := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s %s %d %s", r.Method, r.RequestURI, r.ContentLength, body)
	})
	_, base := serve(t, server.Config{Source: hand(t, chat("When is high tide?", "Nine.", "")), Forward: forward})
	client := newClient(t)
	if got := ask(t, client, base, question{method: "POST", path: chatPath, body: chatBody("When is high tide?")}); got.Body != "Nine." {
		t.Errorf("what is recorded was answered with %q", got.Body)
	}
	want := "POST /v1/chat/completions?x=1 7 unknown"
	if got := ask(t, client, base, question{method: "POST", path: chatPath + "?x=1", body: "unknown"}); got.Body != want {
		t.Errorf("forwarded as %q, want %q", got.Body, want)
	}
}

// Polls answer in recorded order, and then with the last state.
func TestPolls(t *testing.T) {
	state := `{"request":{"method":"GET","url":"/state"},"response":{"status":200,"text":%q}}`
	_, base := serve(t, server.Config{Source: hand(t, fmt.Sprintf(state, "loading"), fmt.Sprintf(state, "running"), fmt.Sprintf(state, "ready"))})
	client := newClient(t)
	var got []string
	for range 5 {
		got = append(got, ask(t, client, base, question{method: "GET", path: "/state"}).Body)
	}
	if diff := cmp.Diff([]string{"loading", "running", "ready", "ready", "ready"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Labels keep the answers of concurrent clients apart.
func TestConcurrentClients(t *testing.T) {
	const clients, repeats = 8, 10
	var lines []string
	for c := range clients {
		for r := range repeats {
			lines = append(lines, chat("When is high tide?", fmt.Sprintf("%d/%d", c, r), fmt.Sprintf(`,"labels":{"sample":"s%d","repeat":"%d"}`, c, r)))
		}
	}
	s, base := serve(t, server.Config{Source: hand(t, lines...)})
	var wg sync.WaitGroup
	for c := range clients {
		client := newClient(t)
		wg.Go(func() {
			for r := repeats - 1; r >= 0; r-- {
				got := ask(t, client, base, question{method: "POST", path: chatPath, body: chatBody("When is high tide?"),
					header: http.Header{record.LabelHeader: {fmt.Sprintf("sample=s%d", c), fmt.Sprintf("repeat=%d", r)}}})
				if want := fmt.Sprintf("%d/%d", c, r); got.Body != want {
					t.Errorf("client %d: %q, want %q", c, got.Body, want)
				}
			}
		})
	}
	wg.Wait()
	if got := s.Report().String(); got != "80 answered (80 label), 0 missed, 0 recorded exchanges unused" {
		t.Errorf("report %q", got)
	}
}

// A connection is kept for the next request, unless the recorded one was closed.
func TestKeepAlive(t *testing.T) {
	line := `{"request":{"method":"GET","url":%q},"response":{"status":200,"headers":{%s},"text":"ok"}}`
	_, base := serve(t, server.Config{Source: hand(t,
		fmt.Sprintf(line, "/one", ""), fmt.Sprintf(line, "/two", `"Connection":["close"]`), fmt.Sprintf(line, "/three", `"Keep-Alive":["timeout=5"],"Connection":["keep-alive"]`))})
	client := newClient(t)
	for _, tt := range []struct {
		path   string
		reused bool
	}{{"/one", false}, {"/miss", true}, {"/two", true}, {"/three", false}} {
		reused := false
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
		req, err := http.NewRequestWithContext(ctx, "GET", base+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if reused != tt.reused {
			t.Errorf("%s: reused is %v", tt.path, reused)
		}
	}
}

// A request for a stream never gets a whole answer, nor the reverse.
func TestModes(t *testing.T) {
	_, base := serve(t, server.Config{Source: hand(t,
		`{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"One?"}]}},"response":{"status":200,"text":"whole"}}`,
		`{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","stream":true,"messages":[{"role":"user","content":"Two?"}]}},"response":{"status":200,"text":"stream"}}`,
	)})
	client := newClient(t)
	got := ask(t, client, base, question{method: "POST", path: chatPath, body: `{"model":"m","stream":true,"messages":[{"role":"user","content":"One?"}]}`})
	if !strings.Contains(got.Body, "recorded as a whole answer only") {
		t.Errorf("answer %+v", got)
	}
	got = ask(t, client, base, question{method: "POST", path: chatPath, body: chatBody("Two?")})
	if !strings.Contains(got.Body, "recorded as a stream only") {
		t.Errorf("answer %+v", got)
	}
}

// Several recordings are served together, their exchanges in the order of the recordings.
func TestJoin(t *testing.T) {
	state := `{"session":"s1","seq":1,"request":{"method":"GET","url":"/state"},"response":{"status":200,"text":%q}}`
	s, base := serve(t, server.Config{Source: server.Join(
		server.Recording{Name: "a.jsonl", Source: hand(t, fmt.Sprintf(state, "a"))},
		server.Recording{Name: "b.jsonl", Source: hand(t, fmt.Sprintf(state, "b"))},
		server.Recording{Name: "c.jsonl", Source: hand(t, strings.ReplaceAll(fmt.Sprintf(state, "c"), "s1", "own"))},
	)})
	client := newClient(t)
	var got []string
	for range 3 {
		got = append(got, ask(t, client, base, question{method: "GET", path: "/state"}).Body)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var refs []tape.Ref
	for _, u := range s.Report().Used {
		refs = append(refs, u.Exchange.Ref)
	}
	if diff := cmp.Diff([]tape.Ref{{Session: "s1", Seq: 1}, {Session: "b.jsonl:s1", Seq: 1}, {Session: "own", Seq: 1}}, refs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A session that is asked for is looked for in every recording.
func TestJoinedSession(t *testing.T) {
	state := `{"session":%q,"seq":1,"request":{"method":"GET","url":"/state"},"response":{"status":200,"text":%[1]q}}`
	cfg := server.Config{Match: match.Options{Query: tape.Query{Session: "wanted"}}, Source: server.Join(
		server.Recording{Name: "a.jsonl", Source: hand(t, fmt.Sprintf(state, "other"))},
		server.Recording{Name: "b.jsonl", Source: hand(t, fmt.Sprintf(state, "wanted"))},
	)}
	s, base := serve(t, cfg)
	if got := ask(t, newClient(t), base, question{method: "GET", path: "/state"}); got.Body != "wanted" || s.Len() != 1 {
		t.Errorf("%q of %d exchanges", got.Body, s.Len())
	}
}

// A Content-Length that cannot be right is put right, one of a body that was cut off is kept.
func TestLength(t *testing.T) {
	line := `{"request":{"method":"GET","url":"/x"},"response":{"status":200,"headers":{"Content-Length":[%q]},"text":"four"},"ended":%q}`
	for _, tt := range []struct {
		length, ended string
		want          received
	}{
		{"4", "complete", received{Body: "four"}},
		{"40", "complete", received{Body: "four"}},
		{"1", "complete", received{Body: "four"}},
		{"four", "complete", received{Body: "four"}},
		{"40", "upstream_truncated", received{Body: "four", Broken: true}},
		{"1", "upstream_truncated", received{Body: "four"}},
	} {
		t.Run(tt.length+" "+tt.ended, func(t *testing.T) {
			_, base := serve(t, server.Config{Source: hand(t, fmt.Sprintf(line, tt.length, tt.ended))})
			got := ask(t, newClient(t), base, question{method: "GET", path: "/x"})
			if got.Body != tt.want.Body || got.Broken != tt.want.Broken {
				t.Errorf("%q, broken %v", got.Body, got.Broken)
			}
		})
	}
}

// What cannot be served says so.
func TestCannotServe(t *testing.T) {
	log, lines := logged()
	_, base := serve(t, server.Config{Log: log, Source: hand(t, `{"request":{"method":"GET","url":"/socket"},"response":{"status":101}}`)})
	got := ask(t, newClient(t), base, question{method: "GET", path: "/socket"})
	if got.Status != "500 Internal Server Error" || !strings.Contains(got.Body, "exchange s1/1 has the status 101") {
		t.Errorf("answer %+v", got)
	}
	if !strings.Contains(lines.String(), "the recording cannot be read") {
		t.Errorf("log %s", lines)
	}
}

// broken is a recording whose exchanges are there when it is opened and cannot be read later.
type broken struct{ server.Source }

var errGone = errors.New("the disk is gone")

func (b broken) Exchange(context.Context, tape.Ref) (*tape.Exchange, error) { return nil, errGone }

// unlisted is a recording that cannot be read at all.
type unlisted struct{ server.Source }

func (unlisted) Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) { yield(nil, errGone) }
}

func TestBrokenRecording(t *testing.T) {
	source := hand(t, `{"request":{"method":"GET","url":"/x"},"response":{"status":200,"text":"ok"}}`)
	_, base := serve(t, server.Config{Source: broken{source}})
	got := ask(t, newClient(t), base, question{method: "GET", path: "/x"})
	if got.Status != "500 Internal Server Error" || !strings.Contains(got.Body, "exodeck cannot read its recording: the disk is gone") {
		t.Errorf("answer %+v", got)
	}
	_, err := server.New(t.Context(), server.Config{Source: server.Join(
		server.Recording{Name: "good.tape", Source: source}, server.Recording{Name: "bad.tape", Source: unlisted{}})})
	if !errors.Is(err, errGone) || !strings.Contains(err.Error(), "bad.tape") {
		t.Errorf("error %v, want one that names the recording", err)
	}
}

// When serving ends, a stream that would go on for a minute is broken off, and Serve returns.
func TestServeEnds(t *testing.T) {
	s, err := server.New(t.Context(), server.Config{Timing: server.Recorded, Log: slog.New(slog.DiscardHandler), Source: hand(t,
		`{"request":{"method":"GET","url":"/events"},"response":{"status":200,"text":"one two"},"timing":{"total_ms":60000.000,"pieces":[[0,0.000],[4,60000.000]]}}`)})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	resp, err := newClient(t).Get("http://" + ln.Addr().String() + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("serving: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("serving goes on")
	}
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the stream ended well")
	}
}

func TestServeFails(t *testing.T) {
	s, err := server.New(t.Context(), server.Config{Source: hand(t, `{"request":{"method":"GET","url":"/x"},"response":{"status":200}}`)})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := s.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "serving on 127.0.0.1:") {
		t.Errorf("error %v", err)
	}
}
