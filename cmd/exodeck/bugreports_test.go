package main

import (
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
)

// TestBugReports holds the verdicts to the cases about recording that were made after public bug reports: each is recorded by the proxy over
// sockets, and what is then scored is the tape, and a redacted cassette cut from it. (That the bytes are right is tested by packages proxy
// and replay.) A verdict must not depend on where the bytes were cut.
//
// Without the shared vectors the same ground is covered by TestVerdictsOfOddStreams.
func TestBugReports(t *testing.T) {
	tests := bugreports.Tests{}
	for _, number := range []string{"105", "106", "108", "109", "111", "112", "113", "114", "115", "116", "117", "119", "120", "121", "122"} {
		tests[number] = func(t *testing.T, c *bugreports.Case) { testVerdict(t, c) }
	}
	tests["110"] = testNotComplete
	maps.Copy(tests, scoreTests)
	bugreports.Run(t, "cmd/exodeck", tests)
}

// caseVerdict is what is compared of a judged exchange.
type caseVerdict struct {
	Stream       bool    `json:"stream"`
	FinishReason *string `json:"finish_reason"`
	ToolCalls    []bugreports.Call
	Calls        string `json:"calls"`
	Protocol     string `json:"protocol"`
	Ended        string `json:"ended"`
	Problems     []struct {
		Code  string          `json:"code"`
		Where json.RawMessage `json:"where"`
	} `json:"problems"`
}

// UnmarshalJSON gives the calls the name they have in the file.
func (j *caseVerdict) UnmarshalJSON(data []byte) error {
	type plain caseVerdict
	if err := json.Unmarshal(data, (*plain)(j)); err != nil {
		return err
	}
	var calls struct {
		ToolCalls []bugreports.Call `json:"tool_calls"`
	}
	err := json.Unmarshal(data, &calls)
	j.ToolCalls = calls.ToolCalls
	return err
}

func (j *caseVerdict) codes() []string {
	codes := []string{}
	for _, p := range j.Problems {
		codes = append(codes, p.Code)
	}
	slices.Sort(codes)
	return codes
}

