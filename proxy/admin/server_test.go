package admin

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves on a listener until the test ends.
func start(t *testing.T, s *Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// ask sends a request of our own making and returns status and body.
func ask(t *testing.T, address, method, path, host string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", method, path, host)
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// counters is a recorder that says what it is told to.
type counters struct {
	stats   tape.Stats
	commits tape.CommitTimes
}

func (c *counters) Stats() tape.Stats             { return c.stats }
func (c *counters) CommitTimes() tape.CommitTimes { return c.commits }

// TestHost refuses requests that name another host: a web page whose name was pointed at this address sends such (DNS rebinding).
func TestHost(t *testing.T) {
	s := New(NewMetrics(&counters{}), &counters{})
	s.Name = "recorder.test"
	address := start(t, s)
	_, port, _ := net.SplitHostPort(address)
	for _, tt := range []struct {
		host string
		want int
	}{
		{address, 200},
		{"127.0.0.1", 200},
		{"localhost:" + port, 200},
		{"LocalHost", 200},
		{"recorder.test:" + port, 200},
		{"elsewhere.test", 403},
		{"elsewhere.test:" + port, 403},
		{"127.0.0.1.elsewhere.test:" + port, 403},
		{"localhost.elsewhere.test", 403},
		{"localhost:1", 403},
		{"127.0.0.2:" + port, 403},
		{"", 403},
	} {
		for _, path := range []string{"/healthz", "/metrics", "/", "/none"} {
			want := tt.want
			if path == "/none" && want == 200 {
				want = 404
			}
			if got, body := ask(t, address, "GET", path, tt.host); got != want || want == 403 && strings.Contains(body, "exodeck_") {
				t.Errorf("%s of %q: %d %s, want %d", path, tt.host, got, body, want)
			}
		}
	}
	if got, _ := ask(t, address, "POST", "/healthz", address); got != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got)
	}
	if got, _ := ask(t, address, "HEAD", "/healthz", address); got != 200 {
		t.Errorf("HEAD: %d", got)
	}
}

// TestHealth follows recording through a failure and back.
func TestHealth(t *testing.T) {
	var recorder counters
	address := start(t, New(NewMetrics(&recorder), &recorder))
	full := errors.New("the disk is full")
	for _, tt := range []struct {
		name  string
		stats tape.Stats
		want  int
	}{
		{"nothing yet", tape.Stats{}, 200},
		{"recording", tape.Stats{Committed: 5}, 200},
		{"one went unrecorded", tape.Stats{Committed: 7, Unrecorded: 1, LastError: full}, 503},
		{"nothing since", tape.Stats{Committed: 7, Unrecorded: 1, LastError: full}, 503},
		{"another", tape.Stats{Committed: 7, Unrecorded: 2, LastError: full}, 503},
		{"recorded again", tape.Stats{Committed: 8, Unrecorded: 2, LastError: full}, 200},
		{"nothing since that", tape.Stats{Committed: 8, Unrecorded: 2, LastError: full}, 200},
	} {
		recorder.stats = tt.stats
		got, body := ask(t, address, "GET", "/healthz", address)
		if got != tt.want || (got == 503) != strings.Contains(body, "recording fails: ") || got == 503 && !strings.Contains(body, "the disk is full") {
			t.Errorf("%s: %d %s", tt.name, got, body)
		}
	}
}

