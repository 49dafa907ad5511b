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
	items := itemStream(said("<|im_end|>"), said(""), false)
	noon := chunk(`{"content":"Noon."}`, "null")
	piece := func(entry string) string { return chunk(`{"tool_calls":[`+entry+`]}`, "") }
	events := []string{
		chunk(`{"role":"assistant","content":null}`, ""), piece(at(0, call("c1", "get_time", ""))), piece(at(1, call("c1", "get_tide", `{"port":"Faro"}`))),
		piece(`{"index":0,"function":{"arguments":"{"}}`), piece(`{"index":0,"function":{"arguments":"}"}}`), chunk(`{}`, `"tool_calls"`), done,
	}
	begins := func(n int) string { return strconv.Itoa(len(strings.Join(events[:n-1], ""))) }
	pieces, second, third, fifth := strings.Join(events, ""), begins(2), begins(3), begins(5)
	many := at(19, call("c19", "get_time", "{}"))
	for i := 18; i >= 0; i-- {
		many = at(i, call("c"+strconv.Itoa(i), "get_tide", `{"port":"Vigo"}`)) + "," + many
	}
	tool := `{"type":"tool_use","id":"t1","name":"f","input":{}}`
	block := claude(`"tool_use"`, start(0, tool), named(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`), stop(0))
	for _, tt := range []struct {
		name string
		sent sent
		code string
		want string
	}{
		{"text of Chat", chat(ask(""), says("<think>")), "leaked-markup-in-content", "response /choices/0/message/content"},
		{"text of Claude", sent{API: tape.Claude, Request: ask(""), Response: `{"type":"message","content":[{"type":"text","text":"Noon. "},{"type":"text","text":"<|im_end|>"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`}, "leaked-markup-in-content", "response /content/1"},
		{"text of Responses", sent{API: tape.Responses, Request: `{"model":"m","input":"?"}`, Response: responses("completed", responsesUsage, said("Noon. "), said("<|im_end|>"))}, "leaked-markup-in-content", "response /output/1"},
		{"text of Ollama", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"stream":false}`, Response: `{"message":{"role":"assistant","content":"<think>"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "leaked-markup-in-content", "response /message/content"},
		{"text of a stream", sent{API: tape.Claude, Request: ask(""), Response: thinking}, "leaked-markup-in-content",
			"response event 6 at byte " + strconv.Itoa(strings.Index(thinking, text(1, "<|im_"))) + " /delta/text"},
		{"text at the start of a block", sent{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, `{"type":"text","text":"<|im_end|>"}`), stop(0))}, "leaked-markup-in-content",
			"response event 2 at byte " + strconv.Itoa(strings.Index(claude(`"end_turn"`, start(0, "")), start(0, ""))) + " /content_block/text"},
		{"text of a stream of Chat", chat(ask(""), chunk(`{"content":"<|im_"}`, "")+chunk(`{"content":"end|>"}`, `"stop"`)+done), "leaked-markup-in-content", "response event 1 at byte 0 /choices/0/delta/content"},
		{"text of a stream of Responses", sent{API: tape.Responses, Request: `{"model":"m","input":"?"}`, Response: items}, "leaked-markup-in-content", "response event 3 at byte " + strconv.Itoa(strings.Index(items, `data: {"type":"response.output_text.delta"`)) + " /delta"},
		{"text of a stream of Ollama", sent{API: tape.OllamaGenerate, Request: `{"model":"m","prompt":"?"}`, Response: "{\"response\":\"<think>\"}\n{\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":1,\"eval_count\":1}\n"}, "leaked-markup-in-content", "response event 1 at byte 0 /response"},
		{"reasoning under its other name", chat(ask(withTools), chunk(`{"reasoning_content":"","reasoning":`+quote(tideText)+`}`, `"stop"`)+done), "call-in-reasoning", "response event 1 at byte 0 /choices/0/delta/reasoning"},
		{"reasoning of a stream", chat(ask(withTools), chunk(`{"reasoning_content":`+quote(tideText)+`}`, `"stop"`)+done), "call-in-reasoning", "response event 1 at byte 0 /choices/0/delta/reasoning_content"},
		{"a reason", chat(ask(""), whole(`"content":"Noon."`, `"done"`)), "unknown-finish-reason", "response /choices/0/finish_reason"},
		{"a reason that is null", chat(ask(""), whole(`"content":"Noon."`, `null`)), "missing-finish-reason", "response /choices/0/finish_reason"},
		{"a reason in a stream", chat(ask(""), noon+chunk(`{}`, `"tool_calls"`)+event(`{"object":"chat.completion.chunk","choices":[]`+usage+`}`)+done), "finish-reason-mismatch", "response event 2 at byte " + strconv.Itoa(len(noon)) + " /choices/0/finish_reason"},
		{"a second reason in a stream", chat(ask(""), noon+chunk(`{}`, `"stop"`)+chunk(`{}`, `"end"`)+done), "unknown-finish-reason", "response event 3 at byte " + strconv.Itoa(len(noon+chunk(`{}`, `"stop"`))) + " /choices/0/finish_reason"},
		{"a reason that is null in a stream", chat(ask(""), noon+chunk(`{}`, `null`)+done), "missing-finish-reason", "response event 2 at byte " + strconv.Itoa(len(noon)) + " /choices/0/finish_reason"},
		{"a reason that is nowhere in a stream", chat(ask(""), chunk(`{"content":"Noon."}`, "")+done), "missing-finish-reason", "response event 2 at byte " + strconv.Itoa(len(chunk(`{"content":"Noon."}`, "")+done))},
		{"a reason of a stream of Claude", sent{API: tape.Claude, Request: ask(""), Response: claude("null", start(0, emptyText), text(0, "Noon."), stop(0))}, "missing-finish-reason", "response event 5 at byte " + strconv.Itoa(strings.Index(claude("null", start(0, emptyText), text(0, "Noon."), stop(0)), "event: message_delta")) + " /delta/stop_reason"},
		{"a reason of a stream of Ollama", sent{API: tape.OllamaGenerate, Request: `{"model":"m","prompt":"?"}`, Response: "{\"response\":\"Noon.\"}\n{\"done\":true,\"done_reason\":\"tool_call\",\"prompt_eval_count\":1,\"eval_count\":1}\n"}, "nonstandard-done-reason", "response event 2 at byte 21 /done_reason"},
		{"counts", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":1`, 1)), "usage-mismatch", "response /usage"},
		{"a call", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo"}`), call("", "get_tide", `{"port":"Faro"}`))), "missing-call-id", "response /choices/0/message/tool_calls/1 call 2"},
		{"the name of a call in a stream", chat(ask(withTools), pieces), "unknown-tool", "response event 2 at byte " + second + " /choices/0/delta/tool_calls/0/function/name call 1"},
		{"the id of a call in a stream", chat(ask(withTools), pieces), "duplicate-call-id", "response event 3 at byte " + third + " /choices/0/delta/tool_calls/0/id call 2"},
		{"the arguments of a call in a stream", chat(ask(withTools), strings.ReplaceAll(pieces, "get_time", "get_tide")), "missing-required", "response event 5 at byte " + fifth + " call 1"},
		{"a call without an id in a stream", chat(ask(withTools), strings.Replace(pieces, `"id":"c1"`, `"id":""`, 1)), "missing-call-id", "response event 2 at byte " + second + " /choices/0/delta/tool_calls/0/function/name call 1"},
		{"the second of two calls in one event", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"port":"Vigo"}`))+`,`+at(1, call("c1", "get_tide", `{"port":"Faro"}`))+`]}`, `"tool_calls"`)+done), "duplicate-call-id", "response event 1 at byte 0 /choices/0/delta/tool_calls/1/id call 2"},
		{"a call of very many", chat(ask(withTools), chunk(`{"tool_calls":[`+many+`]}`, `"tool_calls"`)+done), "unknown-tool", "response event 1 at byte 0 call 20"},
		{"a call of a line of Ollama", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"tools":` + chatTools + `}`, Response: `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}` + "\n" + `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}` + "\n"}, "unknown-tool", "response event 1 at byte 0 /message/tool_calls/0/function/name call 1"},
		{"a call of a stream of Claude", sent{API: tape.Claude, Request: ask(`,"tools":` + tools), Response: block}, "unknown-tool", "response event 2 at byte " + strconv.Itoa(strings.Index(block, start(0, tool))) + " /content_block/name call 1"},
		{"an argument", chat(ask(withTools), tide(`{"port":"Vigo","level":"x"}`)), "type-mismatch", "response /choices/0/message/tool_calls/0 call 1 argument /level"},
		{"a call of Claude", sent{API: tape.Claude, Request: ask(`,"tools":` + tools), Response: `{"type":"message","content":[{"type":"text","text":"So:"},{"type":"tool_use","id":"t","name":"get_tide","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}, "missing-required", "response /content/1 call 1"},
		{"a call of Ollama", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"stream":false,"tools":` + chatTools + `}`, Response: `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{}}}]},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "missing-required", "response /message/tool_calls/0 call 1"},
		{"reasoning", chat(ask(withTools), whole(`"content":"","reasoning_content":`+quote(tideText), `"stop"`)), "call-in-reasoning", "response /choices/0/message/reasoning_content"},
		{"an event", chat(ask(""), chunk(`{"content":"At"}`, "")+event(`{"error":{"message":"died"}}`)), "stream-error-event", "response event 2 at byte " + strconv.Itoa(len(chunk(`{"content":"At"}`, "")))},
		{"a tool", chat(ask(`,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b","parameters":{"type":"any"}}}]`), says("Noon.")), "schema-unusable", "request /tools/1"},
		{"a message behind the system's", chat(`{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"?"},{"role":"tool","tool_call_id":"c2","content":"1"}]}`, says("Fine.")), "orphan-tool-result", "request /messages/2"},
		{"an item of Responses", input(`[{"role":"user","content":"?"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"}]`), "orphan-tool-result", "request /input/3"},
		{"a message of Responses", input(`[{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"role":"user","content":"Well?"}]`), "unanswered-tool-call", "request /input/1"},
		{"a message", chat(`{"model":"m","messages":[{"role":"user","content":"?"},{"role":"tool","tool_call_id":"c2","content":"1"}]}`, says("Fine.")), "orphan-tool-result", "request /messages/1"},
	} {
		r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
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
