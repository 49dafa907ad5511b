package markup

import "strings"

// headed reads calls that begin with open, a head that tells the name, and JSON arguments. head returns the name and where the arguments
// begin, 0 for none. What may follow the arguments is closes, in that order.
func headed(text, open string, head func(body string) (name string, n int), closes ...string) []Call {
	return behind(text, open, func(start, at int) ([]Call, int) {
		name, n := head(text[at:])
		if n == 0 || !wellNamed(name) {
			return nil, 0
		}
		rest := skipBlanks(text[at+n:])
		value := wholeJSON(rest)
		if value == "" || value[0] != '{' {
			return nil, 0
		}
		end := closed(text, len(text)-len(rest)+len(value), closes...)
		return []Call{{Name: name, Arguments: value, Start: start, End: end}}, end
	})
}

// mistral reads both forms: a list of JSON calls, and names followed by [ARGS] and their arguments.
func mistral(text string, _ Types) []Call {
	return behind(text, "[TOOL_CALLS]", func(start, at int) ([]Call, int) {
		if calls, end := jsonRun(text, start, at); len(calls) > 0 {
			return calls, end
		}
		return mistralNamed(text, start, at)
	})
}

// mistralNamed reads NAME[ARGS]{…}, with [CALL_ID]… before [ARGS] in some models and without [ARGS] in others.
func mistralNamed(text string, start, at int) ([]Call, int) {
	head := front(text[at:])
	i := strings.IndexByte(head, '{')
	if i < 0 {
		return nil, at
	}
	head = strings.TrimSuffix(strings.TrimSpace(head[:i]), "[ARGS]")
	name, _, _ := strings.Cut(head, "[CALL_ID]")
	name = strings.TrimSpace(name)
	value := wholeJSON(text[at+i:])
	if !wellNamed(name) || value == "" {
		return nil, at
	}
	end := at + i + len(value)
	return []Call{{Name: name, Arguments: value, Start: start, End: end}}, end
}

// kimi reads the calls of Kimi K2 and those of K3.
func kimi(text string, types Types) []Call {
	return append(kimiK2(text), kimiK3.calls(text, types)...)
}

// kimiK2 reads calls whose name is part of an id: functions.NAME:0.
func kimiK2(text string) []Call {
	const open, middle, close = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
	return headed(text, open, func(body string) (string, int) {
		i := strings.Index(front(body), middle)
		if i < 0 {
			return "", 0
		}
		name := strings.TrimPrefix(strings.TrimSpace(body[:i]), "functions.")
		if colon := strings.LastIndexByte(name, ':'); colon >= 0 && strings.Trim(name[colon+1:], "0123456789") == "" {
			name = name[:colon]
		}
		return name, i + len(middle)
	}, close)
}

// deepseek reads the calls of DeepSeek V3 and V3.1.
func deepseek(text string, _ Types) []Call {
	return separated(text, "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>")
}

// step reads the calls of Step 3, which have the tags of Anthropic's old prompts between its tokens, and those that it writes as DeepSeek
// does, with other tokens.
func step(text string, types Types) []Call {
	return append(step3.calls(text, types), separated(text, "<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>")...)
}

// separated reads calls whose name stands before a token and its arguments behind it; or, where the word function stands before it, behind it
// in a line of its own, with the arguments in a fence of JSON.
func separated(text, open, middle, close string) []Call {
	return headed(text, open, func(body string) (string, int) {
		i := strings.Index(front(body), middle)
		if i < 0 {
			return "", 0
		}
		name, at := strings.TrimSpace(body[:i]), i+len(middle)
		if name == "function" {
			line, _, ok := strings.Cut(front(body[at:]), "\n")
			if !ok {
				return "", 0
			}
			name, at = strings.TrimSpace(line), at+len(line)+1
			if strings.HasPrefix(body[at:], "```json\n") {
				at += len("```json\n")
			}
		}
		return name, at
	}, "```", close)
}

// solar reads the calls of Solar Open, which have an id before the name, and those of Solar Open 2.
func solar(text string, types Types) []Call {
	const open, named, middle, close = "<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>"
	all := headed(text, open, func(body string) (string, int) {
		head := front(body)
		i := strings.Index(head, middle)
		if i < 0 {
			return "", 0
		}
		_, name, _ := strings.Cut(head[:i], named)
		return strings.TrimSpace(name), i + len(middle)
	}, close)
	return append(all, solarOpen2.calls(text, types)...)
}

// harmony reads the calls of gpt-oss: a message to functions.NAME. Its tokens may be missing, as detokenizers drop them.
func harmony(text string, _ Types) []Call {
	const open = "to=functions."
	all := headed(text, open, func(body string) (string, int) {
		header := front(body)
		i := strings.IndexByte(header, '{')
		if i < 0 {
			return "", 0
		}
		name := header[:i]
		if j := strings.IndexAny(name, " \t\r\n<"); j >= 0 {
			name = name[:j]
		}
		return name, i
	}, "<|call|>", "<|end|>")
	for i := range all {
		// The head of the message belongs to the call.
		for _, token := range []string{"<|start|>", "<|channel|>"} {
			from := max(0, all[i].Start-64)
			if j := strings.LastIndex(text[from:all[i].Start], token); j >= 0 && (i == 0 || from+j >= all[i-1].End) {
				all[i].Start = from + j
			}
		}
	}
	return all
}
