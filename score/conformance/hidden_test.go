package conformance_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// hidden are leaks that look like what is excused: code, earlier words of the conversation, an end that was asked for.
var hidden = []struct {
	name string
	sent sent
	want string
	// meant is the call that is recovered; "" for none.
	meant string
}{
	{"a call that is indented", chat(ask(withTools), says("Sure:\n\n    "+tideText)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"a call that is indented by tabs", chat(ask(withTools), says("Sure:\n\n\t"+tideText)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"a call below an item of a list", chat(ask(withTools), says("1. Look it up:\n\n       "+tideText)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"a call between tags of HTML", chat(ask(withTools), says("<code>\n"+tideText+"\n</code>")), "leaked-markup-in-content call-in-content", "get_tide"},
	{"a call in JSON that is indented is an example", chat(ask(withTools), says("So:\n\n    "+`{"name":"get_tide","arguments":{"port":"Vigo"}}`)), "", ""},
	{"a call that is indented beside a real one", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo"}`))), "", ""},
	{"a call of no tool on offer that is indented", chat(ask(withTools), says("Sure:\n\n    "+strings.ReplaceAll(tideText, "get_tide", "get_moon"))), "", ""},
	{"Llama 4's call in JSON", chat(ask(withTools), says(`<|python_start|>{"name":"get_tide","parameters":{"port":"Vigo"}}<|python_end|>`)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"Llama 4's call in Python", chat(ask(withTools), says(`<|python_start|>[get_tide(port="Vigo")]<|python_end|>`)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"Llama 4's call before the end of the turn", chat(ask(withTools), says(`[get_tide(port="Vigo")]<|eot|>`)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"GLM-4-0414's call", chat(ask(withTools), says("get_tide\n{\"port\": \"Vigo\"}")), "call-in-content", "get_tide"},
	{"MiniCPM's fence is no example", chat(ask(withTools), says("<|tool_call_start|>\n```python\nget_tide(port=\"Vigo\")\n```\n<|tool_call_end|>")), "leaked-markup-in-content call-in-content", "get_tide"},
	{"MiniCPM 5's call", chat(ask(withTools), says(`<function name="get_tide"><param name="port">Vigo</param></function>`)), "call-in-content", "get_tide"},
	{"OLMo's calls", chat(ask(withTools), says("<function_calls>\nget_tide(port=\"Vigo\")\nget_tide(port=\"Faro\")\n</function_calls>")), "leaked-markup-in-content call-in-content", "get_tideget_tide"},
	{"Step's call in a fence of JSON", chat(ask(withTools), says("<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>get_tide\n```json\n{\"port\":\"Vigo\"}\n```<｜tool_call_end｜><｜tool_calls_end｜>")), "leaked-markup-in-content call-in-content", "get_tide"},
	{"Gemini's call between tags", chat(ask(withTools), says(`<tool_code>get_tide(port="Vigo")</tool_code>`)), "leaked-markup-in-content call-in-content", "get_tide"},
	{"a text's end", chat(ask(""), says("Noon.</s>")), "leaked-markup-in-content", ""},
	{"a text's beginning", chat(ask(""), says("<s>Noon.")), "leaked-markup-in-content", ""},
	{"EXAONE's end of a turn", chat(ask(""), says("Noon.[|endofturn|]")), "leaked-markup-in-content", ""},
	{"a text's end in a value", chat(ask(withTools), tide(`{"port":"Vigo</s>"}`)), "leaked-markup-in-arguments", ""},
	{"a text's end in a name", chat(ask(withTools), calls(call("c1", "get_tide</s>", vigo))), "leaked-markup-in-name", "get_tide"},
	{"a call in JSON where other JSON was asked for", chat(ask(withTools+`,"response_format":{"type":"json_schema","json_schema":{"schema":`+answerForm+`}}`), says(tideJSON)), "call-in-content", "get_tide"},
	{"a call in JSON where Ollama was asked for other JSON", sent{API: tape.Ollama, Request: ask(withTools + `,"stream":false,"format":` + answerForm), Response: `{"message":{"role":"assistant","content":` + quote(tideJSON) + `},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":9}`}, "call-in-content", "get_tide"},
	{"a call in JSON where Responses was asked for other JSON", sent{API: tape.Responses, Request: `{"model":"m","input":"High water in Vigo?","tools":[{"type":"function","name":"get_tide","parameters":{"type":"object"}}],"text":{"format":{"type":"json_schema","name":"a","schema":` + answerForm + `}}}`, Response: `{"object":"response","id":"r","status":"completed","output":[{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":` + quote(tideJSON) + `,"annotations":[]}]}],"usage":{"input_tokens":1,"output_tokens":9,"total_tokens":10}}`}, "call-in-content", "get_tide"},
	{"JSON that is as it was asked for", chat(ask(withTools+`,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","required":["name"]}}}`), says(tideJSON)), "", ""},
	{"JSON in a form that cannot be read", chat(ask(withTools+`,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"any"}}}`), says(tideJSON)), "", ""},
	{"a leak that the call before had at its end", chat(leakedBefore(`{"port":"Vigo<|im_end|>"}`), says("Noon.<|im_end|>")), "leaked-markup-in-content", ""},
	{"what the call before wrote into a file", chat(leakedBefore(`{"text":"END = '<|im_end|>'"}`), says("It ends at <|im_end|> now.")), "", ""},
	{"a long answer lost after reasoning, where a stop text was asked for", chat(ask(withTools+`,"stop":["Observation:"]`), whole(`"content":"","reasoning_content":"Look it up."`, `"stop"`)), "empty-answer", ""},
	{"an answer lost without counts, where a stop text was asked for", chat(ask(`,"stop":["END"]`), strings.Replace(says(""), usage, "", 1)), "missing-usage empty-answer", ""},
}

const (
	tideJSON   = `{"name":"get_tide","arguments":{"port":"Vigo"}}`
	answerForm = `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`
)

// leakedBefore is a conversation with an earlier call.
func leakedBefore(arguments string) string {
	return `{"model":"m","messages":[{"role":"user","content":"Go on."},{"role":"assistant","content":"","tool_calls":[` + call("a", "f", arguments) +
		`]},{"role":"tool","tool_call_id":"a","content":"1"}]}`
}

// TestHiddenLeaks: what only looks like an excuse is none.
func TestHiddenLeaks(t *testing.T) {
	for _, tt := range hidden {
		t.Run(tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
			if got := codesOf(r); got != tt.want {
				t.Errorf("problems %q, want %q: %+v", got, tt.want, r.Problems)
			}
			meant := ""
			for _, c := range r.Recovered {
				meant += c.Name
			}
			if meant != tt.meant {
				t.Errorf("recovered %q, want %q", meant, tt.meant)
			}
		})
	}
}
