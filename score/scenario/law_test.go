package scenario_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// serve starts a stand-in exo that ends with the test.
func serve(t testing.TB, script standin.Script) *standin.Server {
	t.Helper()
	server := standin.New(standin.Options{Script: script})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

// ownSuite asks our own scenarios in every API there is, whole and streamed.
func ownSuite(t testing.TB, baseURL string) *scenario.Suite {
	t.Helper()
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	return &scenario.Suite{
		BaseURL:   baseURL,
		Model:     standin.OneNode().Models[0].ID,
		APIs:      append([]tape.API{tape.Ollama}, scenario.AllAPIs...),
		Scenarios: file.Scenarios,
		Stream:    scenario.StreamBoth,
	}
}

// runFile is the result file of a run over the exchanges of the tape.
func runFile(t testing.TB, path string, verdicts []score.Verdict) string {
	t.Helper()
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	recording, err := score.RecordingDigest(t.Context(), tp, verdicts)
	if err != nil {
		t.Fatal(err)
	}
	text, err := report.JSON(score.RunFile{Suite: scenario.Name, Rules: scenario.Rules, Recording: recording,
		RulesDigest: scenario.RulesDigest(), Verdicts: verdicts}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// live runs the suite through a recorder.
func live(t testing.TB, suite *scenario.Suite, path string) []score.Verdict {
	t.Helper()
	return liveWith(t, suite, path, func(recorder http.RoundTripper) http.RoundTripper { return recorder })
}

// liveWith is [live] with something between the suite and the recorder.
func liveWith(t testing.TB, suite *scenario.Suite, path string, wrap func(http.RoundTripper) http.RoundTripper) []score.Verdict {
	t.Helper()
	d := decktest.New(t, path, tape.Session{Upstream: suite.BaseURL})
	suite.Client = wrap(d.Transport(t))
	verdicts, err := suite.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Close(t)
	return verdicts
}

// offline runs the suite over the tape.
func offline(t testing.TB, suite *scenario.Suite, path string) []score.Verdict {
	t.Helper()
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	transport, err := replay.NewTransport(t.Context(), tp, match.Default())
	if err != nil {
		t.Fatal(err)
	}
	suite.Client = transport
	verdicts, err := suite.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// TestVerdictLaw: a run and the scoring of its recording give the same result file, byte for byte, whatever went wrong.
func TestVerdictLaw(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	tests := []struct {
		name   string
		script standin.Script
		change func(*scenario.Suite)
		expect string // in the error of a failed verdict
	}{
		{name: "all right"},
		{name: "16 at once, twice", change: func(s *scenario.Suite) { s.Concurrency, s.Repeat = 16, 2 }},
		{name: "bad arguments", script: faulty(standin.BadArguments), expect: "Invalid JSON: "},
		{name: "wrong finish", script: faulty(standin.WrongFinish), expect: "finish_reason=length"},
		{name: "harmony token", script: faulty(standin.HarmonyName)},
		{name: "no call", script: faulty(standin.NoCall), expect: "No tool call returned"},
		{name: "error in the middle", script: faulty(standin.ErrorMid), expect: "Expecting value: line 1 column 1 (char 0)"},
		{name: "no finish", script: faulty(standin.NoFinish)},
		{name: "empty", script: faulty(standin.Empty), expect: "API error: Expecting value: line 1 column 1 (char 0)"},
		{name: "cut", script: faulty(standin.CutOff), expect: "(incomplete chunked read)"},
		{name: "cut short of its length", script: faulty(standin.CutLength), expect: "peer closed connection"},
		{name: "no HTTP", script: faulty(standin.Garbage), expect: "malformed HTTP"},
		{name: "404", script: faulty(standin.Status404), expect: "API error: Client error '404 ' for url 'http://127.0.0.1:"},
		{name: "500", script: faulty(standin.Status500), expect: "API error: Server error '500 ' for url 'http://127.0.0.1:"},
		{name: "stalled", script: faulty(standin.Stalled), expect: "API error: timed out", change: func(s *scenario.Suite) {
			s.Timeout, s.Scenarios, s.Concurrency = time.Second, s.Scenarios[:1], 8
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, tt.script)
			suite := ownSuite(t, server.URL())
			if tt.change != nil {
				tt.change(suite)
			}
			path := filepath.Join(t.TempDir(), "law.tape")
			verdicts := live(t, suite, path)
			all := score.Count(verdicts, nil)
			if failed := all.Passed < all.Total; failed != (tt.script != nil) {
				t.Errorf("%d of %d passed", all.Passed, all.Total)
			}
			want := runFile(t, path, verdicts)
			if tt.expect != "" && !strings.Contains(want, tt.expect) {
				t.Errorf("no error says %q in\n%s", tt.expect, want)
			}
			server.Close()
			if diff := cmp.Diff(want, runFile(t, path, offline(t, suite, path))); diff != "" {
				t.Errorf("offline differs from live (-live +offline):\n%s", diff)
			}
		})
	}
}

func faulty(f standin.Fault) standin.Script {
	right := standin.ForScenarios()
	return func(a standin.Ask) standin.Reply { return f.Apply(right(a)) }
}

func TestConnectionRefused(t *testing.T) {
	// Nothing listens there. A port that was just freed would be given to the next listener, and then be alive.
	suite := ownSuite(t, "http://127.0.0.1:1")
	suite.Scenarios, suite.APIs = suite.Scenarios[:1], suite.APIs[:1]
	path := filepath.Join(t.TempDir(), "refused.tape")
	for _, verdicts := range [][]score.Verdict{live(t, suite, path), offline(t, suite, path)} {
		for _, v := range verdicts {
			if v.Passed || v.Error == nil || *v.Error != "API error: [Errno 111] Connection refused" {
				t.Errorf("verdict %+v", v)
			}
		}
	}
}

// TestBrokenConnections has a bare server do what no HTTP library does.
func TestBrokenConnections(t *testing.T) {
	tests := []struct{ name, sends, want string }{
		{"nothing", "", "API error: Server disconnected without sending a response."},
		{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"cho",
			"API error: peer closed connection without sending complete message body (incomplete chunked read)"},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"cho",
			"API error: peer closed connection without sending complete message body (received 5 bytes, expected 10)"},
		{"half an error", "HTTP/1.1 500 \r\nContent-Length: 10\r\n\r\n",
			"API error: peer closed connection without sending complete message body (received 0 bytes, expected 10)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					// The whole request: with some of it unread, closing the connection would reset it.
					if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
						io.Copy(io.Discard, request.Body)
					}
					conn.Write([]byte(tt.sends))
					conn.Close()
				}
			}()
			suite := ownSuite(t, "http://"+listener.Addr().String())
			suite.Scenarios, suite.APIs, suite.Stream = suite.Scenarios[:1], scenario.AllAPIs[:1], scenario.StreamOff
			path := filepath.Join(t.TempDir(), "broken.tape")
			for _, verdicts := range [][]score.Verdict{live(t, suite, path), offline(t, suite, path)} {
				if len(verdicts) != 1 || verdicts[0].Error == nil || *verdicts[0].Error != tt.want {
					t.Errorf("want error %q, got %+v (%q)", tt.want, verdicts, deref(verdicts[0].Error))
				}
			}
		})
	}
}

