package markup

import "strings"

// marked is a family that writes calls as JSON behind a marker.
type marked struct{ open, close string }

var (
	hermes   = marked{"<tool_call>", "</tool_call>"}
	granite  = marked{"<|tool_call|>", ""}
	nemotron = marked{"<TOOLCALL>", "</TOOLCALL>"}
	internlm = marked{"<|action_start|>", "<|action_end|>"}
	command  = marked{"<|START_ACTION|>", "<|END_ACTION|>"}
	// lines is how MiniMax-M1 and Jamba write calls, one or more of them.
	lines = marked{"<tool_calls>", "</tool_calls>"}
	// longcatJSON is the older form of LongCat.
	longcatJSON = marked{"<longcat_tool_call>", "</longcat_tool_call>"}
)

func (m marked) calls(text string, _ Types) []Call {
	var all []Call
	failed := 0
	for at := 0; failed < attempts; {
		i := strings.Index(text[at:], m.open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(m.open)
		calls, end := jsonRun(text, start, at)
		if len(calls) == 0 {
			failed++
			continue
		}
		if m.close != "" {
			if rest := strings.TrimLeft(text[end:], " \t\r\n"); strings.HasPrefix(rest, m.close) {
				end = len(text) - len(rest) + len(m.close)
			}
		}
		last := calls[len(calls)-1]
		for k := range calls {
			if calls[k].Start == last.Start {
				calls[k].End = end
			}
		}
		all, at = append(all, calls...), end
	}
	return all
}

// jsonRun reads JSON calls that follow each other from at on, with nothing but blanks, commas, semicolons and InternLM's marker between.
// The first one starts at start.
func jsonRun(text string, start, at int) (all []Call, end int) {
	for end = at; ; {
		rest := strings.TrimLeft(text[end:], " \t\r\n,;")
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "<|plugin|>"), " \t\r\n")
		value := wholeJSON(rest)
		if value == "" {
			return all, end
		}
		calls := jsonCalls(value, false)
		if len(calls) == 0 {
			return all, end
		}
		end = len(text) - len(rest) + len(value)
		for _, c := range calls {
			all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: start, End: end})
		}
		start = end
	}
}

// bareJSON reads calls in plain JSON that begin a line, as models write them that were only told to in the prompt.
func bareJSON(text string, _ Types) []Call {
	var all []Call
	failed := 0
	for at := 0; at < len(text) && failed < attempts; {
		trimmed := strings.TrimLeft(text[at:], " \t\r\n;")
		at = len(text) - len(trimmed)
		if value := wholeJSON(trimmed); value != "" {
			for _, c := range jsonCalls(value, true) {
				all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: at, End: at + len(value)})
			}
			at += len(value)
			continue
		}
		if trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
			failed++
		}
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return all
}

// llama reads what follows Llama 3's marker of a call to a built-in tool: JSON calls, or a method call in Python. Without the marker its
// calls are plain JSON.
func llama(text string, _ Types) []Call {
	const open = "<|python_tag|>"
	var all []Call
	failed := 0
	for at := 0; failed < attempts; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(open)
		calls, end := jsonRun(text, start, at)
		if len(calls) > 0 {
			all, at = append(all, calls...), end
			continue
		}
		body := text[at:]
		for _, close := range []string{"<|eom_id|>", "<|eot_id|>", open} {
			if j := strings.Index(body, close); j >= 0 {
				body = body[:j]
			}
		}
		python := pythonCalls(body)
		if len(python) == 0 {
			failed++
		}
		for _, c := range python {
			c.name = strings.TrimSuffix(c.name, ".call")
			all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: start, End: at + len(body)})
		}
		at += len(body)
	}
	return all
}

// mistral reads both forms: a list of JSON calls, and names followed by [ARGS] and their arguments.
func mistral(text string, _ Types) []Call {
	const open = "[TOOL_CALLS]"
	var all []Call
	failed := 0
	for at := 0; failed < attempts; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(open)
		calls, end := jsonRun(text, start, at)
		if len(calls) == 0 {
			calls, end = mistralNamed(text, start, at)
		}
		if len(calls) == 0 {
			failed++
			continue
		}
		all, at = append(all, calls...), end
	}
	return all
}

// mistralNamed reads NAME[ARGS]{…}, with [CALL_ID]… before [ARGS] in some models and without [ARGS] in others.
func mistralNamed(text string, start, at int) ([]Call, int) {
	head := text[at:min(len(text), at+512)]
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

// kimi reads Kimi K2's calls. The name is part of an id: functions.NAME:0.
func kimi(text string, _ Types) []Call {
	const open, middle, close = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
	return headed(text, open, func(body string) (named, int) {
		i := strings.Index(body[:min(len(body), 512)], middle)
		if i < 0 {
			return named{}, 0
		}
		name := strings.TrimPrefix(strings.TrimSpace(body[:i]), "functions.")
		if colon := strings.LastIndexByte(name, ':'); colon >= 0 && strings.Trim(name[colon+1:], "0123456789") == "" {
			name = name[:colon]
		}
		return named{name: name}, i + len(middle)
	}, close)
}

// deepseek reads the calls of DeepSeek V3 (a fence of JSON behind the name) and V3.1 (JSON behind the separator).
func deepseek(text string, _ Types) []Call {
	const open, middle, close = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
	return headed(text, open, func(body string) (named, int) {
		i := strings.Index(body[:min(len(body), 512)], middle)
		if i < 0 {
			return named{}, 0
		}
		name, at := strings.TrimSpace(body[:i]), i+len(middle)
		if name == "function" {
			line, _, ok := strings.Cut(body[at:min(len(body), at+512)], "\n")
			if !ok {
				return named{}, 0
			}
			name, at = strings.TrimSpace(line), at+len(line)+1
			if strings.HasPrefix(body[at:], "```json\n") {
				at += len("```json\n")
			}
		}
		return named{name: name}, at
	}, "```", close)
}

// headed reads calls that begin with open, a head that tells the name, and JSON arguments. head returns the name and where the arguments
// begin, 0 for none. What may follow the arguments is closes, in that order.
func headed(text, open string, head func(body string) (named, int), closes ...string) []Call {
	var all []Call
	failed := 0
	for at := 0; failed < attempts; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(open)
		c, n := head(text[at:])
		if n == 0 || !wellNamed(c.name) {
			failed++
			continue
		}
		rest := strings.TrimLeft(text[at+n:], " \t\r\n")
		value := wholeJSON(rest)
		if value == "" || value[0] != '{' {
			failed++
			continue
		}
		end := len(text) - len(rest) + len(value)
		for _, close := range closes {
			if after := strings.TrimLeft(text[end:], " \t\r\n"); strings.HasPrefix(after, close) {
				end = len(text) - len(after) + len(close)
			}
		}
		all = append(all, Call{Name: c.name, Arguments: value, Start: start, End: end})
		at = end
	}
	return all
}

// harmony reads the calls of gpt-oss: a message to functions.NAME. Its tokens may be missing, as detokenizers drop them.
func harmony(text string, _ Types) []Call {
	const open = "to=functions."
	all := headed(text, open, func(body string) (named, int) {
		header := body[:min(len(body), 512)]
		i := strings.IndexByte(header, '{')
		if i < 0 {
			return named{}, 0
		}
		name := header[:i]
		if j := strings.IndexAny(name, " \t\r\n<"); j >= 0 {
			name = name[:j]
		}
		return named{name: name}, i
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
