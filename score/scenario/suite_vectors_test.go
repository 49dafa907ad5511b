package scenario_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

// script answers requests in order, each with the next reply.
type script struct {
	replies  []func(*http.Request) (*http.Response, error)
	requests []*http.Request
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.requests = append(s.requests, req)
	if len(s.replies) == 0 {
		return nil, errors.New("the script has no further reply")
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return reply(req)
}

// respond makes a whole JSON response with the standard reason phrase.
func respond(status int, body string) func(*http.Request) (*http.Response, error) {
	return respondWith(fmt.Sprintf("%d %s", status, http.StatusText(status)), http.Header{"Content-Type": {"application/json"}}, body)
}

func respondWith(status string, header http.Header, body string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		var code int
		fmt.Sscan(status, &code)
		return &http.Response{Status: status, StatusCode: code, Header: header, Body: io.NopCloser(strings.NewReader(body)),
			ContentLength: -1, Request: req}, nil
	}
}

// respondCut makes a response whose body breaks off.
func respondCut(err error) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		resp, _ := respond(200, "")(req)
		resp.Body = io.NopCloser(iotest.ErrReader(err))
		return resp, nil
	}
}

func fail(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// ticking is a clock that goes on by step whenever it is read.
func ticking(step time.Duration) func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

// resultsOf are the "results" of exo's result file for the verdicts, in Python's compact JSON.
func resultsOf(t testing.TB, verdicts []score.Verdict) string {
	t.Helper()
	text, err := report.JSON(score.RunFile{Verdicts: verdicts}, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, _ := python(t, text).(*pyvalue.Dict).GetStr("results")
	return compactValue(t, results)
}

func runOne(t testing.TB, client http.RoundTripper, api string, s scenario.Scenario) []score.Verdict {
	t.Helper()
	suite := &scenario.Suite{
		Client:    client,
		BaseURL:   "http://localhost:52415",
		Model:     vectorModel,
		APIs:      []tape.API{tape.API(api)},
		Scenarios: []scenario.Scenario{s},
		Now:       ticking(12500 * time.Microsecond),
	}
	verdicts, err := suite.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// crashed checks that the last verdict is a failed one which names the exception the reference ends with.
func crashed(t testing.TB, line int, verdicts []score.Verdict, raises string) {
	t.Helper()
	last := verdicts[len(verdicts)-1]
	if last.Passed || last.Status != score.OK || last.Error == nil ||
		!strings.HasPrefix(*last.Error, "Unusable answer: ") || !strings.HasSuffix(*last.Error, "("+raises+")") {
		t.Errorf("line %d: the reference raises %s, got %s", line, raises, resultsOf(t, verdicts))
	}
}

func TestVectorChecks(t *testing.T) {
	exo := exoScenarios(t)
	compared, crashes := 0, 0
	shared.Lines(t, "golden/exo/eval_golden/checks.jsonl", func(line int, r struct {
		API, Scenario, Source, Raises string
		Responses                     []json.RawMessage
		Results                       json.RawMessage
	}) {
		client := &script{}
		for _, response := range r.Responses {
			client.replies = append(client.replies, respond(200, string(python(t, response).(pyvalue.Str))))
		}
		verdicts := runOne(t, client, r.API, byName(t, exo, r.Scenario))
		if r.Raises != "" {
			crashes++
			crashed(t, line, verdicts, r.Raises)
			return
		}
		compared++
		if diff := cmp.Diff(compact(t, r.Results), resultsOf(t, verdicts)); diff != "" {
			t.Errorf("line %d %s %s %s (-want +got):\n%s", line, r.API, r.Scenario, r.Source, diff)
		}
	})
	if compared != 1026 || crashes != 120 {
		t.Errorf("compared %d rows and %d crashes, want 1026 and 120", compared, crashes)
	}
}

// errorReplies are the failures that the labels of api_errors.jsonl stand for.
var errorReplies = map[string]func(*http.Request) (*http.Response, error){
	"redirect_with_location": respondWith("307 Temporary Redirect", http.Header{"Location": {"http://other/v1"}}, ""),
	"empty_200":              respond(200, ""),
	"html_200":               respondWith("200 OK", http.Header{"Content-Type": {"text/html"}}, "<html></html>"),
	"sse_200":                respond(200, ": keep-alive\n\ndata: {}\n\n"),
	"truncated_json":         respond(200, `{"choices":[{"mess`),
	"two_json":               respond(200, "{}\n{}"),
	"bom_json":               respond(200, "\ufeff"+emptyAnswer),
	"utf16_json":             respond(200, "\xff\xfe"+utf16le(emptyAnswer)),
	"utf16le_nobom":          respond(200, utf16le(emptyAnswer)),
	"latin1_bytes":           respond(200, "{\"a\":\"\xe9\"}"),
	"nan_json":               respond(200, "NaN"),
	"list_json":              respond(200, "[]"),
	"null_json":              respond(200, "null"),
	"string_json":            respond(200, `"text"`),
	"error_object_200":       respond(200, `{"error":{"message":"boom","type":"InternalServerError","code":500}}`),
	"detail_object_200":      respond(200, `{"detail":"Not Found"}`),
	"connect_error": fail(&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1},
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
	"read_timeout":          fail(&net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}),
	"connect_timeout":       fail(&net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}),
	"remote_protocol_error": fail(io.EOF),
	"incomplete_chunked":    respondCut(io.ErrUnexpectedEOF),
	"read_error_empty":      fail(errors.New("")),
}

// emptyAnswer says nothing in any of the APIs.
const emptyAnswer = `{"choices":[{"message":{}}]}`

func utf16le(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteByte(c)
		b.WriteByte(0)
	}
	return b.String()
}

