package pairs_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// TestSameCall: servers write the arguments of whole answers of Claude and Ollama anew, so that only their values can be compared: between
// the modes, between APIs and within an answer.
func TestSameCall(t *testing.T) {
	const schema = `{}`
	claudeTool := ask(`,"temperature":0,"tools":[{"name":"f","description":"d","input_schema":` + schema + `}]`)
	tool := `,"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":` + schema + `}}]`
	block := func(arguments string) string {
		return claude(`"tool_use"`, start(0, `{"type":"tool_use","id":"t1","name":"f","input":{}}`), named(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`+strconv.Quote(arguments)+`}}`), stop(0))
	}
	written := func(arguments string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":` + arguments + `}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":5}}`
	}
	for _, tt := range []struct {
		streamed, whole string
		same            bool
	}{
		{`{"p":2.50}`, `{"p":2.5}`, true},
		{`{"p":1e5}`, `{"p":100000.0}`, true},
		{`{"p":1E-7}`, `{"p":1e-07}`, true},
		{`{"p":-0}`, `{"p":0}`, true},
		{`{"p":"a","p":"b"}`, `{"p":"b"}`, true},
		{`{"q":1, "p":"\u00e9"}`, `{"p":"é","q":1}`, true},
		{`{"p":2.5}`, `{"p":2.51}`, false},
		{`{"p":"b","p":"a"}`, `{"p":"b"}`, false},
		{`{"p":9007199254740993}`, `{"p":9007199254740992}`, false},
	} {
		judge := conformance.New(conformance.Rules{})
		var modes, apis pairs.Pairs
		for i, s := range []sent{
			{API: tape.Claude, Request: strings.Replace(claudeTool, `"model"`, `"stream":true,"model"`, 1), Response: block(tt.streamed)},
			{API: tape.Claude, Request: claudeTool, Response: written(tt.whole)},
			chat(ask(tool+`,"temperature":0`), calls(call("c1", "f", tt.streamed))),
		} {
			x := s.Read(t)
			r := judge.Exchange(x)
			if codesOf(r) != "" {
				t.Fatalf("%s: %q", s.Response, codesOf(r))
			}
			if i < 2 {
				modes.Add(i, pairs.AnswerOf(x, r))
			}
			if i > 0 {
				apis.Add(i, pairs.AnswerOf(x, r))
			}
		}
		if got := len(modes.Findings()[0]) == 0; got != tt.same {
			t.Errorf("streamed %s, whole %s: same %v, want %v", tt.streamed, tt.whole, got, tt.same)
		}
		if got := len(apis.Findings()[2]) == 0; got != tt.same {
			t.Errorf("through Chat %s, through Claude %s: same %v, want %v", tt.streamed, tt.whole, got, tt.same)
		}
		twice := ""
		if tt.same {
			twice = "duplicate-call"
		}
		if r := judge.Exchange(chat(ask(tool), calls(call("c1", "f", tt.streamed), call("c2", "f", tt.whole))).Read(t)); codesOf(r) != twice {
			t.Errorf("%s beside %s: %q, want %q", tt.streamed, tt.whole, codesOf(r), twice)
		}
	}
}
