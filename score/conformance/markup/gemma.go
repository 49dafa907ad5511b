package markup

import (
	"encoding/json"
	"strings"
)

// gemma reads the calls of Gemma 4 and FunctionGemma, call:NAME{key:value} with marked strings, and the fenced Python of Gemma 3.
func gemma(text string, _ Types) []Call {
	all := gemmaCalls(text, "<|tool_call>", "<tool_call|>", `<|"|>`)
	all = append(all, gemmaCalls(text, "<start_function_call>", "<end_function_call>", "<escape>")...)
	return append(all, toolCode(text)...)
}

func gemmaCalls(text, open, close, quote string) []Call {
	var all []Call
	for at, failed := 0, 0; failed < attempts; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(open)
		body, isCall := strings.CutPrefix(strings.TrimLeft(text[at:], " \t\r\n"), "call:")
		brace := strings.IndexByte(body[:min(len(body), 512)], '{')
		if !isCall || brace < 0 || !wellNamed(body[:brace]) {
			failed++
			continue
		}
		r := gemmaReader{rest: body[brace:], quote: quote}
		arguments, ok := r.value(0)
		if !ok {
			failed++
			continue
		}
		end := len(text) - len(r.rest)
		if after := strings.TrimLeft(r.rest, " \t\r\n"); strings.HasPrefix(after, close) {
			end = len(text) - len(after) + len(close)
		}
		all = append(all, Call{Name: body[:brace], Arguments: arguments, Start: start, End: end})
		at = end
	}
	return all
}

// gemmaReader reads Gemma's values: JSON whose names stand without quotes and whose strings stand between markers.
type gemmaReader struct {
	rest  string
	quote string
}

// maxDepth is how deep values may be nested.
const maxDepth = 64

// value reads a value and returns it as JSON.
func (r *gemmaReader) value(depth int) (string, bool) {
	r.blanks()
	switch {
	case depth > maxDepth || r.rest == "":
		return "", false
	case r.rest[0] == '{':
		var w objectWriter
		ok := r.items('}', func() bool {
			key, found := r.key()
			if !found {
				return false
			}
			value, found := r.value(depth + 1)
			if found {
				w.add(key, value)
			}
			return found
		})
		return w.String(), ok
	case r.rest[0] == '[':
		var items []string
		ok := r.items(']', func() bool {
			value, found := r.value(depth + 1)
			items = append(items, value)
			return found
		})
		return "[" + strings.Join(items, ",") + "]", ok
	case strings.HasPrefix(r.rest, r.quote):
		text, ok := r.marked()
		return string(appendString(nil, text)), ok
	}
	i := strings.IndexAny(r.rest, ",}]")
	if i < 0 {
		return "", false
	}
	text := strings.TrimSpace(r.rest[:i])
	r.rest = r.rest[i:]
	if !json.Valid([]byte(text)) {
		text = string(appendString(nil, text))
	}
	return text, true
}

// items reads what stands between brackets, with commas between.
func (r *gemmaReader) items(end byte, item func() bool) bool {
	r.rest = r.rest[1:]
	for r.blanks(); r.rest != "" && r.rest[0] != end; r.blanks() {
		if !item() {
			return false
		}
		if r.blanks(); r.rest != "" && r.rest[0] == ',' {
			r.rest = r.rest[1:]
		} else if r.rest == "" || r.rest[0] != end {
			return false
		}
	}
	if r.rest == "" {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// key reads the name of a member with its colon.
func (r *gemmaReader) key() (string, bool) {
	if strings.HasPrefix(r.rest, r.quote) {
		key, ok := r.marked()
		r.blanks()
		rest, colon := strings.CutPrefix(r.rest, ":")
		r.rest = rest
		return key, ok && colon
	}
	i := strings.IndexAny(r.rest, ":,}]")
	if i < 0 || r.rest[i] != ':' {
		return "", false
	}
	key := strings.Trim(strings.TrimSpace(r.rest[:i]), `"`)
	r.rest = r.rest[i+1:]
	return key, true
}

// marked reads a string between markers.
func (r *gemmaReader) marked() (string, bool) {
	text, rest, ok := strings.Cut(r.rest[len(r.quote):], r.quote)
	r.rest = rest
	return text, ok
}

func (r *gemmaReader) blanks() { r.rest = strings.TrimLeft(r.rest, " \t\r\n") }

// toolCode reads Python calls in a fence that says tool_code.
func toolCode(text string) []Call {
	var all []Call
	for at := 0; ; {
		i := strings.Index(text[at:], "```tool_code\n")
		if i < 0 {
			return all
		}
		start := at + i
		body, _, ok := strings.Cut(text[start+len("```tool_code\n"):], "```")
		if !ok {
			return all
		}
		end := start + len("```tool_code\n") + len(body) + len("```")
		for _, c := range pythonCalls(body) {
			all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: start, End: end})
		}
		at = end
	}
}