// TestHealthOfRecorder fills the tape of a real recorder.
func TestHealthOfRecorder(t *testing.T) {
	recorder, err := tape.OpenRecorder(t.Context(), filepath.Join(t.TempDir(), "full.tape"), tape.RecorderOptions{MaxSize: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	session, err := recorder.StartSession(t.Context(), tape.Session{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(size int) error {
		body := make([]byte, size)
		rand.Read(body) // as good as incompressible
		x := session.Begin(tape.Start{Started: time.Now(), Method: "POST", URL: "/v1/messages"})
		x.RequestBody(body)
		x.RequestEnd(nil)
		x.ResponseHead(200, "", false, "HTTP/1.1", nil, 0)
		x.End(tape.Complete, "", nil, 0)
		return x.Wait(t.Context())
	}
	address := start(t, New(NewMetrics(recorder), recorder))
	check := func(want int, text string) {
		t.Helper()
		if got, body := ask(t, address, "GET", "/healthz", address); got != want || !strings.Contains(body, text) {
			t.Errorf("%d %s, want %d", got, body, want)
		}
	}
	check(200, "ok")
	if err := put(1 << 20); err == nil {
		t.Error("a body larger than the tape was recorded")
	}
	check(503, "no space left for the tape")
	if err := put(100); err != nil {
		t.Error(err)
	}
	check(200, "ok")
	if err := recorder.Close(); err == nil {
		t.Error("nothing went unrecorded")
	}
}

func TestMetrics(t *testing.T) {
	var commits tape.CommitTimes
	commits.Count, commits.Total = 3, 1500*time.Millisecond
	for i, limit := range tape.CommitLimits {
		commits.Within[i] = 1
		if limit >= time.Second {
			commits.Within[i] = 3
		}
	}
	stats := tape.Stats{Committed: 40, InFlight: 3, Unrecorded: 2, Queued: 4, QueuedBytes: 500, BodyBytes: 6000, StoredBytes: 700, FileBytes: 8000, Pruned: 9, PruneHeld: 50 * time.Millisecond}
	recorder := &counters{stats, commits}
	m := NewMetrics(recorder)
	m.Judge(func() Judged {
		return Judged{Exchanges: 30, Failing: 5, Dropped: 1, Problems: map[string]int{"unknown-tool": 4}}
	})
	address := start(t, New(m, recorder))
	for _, ev := range []record.Event{
		{API: tape.OpenAI, Status: 200, Ended: tape.Complete, RequestBytes: 10, ResponseBytes: 100, TTFB: 20 * time.Millisecond},
		{API: tape.OpenAI, Status: 201, Ended: tape.Complete, RequestBytes: 1, ResponseBytes: 2, TTFB: 2 * time.Second},
		{API: tape.Claude, Status: 200, Ended: tape.ClientGone, TTFB: time.Hour},
		{API: tape.Control, Status: 0, Ended: tape.UpstreamError},
	} {
		m.Ended(ev)
	}
	status, body := ask(t, address, "GET", "/metrics", address)
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	for _, want := range []string{
		`exodeck_exchanges_total{api="openai",ended="complete",status="2xx"} 2`,
		`exodeck_exchanges_total{api="claude",ended="client_gone",status="2xx"} 1`,
		`exodeck_exchanges_total{api="control",ended="upstream_error",status="none"} 1`,
		`exodeck_body_bytes_total{api="openai",direction="in"} 11`,
		`exodeck_body_bytes_total{api="openai",direction="out"} 102`,
		`exodeck_first_piece_seconds_bucket{api="openai",le="0.025"} 1`,
		`exodeck_first_piece_seconds_bucket{api="openai",le="2.5"} 2`,
		`exodeck_first_piece_seconds_bucket{api="claude",le="600"} 0`,
		`exodeck_first_piece_seconds_count{api="claude"} 1`,
		`exodeck_commit_seconds_bucket{le="0.0025"} 1`,
		`exodeck_commit_seconds_bucket{le="0.5"} 1`,
		`exodeck_commit_seconds_bucket{le="1"} 3`,
		`exodeck_commit_seconds_bucket{le="+Inf"} 3`,
		`exodeck_commit_seconds_sum 1.5`,
		`exodeck_recorded_total 40`,
		`exodeck_unrecorded_total 2`,
		`exodeck_in_flight 3`,
		`exodeck_queue_exchanges 4`,
		`exodeck_queue_bytes 500`,
		`exodeck_tape_body_bytes_total 6000`,
		`exodeck_tape_stored_bytes_total 700`,
		`exodeck_tape_file_bytes 8000`,
		`exodeck_pruned_total 9`,
		`exodeck_judged_total 30`,
		`exodeck_failing_total 5`,
		`exodeck_judge_dropped_total 1`,
		`exodeck_problems_total{code="unknown-tool"} 4`,
		`exodeck_prune_held_seconds 0.05`,
		`# TYPE exodeck_unrecorded_total counter`,
		`# TYPE exodeck_in_flight gauge`,
	} {
		if !strings.Contains(body, "\n"+want+"\n") {
			t.Errorf("no line %q", want)
		}
	}
	// A failed connection has no first piece.
	if strings.Contains(body, `first_piece_seconds_count{api="control"}`) {
		t.Error("an exchange without a response counts as answered")
	}
	if t.Failed() {
		t.Log(body)
	}
}
