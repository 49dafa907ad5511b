package scenario

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// TestStreamSaysTheSame compares exo's streamed answers with the whole ones to the same generation: what the checks look at must be
// the same. The ids of calls are not, nor is how exo reports what went wrong.
func TestStreamSaysTheSame(t *testing.T) {
	dir := shared.Dir(t, "golden", "exo", "wire")
	paths, err := filepath.Glob(filepath.Join(dir, "*__nonstream__*.json"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) (raw string, api tape.API) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ API, Raw string }
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		return file.Raw, tape.API(file.API)
	}
	compared, unusable := 0, 0
	for _, path := range paths {
		raw, api := read(path)
		if _, err := dialectOf(api); err != nil {
			continue
		}
		name := filepath.Base(path)
		streamRaw, _ := read(filepath.Join(dir, strings.Replace(name, "__nonstream__", "__stream__", 1)))
		got, streamErr := parseStream(api, []byte(streamRaw))
		data, err := pyjson.DecodeString(raw)
		if err != nil {
			continue // exo's empty body for a failed generation
		}
		want, err := ParseAnswer(api, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if streamErr != nil {
			unusable++
			if want.FinishReason == pyvalue.Value(pyvalue.Str("stop")) || want.FinishReason == pyvalue.Value(pyvalue.Str("tool_calls")) {
				t.Errorf("%s: the whole answer is fine, the stream is not: %v", name, streamErr)
			}
			continue
		}
		compared++
		for _, phase := range []string{PhaseToolCall, PhaseFollowUp} {
			s := Scenario{ExpectToolCall: true}
			w, g := judge(s, phase, want), judge(s, phase, got)
			if w.passed() != g.passed() {
				t.Errorf("%s: %s passes %v whole, %v streamed: %+v, %+v", name, phase, w.passed(), g.passed(), want, got)
			}
		}
		if (want.Call == nil) != (got.Call == nil) {
			t.Errorf("%s: call %v whole, %v streamed", name, want.Call, got.Call)
		} else if want.Call != nil && want.Call.Name != got.Call.Name {
			t.Errorf("%s: function %v whole, %v streamed", name, want.Call.Name, got.Call.Name)
		}
	}
	if compared < 200 {
		t.Errorf("only %d answers compared, %d streams unusable", compared, unusable)
	}
	t.Logf("%d compared, %d unusable", compared, unusable)
}

func TestParseStream(t *testing.T) {
	event := func(events ...string) string {
		return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
	}
	const start, end = `{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}`, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}`
	tests := []struct {
		name string
		api  tape.API
		body string
		want string // finish reason, function, arguments, content; or the error
	}{
		{"text", tape.OpenAI, event(start, end, "[DONE]"), "stop|||Hi"},
		{"no end marker", tape.OpenAI, event(start, end), "the stream ended without its end marker"},
		{"error", tape.OpenAI, event(start, `{"error":{"message":"runner died","type":"InternalServerError","code":500}}`, "[DONE]"),
			"the stream reports an error: runner died"},
		{"call", tape.OpenAI, event(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, "[DONE]"),
			"tool_calls|f|{}|"},
		{"ollama text", tape.Ollama, `{"message":{"role":"assistant","content":"Hi"},"done":false}` + "\n" + `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}` + "\n",
			"stop|||Hi"},
		{"ollama call ended by stop", tape.Ollama, `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":true,"done_reason":"stop"}` + "\n",
			`tool_calls|f|{"a": 1}|`},
		{"ollama cut", tape.Ollama, `{"message":{"role":"assistant","content":"Hi"},"done":false}` + "\n", "the stream ended without its end marker"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := parseStream(tt.api, []byte(tt.body))
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				parts := []string{pyvalue.String(a.FinishReason), "", "", ""}
				if a.Call != nil {
					parts[1], parts[2] = pyvalue.String(a.Call.Name), pyvalue.String(a.Call.Arguments)
				}
				if a.Content != pyvalue.Value(pyvalue.None{}) {
					parts[3] = pyvalue.String(a.Content)
				}
				got = strings.Join(parts, "|")
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestIsStream(t *testing.T) {
	for kind, want := range map[string]bool{
		"text/event-stream; charset=utf-8": true, "TEXT/Event-Stream": true, "application/x-ndjson": true,
		"text/event-stream;;": true, "application/json": false, "": false, "text/plain": false,
	} {
		if got := isStream(http.Header{"Content-Type": {kind}}); got != want {
			t.Errorf("%q: stream %v, want %v", kind, got, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"finish_reason":"tool_calls","message":{"content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`,
		`{"stop_reason":"tool_use","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{"a":[1,null]}}]}`,
		`{"status":"completed","output":[{"type":"message","content":[{"text":"x"}]},{"type":"function_call","call_id":"c"}]}`,
		`{"message":{"content":"x","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done_reason":"tool_call"}`,
		`[]`, `{"choices":"abc"}`, `{"content":{"type":1}}`, `NaN`,
	} {
		f.Add([]byte(seed))
	}
	s := Scenario{ExpectToolCall: true, ExpectedFunction: "f", RequiredArgKeys: []string{"a"}, NestedArrayKey: "a", RequiredItemKeys: []string{"b"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		data, err := pyjson.Decode(body)
		if err != nil {
			return
		}
		for _, d := range dialects {
			a, err := ParseAnswer(d.api, data)
			if err != nil {
				if e, ok := err.(*UnusableError); !ok || e.What == "" || e.Exception == "" {
					t.Fatalf("%s: error %#v", d.api, err)
				}
				continue
			}
			if a.FinishReason == nil || a.Content == nil {
				t.Fatalf("%s: answer %+v", d.api, a)
			}
			judge(s, PhaseToolCall, a)
			judge(s, PhaseFollowUp, a)
			if a.Call != nil {
				// Either the follow-up can be written or it is said why not.
				if req, err := NewFollowUp(d.api, "m", s, *a.Call, "{}", false); err == nil && !json.Valid(req.Body) {
					t.Fatalf("%s: body %s", d.api, req.Body)
				}
			}
		}
	})
}

// FuzzStream: of any stream there is an answer that can be judged and gone on from, or it is said why there is none.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		"event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}}\n\n" +
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
		"{\"message\":{\"content\":\"x\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":[{\"b\":1}]}}}]},\"done\":false}\n{\"done\":true,\"done_reason\":\"stop\"}\n",
		"{\"error\":\"x\"}\n", "data: {\"error\":{\"message\":null}}\n\n", "data: [DONE]\n\n", "",
	} {
		f.Add([]byte(seed))
	}
	s := Scenario{ExpectToolCall: true, ExpectedFunction: "f", RequiredArgKeys: []string{"a"}, NestedArrayKey: "a", RequiredItemKeys: []string{"b"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range dialects {
			a, err := parseStream(d.api, body)
			if err != nil {
				if e, ok := err.(*UnusableError); !ok || e.What == "" {
					t.Fatalf("%s: error %#v", d.api, err)
				}
				continue
			}
			if a.FinishReason == nil || a.Content == nil {
				t.Fatalf("%s: answer %+v", d.api, a)
			}
			judge(s, PhaseToolCall, a)
			judge(s, PhaseFollowUp, a)
			if a.Call != nil {
				if req, err := NewFollowUp(d.api, "m", s, *a.Call, "{}", true); err == nil && !json.Valid(req.Body) {
					t.Fatalf("%s: body %s", d.api, req.Body)
				}
			}
		}
	})
}
