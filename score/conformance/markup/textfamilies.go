package markup

import "strings"

// tagged is a family that writes arguments as text between tags: <function=NAME><parameter=KEY>VALUE</parameter></function>.
type tagged struct {
	// open stands before the name, and opened behind it.
	open, opened string
	// close ends the call.
	close string
	// key stands before the name of a parameter, and keyed behind it; value stands before the value (it may be empty), and valued behind it.
	key, keyed, value, valued string
}

var (
	qwenCoder  = tagged{"<function=", ">", "</function>", "<parameter=", ">", "", "</parameter>"}
	invoked    = tagged{`<invoke name="`, `"`, "</invoke>", `<parameter name="`, `"`, "", "</parameter>"}
	dsml       = tagged{`<｜DSML｜invoke name="`, `"`, "</｜DSML｜invoke>", `<｜DSML｜parameter name="`, `"`, "", "</｜DSML｜parameter>"}
	glm        = tagged{"<tool_call>", "<", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"}
	longcatXML = tagged{"<longcat_tool_call>", "<", "</longcat_tool_call>", "<longcat_arg_key>", "</longcat_arg_key>", "<longcat_arg_value>",
		"</longcat_arg_value>"}
)

// minimax reads the calls of MiniMax-M2, which are those of Anthropic's old prompts too, and of M1.
func minimax(text string, types Types) []Call {
	return append(invoked.calls(text, types), lines.calls(text, types)...)
}

// longcat reads both forms of LongCat.
func longcat(text string, types Types) []Call {
	return append(longcatXML.calls(text, types), longcatJSON.calls(text, types)...)
}

func (t tagged) calls(text string, types Types) []Call {
	var all []Call
	for at, failed := 0, 0; failed < attempts; {
		i := strings.Index(text[at:], t.open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(t.open)
		name, body, ok := t.head(text[at:])
		if !ok {
			failed++
			continue
		}
		arguments, n, ok := t.parameters(body, name, types)
		if !ok {
			failed++
			continue
		}
		at = len(text) - len(body) + n
		all = append(all, Call{Name: name, Arguments: arguments, Start: start, End: at})
	}
	return all
}

// head reads the name of a call. body is what follows it.
func (t tagged) head(s string) (name, body string, ok bool) {
	i := strings.Index(s[:min(len(s), 512)], t.opened)
	if i < 0 {
		return "", "", false
	}
	name, body = strings.TrimSpace(s[:i]), s[i:]
	switch t.opened {
	case "<": // it belongs to the next tag
	case `"`: // further attributes may follow
		end := strings.IndexByte(body[:min(len(body), 512)], '>')
		if end < 0 {
			return "", "", false
		}
		body = body[end+1:]
	default:
		body = body[len(t.opened):]
	}
	return name, body, wellNamed(name)
}

// parameters reads all parameters up to the end of the call, and returns how long they are with it.
func (t tagged) parameters(body, tool string, types Types) (arguments string, n int, ok bool) {
	var w objectWriter
	for s := body; ; {
		s = strings.TrimLeft(s, " \t\r\n")
		if strings.HasPrefix(s, t.close) {
			return w.String(), len(body) - len(s) + len(t.close), true
		}
		if value := wholeJSON(s); len(w.b) == 0 && value != "" && value[0] == '{' { // <function=NAME>{…}</function>
			s = strings.TrimLeft(s[len(value):], " \t\r\n")
			return value, len(body) - len(s) + len(t.close), strings.HasPrefix(s, t.close)
		}
		key, value, rest, ok := t.parameter(s, tool, types)
		if !ok {
			return "", 0, false
		}
		w.add(key, value)
		s = rest
	}
}

// parameter reads one parameter; value is JSON.
func (t tagged) parameter(s, tool string, types Types) (key, value, rest string, ok bool) {
	if !strings.HasPrefix(s, t.key) {
		return "", "", "", false
	}
	s = s[len(t.key):]
	i := strings.Index(s[:min(len(s), 512)], t.keyed)
	if i < 0 {
		return "", "", "", false
	}
	key, s = strings.TrimSpace(s[:i]), s[i+len(t.keyed):]
	declared := types(tool, key)
	if t.keyed == `"` {
		end := strings.IndexByte(s[:min(len(s), 512)], '>')
		if end < 0 {
			return "", "", "", false
		}
		switch { // DSML says itself what is text
		case strings.Contains(s[:end], `string="true"`):
			declared = "string"
		case strings.Contains(s[:end], `string="false"`):
			declared = "value"
		}
		s = s[end+1:]
	}
	if t.value != "" {
		s = strings.TrimLeft(s, " \t\r\n")
		if !strings.HasPrefix(s, t.value) {
			return "", "", "", false
		}
		s = s[len(t.value):]
	}
	i = strings.Index(s, t.valued)
	if i < 0 {
		return "", "", "", false
	}
	text := s[:i]
	if t.keyed == ">" { // Qwen writes each value on lines of its own
		text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
	}
	return key, typed(text, declared), s[i+len(t.valued):], key != ""
}

// lfm reads Python calls between LFM's markers.
func lfm(text string, _ Types) []Call {
	const open, close = "<|tool_call_start|>", "<|tool_call_end|>"
	var all []Call
	for at := 0; ; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			return all
		}
		start := at + i
		body := text[start+len(open):]
		end := len(text)
		if j := strings.Index(body, close); j >= 0 {
			body, end = body[:j], start+len(open)+j+len(close)
		}
		for _, c := range pythonCalls(body) {
			all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: start, End: end})
		}
		at = end
	}
}

// barePython reads a text that is nothing but calls in Python, as Llama 4 and prompted models write them.
func barePython(text string, _ Types) []Call {
	trimmed := strings.TrimSpace(text)
	start := strings.Index(text, trimmed)
	var all []Call
	for _, c := range pythonCalls(trimmed) {
		all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: start, End: start + len(trimmed)})
	}
	return all
}
