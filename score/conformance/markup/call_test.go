package markup_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/google/go-cmp/cmp"
)

// found writes calls as one text: family:name{arguments}, with blanks between.
func found(text string, types markup.Types) string {
	var all []string
	for _, c := range markup.Calls(text, types) {
		all = append(all, c.Family+":"+c.Name+c.Arguments)
	}
	return strings.Join(all, " ")
}

// TestFamilies: each family reads its example, whatever stands around it, and no other family does.
func TestFamilies(t *testing.T) {
	for _, f := range markup.Families {
		t.Run(f.Name, func(t *testing.T) {
			want := f.Name + `:get_tide{"port":"Vigo"}`
			if got := found(f.Example, nil); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if f.Name == "python" {
				return // it is only read when it is all there is
			}
			text := "Let me look: <b>\n" + f.Example + "\nThat is all."
			if got := found(text, nil); got != want {
				t.Errorf("amid text: got %s, want %s", got, want)
			}
			calls := markup.Calls(text, nil)
			if len(calls) != 1 || calls[0].Start < len("Let me look: <b>\n") || calls[0].End > len(text)-len("\nThat is all.") {
				t.Errorf("it is placed at %+v", calls)
			}
			cut, _, _ := strings.Cut(f.Example, "igo")
			if got := found(cut, nil); got != "" {
				t.Errorf("cut in its arguments: got %s", got)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	types := func(tool, parameter string) string {
		return map[string]string{"f/n": "integer", "f/s": "string", "f/o": "object"}[tool+"/"+parameter]
	}
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "At noon.", ""},
		{"two in a row", `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>` + "\n" + `<tool_call>{"name":"g","arguments":{}}</tool_call>`, `hermes:f{"a":1} hermes:g{}`},
		{"without its end", `<tool_call>{"name":"f","arguments":{}}`, `hermes:f{}`},
		{"arguments in a string", `<tool_call>{"name":"f","arguments":"{\"a\":1}"}</tool_call>`, `hermes:f{"a":1}`},
		{"arguments are null", `<tool_call>{"name":"f","arguments":null}</tool_call>`, `hermes:f{}`},
		{"no arguments", `<tool_call>{"name":"f"}</tool_call>`, ""},
		{"a number for arguments", `<tool_call>{"name":"f","arguments":5}</tool_call>`, ""},
		{"no name", `<tool_call>{"arguments":{}}</tool_call>`, ""},
		{"cut", `<tool_call>{"name":"f","arguments":{"a`, ""},
		{"cut inside, then closed", `<tool_call>{"name":"f","arguments":{</tool_call>`, ""},
		{"brackets in strings", `<tool_call>{"name":"f","arguments":{"a":"}]\"{"}}</tool_call>`, `hermes:f{"a":"}]\"{"}`},
		{"a good one after a bad one", `<tool_call>{"name"}</tool_call><tool_call>{"name":"f","arguments":{}}</tool_call>`, `hermes:f{}`},

		{"types of parameters", "<function=f><parameter=n>\n7\n</parameter><parameter=s>\n7\n</parameter><parameter=o>\n{\"k\": [1]}\n</parameter><parameter=x>\ntrue\n</parameter></function>", `qwen-coder:f{"n":7,"s":"7","o":{"k": [1]},"x":true}`},
		{"a value over lines", "<function=f><parameter=s>\na\n<b>\n\nc\n</parameter></function>", `qwen-coder:f{"s":"a\n<b>\n\nc"}`},
		{"JSON in a function", `<function=f>{"a": 1}</function>`, `qwen-coder:f{"a": 1}`},
		{"no parameters", `<function=f></function>`, `qwen-coder:f{}`},
		{"a function without its end", `<function=f><parameter=s>a</parameter>`, ""},
		{"a parameter without its end", `<function=f><parameter=s>a</function>`, ""},
		{"GLM without parameters", `<tool_call>f</tool_call>`, `glm:f{}`},
		{"GLM on one line", `<tool_call>f<arg_key>a</arg_key><arg_value>[1, "x"]</arg_value><arg_key>s</arg_key><arg_value>7</arg_value></tool_call>`, `glm:f{"a":[1, "x"],"s":"7"}`},
		{"GLM with a key that is not closed", `<tool_call>f<arg_key>a<arg_value>1</arg_value></tool_call>`, ""},
		{"invokes", `<function_calls><invoke name="f"><parameter name="a">x</parameter></invoke><invoke name="g"></invoke></function_calls>`, `minimax:f{"a":"x"} minimax:g{}`},
		{"lines of JSON", "<tool_calls>\n{\"name\":\"f\",\"arguments\":{}}\n{\"name\":\"g\",\"arguments\":{\"a\":1}}\n</tool_calls>", `minimax:f{} minimax:g{"a":1}`},
		{"DSML says what is text", `<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">7</｜DSML｜parameter><｜DSML｜parameter name="b" string="false">7</｜DSML｜parameter><｜DSML｜parameter name="c" string="false">no</｜DSML｜parameter></｜DSML｜invoke>`, `dsml:f{"a":"7","b":7,"c":"no"}`},
		{"LongCat in JSON", `<longcat_tool_call>{"name":"f","arguments":{}}</longcat_tool_call>`, `longcat:f{}`},

		{"DeepSeek V3", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\":1}\n```<｜tool▁call▁end｜>", `deepseek:f{"a":1}`},
		{"Kimi without a section", `<|tool_call_begin|>f:12<|tool_call_argument_begin|> {"a":1} <|tool_call_end|>`, `kimi:f{"a":1}`},
		{"Mistral's names", `[TOOL_CALLS]f[CALL_ID]abc[ARGS]{"a":1}[TOOL_CALLS]g{"b":2}`, `mistral:f{"a":1} mistral:g{"b":2}`},
		{"Mistral's list", `[TOOL_CALLS] [{"name":"f","arguments":{}}, {"name":"g","arguments":{}}]`, `mistral:f{} mistral:g{}`},
		{"harmony without tokens", `assistantcommentary to=functions.f json{"a":1}`, `harmony:f{"a":1}`},
		{"harmony in another order", `<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"a":1}<|call|>`, `harmony:f{"a":1}`},
		{"harmony without a name", `<|channel|>commentary<|message|>{"a":1}<|end|>`, ""},
		{"Llama's Python", `<|python_tag|>f.call(a="x", b=[1, None])<|eom_id|>`, `llama:f{"a":"x","b":[1,null]}`},
		{"Llama's several", `<|python_tag|>{"name":"f","parameters":{}}; {"name":"g","parameters":{}}`, `llama:f{} llama:g{}`},
		{"Llama's code", `<|python_tag|>print("x")<|eom_id|>`, ""},
		{"LFM's several", `<|tool_call_start|>[f(a='x'), g(b={'k': True})]<|tool_call_end|>`, `lfm:f{"a":"x"} lfm:g{"b":{"k":true}}`},
		{"LFM with a position", `<|tool_call_start|>[f('x')]<|tool_call_end|>`, ""},
		{"LFM with a variable", `<|tool_call_start|>[f(a=x)]<|tool_call_end|>`, ""},
		{"Gemma's values", `<|tool_call>call:f{s:<|"|>a, {b}<|"|>,n:7,l:[1,<|"|>x<|"|>],o:{k:true},w:bare word}<tool_call|>`, `gemma:f{"s":"a, {b}","n":7,"l":[1,"x"],"o":{"k":true},"w":"bare word"}`},
		{"FunctionGemma", `<start_function_call>call:f{s:<escape>x<escape>}<end_function_call>`, `gemma:f{"s":"x"}`},
		{"Gemma without its end", `<|tool_call>call:f{s:<|"|>a`, ""},
		{"Gemma 3", "```tool_code\nprint(default_api.f(a=1))\n```", `gemma:f{"a":1}`},

		{"plain JSON", `{"type":"function","function":{"name":"f","arguments":"{}"}}`, `json:f{}`},
		{"plain JSON below text", "So:\n{\"name\":\"f\",\"parameters\":{\"a\":1}}\nand\n[{\"name\":\"g\",\"arguments\":{}}]", `json:f{"a":1} json:g{}`},
		{"a list of calls under its name", `{"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, `json:f{"a":1}`},
		{"JSON within a line", `So {"name":"f","arguments":{}}`, ""},
		{"JSON with more than a call", `{"name":"f","arguments":{},"age":3}`, ""},
		{"JSON of a person", `{"name":"f","age":3}`, ""},
		{"Python among text", `Use f(a=1) for it.`, ""},
		{"Python without brackets", ` f(a=1) `, `python:f{"a":1}`},
		{"Python with dots", `[w.f(a=1)]`, `python:w.f{"a":1}`},
		{"a list that is no call", `[1, 2]`, ""},
		{"a name that is none", `<tool_call>{"name":"f g","arguments":{}}</tool_call>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := found(tt.text, types); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestExoParsers: what exo's own parsers read from a model's output is read here, too.
func TestExoParsers(t *testing.T) {
	type call struct{ Name, Arguments string }
	type row struct {
		Parser, Label string
		Tokens        []string
		Tools         []any
		Out           []struct {
			Calls []call `json:"tool_calls"`
		}
	}
	compared := 0
	shared.Lines(t, "golden/exo/eval_golden/output_parsers.jsonl", func(line int, r row) {
		switch {
		case r.Label == "param_without_string_attr_dropped", strings.HasPrefix(r.Label, "null_and_bool"), r.Tools != nil:
			return // exo drops or changes what was written
		}
		var want []call
		for _, o := range r.Out {
			want = append(want, o.Calls...)
		}
		if len(want) == 0 {
			return
		}
		compared++
		var got []call
		for _, c := range markup.Calls(strings.Join(r.Tokens, ""), nil) {
			got = append(got, call{c.Name, c.Arguments})
		}
		for _, list := range [][]call{want, got} {
			for i := range list {
				var v any
				if err := json.Unmarshal([]byte(list[i].Arguments), &v); err != nil {
					t.Errorf("line %d: arguments %s: %v", line, list[i].Arguments, err)
				}
				list[i].Arguments = fmt.Sprint(v)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("line %d, %s, %s (-want +got):\n%s", line, r.Parser, r.Label, diff)
		}
	})
	if compared < 10 {
		t.Errorf("%d rows compared", compared)
	}
}

// TestCallsTime: hostile texts take time in proportion to their length.
func TestCallsTime(t *testing.T) {
	const size = 1 << 20
	for _, piece := range []string{
		"<tool_call>", "<tool_call>{", `<tool_call>{"name":`, "{\n", "[\n", "<function=f>", "<function=f><parameter=a>", "[TOOL_CALLS]", "[TOOL_CALLS][", `[TOOL_CALLS]f{"`,
		"<|python_tag|>", "<|python_tag|>f(", "to=functions.f{", "<|tool_call>call:f{a:", "<|tool_call>call:f{a:[", "<tool_call>f<arg_key>", "<|tool_call_start|>f(", "`", "``` ", "~~~\n",
		"<|tool_call_begin|>f<|tool_call_argument_begin|>{", "```tool_code\n", "f(", `{"a":`, "<", "<|channel|>", "analysis",
	} {
		text := strings.Repeat(piece, size/len(piece))
		start := time.Now()
		markup.Calls(text, nil)
		markup.Markers(markup.OutsideCode(text))
		took := time.Since(start)
		t.Logf("%q: %v", piece, took)
		if took > 5*time.Second {
			t.Errorf("%q over and over: %v for %d bytes", piece, took, len(text))
		}
	}
}

// FuzzCalls runs every family's parser: calls lie in the text, one after the other, have a name, and a JSON object for arguments.
func FuzzCalls(f *testing.F) {
	for _, family := range markup.Families {
		f.Add(family.Example)
	}
	f.Add("<|tool_call>call:f{s:<|\"|>a, {b}<|\"|>,l:[1]}<tool_call|>```tool_code\nf(a=1)\n```")
	f.Add("[TOOL_CALLS]f[CALL_ID]abc[ARGS]{\"a\":1}</tool_call>")
	f.Fuzz(func(t *testing.T, text string) {
		start, end := 0, 0
		for _, c := range markup.Calls(text, nil) {
			var object map[string]any
			if c.Start < end && (c.Start != start || c.End != end) || c.End <= c.Start || c.End > len(text) || c.Name == "" || json.Unmarshal([]byte(c.Arguments), &object) != nil {
				t.Errorf("call %+v in %d bytes, after %d", c, len(text), end)
			}
			start, end = c.Start, c.End
		}
	})
}

// FuzzFamily runs the parser of one family by itself.
func FuzzFamily(f *testing.F) {
	for i, family := range markup.Families {
		f.Add(i, family.Example)
		f.Add(i, family.Example[:len(family.Example)/2]+family.Example)
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		if i < 0 || i >= len(markup.Families) {
			return
		}
		for _, c := range markup.Families[i].Parse(text) {
			if c.Start < 0 || c.End <= c.Start || c.End > len(text) || c.Name == "" || !json.Valid([]byte(c.Arguments)) || c.Arguments[0] != '{' {
				t.Errorf("%s: call %+v in %d bytes", markup.Families[i].Name, c, len(text))
			}
		}
	})
}

func ExampleCalls() {
	text := "Let me look.\n<tool_call>get_tide\n<arg_key>port</arg_key>\n<arg_value>Vigo</arg_value>\n</tool_call>"
	for _, c := range markup.Calls(text, nil) {
		fmt.Println(c.Family, c.Name, c.Arguments)
	}
	// Output: glm get_tide {"port":"Vigo"}
}
