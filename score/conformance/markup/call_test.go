package markup_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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

// TestFamilies: each family reads its examples, whatever stands around them, and no other family does.
func TestFamilies(t *testing.T) {
	alone := []string{"glm 2", "python 1", "python 2"} // they are only read when they are all there is
	for _, f := range markup.Families {
		for i, example := range f.Examples {
			name := fmt.Sprintf("%s %d", f.Name, i+1)
			t.Run(name, func(t *testing.T) {
				want := f.Name + `:get_tide{"port":"Vigo"}`
				if got := found(example, nil); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				cut, _, _ := strings.Cut(example, "igo")
				if got := found(cut, nil); got != "" {
					t.Errorf("cut in its arguments: got %s", got)
				}
				text := "Let me look: <b>\n" + example + "\nThat is all."
				if slices.Contains(alone, name) {
					want = ""
				}
				if got := found(text, nil); got != want {
					t.Errorf("amid text: got %s, want %s", got, want)
				}
				for _, c := range markup.Calls(text, nil) {
					if c.Start < len("Let me look: <b>\n") || c.End > len(text)-len("\nThat is all.") {
						t.Errorf("it is placed at %+v", c)
					}
				}
			})
		}
	}
}

// TestPlaces: a call reaches from the marker that begins it to that which ends it. What stands around several calls belongs to none.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ name, before, call, after string }{
		{"hermes", "So: ", `<tool_call>{"name":"f","arguments":{}}</tool_call>`, " Yes."},
		{"with blanks before its end", "", "<tool_call>\n{\"name\":\"f\",\"arguments\":{}}\n</tool_call>", "\n"},
		{"with JSON behind it", "", `<tool_call>{"name":"f","arguments":{}}`, ` {"x":1}</tool_call>`},
		{"without its end", "", `<tool_call>{"name":"f","arguments":{}}`, " Yes."},
		{"qwen-coder", "<tool_call>", "<function=f></function>", "</tool_call>"},
		{"deepseek", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"},
		{"kimi", "<|tool_calls_section_begin|>", "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{}<|tool_call_end|>", "<|tool_calls_section_end|>"},
		{"harmony", "Noon.", "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>", "<|start|>"},
		{"harmony that ends otherwise", "Noon.", "<|channel|>commentary to=functions.f<|message|>{}<|end|>", ""},
		{"harmony after another message", "<|start|>" + strings.Repeat("x", 64), "to=functions.f{}", ""},
		{"gemma", "So: ", "<|tool_call>call:f{} <tool_call|>", " Yes."},
		{"lfm", "So: ", "<|tool_call_start|>[f()]<|tool_call_end|>", " Yes."},
		{"llama", "So: ", "<|python_tag|>f.call()", "<|eom_id|>"},
		{"mistral", "So: ", "[TOOL_CALLS]f[ARGS]{}", "</s>"},
		{"granite", "So: ", "<|tool_call|>[{\"name\":\"f\",\"arguments\":{}}]", " Yes."},
		{"phi's tokens", "So: ", "<|tool_call|>[{\"name\":\"f\",\"arguments\":{}}]<|/tool_call|>", "<|end|>"},
		{"phi", "So: ", `functools[{"name":"f","arguments":{}}]`, " Yes."},
		{"granite-20b", "So: ", `<function_call> {"name":"f","arguments":{}}</function_call>`, "<|endoftext|>"},
		{"pangu", "So: ", `[unused11][{"name":"f","arguments":{}}][unused12]`, "[unused10]"},
		{"pangu's other marker", "So: ", `<|tool_call_start|>[{"name":"f","arguments":{}}]<|tool_call_end|>`, " Yes."},
		{"inkling", "<|message_model|>f", `<|content_invoke_tool_json|>{"name":"f","args":{}}<|end_message|>`, " Yes."},
		{"step", "<｜tool_call_begin｜>function<｜tool_sep｜>", `<steptml:invoke name="f"></steptml:invoke>`, "<｜tool_call_end｜>"},
		{"olmo", "So: ", "<function_calls>\nf()\n</function_calls>", "\nYes."},
		{"minicpm", "<|thought_end|>", "<|tool_call_start|>\n```python\nf()\n```\n<|tool_call_end|>", "<|im_end|>"},
		{"solar", "<|tool_calls|>", `<|tool_call:begin|>1<|tool_call:name|>f<|tool_call:args|>{}<|tool_call:end|>`, "<|calls|>"},
		{"apertus", "So: ", `<|tools_prefix|>[{"f":{}}]<|tools_suffix|>`, "<|assistant_end|>"},
		{"minimax-m3", "]<]minimax[>[<tool_call>", `]<]minimax[>[<invoke name="f">]<]minimax[>[</invoke>`, "]<]minimax[>[</tool_call>"},
		{"glm-4-0414", " <|assistant|>", `f
{}`, "\n<|observation|> "},
		{"a turn's end behind Python", " \n", "[f()]", " <|eot|>\n<|eom|> "},
		{"json", "So:\n", `{"name":"f","arguments":{}}`, "\nYes."},
	} {
		text := tt.before + tt.call + tt.after
		calls := markup.Calls(text, nil)
		if len(calls) != 1 || text[calls[0].Start:calls[0].End] != tt.call {
			t.Errorf("%s: calls %+v in %q", tt.name, calls, text)
		}
	}
	text := `<|tool_call_start|>[f()]<|tool_call_end|><tool_call>{"name":"f","arguments":{}}{"name":"g","arguments":{}}</tool_call>` +
		`to=functions.f{}<|call|><|channel|>to=functions.g{}to=functions.h{}`
	var got []string
	for _, c := range markup.Calls(text, nil) {
		got = append(got, text[c.Start:c.End])
	}
	want := []string{"<|tool_call_start|>[f()]<|tool_call_end|>", `<tool_call>{"name":"f","arguments":{}}`, `{"name":"g","arguments":{}}</tool_call>`, "to=functions.f{}<|call|>", "<|channel|>to=functions.g{}", "to=functions.h{}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("one after the other (-want +got):\n%s", diff)
	}
}

