package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/google/go-cmp/cmp"
)

// onePixel is a picture of 4 bytes for all this package knows.
const onePixel = "AQIDBA=="

var requestCases = []struct {
	name string
	api  tape.API
	body string
}{
	{"chat", tape.OpenAI, `{"model":"org/m","messages":[{"role":"system","content":"Be brief."},{"role":"developer","content":[{"type":"text","text":"Use tools.\nAlways."}]},
		{"role":"user","name":"ann","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + onePixel + `"}},
			{"type":"image_url","image_url":{"url":"https://example.org/a.png"}},{"type":"input_audio","input_audio":{"data":"x"}}]},
		{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":"x1","type":"function","function":{"name":"f","arguments":"{\"b\": 2, \"a\": [1, {}]}"}},{"id":"x2","type":"function","function":{"name":"g","arguments":"{broken"}}]},
		{"role":"tool","tool_call_id":"x2","content":"two\nlines"},{"role":"tool","tool_call_id":"x1","content":[{"type":"text","text":"one"}]},
		{"role":"system","content":"Late."},{"role":"user","content":"Well?"}],
		"tools":[{"type":"function","function":{"name":"f","description":"Does f.","parameters":{"type":"object","properties":{"b":{"type":"integer"},"a":{}},"required":["b"]}}},{"type":"function","function":{"name":"g"}}],
		"temperature":0.70,"stream":true,"max_tokens":12345678901234567890,"colour":"blue"}`},
	{"claude", tape.Claude, `{"model":"m","max_tokens":10,"system":[{"type":"text","text":"x-anthropic-billing-header: abc;\nBe brief.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Second."}],
		"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Yes"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":2,"a":1.0}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + onePixel + `"}},{"type":"search_result","title":"t"}]},
			{"type":"text","text":"And?"},{"type":"image","source":{"type":"url","url":"https://example.org/b.png"}},{"type":"document","source":{},"cache_control":{"type":"ephemeral"}}]}],
		"tools":[{"name":"f","description":"Does f.","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","max_uses":5}],"metadata":{"user_id":"u"},"betas":[]}`},
	{"responses", tape.Responses, `{"model":"m","instructions":"Be brief.","input":[{"type":"message","role":"system","content":"Use tools."},{"role":"user","content":[{"type":"input_text","text":"Hi"},{"type":"input_image","image_url":"data:,plain%20text"},{"type":"input_file","file_id":"f"}]},
		{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looking."}]},
		{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c2","output":"two"},{"type":"function_call_output","call_id":"c1","output":"one"},
		{"type":"item_reference","id":"r"}],"tools":[{"type":"function","name":"f","description":"Does f.","parameters":{"type":"object"}},{"type":"function","function":{"name":"g"}},{"type":"web_search"}],"reasoning":{"effort":"low"}}`},
	{"responses, a text", tape.Responses, `{"model":"m","input":"Hi"}`},
	{"ollama", tape.Ollama, `{"model":"m","messages":[{"role":"user","content":"What is this?","images":["` + onePixel + `","%"]},{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},
		{"role":"tool","tool_name":"f","content":"one"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"options":{"seed":1,"temperature":0},"keep_alive":"5m"}`},
	{"ollama generate", tape.OllamaGenerate, `{"model":"m","system":"Be brief.","prompt":"Once","suffix":"end","raw":false,"template":"","context":[1,2],"images":[],"stream":false}`},
	{"nothing asked", tape.OpenAI, "\ufeff {}"},
	{"wrong types", tape.OpenAI, `{"model":7,"stream":"yes","messages":[{"role":"user","content":5},{"role":"assistant","content":{"type":"text","text":"one part"},"tool_calls":{}}],"tools":{},"model":null}`},
}

// TestRequests reads requests of all APIs; testdata/requests.txt shows their outlines and meanings.
func TestRequests(t *testing.T) {
	var b strings.Builder
	for _, c := range requestCases {
		q, err := wire.ParseRequest(c.api, []byte(c.body))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		fmt.Fprintf(&b, "# %s\n%s", c.name, q.Outline())
		for _, n := range q.Notes {
			fmt.Fprintf(&b, "note %s %s: %s\n", n.Kind, n.Path, n.Detail)
		}
		fmt.Fprintf(&b, "meaning %s\n\n", q.Meaning(true))
	}
	golden.Check(t, *update, "testdata/requests.txt", []byte(b.String()))
}

func TestParseRequestErrors(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"empty", " ", "there is no JSON value"},
		{"not JSON", "{'a':1}", "invalid character"},
		{"cut", `{"model":"m"`, "unexpected EOF"},
		{"two values", `{} {}`, "more text after the JSON value, at byte 3"},
		{"a list", `[1]`, "the body is an array, not an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := wire.ParseRequest(tape.OpenAI, []byte(test.body))
			if q != nil || err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `API "openai"`) {
				t.Errorf("got %v, %v; want an error with %q", q, err, test.want)
			}
		})
	}
}

// TestMeaning holds pairs of bodies that ask the same, and pairs that do not.
func TestMeaning(t *testing.T) {
	same, differ := true, false
	for _, test := range []struct {
		name string
		api  tape.API
		a, b string
		want bool
	}{
		{"sampling, order of keys, streaming, unknown fields", tape.OpenAI, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":0}`, `{"x":1,"stream":true,"messages":[{"content":"Hi","role":"user"}],"model":"m","top_p":1}`, same},
		{"a text and a list of one text", tape.OpenAI, `{"messages":[{"role":"user","content":"Hi"}]}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`, same},
		{"no content, null, an empty text", tape.OpenAI, `{"messages":[{"role":"assistant","content":""}]}`, `{"messages":[{"role":"assistant","content":null}]}`, same},
		{"another text", tape.OpenAI, `{"messages":[{"role":"user","content":"Hi"}]}`, `{"messages":[{"role":"user","content":"hi"}]}`, differ},
		{"another role", tape.OpenAI, `{"messages":[{"role":"user","content":"Hi"}]}`, `{"messages":[{"role":"assistant","content":"Hi"}]}`, differ},
		{"one message more", tape.OpenAI, `{"messages":[]}`, `{"messages":[{"role":"user","content":"Hi"}]}`, differ},
		{"bytes that are not UTF-8", tape.OpenAI, "{\"messages\":[{\"role\":\"user\",\"content\":\"\\ud800\"}]}", "{\"messages\":[{\"role\":\"user\",\"content\":\"\\ud801\"}]}", differ},
		{"ids of calls", tape.OpenAI,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"b","content":"r"}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"f","arguments":"{ }"}},{"id":"y","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"y","content":"r"}]}`, same},
		{"results of other calls", tape.OpenAI,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"b","content":"r"}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}]}`, differ},
		{"arguments by value", tape.OpenAI, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\": 1, \"b\": \"\\u00e9\"}"}}]}]}`, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"b\":\"é\",\"a\":1}"}}]}]}`, same},
		{"long integers", tape.OpenAI, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\":9007199254740993}"}}]}]}`, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\":9007199254740992}"}}]}]}`, differ},
		{"arguments that are not JSON", tape.OpenAI, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{a"}}]}]}`, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{b"}}]}]}`, differ},
		{"order of keys in a schema", tape.OpenAI, `{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","required":["a"]}}}]}`, `{"tools":[{"function":{"parameters":{"required":["a"],"type":"object"},"name":"f"},"type":"function"}]}`, same},
		{"another schema", tape.OpenAI, `{"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":1}}}]}`, `{"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":1.0}}}]}`, differ},
		{"another description", tape.OpenAI, `{"tools":[{"type":"function","function":{"name":"f","description":"a"}}]}`, `{"tools":[{"type":"function","function":{"name":"f"}}]}`, differ},
		{"tools in another order", tape.OpenAI, `{"tools":[{"function":{"name":"f"}},{"function":{"name":"g"}}]}`, `{"tools":[{"function":{"name":"g"}},{"function":{"name":"f"}}]}`, differ},
		{"another picture", tape.OpenAI, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}}]}]}`, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,Ag=="}}]}]}`, differ},
		{"tools flat and nested", tape.Responses, `{"input":"Hi","tools":[{"type":"function","name":"f","description":"d","parameters":{}}]}`, `{"input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{}}}]}`, same},
		{"instructions and a system message", tape.Responses, `{"instructions":"Be brief.","input":"Hi"}`, `{"input":[{"type":"message","role":"system","content":"Be brief."},{"type":"message","role":"user","content":"Hi"}]}`, same},
		{"system as text and blocks, with what Claude Code adds", tape.Claude, `{"system":"Be brief.","messages":[]}`, `{"system":[{"type":"text","text":"x-anthropic-billing-header: cch=1;\nBe brief.","cache_control":{"type":"ephemeral"}}],"messages":[]}`, same},
		{"cache control of other blocks", tape.Claude, `{"messages":[{"role":"user","content":[{"type":"document","title":"t"}]}]}`, `{"messages":[{"role":"user","content":[{"type":"document","title":"t","cache_control":{}}]}]}`, same},
		{"a result that is an error", tape.Claude, `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`, `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x","is_error":true}]}]}`, differ},
		{"another suffix", tape.OllamaGenerate, `{"prompt":"a","suffix":"b"}`, `{"prompt":"a","suffix":"c"}`, differ},
		{"defaults of generate", tape.OllamaGenerate, `{"prompt":"a"}`, `{"prompt":"a","suffix":"","raw":false,"context":null}`, same},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := meaningOf(t, test.api, test.a, true), meaningOf(t, test.api, test.b, true)
			if got := a == b; got != test.want {
				t.Errorf("equal: %v, want %v\n%s\n%s", got, test.want, a, b)
			}
		})
	}
}

