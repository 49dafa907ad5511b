package conformance_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// TestPlaces: a problem is where a person finds it: a path into a whole body, an event and its offset in a stream, a pointer into the
// arguments of a call.
func TestPlaces(t *testing.T) {
	thinking := claude(`"end_turn"`, start(0, `{"type":"thinking","thinking":""}`), stop(0), start(1, emptyText), text(1, "At noon. "), text(1, "<|im_"), text(1, "end|>"), stop(1))
	for _, tt := range []struct {
		name string
		sent sent
		code string
		want string
	}{
		{"text of Chat", chat(ask(""), says("<think>")), "leaked-markup-in-content", "response /choices/0/message/content"},
		{"text of Claude", sent{api: tape.Claude, request: ask(""), response: `{"type":"message","content":[{"type":"text","text":"Noon. "},{"type":"text","text":"<|im_end|>"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`}, "leaked-markup-in-content", "response /content/1"},
		{"text of Responses", sent{api: tape.Responses, request: `{"model":"m","input":"?"}`, response: responses("completed", responsesUsage, said("Noon. "), said("<|im_end|>"))}, "leaked-markup-in-content", "response /output/1"},
		{"text of Ollama", sent{api: tape.Ollama, request: `{"model":"m","messages":[],"stream":false}`, response: `{"message":{"role":"assistant","content":"<think>"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "leaked-markup-in-content", "response /message/content"},
		{"text of a stream", sent{api: tape.Claude, request: ask(""), response: thinking}, "leaked-markup-in-content",
			"response event 6 at byte " + strconv.Itoa(strings.Index(thinking, text(1, "<|im_")))},
		{"a reason", chat(ask(""), whole(`"content":"Noon."`, `"done"`)), "unknown-finish-reason", "response /choices/0/finish_reason"},
		{"counts", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":1`, 1)), "usage-mismatch", "response /usage"},
		{"a call", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo"}`), call("", "get_tide", `{"port":"Faro"}`))), "missing-call-id", "response /choices/0/message/tool_calls/1 call 2"},
		{"an argument", chat(ask(withTools), tide(`{"port":"Vigo","level":"x"}`)), "type-mismatch", "response /choices/0/message/tool_calls/0 call 1 argument /level"},
		{"a call of Claude", sent{api: tape.Claude, request: ask(`,"tools":` + tools), response: `{"type":"message","content":[{"type":"text","text":"So:"},{"type":"tool_use","id":"t","name":"get_tide","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}, "missing-required", "response /content/1 call 1"},
		{"a call of Ollama", sent{api: tape.Ollama, request: `{"model":"m","messages":[],"stream":false,"tools":` + chatTools + `}`, response: `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{}}}]},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "missing-required", "response /message/tool_calls/0 call 1"},
		{"reasoning", chat(ask(withTools), whole(`"content":"","reasoning_content":`+quote(tideText), `"stop"`)), "call-in-reasoning", "response /choices/0/message/reasoning_content"},
		{"an event", chat(ask(""), chunk(`{"content":"At"}`, "")+event(`{"error":{"message":"died"}}`)), "stream-error-event", "response event 2 at byte " + strconv.Itoa(len(chunk(`{"content":"At"}`, "")))},
		{"a tool", chat(ask(`,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b","parameters":{"type":"any"}}}]`), says("Noon.")), "schema-unusable", "request /tools/1"},
		{"a message", chat(`{"model":"m","messages":[{"role":"user","content":"?"},{"role":"tool","tool_call_id":"c2","content":"1"}]}`, says("Fine.")), "orphan-tool-result", "request /messages/1"},
	} {
		r := conformance.New(conformance.Rules{}).Exchange(tt.sent.read(t))
		got := ""
		for _, p := range r.Problems {
			if p.Code == tt.code {
				got = p.Where.String()
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s is in %q, want %q", tt.name, tt.code, got, tt.want)
		}
	}
}
