package markup

import "strings"

// tagged is a form of calls whose arguments are text between tags: <function=NAME><parameter=KEY>VALUE</parameter></function>.
type tagged struct {
	// open stands before the name, and opened behind it.
	open, opened string
	// close ends the call.
	close string
	// key stands before the name of a parameter, and keyed behind it; value stands before the value (it may be empty), and valued behind it.
	key, keyed, value, valued string
}

// invokes has the tags of Anthropic's old prompts, with something before their names in most families.
func invokes(before string) tagged {
	return tagged{"<" + before + `invoke name="`, `"`, "</" + before + "invoke>", "<" + before + `parameter name="`, `"`, "", "</" + before + "parameter>"}
}

// argKeys has the tags of GLM-4.5, with something before and behind their names in some families. The name of the call ends at opened.
func argKeys(before, behind, opened string) tagged {
	tag := func(name string) (open, close string) {
		return "<" + before + name + behind + ">", "</" + before + name + behind + ">"
	}
	var t tagged
	t.open, t.close = tag("tool_call")
	t.key, t.keyed = tag("arg_key")
	t.value, t.valued = tag("arg_value")
	t.opened = opened
	return t
}

var (
	qwenCoder  = tagged{"<function=", ">", "</function>", "<parameter=", ">", "", "</parameter>"}
	minimaxM2  = invokes("")
	dsmlV32    = invokes("｜DSML｜")
	dsmlV41    = invokes("｜DSML｜ ")
	gcml       = invokes("｜GCML｜")
	step3      = invokes("steptml:")
	muse       = invokes("atem:")
	minicpm5   = tagged{`<function name="`, `"`, "</function>", `<param name="`, `"`, "", "</param>"}
	glm45      = argKeys("", "", "<")
	longcatXML = argKeys("longcat_", "", "<")
	solarOpen2 = tagged{"<|tool_call:start|>", "<", "<|tool_call:end|>", "<|tool_arg:start|>", "<|tool_arg:value|>", "", "<|tool_arg:end|>"}
	kimiK3     = tagged{`<|open|>call tool="`, `"`, "<|close|>call<|sep|>", `<|open|>argument key="`, `"`, "", "<|close|>argument<|sep|>"}
)

// glm reads the calls of GLM-4.5 and later, and those of GLM-4-0414.
func glm(text string, types Types) []Call {
	return append(glm45.calls(text, types), bareHeaded(text)...)
}

// dsml reads the calls of DeepSeek V3.2 and V4, and those of V4.1.
func dsml(text string, types Types) []Call {
	return append(dsmlV32.calls(text, types), dsmlV41.calls(text, types)...)
}

// minimax reads the calls of MiniMax-M2, which are those of Anthropic's old prompts too, and of M1 and M3.
func minimax(text string, types Types) []Call {
	all := append(minimaxM2.calls(text, types), lines.calls(text, types)...)
	return append(all, minimaxM3(text, types)...)
}

// longcat reads both forms of LongCat.
func longcat(text string, types Types) []Call {
	return append(longcatXML.calls(text, types), longcatJSON.calls(text, types)...)
}

// hunyuan reads the calls of Hy3, whose tags end with what its tokenizer puts behind their names: nothing, or the same for all.
func hunyuan(text string, types Types) []Call {
	suffix := ""
	if _, rest, ok := strings.Cut(text, "<tool_call:"); ok {
		name, _, _ := strings.Cut(front(rest), ">")
		suffix = ":" + name
	}
	return argKeys("", suffix, "<tool_sep"+suffix+">").calls(text, types)
}

func (t tagged) calls(text string, types Types) []Call {
	return behind(text, t.open, func(start, at int) ([]Call, int) {
		name, body, ok := t.head(text[at:])
		if !ok {
			return nil, 0
		}
		arguments, n, ok := t.parameters(body, name, types)
		if !ok {
			return nil, 0
		}
		end := len(text) - len(body) + n
		return []Call{{Name: name, Arguments: arguments, Start: start, End: end}}, end
	})
}

// head reads the name of a call. body is what follows it.
func (t tagged) head(s string) (name, body string, ok bool) {
	i := strings.Index(front(s), t.opened)
	if i < 0 {
		return "", "", false
	}
	name, body = strings.TrimSpace(s[:i]), s[i:]
	switch t.opened {
	case "<": // it belongs to the next tag
	case `"`: // further attributes may follow
		end := strings.IndexByte(front(body), '>')
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
		s = skipBlanks(s)
		if strings.HasPrefix(s, t.close) {
			return w.String(), len(body) - len(s) + len(t.close), true
		}
		if value := wholeJSON(s); len(w.b) == 0 && value != "" && value[0] == '{' { // <function=NAME>{…}</function>
			s = skipBlanks(s[len(value):])
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
	i := strings.Index(front(s), t.keyed)
	if i < 0 {
		return "", "", "", false
	}
	key, s = strings.TrimSpace(s[:i]), s[i+len(t.keyed):]
	declared := types(tool, key)
	if t.keyed == `"` {
		end := strings.IndexByte(front(s), '>')
		if end < 0 {
			return "", "", "", false
		}
		switch { // DSML and Kimi K3 say themselves what is text
		case strings.Contains(s[:end], `string="true"`), strings.Contains(s[:end], `type="string"`):
			declared = "string"
		case strings.Contains(s[:end], `string="false"`), strings.Contains(s[:end], `type="`):
			declared = "value"
		}
		s = s[end+1:]
	}
	if t.value != "" {
		s = skipBlanks(s)
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
	if inner, ok := strings.CutPrefix(text, "<![CDATA["); ok { // MiniCPM writes what has several lines so
		text = strings.TrimSuffix(inner, "]]>")
	}
	return key, typed(text, declared), s[i+len(t.valued):], key != ""
}