// recordCase plays a case through the proxy and returns the path of the tape.
func recordCase(t *testing.T, c *bugreports.Case) string {
	t.Helper()
	player := bugreports.NewPlayer(c)
	upstream := httptest.NewServer(player)
	defer upstream.Close()
	base, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	d := decktest.New(t, filepath.Join(t.TempDir(), "case.tape"), tape.Session{Upstream: upstream.URL})
	server, err := proxy.New(proxy.Config{Upstream: base, Session: d.Session, Redactor: decktest.Redactor(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	address, stop := decktest.Serve(t, server)
	transport := &http.Transport{DisableCompression: true}
	player.Ask(t, transport, address)
	transport.CloseIdleConnections()
	stop()
	d.Close(t)
	return d.Path
}

// judgeCase scores a recording of one exchange.
func judgeCase(t *testing.T, path string) (int, caseVerdict) {
	t.Helper()
	status, out, stderr := exodeck(t.Context(), t, "score", "conformance", "--tape", path, "--format", "json")
	var result struct{ Exchanges []caseVerdict }
	if err := json.Unmarshal([]byte(out), &result); err != nil || len(result.Exchanges) != 1 {
		t.Fatalf("status %d, %v:\n%s%s", status, err, out, stderr)
	}
	return status, result.Exchanges[0]
}

// testVerdict scores what was recorded, and what was cut from that.
func testVerdict(t *testing.T, c *bugreports.Case) caseVerdict {
	t.Helper()
	path := recordCase(t, c)
	status, got := judgeCase(t, path)
	if diff := cmp.Diff(slices.Sorted(slices.Values(c.Expect.Problems)), got.codes()); diff != "" && len(c.Expect.Problems)+len(got.Problems) > 0 {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(c.Expect.FinishReason, got.FinishReason); diff != "" {
		t.Errorf("finish reason (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(c.Expect.ToolCalls, got.ToolCalls); diff != "" {
		t.Errorf("calls (-want +got):\n%.500s", diff)
	}
	checkOutcome(t, c, status, got)

	for _, size := range []int{0, 7} {
		if size > 0 && len(c.Response.Bytes()) > 1<<20 || c.Response.Headers["content-encoding"] != "" {
			continue
		}
		if _, other := judgeCase(t, recordCase(t, recut(c, size))); !cmp.Equal(got, other) {
			t.Errorf("cut at every %d bytes, the verdict is another (-as it came +cut):\n%s", size, cmp.Diff(got, other))
		}
	}

	cut := filepath.Join(t.TempDir(), "case.jsonl")
	if status, _, stderr := exodeck(t.Context(), t, "cassette", "export", "--tape", path, "--out", cut); status != 0 {
		t.Fatalf("exporting: %s", stderr)
	}
	if _, other := judgeCase(t, cut); !cmp.Equal(got, other) {
		t.Errorf("the cassette gives another verdict (-tape +cassette):\n%s", cmp.Diff(got, other))
	}
	return got
}

// recut is a case in other pieces: in one, or in many of a size.
func recut(c *bugreports.Case, size int) *bugreports.Case {
	body := string(c.Response.Bytes())
	if size == 0 {
		size = max(len(body), 1)
	}
	other := *c
	other.Response.Wire.Chunks = nil
	for piece := range slices.Chunk([]byte(body), size) {
		other.Response.Add(string(piece))
	}
	return &other
}

// checkOutcome compares the verdicts and the exit status with what a case says of the exchange: that it is well, that it is not, or that
// nobody can tell because its client left.
func checkOutcome(t *testing.T, c *bugreports.Case, status int, got caseVerdict) {
	t.Helper()
	var want struct {
		OK     *bool
		Record struct {
			Complete *bool
			By       string `json:"closed_by"`
		}
	}
	want.OK = c.Expect.OK
	if c.Expect.Record != nil {
		if err := json.Unmarshal(c.Expect.Record, &want.Record); err != nil {
			t.Fatal(err)
		}
	}
	failed := got.Calls == "failed" || got.Protocol == "failed"
	switch {
	case want.OK == nil:
		if failed || got.Protocol != "not_judged" || status != exitMissing {
			t.Errorf("exit status %d, calls %s, protocol %s", status, got.Calls, got.Protocol)
		}
	case *want.OK != (status == 0) || *want.OK && failed || !*want.OK && status != 1:
		t.Errorf("exit status %d, calls %s, protocol %s; want ok %v", status, got.Calls, got.Protocol, *want.OK)
	}
	if (want.Record.By == "client") != (got.Ended == string(tape.ClientGone)) {
		t.Errorf("ended as %s, want closed by %q", got.Ended, want.Record.By)
	}
}

// testNotComplete: whether an answer is whole is told by its last event, not by its status nor by how the connection ended.
func testNotComplete(t *testing.T, c *bugreports.Case) {
	var want struct {
		Complete bool
		By       string `json:"closed_by"`
	}
	c.Record(t, &want)
	got := testVerdict(t, c)
	if got.Calls != "failed" || got.Protocol != "failed" {
		t.Errorf("calls %s, protocol %s of a stream without its end", got.Calls, got.Protocol)
	}
	file := filepath.Join(t.TempDir(), "stream.txt")
	if err := os.WriteFile(file, c.Response.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, stderr := exodeck(t.Context(), t, "parse", "--api", "claude", "--stream", file)
	var answer struct{ Complete bool }
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || answer.Complete != want.Complete {
		t.Errorf("parse: status %d, %v:\n%s%s", status, err, out, stderr)
	}
}

// TestVerdictsOfOddStreams records streams of our own making that end, or are cut, in odd ways.
func TestVerdictsOfOddStreams(t *testing.T) {
	const (
		asked = `{"model":"m","stream":true,"messages":[{"role":"user","content":"Is it high tide?"}]}`
		begun = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Flut ☾"},"finish_reason":null}]}` + "\n\n"
		ended = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}` + "\n\n"
	)
	yes, no, stop := true, false, "stop"
	for _, tt := range []struct {
		name, body, end string
		ok              *bool
		finish          *string
		problems        []string
	}{
		{"whole", begun + ended + "data: [DONE]\n\n", "eof", &yes, &stop, nil},
		{"no blank line at the end", begun + ended + "data: [DONE]", "eof", &yes, &stop, []string{"partial-final-event"}},
		{"no last event", begun, "eof", &no, nil, []string{"truncated-stream"}},
		{"no UTF-8", strings.Replace(begun, "☾", "\xe2", 1) + ended + "data: [DONE]\n\n", "eof", &no, &stop, []string{"invalid-utf8"}},
		{"the client hangs up", begun, "client-closed", nil, nil, []string{"client-disconnect"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &bugreports.Case{API: "chat", Request: json.RawMessage(asked)}
			c.Response = bugreports.Response{Status: 200, Headers: map[string]string{"Content-Type": "text/event-stream"}, SSE: tt.body, End: tt.end}
			c.Expect.Problems, c.Expect.FinishReason, c.Expect.OK, c.Expect.ToolCalls = tt.problems, tt.finish, tt.ok, []bugreports.Call{}
			if tt.end == "client-closed" {
				c.Expect.Record = json.RawMessage(`{"complete":false,"closed_by":"client"}`)
			}
			testVerdict(t, c)
		})
	}
}
