package conformance_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// TestValueOf: texts are in one class when they are the same value.
func TestValueOf(t *testing.T) {
	classes := [][]string{
		{`2.5`, `2.50`, `25e-1`, `0.25E+1`, ` 2.5 `},
		{`100000`, `1e5`, `100000.0`, `1E+5`, `10e4`},
		{`1e-07`, `1E-7`, `0.0000001`},
		{`0`, `-0`, `0.0`, `-0.0`, `0e99`, `0e999999999999`, `1e-999`},
		{`-3`, `-3.0`},
		{`3`},
		{`9007199254740992`, `9007199254740992.0`},
		{`9007199254740993`},
		{`12345678901234567890123`},
		{`12345678901234567890124`},
		{`3.141592653589793`, `3.14159265358979323846`},
		{`1e999`, `10e998`, `1.0e999`},
		{`2e999`},
		{`1e999999999`, `0.1e1000000000`},
		{`-1e999999999`},
		{`1e99999999999999999999`},
		{`"2.5"`},
		{`"é"`, `"\u00e9"`},
		{`"a/b"`, `"a\/b"`},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`, `{ "a" : 1e0, "b":2 }`, `{"a":3,"a":1,"b":2}`, `{"\u0061":1,"b":2}`},
		{`{"a":3,"b":2}`, `{"a":1,"a":3,"b":2}`},
		{`{"a":{"b":[1,2.0]}}`, `{"a":{"b":[1.0,2]}}`},
		{`{"\"":1,"\\":[],"A":{"x":1,"y":2}}`, `{"A":{"y":2,"x":1},"\u005c":[],"\u0022":1}`, `{"A":0,"\\":0,"A":{"y":0,"x":1,"y":2},"\"":1,"\\":[]}`},
		{`[1,2]`},
		{`[2,1]`},
		{`[12]`},
		{`[[1],2]`},
		{`true`, "\ttrue"},
		{`"true"`},
		{`null`},
		{`{}`},
		{`[]`},
		{`{"a":NaN}`},
		{`{"a":1}{`},
		{`{"a":1`},
		{`{"a":1,}`},
		{``},
	}
	of := make(map[string]int)
	for i, class := range classes {
		want := conformance.ValueOf([]byte(class[0]))
		if other, ok := of[want]; ok {
			t.Errorf("%s and %s are the same", classes[other][0], class[0])
		}
		of[want] = i
		for _, text := range class {
			if got := conformance.ValueOf([]byte(text)); got != want {
				t.Errorf("%s is %s, %s is %s", class[0], want, text, got)
			}
		}
	}
}

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
		var modes, apis conformance.Pairs
		for i, s := range []sent{
			{api: tape.Claude, request: strings.Replace(claudeTool, `"model"`, `"stream":true,"model"`, 1), response: block(tt.streamed)},
			{api: tape.Claude, request: claudeTool, response: written(tt.whole)},
			chat(ask(tool+`,"temperature":0`), calls(call("c1", "f", tt.streamed))),
		} {
			x := s.read(t)
			r := judge.Exchange(x)
			if codesOf(r) != "" {
				t.Fatalf("%s: %q", s.response, codesOf(r))
			}
			if i < 2 {
				modes.Add(i, x, r)
			}
			if i > 0 {
				apis.Add(i, x, r)
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
		if r := judge.Exchange(chat(ask(tool), calls(call("c1", "f", tt.streamed), call("c2", "f", tt.whole))).read(t)); codesOf(r) != twice {
			t.Errorf("%s beside %s: %q, want %q", tt.streamed, tt.whole, codesOf(r), twice)
		}
	}
}