func deref(s *string) string {
	if s == nil {
		return "nil"
	}
	return *s
}

// TestInterruptedAnswers: an answer whose recording is not whole is a failed result that says so, even where what there is of it would pass.
func TestInterruptedAnswers(t *testing.T) {
	server := serve(t, nil)
	suite := ownSuite(t, server.URL())
	suite.Scenarios, suite.APIs, suite.Stream = suite.Scenarios[:1], scenario.AllAPIs[:1], scenario.StreamOn
	path := filepath.Join(t.TempDir(), "cut.tape")
	liveWith(t, suite, path, func(recorder http.RoundTripper) http.RoundTripper { return leaving{recorder} })
	verdicts := offline(t, suite, path)
	want := "API error: the recorded answer is not whole (client_gone: "
	if len(verdicts) != 1 || verdicts[0].Passed || !strings.HasPrefix(deref(verdicts[0].Error), want) {
		t.Errorf("verdict %+v (%s), want %s…", verdicts, deref(verdicts[0].Error), want)
	}
}

// leaving closes every response at its head, as a client does that has lost interest.
type leaving struct{ base http.RoundTripper }

func (l leaving) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
		resp.Body = http.NoBody
	}
	return resp, err
}

// foreign turns the suite's requests into those of another client: other sampling, another order of keys, streamed, no labels.
type foreign struct{ base http.RoundTripper }

func (f foreign) RoundTrip(req *http.Request) (*http.Response, error) {
	var body map[string]any
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return nil, err
	}
	delete(body, "max_tokens")
	delete(body, "temperature")
	body["max_tokens"], body["top_p"], body["stream"] = 99, 0.5, true
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	other, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	other.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"another/1"}}
	return f.base.RoundTrip(other)
}

func TestForeignRecording(t *testing.T) {
	server := serve(t, nil)
	suite := ownSuite(t, server.URL())
	suite.Stream = scenario.StreamOff
	path := filepath.Join(t.TempDir(), "foreign.tape")
	liveWith(t, suite, path, func(base http.RoundTripper) http.RoundTripper { return foreign{base} })
	server.Close()
	verdicts := offline(t, suite, path)
	for _, v := range verdicts {
		if !v.Passed {
			t.Errorf("%s %s %s: %s, %s", v.Sample, v.API, v.Phase, v.Status, deref(v.Error))
		}
	}
	if len(verdicts) < len(suite.Tasks()) {
		t.Errorf("%d verdicts", len(verdicts))
	}
}

func TestMissing(t *testing.T) {
	server := serve(t, nil)
	suite := ownSuite(t, server.URL())
	suite.Stream = scenario.StreamOff
	all := suite.Scenarios
	suite.Scenarios = all[:3]
	path := filepath.Join(t.TempDir(), "some.tape")
	live(t, suite, path)
	suite.Scenarios = all[:4]
	verdicts := offline(t, suite, path)
	missing := 0
	for _, v := range verdicts {
		if v.Status != score.Missing {
			continue
		}
		missing++
		if v.Sample != all[3].Name || v.Passed || !strings.Contains(deref(v.Error), "no recorded answer") {
			t.Errorf("missing: %+v (%s)", v, deref(v.Error))
		}
	}
	if missing != len(suite.APIs) || score.ExitStatus(verdicts) != score.ExitMissing {
		t.Errorf("%d answers are missing, exit status %d", missing, score.ExitStatus(verdicts))
	}
}

func TestRunCancelled(t *testing.T) {
	server := serve(t, faulty(standin.Stalled))
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	suite := ownSuite(t, server.URL())
	suite.Client = base
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	verdicts, err := suite.Run(ctx, nil)
	if err != context.Canceled || len(verdicts) != 0 {
		t.Errorf("%d verdicts, error %v", len(verdicts), err)
	}
}
