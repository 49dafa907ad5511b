package scenario_test

import (
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

const tideChain = `
[tools.get_tide]
required = ["harbour"]
properties.harbour = {type = "string", enum = ["Óbidos", "Oban"]}

[[scenarios]]
name = "chain"
description = "d"
expect_tool_call = true
messages = [
  {role = "system", content = "Be brief."},
  {role = "user", content = "Óbidos or Oban?"},
  {role = "assistant", content = " ", tool_calls = [{id = "c1", name = "get_tide", arguments = {harbour = "Óbidos", deep = [1.0]}}]},
  {role = "tool", tool_call_id = "c1", content = "{}"},
  {role = "critic", content = "Hm."},
]
tool_result = {high = "14:52"}
`

func TestRequestBodies(t *testing.T) {
	file, err := scenario.Parse("f.toml", []byte(tideChain))
	if err != nil {
		t.Fatal(err)
	}
	s := file.Scenarios[0]
	const (
		schema = `{"type":"object","properties":{"harbour":{"type":"string","enum":["Óbidos","Oban"]}},"required":["harbour"]}`
		chat   = `[{"type":"function","function":{"name":"get_tide","description":"","parameters":` + schema + `}}]`
		args   = `"{\"harbour\": \"\\u00d3bidos\", \"deep\": [1.0]}"`
	)
	const (
		openaiHead = `{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Óbidos or Oban?"},` +
			`{"role":"assistant","content":" ","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_tide","arguments":` + args + `}}]},` +
			`{"role":"tool","content":"{}","tool_call_id":"c1"},{"role":"critic","content":"Hm."}`
		openaiTail = `],"tools":` + chat + `,"max_tokens":4096,"temperature":0.0`
		claudeHead = `{"model":"m","messages":[{"role":"user","content":"Óbidos or Oban?"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"get_tide","input":{"harbour":"Óbidos","deep":[1.0]}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"{}"}]}`
		claudeTail = `],"tools":[{"name":"get_tide","description":"","input_schema":` + schema + `}],"max_tokens":4096,"temperature":0.0,"system":"Be brief."`
		respHead   = `{"model":"m","input":[{"type":"message","role":"system","content":"Be brief."},{"type":"message","role":"user","content":"Óbidos or Oban?"},` +
			`{"type":"function_call","call_id":"c1","name":"get_tide","arguments":` + args + `},{"type":"function_call_output","call_id":"c1","output":"{}"}`
		respTail   = `],"tools":` + chat + `,"temperature":0.0,"max_output_tokens":4096`
		ollamaHead = `{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Óbidos or Oban?"},` +
			`{"role":"assistant","content":" ","tool_calls":[{"id":"c1","function":{"name":"get_tide","arguments":{"harbour":"Óbidos","deep":[1.0]}}}]},` +
			`{"role":"tool","tool_name":"get_tide","content":"{}"},{"role":"critic","content":"Hm."}`
		ollamaTail = `],"tools":` + chat + `,"stream":`
		ollamaEnd  = `,"options":{"temperature":0.0,"num_predict":4096}`
	)
	// The model's own call, in broken JSON, and what the tool says.
	call := scenario.Call{ID: pyvalue.Str("x"), Name: pyvalue.Str("get_tide"), Arguments: pyvalue.Str(`{"harbour": `)}
	tests := []struct {
		api                      tape.API
		path                     string
		whole, streamed, further string
	}{
		{tape.OpenAI, "/v1/chat/completions", openaiHead + openaiTail + "}", openaiHead + openaiTail + `,"stream":true}`,
			openaiHead + `,{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"get_tide","arguments":"{\"harbour\": "}}]},` +
				`{"role":"tool","tool_call_id":"x","content":"{\"high\": \"14:52\"}"}` + openaiTail + "}"},
		{tape.Claude, "/v1/messages", claudeHead + claudeTail + "}", claudeHead + claudeTail + `,"stream":true}`,
			claudeHead + `,{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"get_tide","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"{\"high\": \"14:52\"}"}]}` + claudeTail + "}"},
		{tape.Responses, "/v1/responses", respHead + respTail + "}", respHead + respTail + `,"stream":true}`,
			respHead + `,{"type":"function_call","call_id":"x","name":"get_tide","arguments":"{\"harbour\": "},` +
				`{"type":"function_call_output","call_id":"x","output":"{\"high\": \"14:52\"}"}` + respTail + "}"},
		{tape.Ollama, "/ollama/api/chat", ollamaHead + ollamaTail + "false" + ollamaEnd + "}", ollamaHead + ollamaTail + "true" + ollamaEnd + "}",
			ollamaHead + `,{"role":"assistant","content":"","tool_calls":[{"id":"x","function":{"name":"get_tide","arguments":{}}}]},` +
				`{"role":"tool","tool_name":"get_tide","content":"{\"high\": \"14:52\"}"}` + ollamaTail + "false" + ollamaEnd + "}"},
	}
	for _, tt := range tests {
		t.Run(string(tt.api), func(t *testing.T) {
			for want, ask := range map[string]func() (*scenario.Request, error){
				tt.whole:    func() (*scenario.Request, error) { return scenario.NewRequest(tt.api, "m", s, false) },
				tt.streamed: func() (*scenario.Request, error) { return scenario.NewRequest(tt.api, "m", s, true) },
				tt.further: func() (*scenario.Request, error) {
					return scenario.NewFollowUp(tt.api, "m", s, call, *s.ToolResult, false)
				},
			} {
				req, err := ask()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, string(req.Body)); diff != "" || req.Path != tt.path {
					t.Errorf("path %s, body (-want +got):\n%s", req.Path, diff)
				}
			}
		})
	}
}