func meaningOf(t testing.TB, api tape.API, body string, includeModel bool) string {
	t.Helper()
	q, err := wire.ParseRequest(api, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(q.Meaning(includeModel))
}

func TestMeaningModelAndAPI(t *testing.T) {
	one, other := `{"model":"m","messages":[]}`, `{"model":"n","messages":[]}`
	if meaningOf(t, tape.OpenAI, one, true) == meaningOf(t, tape.OpenAI, other, true) {
		t.Error("another model is the same with the model")
	}
	if meaningOf(t, tape.OpenAI, one, false) != meaningOf(t, tape.OpenAI, other, false) {
		t.Error("another model differs without the model")
	}
	if meaningOf(t, tape.OpenAI, one, true) == meaningOf(t, tape.Ollama, one, true) {
		t.Error("another API is the same")
	}
}

func TestMessageParts(t *testing.T) {
	q, err := wire.ParseRequest(requestCases[0].api, []byte(requestCases[0].body))
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Messages) != 6 {
		t.Fatalf("%d messages", len(q.Messages))
	}
	assistant, tool := q.Messages[1], q.Messages[2]
	calls, results := assistant.ToolCalls(), tool.ToolResults()
	if len(calls) != 2 || len(results) != 1 {
		t.Fatalf("%d calls and %d results", len(calls), len(results))
	}
	got := []string{assistant.Reasoning(), calls[0].ID, calls[0].Arguments, calls[1].Name, results[0].CallID, results[0].Text, q.Messages[0].Text()}
	want := []string{"hm", "x1", `{"b": 2, "a": [1, {}]}`, "g", "x2", "two\nlines", "What is this?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRequestVectors reads every request of exo's evaluator. Phases, APIs and scenarios must differ in meaning, and the bytes on
// the wire must mean what the body means.
func TestRequestVectors(t *testing.T) {
	type row struct {
		Scenario, API, Phase, Variant, Kind string
		Synthetic                           any
		Body                                any
		BodyWire                            any `json:"body_wire"`
	}
	n, seen := 0, make(map[string]string)
	shared.Lines(t, "golden/exo/eval_golden/requests.jsonl", func(line int, r row) {
		body, ok := r.BodyWire.(string)
		if !ok || r.Kind != "" || r.Variant != "" || r.Synthetic != nil {
			return
		}
		n++
		q, err := wire.ParseRequest(tape.API(r.API), []byte(body))
		if err != nil {
			t.Errorf("line %d: %v", line, err)
			return
		}
		name := r.Scenario + " " + r.API + " " + r.Phase
		meaning := string(q.Meaning(true))
		if other, ok := seen[meaning]; ok {
			t.Errorf("%s means the same as %s", name, other)
		}
		seen[meaning] = name
		if len(q.Unknown) > 0 || len(q.Notes) > 0 || len(q.Messages) == 0 || q.Stream {
			t.Errorf("%s: unknown %v, notes %v, %d messages, stream %v", name, q.Unknown, q.Notes, len(q.Messages), q.Stream)
		}
		if q.Outline() == "" || !bytes.Contains(q.Meaning(true), []byte(q.Model)) {
			t.Errorf("%s: no outline or no model", name)
		}
	})
	if n != 48 {
		t.Errorf("%d requests, want 48", n)
	}
}

func ExampleParseRequest() {
	q, err := wire.ParseRequest(tape.Claude, []byte(`{"model":"m","max_tokens":100,"system":"Be brief.",
		"messages":[{"role":"user","content":"High tide in Faro?"}],
		"tools":[{"name":"get_tide","description":"Tide table","input_schema":{"type":"object","required":["port"]}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(q.Outline())
	// Output:
	// api claude
	// model m
	// stream false
	// system | Be brief.
	// message 1 user
	//   text | High tide in Faro?
	// tool get_tide
	//   description | Tide table
	//   schema.required[0] "port"
	//   schema.type "object"
	// option max_tokens 100
}