// firstAnswers are good answers to the first phase of weather_multi_turn.
var firstAnswers = map[string]string{
	"openai": `{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"c","function":{"name":"get_current_weather",` +
		`"arguments":"{\"location\":\"Paris\"}"}}]}}]}`,
	"claude":    `{"stop_reason":"tool_use","content":[{"type":"tool_use","id":"c","name":"get_current_weather","input":{"location":"Paris"}}]}`,
	"responses": `{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"get_current_weather","arguments":"{\"location\":\"Paris\"}"}]}`,
}

func TestVectorAPIErrors(t *testing.T) {
	s := byName(t, exoScenarios(t), "weather_multi_turn")
	type result struct {
		Name, API, Phase string
		Passed           bool
		Error            *string
	}
	compared, crashes := 0, 0
	shared.Lines(t, "golden/exo/eval_golden/api_errors.jsonl", func(line int, r struct {
		Label, API, At, Raises string
		Results                []result
	}) {
		reply := errorReplies[r.Label]
		if code, ok := strings.CutPrefix(r.Label, "status_"); ok {
			var status int
			fmt.Sscan(code, &status)
			reply = respondWith(code+" "+http.StatusText(status), nil, "{}")
		}
		if reply == nil {
			t.Fatalf("line %d: what is %q?", line, r.Label)
		}
		client := &script{}
		if r.At == scenario.PhaseFollowUp {
			client.replies = append(client.replies, respond(200, firstAnswers[r.API]))
		}
		client.replies = append(client.replies, reply)
		verdicts := runOne(t, client, r.API, s)
		if r.Raises != "" {
			crashes++
			crashed(t, line, verdicts, r.Raises)
			return
		}
		compared++
		var got []result
		for _, v := range verdicts {
			got = append(got, result{v.Sample, string(v.API), v.Phase, v.Passed, v.Error})
		}
		if diff := cmp.Diff(r.Results, got); diff != "" {
			t.Errorf("line %d %s %s (-want +got):\n%s", line, r.Label, r.API, diff)
		}
	})
	if compared != 137 || crashes != 19 {
		t.Errorf("compared %d rows and %d crashes, want 137 and 19", compared, crashes)
	}
}
