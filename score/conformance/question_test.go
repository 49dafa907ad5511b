package conformance_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

func TestQuestion(t *testing.T) {
	const chat = `{"model":"m","temperature":0,"max_tokens":64,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}`
	const messages = `{"model":"m","temperature":0,"max_tokens":64,"system":"Be brief.","messages":[{"role":"user","content":"Hi"}],"stream":true}`
	one, ok := conformance.QuestionOf(exchange(tape.OpenAI, chat, "{}"))
	if !ok {
		t.Fatal("a question at temperature 0 is not taken for one with one answer")
	}
	if two, ok := conformance.QuestionOf(exchange(tape.Claude, messages, "{}")); !ok || two.Limited() != one.Limited() {
		t.Error("the same question through another API, as a stream, is another one")
	}
	if two, ok := conformance.QuestionOf(exchange(tape.OpenAI, strings.Replace(chat, "Hi", "Ho", 1), "{}")); !ok || two.Limited() == one.Limited() {
		t.Error("another question is the same")
	}
	for name, request := range map[string]string{"at another temperature": strings.Replace(chat, `"temperature":0`, `"temperature":1`, 1), "unreadable": "["} {
		if _, ok := conformance.QuestionOf(exchange(tape.OpenAI, request, "{}")); ok {
			t.Errorf("a question that is %s has one answer", name)
		}
	}
}

