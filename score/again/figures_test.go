package again_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/again"
	"github.com/exodeck/exodeck/score/conformance"
)

// Schema accuracy counts as K2 Vendor Verifier does: of answers that end with tool_calls those with calls that all fit.
func TestSchemaAccuracy(t *testing.T) {
	call := func(name, arguments string) string {
		return fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":%q,"arguments":%s}}`, len(name)+len(arguments), name, arguments)
	}
	right := call("get_tide", `"{\"port\":\"Vigo\"}"`)
	for _, test := range []struct {
		name, calls string
		noTools     bool
		finish      string // "tool_calls" when ""
		want        again.Share
	}{
		{name: "a call that fits", calls: right, want: again.Share{Right: 1, Of: 1}},
		{name: "two calls, one of which does not fit", calls: right + "," + call("get_tide", `"{}"`), want: again.Share{Of: 1}},
		{name: "an object in place of a string", calls: call("get_tide", `{"port":"Vigo"}`), want: again.Share{Right: 1, Of: 1}},
		{name: "no call at all", want: again.Share{Of: 1}},
		{name: "arguments that are empty", calls: call("get_tide", `""`), want: again.Share{Of: 1}},
		{name: "arguments that are no JSON", calls: call("get_tide", `"port=Vigo"`), want: again.Share{Of: 1}},
		{name: "a tool that was not offered", calls: call("get_wind", `"{\"port\":\"Vigo\"}"`), want: again.Share{Of: 1}},
		{name: "markup in the name", calls: call("get_tide<|channel|>commentary", `"{\"port\":\"Vigo\"}"`), want: again.Share{Of: 1}},
		{name: "no tools offered", calls: right, noTools: true, want: again.Share{Of: 1}},
		{name: "another finish reason", calls: right, finish: "stop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tools, finish := tideTool, "tool_calls"
			if test.noTools {
				tools = ""
			}
			if test.finish != "" {
				finish = test.finish
			}
			c, err := cassette.Read(strings.NewReader(fmt.Sprintf(
				`{"seq":1,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Tide?"}],"tools":[%s]}},`+
					`"response":{"status":200,"headers":{"Content-Type":["application/json"]},"body":{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[%s]},"finish_reason":%q}]}},"ended":"complete"}`,
				tools, test.calls, finish)), "test")
			if err != nil {
				t.Fatal(err)
			}
			ref := tape.Ref{Session: "s1", Seq: 1}
			got, err := again.Compare(t.Context(), c, c, []again.Pair{{Reference: ref, Now: ref}}, conformance.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Now.SchemaAccuracy); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// An answer triggers when its finish reason says that tools are called, and where an API has no word for that, when it ends as it should with
// a call.
func TestTriggerByAPI(t *testing.T) {
	const (
		asked         = `{"model":"m","messages":[{"role":"user","content":"Tide?"}],"tools":[` + tideTool + `]}`
		responsesCall = `{"type":"function_call","id":"f","call_id":"c","name":"get_tide","arguments":"{\"port\":\"Vigo\"}","status":"completed"}`
		ollamaCall    = `"tool_calls":[{"function":{"name":"get_tide","arguments":{"port":"Vigo"}}}]`
		chatCall      = `"tool_calls":[{"id":"c","type":"function","function":{"name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}}]`
	)
	responses := func(status, output string) string {
		return fmt.Sprintf(`{"id":"r","object":"response","status":%q,"output":[%s]}`, status, output)
	}
	ollama := func(message, reason string) string {
		return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":""%s},"done":true,"done_reason":%q}`, message, reason)
	}
	chat := func(message, reason string) string {
		return fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":""%s},"finish_reason":%q}]}`, message, reason)
	}
	claude := func(reason string) string {
		return fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"get_tide","input":{"port":"Vigo"}}],"stop_reason":%q}`, reason)
	}
	for _, tt := range []struct {
		name, url, answer string
		want              bool
	}{
		{"Responses with a call", "/v1/responses", responses("completed", responsesCall), true},
		{"Responses cut off", "/v1/responses", responses("incomplete", responsesCall), false},
		{"Responses without a call", "/v1/responses", responses("completed", ""), false},
		{"Ollama with a call", "/ollama/api/chat", ollama(","+ollamaCall, "stop"), true},
		{"exo's Ollama with a call", "/ollama/api/chat", ollama(","+ollamaCall, "tool_call"), true},
		{"Ollama cut off", "/ollama/api/chat", ollama(","+ollamaCall, "length"), false},
		{"Ollama without a call", "/ollama/api/chat", ollama("", "stop"), false},
		{"Chat with a call", "/v1/chat/completions", chat(","+chatCall, "tool_calls"), true},
		{"Chat with a call that its reason does not tell", "/v1/chat/completions", chat(","+chatCall, "stop"), false},
		{"Chat with a reason and no call", "/v1/chat/completions", chat("", "tool_calls"), true},
		{"Claude with a call", "/v1/messages", claude("tool_use"), true},
		{"Claude with a call that its reason does not tell", "/v1/messages", claude("end_turn"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := func(seq int, url, answer string) string {
				return fmt.Sprintf(`{"seq":%d,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":%q,"body":%s},`+
					`"response":{"status":200,"headers":{"Content-Type":["application/json"]},"body":%s},"ended":"complete"}`+"\n", seq, url, asked, answer)
			}
			c, err := cassette.Read(strings.NewReader(line(1, "/v1/chat/completions", chat(","+chatCall, "tool_calls"))+line(2, tt.url, tt.answer)), "test")
			if err != nil {
				t.Fatal(err)
			}
			pair := again.Pair{Reference: tape.Ref{Session: "s1", Seq: 1}, Now: tape.Ref{Session: "s1", Seq: 2}}
			got, err := again.Compare(t.Context(), c, c, []again.Pair{pair}, conformance.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Compared != 1 || got.Trigger.Both+got.Trigger.Reference != 1 || (got.Trigger.Both == 1) != tt.want {
				t.Errorf("compared %d, trigger %+v; want the new answer to trigger: %v", got.Compared, got.Trigger, tt.want)
			}
		})
	}
}
