package scenario_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/google/go-cmp/cmp"
)

// source is a response body that knows its exchange.
type source struct {
	io.ReadCloser
	ref     tape.Ref
	elapsed time.Duration
}

func (s source) Exchange() tape.Ref     { return s.ref }
func (s source) Elapsed() time.Duration { return s.elapsed }

var _ record.Source = source{}

// oneTool is a scenario without much around it.
func oneTool(name string) scenario.Scenario {
	result := `{"high": "14:52"}`
	return scenario.Scenario{
		Name: name, Description: "d", Messages: []scenario.Message{{Role: "user", Content: new("When is high tide?")}},
		ExpectToolCall: true, ExpectedFunction: "get_tide", RequiredArgKeys: []string{"harbour"}, ToolResult: &result,
	}
}

const (
	goodCall = `{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"c1","function":{"name":"get_tide","arguments":"{\"harbour\":\"Oban\"}"}}]}}]}`
	goodText = `{"choices":[{"finish_reason":"stop","message":{"content":"At 14:52."}}]}`
)

func TestRequestOnTheWire(t *testing.T) {
	client := &script{replies: []func(*http.Request) (*http.Response, error){respond(200, goodCall), respond(200, goodText)}}
	suite := &scenario.Suite{Client: client, BaseURL: "http://exo:52415/", Model: "m", APIs: scenario.AllAPIs[:1],
		Scenarios: []scenario.Scenario{oneTool("tide\nnight")}, Repeat: 1}
	verdicts, err := suite.Run(t.Context(), nil)
	if err != nil || len(verdicts) != 2 || !verdicts[0].Passed || !verdicts[1].Passed {
		t.Fatalf("verdicts %+v, error %v", verdicts, err)
	}
	wantLabels := []string{"suite=exo", `sample="tide\nnight"`, "api=openai", "repeat=1", "phase=tool_call", "stream=off"}
	for i, req := range client.requests {
		if req.Method != "POST" || req.URL.String() != "http://exo:52415/v1/chat/completions" {
			t.Errorf("request %d is %s %s", i, req.Method, req.URL)
		}
		if req.GetBody == nil || req.ContentLength <= 0 {
			t.Errorf("request %d cannot be sent again", i)
		}
		if i == 1 {
			wantLabels[4] = "phase=follow_up"
		}
		want := http.Header{"Accept": {"*/*"}, "Accept-Encoding": {"gzip, deflate"}, "Content-Type": {"application/json"},
			record.LabelHeader: wantLabels}
		if diff := cmp.Diff(want, req.Header); diff != "" {
			t.Errorf("header of request %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestSampleOrder(t *testing.T) {
	client := later{make(chan struct{})}
	suite := &scenario.Suite{
		Client: client, BaseURL: "http://x", Model: "m", APIs: []tape.API{tape.OpenAI, tape.Claude},
		Scenarios: []scenario.Scenario{oneTool("a"), oneTool("b")}, Repeat: 2, Concurrency: 16, Stream: scenario.StreamBoth,
	}
	name := func(v score.Verdict) string {
		return fmt.Sprintf("%d %s %s %v", v.Repeat, v.Sample, v.API, v.Stream)
	}
	var completed []string
	verdicts, err := suite.Run(t.Context(), func(task scenario.Task, verdicts []score.Verdict) {
		if len(verdicts) != 1 || verdicts[0].Sample != task.Scenario.Name {
			t.Errorf("task %+v has verdicts %+v", task, verdicts)
		}
		if completed = append(completed, name(verdicts[0])); len(completed) == len(suite.Tasks())-1 {
			close(client.othersDone)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, v := range verdicts {
		got = append(got, name(v))
	}
	for _, repeat := range []int{1, 2} {
		for _, sample := range []string{"a", "b"} {
			for _, api := range suite.APIs {
				for _, stream := range []bool{false, true} {
					want = append(want, fmt.Sprintf("%d %s %s %v", repeat, sample, api, stream))
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of the verdicts (-want +got):\n%s", diff)
	}
	// The first sample answers last.
	if len(completed) != len(want) || completed[len(completed)-1] != want[0] {
		t.Errorf("reported in the order %q", completed)
	}
}

// later answers the first sample of all when the others are done.
type later struct{ othersDone chan struct{} }

func (l later) RoundTrip(req *http.Request) (*http.Response, error) {
	labels := req.Header[record.LabelHeader]
	if slices.Contains(labels, "sample=a") && slices.Contains(labels, "repeat=1") && slices.Contains(labels, "api=openai") &&
		slices.Contains(labels, "stream=off") {
		<-l.othersDone
	}
	return respond(200, "{}")(req)
}

func TestLatencyFromTheRecording(t *testing.T) {
	client := &script{replies: []func(*http.Request) (*http.Response, error){func(req *http.Request) (*http.Response, error) {
		resp, _ := respond(200, goodCall)(req)
		resp.Body = source{resp.Body, tape.Ref{Session: "s", Seq: 7}, 98765432 * time.Nanosecond}
		return resp, nil
	}, respond(200, goodText)}}
	verdicts := runOne(t, client, "openai", oneTool("a"))
	if got := verdicts[0].LatencyMS; got != 98.765 {
		t.Errorf("latency %v ms, the recording says 98.765", got)
	}
	if diff := cmp.Diff([]tape.Ref{{Session: "s", Seq: 7}}, verdicts[0].Exchanges); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
	if got := verdicts[1].LatencyMS; got != 12.5 {
		t.Errorf("latency %v ms, the clock says 12.5", got)
	}
}

func TestEncodedAnswer(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, goodCall)
	z.Close()
	tests := []struct{ name, coding, body, want string }{
		{"gzip", "gzip", packed.String(), "nil"},
		{"unknown", "rot13", packed.String(), `API error: content coding "rot13" is not known (gzip, deflate, br and zstd are)`},
		{"not what it says", "gzip", goodCall, "API error: undoing content coding gzip: gzip: invalid header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {tt.coding}}
			s := oneTool("a")
			s.ToolResult = nil
			verdicts := runOne(t, &script{replies: []func(*http.Request) (*http.Response, error){respondWith("200 OK", header, tt.body)}}, "openai", s)
			if got := deref(verdicts[0].Error); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

// TestOddAnswersGoOn: what ends exo's script costs one result here, and the other checks of it are still made.
func TestOddAnswersGoOn(t *testing.T) {
	call := func(arguments string) string {
		return `{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"function":{"name":"get_tide","arguments":` + arguments + `}}]}}]}`
	}
	tests := []struct {
		name, answer string
		checks       []score.Check
		want         string
	}{
		{"error object", `{"error":{"message":"boom"}}`, nil, `Unusable answer: the answer has no "choices" (KeyError: 'choices')`},
		{"nested too deep", call(`"` + strings.Repeat("[", 20000) + `"`),
			[]score.Check{{Name: "finish_reason_tool_calls", OK: true}, {Name: "has_tool_call", OK: true}, {Name: "correct_function", OK: true}, {Name: "valid_arguments"}},
			"Unusable answer: the arguments are nested too deep (RecursionError: maximum recursion depth exceeded while decoding a JSON array from a unicode string)"},
		{"stream that never says what", "", nil, "Unusable answer: the stream ended without its end marker"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reply := respond(200, tt.answer)
			if tt.answer == "" {
				reply = respondWith("200 OK", http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, ": keep-alive\n\n")
			}
			verdicts := runOne(t, &script{replies: []func(*http.Request) (*http.Response, error){reply, respond(200, goodText)}}, "openai", oneTool("a"))
			if diff := cmp.Diff(tt.checks, verdicts[0].Checks); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			if got := deref(verdicts[0].Error); got != tt.want || verdicts[0].Passed || verdicts[0].Status != score.OK {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			if wantPhases := min(len(tt.checks), 1) + 1; len(verdicts) != wantPhases {
				t.Errorf("%d phases, want %d", len(verdicts), wantPhases)
			}
		})
	}
}

func TestVerbose(t *testing.T) {
	var out bytes.Buffer
	suite := &scenario.Suite{
		Client:  &script{replies: []func(*http.Request) (*http.Response, error){respond(200, goodCall), respond(200, goodText)}},
		BaseURL: "http://x", Model: "m", APIs: scenario.AllAPIs[:1], Scenarios: []scenario.Scenario{oneTool("a")}, Verbose: &out,
	}
	if _, err := suite.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var heads []string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "    [") {
			heads = append(heads, line)
		}
	}
	want := []string{
		"    [openai] request: /v1/chat/completions {\n",
		"    [openai] response: {\n",
		"    [openai] follow_up request: /v1/chat/completions {\n",
		"    [openai] follow_up response: {\n",
	}
	if diff := cmp.Diff(want, heads); diff != "" {
		t.Errorf("verbose output (-want +got):\n%s", diff)
	}
	if !strings.Contains(out.String(), "\n  \"model\": \"m\",\n") {
		t.Errorf("bodies are not indented:\n%s", out.String())
	}
}

func TestAPIsOf(t *testing.T) {
	for name, want := range map[string][]tape.API{"all": scenario.AllAPIs, "ollama": {tape.Ollama}, "claude": {tape.Claude}} {
		got, err := scenario.APIsOf(name)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
	if _, err := scenario.APIsOf("ollama-generate"); err == nil ||
		err.Error() != `unknown API "ollama-generate": choose openai, claude, responses, ollama or all` {
		t.Errorf("error %v", err)
	}
	if _, err := scenario.NewRequest(tape.OllamaGenerate, "m", oneTool("a"), false); err == nil {
		t.Error("a scenario was put to an API without tools")
	}
}

func TestStreamOf(t *testing.T) {
	for name, ways := range map[string]int{"off": 1, "on": 1, "both": 2} {
		if s, err := scenario.StreamOf(name); err != nil || s.Ways() != ways {
			t.Errorf("%s: %d ways, error %v", name, s.Ways(), err)
		}
	}
	if _, err := scenario.StreamOf("yes"); err == nil || err.Error() != `unknown way to ask "yes": choose off, on or both` {
		t.Errorf("error %v", err)
	}
}

func TestUnwritableQuestion(t *testing.T) {
	bad := `{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"\ud800","function":{"name":"get_tide","arguments":"{\"harbour\":1}"}}]}}]}`
	verdicts := runOne(t, &script{replies: []func(*http.Request) (*http.Response, error){respond(200, bad)}}, "openai", oneTool("a"))
	if len(verdicts) != 2 || !verdicts[0].Passed {
		t.Fatalf("verdicts %+v", verdicts)
	}
	want := "API error: 'utf-8' codec can't encode character '\\ud800' in position "
	if got := deref(verdicts[1].Error); !strings.HasPrefix(got, want) {
		t.Errorf("error %q, want %q…", got, want)
	}
}

// TestVectorRealApp runs the parsers on what exo's real application answered.
func TestVectorRealApp(t *testing.T) {
	parsed, failed := 0, 0
	shared.Lines(t, "golden/exo/eval_golden/real_app.jsonl", func(line int, r struct {
		API      string
		Case     string `json:"prompt_case"`
		APIError string `json:"api_error"`
		Parsed   json.RawMessage
	}) {
		if r.API == "" {
			return // the control client's
		}
		reply := respondWith("404 ", http.Header{}, `{"error":{}}`)
		if r.Case != "NOINSTANCE" {
			reply = respond(200, wireBody(t, r.API, "nonstream", r.Case))
		}
		client := &script{replies: []func(*http.Request) (*http.Response, error){reply}}
		suite := &scenario.Suite{Client: client, BaseURL: "http://127.0.0.1:1", Model: "m", APIs: []tape.API{tape.API(r.API)},
			Scenarios: []scenario.Scenario{{Name: "s"}}}
		if r.APIError != "" {
			failed++
			want := strings.ReplaceAll(r.APIError, ":PORT/", ":1/")
			verdicts, err := suite.Run(t.Context(), nil)
			if err != nil || deref(verdicts[0].Error) != want {
				t.Errorf("line %d: error %q (%v), want %q", line, deref(verdicts[0].Error), err, want)
			}
			return
		}
		parsed++
		a, err := scenario.ParseAnswer(tape.API(r.API), python(t, []byte(wireBody(t, r.API, "nonstream", r.Case))))
		if err != nil {
			t.Errorf("line %d: %v", line, err)
			return
		}
		if diff := cmp.Diff(compact(t, r.Parsed), compactValue(t, answerJSON(a))); diff != "" {
			t.Errorf("line %d: %s %s (-want +got):\n%s", line, r.API, r.Case, diff)
		}
	})
	if parsed != 44 || failed != 13 {
		t.Errorf("compared %d answers and %d failures, want 44 and 13", parsed, failed)
	}
}

// wireBody is a body that exo's own adapters wrote.
func wireBody(t testing.TB, api, way, name string) string {
	t.Helper()
	var file struct{ Raw string }
	if err := json.Unmarshal(shared.Read(t, "golden/exo/wire/"+api+"__"+way+"__"+name+".json"), &file); err != nil {
		t.Fatal(err)
	}
	return file.Raw
}

// TestNoSecretsTold: errors and what --verbose prints get into logs. A credential that an answer has in it stays out of them.
func TestNoSecretsTold(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	answer := `{"choices":[{"finish_reason":"` + secret + `","message":{"content":"High water."}}]}`
	var out bytes.Buffer
	suite := &scenario.Suite{
		Client:  &script{replies: []func(*http.Request) (*http.Response, error){respond(200, goodCall), respond(200, answer)}},
		BaseURL: "http://x", Model: "m", APIs: scenario.AllAPIs[:1], Scenarios: []scenario.Scenario{oneTool("a")}, Verbose: &out,
	}
	verdicts, err := suite.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the error": deref(verdicts[1].Error), "what is printed": out.String()} {
		if strings.Contains(text, secret) || !strings.Contains(text, "[redacted:github-token:1]") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// TestUnreadableTape: a tape that cannot be read is no failure of an answer, wherever reading it fails. It ends the run.
func TestUnreadableTape(t *testing.T) {
	damaged := &tape.Error{Op: "reading a body from", Path: "run.tape", Err: tape.ErrDamaged}
	tests := []struct {
		name  string
		reply func(*http.Request) (*http.Response, error)
	}{
		{"instead of a response", func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("opening the body: %w", damaged) }},
		{"in the body", func(req *http.Request) (*http.Response, error) {
			resp, err := respond(200, goodCall)(req)
			resp.Body = io.NopCloser(io.MultiReader(resp.Body, iotest.ErrReader(fmt.Errorf("reading the body: %w", damaged))))
			return resp, err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := &script{replies: []func(*http.Request) (*http.Response, error){respond(200, goodCall), respond(200, goodText), tt.reply, respond(200, goodText)}}
			suite := &scenario.Suite{Client: client, BaseURL: "http://exo:52415/", Model: "m", APIs: scenario.AllAPIs[:1],
				Scenarios: []scenario.Scenario{oneTool("a"), oneTool("b"), oneTool("c")}, Repeat: 1}
			var told []string
			verdicts, err := suite.Run(t.Context(), func(task scenario.Task, _ []score.Verdict) { told = append(told, task.Scenario.Name) })
			if !errors.Is(err, tape.ErrDamaged) || len(verdicts) != 2 || len(client.requests) != 3 {
				t.Errorf("error %v, %d verdicts, %d requests", err, len(verdicts), len(client.requests))
			}
			if diff := cmp.Diff([]string{"a"}, told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}