// TestQuestionSettings: all that can change an answer makes another question of it, in whatever form an API has it, and nothing else does.
func TestQuestionSettings(t *testing.T) {
	type request struct {
		api     tape.API
		members string
	}
	openai := func(members string) request { return request{tape.OpenAI, members} }
	claude := func(members string) request { return request{tape.Claude, members} }
	responses := func(members string) request { return request{tape.Responses, members} }
	ollama := func(options, members string) request {
		return request{tape.Ollama, `,"options":{"temperature":0` + options + `}` + members}
	}
	const schema = `{"type":"object","properties":{"at":{"type":"string","minLength":2}}}`
	chatTool := func(schema string) string {
		return `,"tools":[{"type":"function","function":{"name":"get_tide","description":"Tide","parameters":` + schema + `}}]`
	}
	claudeTool := func(schema string) string {
		return `,"tools":[{"name":"get_tide","description":"Tide","input_schema":` + schema + `}]`
	}
	sum := func(r request) [32]byte {
		t.Helper()
		content := `"messages":[{"role":"user","content":"Hi"}]`
		if r.api == tape.Responses {
			content = `"input":"Hi"`
		}
		if r.api != tape.Ollama {
			content = `"temperature":0,` + content
		}
		q, ok := conformance.QuestionOf(exchange(r.api, `{"model":"m",`+content+r.members+`}`, "{}"))
		if !ok {
			t.Fatalf("%s: %s is no question", r.api, r.members)
		}
		return q.Limited()
	}
	// Each line is one question.
	lines := [][]request{
		{
			openai(""), claude(""), responses(""), ollama("", ""), openai(`,"temperature":0.0`), openai(`,"stream":true,"stream_options":{"include_usage":true}`),
			openai(`,"tool_choice":"auto","parallel_tool_calls":true,"stop":[],"response_format":{"type":"text"},"logit_bias":{},"seed":null`),
			openai(`,"top_p":0.9,"top_k":40`), openai(`,"frequency_penalty":0.0,"presence_penalty":0,"n":1,"logprobs":true,"user":"u1"`),
			claude(`,"tool_choice":{"type":"auto"},"metadata":{"user_id":"u1"},"stop_sequences":null`),
			responses(`,"text":{"format":{"type":"text"}},"store":false,"include":["reasoning.encrypted_content"]`),
			ollama(`,"repeat_penalty":1.0,"top_k":40`, `,"keep_alive":"5m","format":""`),
		},
		{openai(`,"seed":1`), ollama(`,"seed":1`, ""), openai(`,"seed":1.0`)},
		{openai(`,"seed":2`), ollama(`,"seed":2`, "")},
		{openai(`,"tool_choice":"required"`), claude(`,"tool_choice":{"type":"any"}`), responses(`,"tool_choice":"required"`)},
		{openai(`,"tool_choice":"none"`), claude(`,"tool_choice":{"type":"none"}`)},
		{openai(`,"tool_choice":{"type":"function","function":{"name":"f"}}`), claude(`,"tool_choice":{"type":"tool","name":"f"}`), responses(`,"tool_choice":{"type":"function","name":"f"}`)},
		{openai(`,"tool_choice":{"type":"function","function":{"name":"g"}}`)},
		{responses(`,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}`)},
		{responses(`,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]}`)},
		{responses(`,"tool_choice":{"type":"file_search"}`)},
		{openai(`,"parallel_tool_calls":false`), claude(`,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`)},
		{openai(`,"stop":"a"`), openai(`,"stop":["a"]`), claude(`,"stop_sequences":["a"]`), ollama(`,"stop":["a"]`, "")},
		{openai(`,"stop":["a","b"]`), claude(`,"stop_sequences":["b","a"]`)},
		{openai(`,"response_format":{"type":"json_object"}`), ollama("", `,"format":"json"`), responses(`,"text":{"format":{"type":"json_object"}}`)},
		{
			openai(`,"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":` + schema + `}}`), ollama("", `,"format":`+schema),
			responses(`,"text":{"format":{"type":"json_schema","name":"s","schema":` + schema + `}}`), claude(`,"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}`),
		},
		{openai(`,"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object"}}}`)},
		{openai(`,"response_format":{"type":"regex","pattern":"a+"}`)},
		{openai(chatTool(schema)), claude(claudeTool(schema)), claude(claudeTool(strings.Replace(schema, "2", "2.0", 1))), ollama("", chatTool(schema))},
		{openai(chatTool(strings.Replace(schema, "2", "3", 1))), claude(claudeTool(strings.Replace(schema, "2", "3", 1)))},
		{responses(`,"tools":[{"type":"web_search"}]`)},
		{responses(`,"tools":[{"type":"web_search","search_context_size":"low"}]`)},
		{openai(`,"max_tokens":64`), claude(`,"max_tokens":64`), responses(`,"max_output_tokens":64`), ollama(`,"num_predict":64`, "")},
		{openai(`,"max_completion_tokens":65`)},
		{openai(`,"frequency_penalty":1`)},
		{openai(`,"repetition_penalty":1.1`), ollama(`,"repeat_penalty":1.10`, "")},
		{openai(`,"logit_bias":{"50256":-100}`)},
		{openai(`,"reasoning_effort":"low"`), responses(`,"reasoning":{"effort":"low"}`), ollama("", `,"think":"low"`), claude(`,"output_config":{"effort":"low"}`)},
		{openai(`,"enable_thinking":true`), responses(`,"enable_thinking":true`), ollama("", `,"think":true`), claude(`,"thinking":{"type":"enabled"}`)},
		{openai(`,"enable_thinking":false`), ollama("", `,"think":false`), claude(`,"thinking":{"type":"disabled"}`)},
		{claude(`,"thinking":{"type":"enabled","budget_tokens":1024}`)},
		{openai(`,"verbosity":"low"`), responses(`,"text":{"verbosity":"low"}`)},
		{openai(`,"chat_template_kwargs":{"enable_thinking":false}`)},
		{responses(`,"previous_response_id":"resp_1"`)},
		{openai(`,"n":2`)},
	}
	of := make(map[[32]byte]request)
	for _, line := range lines {
		want := sum(line[0])
		if r, ok := of[want]; ok {
			t.Errorf("%v asks what %v asks", line[0], r)
		}
		of[want] = line[0]
		for _, r := range line[1:] {
			if sum(r) != want {
				t.Errorf("%v asks something else than %v", r, line[0])
			}
		}
	}
	// With a seed alone, tokens are drawn.
	drawn := func(members string) [32]byte {
		q, ok := conformance.QuestionOf(exchange(tape.OpenAI, `{"model":"m","seed":1,"messages":[]`+members+`}`, "{}"))
		if !ok {
			t.Fatalf("%s is no question", members)
		}
		return q.Limited()
	}
	for _, members := range []string{`,"temperature":0.7`, `,"top_p":0.9`, `,"top_k":40`, `,"min_p":0.1`} {
		if drawn(members) == drawn("") {
			t.Errorf("with a seed, %s changes nothing", members)
		}
	}
}
