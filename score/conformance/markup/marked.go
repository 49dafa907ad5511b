package markup

import (
	"encoding/json"
	"strings"
)

// marked is a form of calls as JSON behind a marker.
type marked struct{ open, close string }

// forms are several forms of one family.
type forms []marked

var (
	hermes   = marked{"<tool_call>", "</tool_call>"}
	nemotron = marked{"<TOOLCALL>", "</TOOLCALL>"}
	internlm = marked{"<|action_start|>", "<|action_end|>"}
	command  = marked{"<|START_ACTION|>", "<|END_ACTION|>"}
	inkling  = marked{"<|content_invoke_tool_json|>", "<|end_message|>"}
	// phi is Phi-4-mini as its prompt in vLLM has it, and FireFunction.
	phi = marked{"functools", ""}
	// lines is how MiniMax-M1, Jamba, Apriel and Hunyuan-A13B write calls, one or more of them.
	lines = marked{"<tool_calls>", "</tool_calls>"}
	// longcatJSON is the older form of LongCat.
	longcatJSON = marked{"<longcat_tool_call>", "</longcat_tool_call>"}

	// granite is Granite 3, whose marker Phi-4-mini has and closes, and Granite 20B.
	granite = forms{{"<|tool_call|>", "<|/tool_call|>"}, {"<function_call>", "</function_call>"}}
	// pangu is openPangu; what its marker is called depends on the tokenizer.
	pangu = forms{{"[unused11]", "[unused12]"}, {"<|tool_call_start|>", "<|tool_call_end|>"}}
	// gigachatJSON is GigaChat 3, with and without a token of its own for calls.
	gigachatJSON = forms{{"<|function_call|>", ""}, {"function call<|role_sep|>", ""}}
)

// gigachat reads the calls of GigaChat 3 and those of 3.5.
func gigachat(text string, types Types) []Call {
	return append(gigachatJSON.calls(text, types), gcml.calls(text, types)...)
}

func (all forms) calls(text string, types Types) []Call {
	var calls []Call
	for _, m := range all {
		calls = append(calls, m.calls(text, types)...)
	}
	return calls
}

func (m marked) calls(text string, _ Types) []Call {
	return behind(text, m.open, func(start, at int) ([]Call, int) {
		calls, end := jsonRun(text, start, at)
		if len(calls) == 0 {
			return nil, 0
		}
		end = closed(text, end, m.close)
		last := calls[len(calls)-1].Start
		for k := range calls {
			if calls[k].Start == last {
				calls[k].End = end
			}
		}
		return calls, end
	})
}

// jsonRun reads JSON calls that follow each other from at on, with nothing but blanks, commas, semicolons and InternLM's marker between.
// The first one starts at start.
func jsonRun(text string, start, at int) (all []Call, end int) {
	for end = at; ; {
		rest := strings.TrimLeft(text[end:], " \t\r\n,;")
		rest = skipBlanks(strings.TrimPrefix(rest, "<|plugin|>"))
		value := wholeJSON(rest)
		if value == "" {
			return all, end
		}
		calls := jsonCalls(value, false)
		if len(calls) == 0 {
			return all, end
		}
		end = len(text) - len(rest) + len(value)
		all = append(all, placed(calls, start, end)...)
		start = end
	}
}

// apertus reads objects whose only member is the call: its name, and its arguments.
func apertus(text string, _ Types) []Call {
	return behind(text, "<|tools_prefix|>", func(start, at int) ([]Call, int) {
		rest := skipBlanks(text[at:])
		value := wholeJSON(rest)
		end := closed(text, len(text)-len(rest)+len(value), "<|tools_suffix|>")
		if strings.HasPrefix(value, "{") { // one call may stand without a list
			value = "[" + value + "]"
		}
		var items []map[string]json.RawMessage
		if value == "" || json.Unmarshal([]byte(value), &items) != nil {
			return nil, 0
		}
		var calls []Call
		for _, item := range items {
			for name, arguments := range item {
				if len(item) > 1 || !wellNamed(name) || arguments[0] != '{' {
					return nil, 0
				}
				calls = append(calls, Call{Name: name, Arguments: string(arguments), Start: start, End: end})
			}
		}
		return calls, end
	})
}