// texts hold calls, and what only looks like one.
var texts = []struct{ name, text, want string }{
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

	{"in the order of the text", `<|tool_call>call:g{}<tool_call|><tool_call>{"name":"f","arguments":{}}</tool_call>`, `gemma:g{} hermes:f{}`},
	{"JSON on a line of its own", "<tool_call>\n{\"name\":\"f\",\"arguments\":{}}\n</tool_call>", `hermes:f{}`},
	{"a list on a line of its own", "[TOOL_CALLS]\n[{\"name\":\"f\",\"arguments\":{}}]", `mistral:f{}`},
	{"JSON that is closed and wrong", `<tool_call>{"name":"f","arguments":{},}</tool_call>`, ""},
	{"more than a call in markers", `<tool_call>{"name":"f","arguments":{},"x":1}</tool_call><tool_call>{"function":{"name":"g","arguments":{}},"x":1}</tool_call>`, `hermes:f{} hermes:g{}`},
	{"a number for a name", `<tool_call>{"name":5,"tool":"f","arguments":{}}</tool_call>`, `hermes:f{}`},
	{"arguments in a string that are none", `<tool_call>{"name":"f","arguments":"no"}</tool_call>`, ""},
	{"arguments in a string that are cut off", `<tool_call>{"name":"f","arguments":"{\"a\":"}</tool_call>`, ""},
	{"JSON behind a call", `<tool_call>{"name":"f","arguments":{}} {"x":1}</tool_call>`, `hermes:f{}`},
	{"a name that is too long", `<tool_call>{"name":"` + strings.Repeat("x", 257) + `","arguments":{}}</tool_call>`, ""},

	{"types of parameters", "<function=f><parameter=n>\n7\n</parameter><parameter=s>\n7\n</parameter><parameter=o>\n{\"k\": [1]}\n</parameter><parameter=x>\ntrue\n</parameter></function>", `qwen-coder:f{"n":7,"s":"7","o":{"k": [1]},"x":true}`},
	{"a value over lines", "<function=f><parameter=s>\na\n<b>\n\nc\n</parameter></function>", `qwen-coder:f{"s":"a\n<b>\n\nc"}`},
	{"JSON in a function", `<function=f>{"a": 1}</function>`, `qwen-coder:f{"a": 1}`},
	{"no parameters", `<function=f></function>`, `qwen-coder:f{}`},
	{"a function without its end", `<function=f><parameter=s>a</parameter>`, ""},
	{"a parameter without its end", `<function=f><parameter=s>a</function>`, ""},
	{"values in quotes", "<function=f><parameter=x>\n\"a\"\n</parameter><parameter=o>\n\"a\"\n</parameter><parameter=y></parameter></function>", `qwen-coder:f{"x":"\"a\"","o":"a","y":""}`},
	{"a list in a function", `<function=f>[1]</function>`, ""},
	{"JSON behind a parameter", `<function=f><parameter=a>1</parameter>{"b":1}</function>`, ""},
	{"a head that is not closed", `<invoke name="f"`, ""},
	{"a parameter's head that is not closed", `<invoke name="f"><parameter name="a"`, ""},
	{"an attribute behind the name", `<invoke name="f" id="1"><parameter name="a" id="2">x</parameter></invoke>`, `minimax:f{"a":"x"}`},
	{"lines of a value that are its own", "<invoke name=\"f\"><parameter name=\"a\">\nx\n</parameter></invoke>", `minimax:f{"a":"\nx\n"}`},
	{"a value in quotes", `<invoke name="f"><parameter name="a">"x"</parameter></invoke>`, `minimax:f{"a":"\"x\""}`},
	{"GLM with words for a value", `<tool_call>f<arg_key>a</arg_key>some other words</arg_value></tool_call>`, ""},
	{"GLM without a value", `<tool_call>f<arg_key>a</arg_key>x</arg_value></tool_call>`, ""},
	{"GLM without parameters", `<tool_call>f</tool_call>`, `glm:f{}`},
	{"GLM on one line", `<tool_call>f<arg_key>a</arg_key><arg_value>[1, "x"]</arg_value><arg_key>s</arg_key><arg_value>7</arg_value></tool_call>`, `glm:f{"a":[1, "x"],"s":"7"}`},
	{"GLM with a key that is not closed", `<tool_call>f<arg_key>a<arg_value>1</arg_value></tool_call>`, ""},
	{"invokes", `<function_calls><invoke name="f"><parameter name="a">x</parameter></invoke><invoke name="g"></invoke></function_calls>`, `minimax:f{"a":"x"} minimax:g{}`},
	{"lines of JSON", "<tool_calls>\n{\"name\":\"f\",\"arguments\":{}}\n{\"name\":\"g\",\"arguments\":{\"a\":1}}\n</tool_calls>", `minimax:f{} minimax:g{"a":1}`},
	{"DSML says what is text", `<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">7</｜DSML｜parameter><｜DSML｜parameter name="b" string="false">7</｜DSML｜parameter><｜DSML｜parameter name="c" string="false">no</｜DSML｜parameter><｜DSML｜parameter name="d" string="false">"7"</｜DSML｜parameter></｜DSML｜invoke>`, `dsml:f{"a":"7","b":7,"c":"no","d":"7"}`},
	{"LongCat in JSON", `<longcat_tool_call>{"name":"f","arguments":{}}</longcat_tool_call>`, `longcat:f{}`},

	{"DeepSeek V3", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\":1}\n```<｜tool▁call▁end｜>", `deepseek:f{"a":1}`},
	{"Kimi without a section", `<|tool_call_begin|>f:12<|tool_call_argument_begin|> {"a":1} <|tool_call_end|>`, `kimi:f{"a":1}`},
	{"DeepSeek V3 without a fence", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n{\"a\":1}<｜tool▁call▁end｜>", `deepseek:f{"a":1}`},
	{"DeepSeek V3 without a line", `<｜tool▁call▁begin｜>function<｜tool▁sep｜>f{"a":1}`, ""},
	{"DeepSeek without a separator", `<｜tool▁call▁begin｜>f{"a":1}<｜tool▁call▁end｜>`, ""},
	{"DeepSeek with a list", `<｜tool▁call▁begin｜>f<｜tool▁sep｜>[1]<｜tool▁call▁end｜>`, ""},
	{"Kimi without a number", `<|tool_call_begin|>functions.f<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_call_begin|>a:b<|tool_call_argument_begin|>{}`, `kimi:f{} kimi:a:b{}`},
	{"Kimi without arguments", `<|tool_call_begin|>f:0{"a":1}<|tool_call_end|>`, ""},
	{"Kimi with words for a name", `<|tool_call_begin|>f g:0<|tool_call_argument_begin|>{}<|tool_call_end|>`, ""},
	{"Mistral without arguments", `[TOOL_CALLS]f`, ""},
	{"Mistral with words for a name", `[TOOL_CALLS]f g{"a":1}`, ""},
	{"Mistral with arguments that are none", `[TOOL_CALLS]f{a}`, ""},
	{"Mistral's names", `[TOOL_CALLS]f[CALL_ID]abc[ARGS]{"a":1}[TOOL_CALLS]g{"b":2}`, `mistral:f{"a":1} mistral:g{"b":2}`},
	{"Mistral's list", `[TOOL_CALLS] [{"name":"f","arguments":{}}, {"name":"g","arguments":{}}]`, `mistral:f{} mistral:g{}`},
	{"harmony without tokens", `assistantcommentary to=functions.f json{"a":1}`, `harmony:f{"a":1}`},
	{"harmony in another order", `<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"a":1}<|call|>`, `harmony:f{"a":1}`},
	{"harmony with nothing between", `to=functions.f{"a":1}`, `harmony:f{"a":1}`},
	{"harmony's several", `<|channel|>commentary to=functions.f<|message|>{}<|call|><|channel|>commentary to=functions.g<|message|>{}<|call|>`, `harmony:f{} harmony:g{}`},
	{"harmony without arguments", `<|channel|>commentary to=functions.f<|message|>`, ""},
	{"harmony without a name", `<|channel|>commentary<|message|>{"a":1}<|end|>`, ""},
	{"Llama's Python", `<|python_tag|>f.call(a="x", b=[1, None])<|eom_id|>`, `llama:f{"a":"x","b":[1,null]}`},
	{"Llama's several", `<|python_tag|>{"name":"f","parameters":{}}; {"name":"g","parameters":{}}`, `llama:f{} llama:g{}`},
	{"Llama's code", `<|python_tag|>print("x")<|eom_id|>`, ""},
	{"LFM's several", `<|tool_call_start|>[f(a='x'), g(b={'k': True})]<|tool_call_end|>`, `lfm:f{"a":"x"} lfm:g{"b":{"k":true}}`},
	{"LFM without its end", `<|tool_call_start|>[f(a='x')]`, `lfm:f{"a":"x"}`},
	{"LFM with its end cut off", `<|tool_call_start|>[f(a='x')]<|tool_call`, `lfm:f{"a":"x"}`},
	{"LFM with another end", `<|tool_call_start|>[f(a='x')]<|tool_end|>`, ""},
	{"Llama's Python with its end cut off", `<|python_tag|>f.call(a="x")<|eo`, `llama:f{"a":"x"}`},
	{"LFM with a position", `<|tool_call_start|>[f('x')]<|tool_call_end|>`, ""},
	{"LFM with a table for arguments", `<|tool_call_start|>[f(**{'a': 1})]<|tool_call_end|>`, ""},
	{"LFM with a call of a call", `<|tool_call_start|>[f()(a=1)]<|tool_call_end|>`, ""},
	{"LFM with a variable", `<|tool_call_start|>[f(a=x)]<|tool_call_end|>`, ""},
	{"Gemma's values", `<|tool_call>call:f{s:<|"|>a, {b}<|"|>,n:7,l:[1,<|"|>x<|"|>],o:{k:true},w:bare word}<tool_call|>`, `gemma:f{"s":"a, {b}","n":7,"l":[1,"x"],"o":{"k":true},"w":"bare word"}`},
	{"Gemma's blanks", `<|tool_call> call:f{ s : <|"|>a<|"|> , l : [ 1 , 2 ] , <|"|>k<|"|> : { } , "q" : 1 } <tool_call|>`, `gemma:f{"s":"a","l":[1,2],"k":{},"q":1}`},
	{"Gemma without call", `<|tool_call>get:f{}<tool_call|>`, ""},
	{"Gemma without arguments", `<|tool_call>call:f<tool_call|>`, ""},
	{"Gemma with words for a name", `<|tool_call>call:f g{}<tool_call|>`, ""},
	{"Gemma without a colon", `<|tool_call>call:f{a}<tool_call|>`, ""},
	{"Gemma without a colon behind a marked key", `<|tool_call>call:f{<|"|>a<|"|>1}<tool_call|>`, ""},
	{"Gemma with a key that is cut off", `<|tool_call>call:f{<|"|>a`, ""},
	{"Gemma with a value that is cut off", `<|tool_call>call:f{a:1`, ""},
	{"Gemma with a list that is cut off", `<|tool_call>call:f{a:[1,`, ""},
	{"Gemma with no value", `<|tool_call>call:f{a:`, ""},
	{"Gemma with a comma missing", `<|tool_call>call:f{a:{}b:{}}`, ""},
	{"Gemma nested too deep", `<|tool_call>call:f{a:` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`, ""},
	{"FunctionGemma", `<start_function_call>call:f{s:<escape>x<escape>}<end_function_call>`, `gemma:f{"s":"x"}`},
	{"Gemma without its end", `<|tool_call>call:f{s:<|"|>a`, ""},
	{"Gemma 3", "```tool_code\nprint(default_api.f(a=1))\n```", `gemma:f{"a":1}`},

	{"Gemma 3 without its end", "```tool_code\nf(a=1)\n", ""},
	{"Gemma 3 prints two things", "```tool_code\nprint(f(a=1), 2)\n```", ""},
	{"Gemma 3 prints with an option", "```tool_code\nprint(f(a=1), end=1)\n```", ""},
	{"Gemma 3 does more than print", "```tool_code\nlog(f(a=1))\n```", ""},

	{"Step's several", "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"f\"><steptml:parameter name=\"n\">7</steptml:parameter><steptml:parameter name=\"s\">7\n8</steptml:parameter></steptml:invoke><｜tool_call_end｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"g\"></steptml:invoke><｜tool_call_end｜>", `step:f{"n":7,"s":"7\n8"} step:g{}`},
	{"Step as DeepSeek", "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>f\n```json\n{\"a\":1}\n```<｜tool_call_end｜>\n<｜tool_call_begin｜>g<｜tool_sep｜>{}<｜tool_call_end｜><｜tool_calls_end｜>", `step:f{"a":1} step:g{}`},
	{"Step as DeepSeek, cut off", "<｜tool_call_begin｜>function<｜tool_sep｜>f\n```json\n{\"a\":", ""},
	{"Step with DeepSeek's separator", "<｜tool_call_begin｜>f<｜tool▁sep｜>{}", ""},
	{"Gemini between tags", "<tool_code>f(a=1)</tool_code>", `gemma:f{"a":1}`},
	{"Gemini between tags, printed", "<tool_code>\nprint(default_api.f(a=1))\n</tool_code>", `gemma:f{"a":1}`},
	{"Gemini's code that is no call", "<tool_code>\nx = 1\n</tool_code>", ""},
	{"Step without its end", `<steptml:invoke name="f"><steptml:parameter name="s">a</steptml:parameter>`, ""},
	{"Step with a parameter that is cut off", `<steptml:invoke name="f"><steptml:parameter name="s">a</steptml:invoke>`, ""},
	{"Step with another family's end", `<steptml:invoke name="f"></invoke>`, ""},
	{"a namespace of nobody", `<stepml:invoke name="f"></stepml:invoke>`, ""},
	{"Muse's values", `<atem:invoke name="f"><atem:parameter name="a">[1, "x"]</atem:parameter></atem:invoke>`, `muse:f{"a":[1, "x"]}`},
	{"GigaChat 3.5 says what is text", `<｜GCML｜invoke name="f"><｜GCML｜parameter name="a" string="true">7</｜GCML｜parameter><｜GCML｜parameter name="b" string="false">7</｜GCML｜parameter></｜GCML｜invoke>`, `gigachat:f{"a":"7","b":7}`},
	{"GigaChat 3 with words for a call", "function call<|role_sep|>\nat noon", ""},
	{"GigaChat 3 without a marker", "function call\n{\"name\":5}", ""},
	{"DeepSeek V4.1 with JSON", `<｜DSML｜ invoke name="f">{"a": 1}</｜DSML｜ invoke>`, `dsml:f{"a": 1}`},
	{"DeepSeek V4.1 with V4's end", `<｜DSML｜ invoke name="f"></｜DSML｜invoke>`, ""},

	{"OLMo's lines", "<function_calls>\nf(a=1)\n\n  g(b='x')  \n</function_calls>", `olmo:f{"a":1} olmo:g{"b":"x"}`},
	{"OLMo's call over lines", "<function_calls>\nf(\n  a=[1,\n 2],\n  b={'k':\n 3}\n)\ng()</function_calls>", `olmo:f{"a":[1,2],"b":{"k":3}} olmo:g{}`},
	{"OLMo's quotes", "<function_calls>\nf(a='(\\'', b=\"[\\\\\")\ng(a=\"\"\"(\"'\n\"\"\")\nh(a='')</function_calls>", `olmo:f{"a":"('","b":"[\\"} olmo:g{"a":"(\"'\n"} olmo:h{"a":""}`},
	{"OLMo with JSON's words", "<function_calls>\nf(a=true, b=[false, null], c={'k': {'l': null}})\n</function_calls>", `olmo:f{"a":true,"b":[false,null],"c":{"k":{"l":null}}}`},
	{"OLMo with a variable in a list", "<function_calls>\nf(a=[x])\n</function_calls>", ""},
	{"OLMo with words between", "<function_calls>\nf(a=1)\nthen\ng()\n</function_calls>", ""},
	{"OLMo without its end", "<function_calls>\nf(a=1)\n", `olmo:f{"a":1}`},
	{"OLMo with its end cut off", "<function_calls>\nf(a=1)\n</function_ca", `olmo:f{"a":1}`},
	{"OLMo cut in its second call", "<function_calls>\nf(a=1)\ng(b='(", ""},
	{"OLMo with a quote that is not closed", "<function_calls>\nf(a='x)\n</function_calls>", ""},
	{"OLMo with nothing", "<function_calls>\n</function_calls>", ""},

	{"MiniCPM's several", "<|thought_start|>\nLook.\n<|thought_end|>\n<|tool_call_start|>\n```python\nf(a=\"x\",b=true)\ng()\n```\n<|tool_call_end|>", `minicpm:f{"a":"x","b":true} minicpm:g{}`},
	{"MiniCPM without its end", "<|tool_call_start|>\n```python\nf(a=1)\n```\n<|tool_ca", `minicpm:f{"a":1}`},
	{"MiniCPM without the end of its fence", "<|tool_call_start|>\n```python\nf(a=1)", `minicpm:f{"a":1}`},
	{"MiniCPM with words before its fence", "<|tool_call_start|>So:\n```python\nf(a=1)\n```\n<|tool_call_end|>", ""},
	{"MiniCPM with no fence", "<|tool_call_start|>\nf(a=1)\n<|tool_call_end|>", `lfm:f{"a":1}`},
	{"MiniCPM's fence of something else", "<|tool_call_start|>\n```json\nf(a=1)\n```\n<|tool_call_end|>", ""},
	{"MiniCPM with an assignment", "<|tool_call_start|>\n```python\nx = f(a=1)\n```\n<|tool_call_end|>", ""},
	{"a fence of Python and no marker", "```python\nf(a=1)\n```", ""},
	{"MiniCPM 5", "<function name=\"f\">\n<param name=\"n\">7</param>\n<param name=\"s\"><![CDATA[a\n<b>]]></param>\n</function><function name=\"g\"></function>", `minicpm:f{"n":7,"s":"a\n<b>"} minicpm:g{}`},
	{"MiniCPM 5 with a parameter without a name", `<function name="f"><param>7</param></function>`, ""},
	{"MiniCPM 5 without its end", `<function name="f"><param name="n">7</param>`, ""},
	{"XML with something else in it", `<function name="f"><return type="int"/></function>`, ""},

	{"Solar Open's several", `<|tool_call:begin|>a<|tool_call:name|>f<|tool_call:args|>{"a": 1}<|tool_call:end|><|tool_call:begin|><|tool_call:name|> g <|tool_call:args|> {}`, `solar:f{"a": 1} solar:g{}`},
	{"Solar Open without a name", `<|tool_call:begin|>a<|tool_call:args|>{"a":1}<|tool_call:end|>`, ""},
	{"Solar Open without arguments", `<|tool_call:begin|>a<|tool_call:name|>f<|tool_call:end|>`, ""},
	{"Solar Open with a list", `<|tool_call:begin|>a<|tool_call:name|>f<|tool_call:args|>[1]<|tool_call:end|>`, ""},
	{"Solar Open 2's several", "<|tool_call:start|>f\n<|tool_arg:start|>n<|tool_arg:value|>7<|tool_arg:end|>\n<|tool_arg:start|>s<|tool_arg:value|>7 < 8<|tool_arg:end|>\n<|tool_call:end|><|tool_call:start|>g\n<|tool_call:end|>", `solar:f{"n":7,"s":"7 < 8"} solar:g{}`},
	{"Solar Open 2 with a value that is cut off", "<|tool_call:start|>f\n<|tool_arg:start|>s<|tool_arg:value|>a<|tool_call:end|>", ""},
	{"Solar Open 2 without its end", "<|tool_call:start|>f\n<|tool_arg:start|>s<|tool_arg:value|>a<|tool_arg:end|>\n", ""},

	{"Hunyuan's values", "<tool_call>f<tool_sep>\n<arg_key>n</arg_key>\n<arg_value>7</arg_value>\n<arg_key>s</arg_key>\n<arg_value>7</arg_value>\n</tool_call><tool_call>g<tool_sep>\n</tool_call>", `hunyuan:f{"n":7,"s":"7"} hunyuan:g{}`},
	{"Hunyuan with another suffix", "<tool_call:6124c78e>f<tool_sep:6124c78e><arg_key:6124c78e>a</arg_key:6124c78e><arg_value:6124c78e>x</arg_value:6124c78e></tool_call:6124c78e>", `hunyuan:f{"a":"x"}`},
	{"Hunyuan with two suffixes", "<tool_call:a>f<tool_sep:b></tool_call:a>", ""},
	{"Hunyuan with a suffix that is cut off", "<tool_call:opens", ""},
	{"Hunyuan without its end", "<tool_call>f<tool_sep>\n<arg_key>s</arg_key>\n<arg_value>7</arg_value>", ""},
	{"Hunyuan's list in JSON", `<tool_calls>[{"name":"f","arguments":{}}]</tool_calls>`, `minimax:f{}`},

	{"Kimi K3 says what is text", `<|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>7<|close|>argument<|sep|><|open|>argument key="s" type="number"<|sep|>7<|close|>argument<|sep|><|open|>argument key="n" type="string"<|sep|>7<|close|>argument<|sep|><|open|>argument key="c" type="object"<|sep|>{"k":1}<|close|>argument<|sep|><|close|>call<|sep|><|open|>call tool="g" index="2"<|sep|><|close|>call<|sep|>`, `kimi:f{"a":"7","s":7,"n":"7","c":{"k":1}} kimi:g{}`},
	{"Kimi K3 without a type", `<|open|>call tool="f"<|sep|><|open|>argument key="n"<|sep|>7<|close|>argument<|sep|><|close|>call<|sep|>`, `kimi:f{"n":7}`},
	{"Kimi K3 without its end", `<|open|>call tool="f"<|sep|><|open|>argument key="n"<|sep|>7<|close|>argument<|sep|>`, ""},
	{"Kimi K3's answer", `<|open|>response<|sep|>Noon.<|close|>response<|sep|>`, ""},

	{"MiniMax-M3's values", m3(`~<invoke name="f">~<n>7~</n>~<s>7~</s>~<a>x
y~</a>~<l>
~<item>1~</item>
~<item>two~</item>
~</l>~<d>~<k>~<item>~<z>null~</z>~</item>~</k>~<w>~</w>~</d>~</invoke>~<invoke name="g">~</invoke>`), `minimax:f{"n":7,"s":"7","a":"x\ny","l":[1,"two"],"d":{"k":[{"z":null}],"w":""}} minimax:g{}`},
	{"MiniMax-M3 with blanks in its tags", m3("~ <invoke name=\"f\">~<n>7~</n>~</invoke>") + m3("~<invoke name=\"f\">~\n<n>7~\n</n>\n~ </invoke>"), `minimax:f{"n":7}`},
	{"MiniMax-M3 with a parameter that is called item", m3(`~<invoke name="f">~<item>7~</item>~</invoke>`), `minimax:f{"item":7}`},
	{"MiniMax-M3 with items and more", m3(`~<invoke name="f">~<o>~<item>7~</item>~<n>8~</n>~</o>~</invoke>`), `minimax:f{"o":{"item":7,"n":8}}`},
	{"MiniMax-M3 with another end", m3(`~<invoke name="f">~<n>7~</m>~</invoke>`), ""},
	{"MiniMax-M3 with words between", m3(`~<invoke name="f">so ~<n>7~</n>~</invoke>`), ""},
	{"MiniMax-M3 with words before a tag", m3(`~<invoke name="f">~<o>so ~<n>7~</n>~</o>~</invoke>`), ""},
	{"MiniMax-M3 with words for a tag", m3(`~<invoke name="f">~<n m>7~</n m>~</invoke>`), ""},
	{"MiniMax-M3 without its end", m3(`~<invoke name="f">~<n>7~</n>`), ""},
	{"MiniMax-M3 with words for a name", m3(`~<invoke name="f g">~</invoke>`), ""},
	{"MiniMax-M3 nested too deep", m3(`~<invoke name="f">` + strings.Repeat("~<o>", 99) + strings.Repeat("~</o>", 99) + `~</invoke>`), ""},
	{"MiniMax-M3 without what stands before a tag", m3(`~<invoke name="f">~<n>7~</n></invoke>`), ""},
	{"MiniMax-M3 without the beginning of a tag", m3(`~<invoke name="f">~n>7~</n>~</invoke>`), ""},

	{"GLM-4-0414", "get_tide\n{\"port\": \"Vigo\"}", `glm:get_tide{"port": "Vigo"}`},
	{"GLM-4-0414's several", "<|assistant|>f\n{\"a\":1}<|assistant|>g\n{}\n<|observation|>", `glm:f{"a":1} glm:g{}`},
	{"GLM-4-0414's turns on lines", "f \r\n{\"a\":1}\n<|assistant|>g\n{}", `glm:f{"a":1} glm:g{}`},
	{"GLM-4-0414 cut in its second call", "f\n{\"a\":1}\ng\n{\"b\"", ""},
	{"GLM-4-0414 with JSON on the same line", `f {"a":1}`, ""},
	{"GLM-4-0414 with an empty line", "f\n\n{\"a\":1}", ""},
	{"GLM-4-0414 with a list", "f\n[1]", ""},
	{"a title and JSON", "The arguments:\n{\"a\":1}", ""},
	{"a name, JSON and words", "f\n{\"a\":1}\nis how you call it.", ""},
	{"words, a name and JSON", "You call it so:\nf\n{\"a\":1}", ""},

	{"Apertus's several", `<|tools_prefix|>[{"f":{"a":1}}, {"g":{}}]<|tools_suffix|>`, `apertus:f{"a":1} apertus:g{}`},
	{"Apertus without a list", `<|tools_prefix|> {"f":{"a":1}}`, `apertus:f{"a":1}`},
	{"Apertus with two calls in one", `<|tools_prefix|>[{"f":{},"g":{}}]<|tools_suffix|>`, ""},
	{"Apertus with a number for arguments", `<|tools_prefix|>[{"f":1}]<|tools_suffix|>`, ""},
	{"Apertus with words for a name", `<|tools_prefix|>[{"f g":{}}]<|tools_suffix|>`, ""},
	{"Apertus with a list of numbers", `<|tools_prefix|>[1]<|tools_suffix|>`, ""},
	{"Apertus cut", `<|tools_prefix|>[{"f":{"a":1}}`, ""},

	{"Granite 20B's several", `<function_call> {"name":"f","arguments":{}} <function_call> {"name":"g","arguments":{}}`, `granite:f{} granite:g{}`},
	{"Phi's several", `functools[{"name":"f","arguments":{}}, {"name":"g","arguments":{"a":1}}]`, `phi:f{} phi:g{"a":1}`},
	{"a module of Python", "functools [1, 2] and functools.reduce", ""},
	{"OpenPangu with the other marker", `<|tool_call_start|>[{"name":"f","arguments":{}}]<|tool_call_end|>`, `pangu:f{}`},
	{"Inkling with another part", `<|content_invoke_tool_json|>{"port":"Vigo"}<|end_message|>`, ""},

	{"Python on lines", "f(a=1)\ng(b=false)", `python:f{"a":1} python:g{"b":false}`},
	{"Python and a turn's end", "[f(a=1)]<|eot|>", `python:f{"a":1}`},
	{"Python and another token", "[f(a=1)]<|tool_end|>", ""},
	{"Python and words", "[f(a=1)]\nThat is it.", ""},
	{"a turn's end alone", "<|eot|>", ""},

	{"plain JSON", `{"type":"function","function":{"name":"f","arguments":"{}"}}`, `json:f{}`},
	{"plain JSON below text", "So:\n{\"name\":\"f\",\"parameters\":{\"a\":1}}\nand\n[{\"name\":\"g\",\"arguments\":{}}]", `json:f{"a":1} json:g{}`},
	{"a list of calls under its name", `{"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, `json:f{"a":1}`},
	{"all names of the parts", `{"function_name":"f","args":{},"index":0,"id":"1"}` + "\n" + `{"tool":"f","input":{},"tool_call_id":"1","type":"function"}` + "\n" + `{"function":"f","parameters":{}}`, `json:f{} json:f{} json:f{}`},
	{"the declaration of a tool", `{"name":"f","parameters":{"type":"object","properties":{"a":{}}}}`, ""},
	{"arguments like those of a declaration", `{"name":"f","parameters":{"type":"object","a":{}}}` + "\n" + `{"name":"f","parameters":{"type":"area","properties":{"a":1}}}`, `json:f{"type":"object","a":{}} json:f{"type":"area","properties":{"a":1}}`},
	{"JSON within a line", `So {"name":"f","arguments":{}}`, ""},
	{"JSON with more than a call", `{"name":"f","arguments":{},"age":3}`, ""},
	{"JSON with more around a call", `{"function":{"name":"f","arguments":{}},"age":3}`, ""},
	{"JSON of calls that are no list", `{"tool_calls":{"name":"f","arguments":{}}}`, ""},
	{"a list with something else in it", `[{"name":"f","arguments":{}}, 5]`, ""},
	{"JSON of a person", `{"name":"f","age":3}`, ""},
	{"Python among text", `Use f(a=1) for it.`, ""},
	{"Python without brackets", ` f(a=1) `, `python:f{"a":1}`},
	{"Python with dots", `[w.f(a=1)]`, `python:w.f{"a":1}`},
	{"a list that is no call", `[1, 2]`, ""},
	{"a name that is none", `<tool_call>{"name":"f g","arguments":{}}</tool_call>`, ""},
}

// declared are the types that the parameters of f have.
func declared(tool, parameter string) string {
	return map[string]string{"f/n": "integer", "f/s": "string", "f/o": "object"}[tool+"/"+parameter]
}

func TestCalls(t *testing.T) {
	for _, tt := range texts {
		t.Run(tt.name, func(t *testing.T) {
			if got := found(tt.text, declared); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestTurnEnds: whatever ends a turn may stand behind what is to be all there is.
func TestTurnEnds(t *testing.T) {
	for end := range strings.FieldsSeq("<|eot|> <|eom|> <|eot_id|> <|eom_id|> <|im_end|> <|endoftext|> <|observation|> <|user|> <end_of_turn> [|endofturn|] </s>") {
		if got := found("[f()]\n"+end+" ", nil); got != "python:f{}" {
			t.Errorf("%s: got %s", end, got)
		}
	}
}

// m3 writes what MiniMax-M3 puts before its tags for each ~.
func m3(text string) string { return strings.ReplaceAll(text, "~", "]<]minimax[>[") }

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
		"<|tool_call_begin|>f<|tool_call_argument_begin|>{", "```tool_code\n", "<tool_code>f(", "<｜tool_call_begin｜>function<｜tool_sep｜>f\n```json\n{", "f(", `{"a":`, "<", "<|channel|>", "analysis",
		"<function_calls>", "<function_calls>f(", "<function_calls>\"", "<function_calls>f()\n", "f()\n", "<|tool_call_start|>```python\n", "<tool_call:", "<tool_call:a>f<tool_sep:a>", "<|tool_call:begin|>",
		`<|tool_call:begin|><|tool_call:name|>f<|tool_call:args|>{`, "<|tools_prefix|>[", "functools[", "f\n{", "f\n{}\n", "<s>", "</s>", " </s>", "<s></s>", "[|", "<|/",
		m3(`~<invoke name="f">`), m3(`~<invoke name="f">~<a>`), m3("~<a>"), m3(`~<invoke name="f">~<a>x`), "<|eot|>", " <|eot|>",
		strings.Repeat(" ", size/2) + strings.Repeat("<s>", size/6),
	} {
		text := strings.Repeat(piece, size/len(piece))
		start := time.Now()
		markup.Calls(text, nil)
		markup.Markers(markup.OutsideCode(text))
		took := time.Since(start)
		t.Logf("%q: %v", piece, took)
		if took > 20*time.Second { // a second on a machine that does nothing else
			t.Errorf("%q over and over: %v for %d bytes", piece, took, len(text))
		}
	}
}

// kinds are what parameters may be declared to be, and what nobody has heard of.
var kinds = []string{"", "string", "integer", "number", "boolean", "null", "object", "array", "any"}

// checkCall checks what holds for every call that is read from a text.
func checkCall(t *testing.T, c markup.Call, text string) {
	t.Helper()
	var object map[string]any
	if c.Start < 0 || c.End <= c.Start || c.End > len(text) || c.Name == "" || c.Arguments[0] != '{' || json.Unmarshal([]byte(c.Arguments), &object) != nil {
		t.Fatalf("call %+v in %d bytes", c, len(text))
	}
	// Where nothing is escaped or broken, the name stands in the call's place.
	if place := text[c.Start:c.End]; utf8.ValidString(place) && !strings.ContainsAny(place, `\&`) && !strings.Contains(place, c.Name) {
		t.Errorf("call %+v is not in %q", c, place)
	}
}

// FuzzCalls runs every family's parser: calls lie in the text, one after the other, have a name, and a JSON object for arguments.
func FuzzCalls(f *testing.F) {
	for _, family := range markup.Families {
		for _, example := range family.Examples {
			f.Add(example)
		}
	}
	for _, tt := range texts {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, end := 0, 0
		for _, c := range markup.Calls(text, declared) {
			checkCall(t, c, text)
			if c.Start < end && (c.Start != start || c.End != end) {
				t.Errorf("call %+v begins before %d", c, end)
			}
			start, end = c.Start, c.End
		}
	})
}

// FuzzFamily runs the parser of one family by itself, with parameters declared to be of any type. Its seeds are the examples of the family
// and the texts above in which it finds a call, whole and broken off.
func FuzzFamily(f *testing.F) {
	for i, family := range markup.Families {
		seeds := slices.Clone(family.Examples)
		for _, tt := range texts {
			if len(family.Parse(tt.text, declared)) > 0 {
				seeds = append(seeds, tt.text)
			}
		}
		for n, seed := range seeds {
			f.Add(uint8(i), uint8(n), seed)
			f.Add(uint8(i), uint8(n), seed[:len(seed)/2]+seed)
		}
	}
	f.Fuzz(func(t *testing.T, i, kind uint8, text string) {
		family := markup.Families[int(i)%len(markup.Families)]
		types := func(tool, parameter string) string { return kinds[(int(kind)+len(parameter))%len(kinds)] }
		for _, c := range family.Parse(text, types) {
			checkCall(t, c, text)
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
