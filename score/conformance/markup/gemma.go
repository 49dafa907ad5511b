package markup

import (
	"encoding/json"
	"strings"
)

// gemma reads the calls of Gemma 4 and FunctionGemma, call:NAME{key:value} with marked strings, and the Python of Gemma 3 and Gemini, in a
// fence or between tags.
func gemma(text string, _ Types) []Call {
	all := gemmaCalls(text, "<|tool_call>", "<tool_call|>", `<|"|>`)
	all = append(all, gemmaCalls(text, "<start_function_call>", "<end_function_call>", "<escape>")...)
	all = append(all, toolCode(text)...)
	return append(all, pythonBetween(text, "<tool_code>", "</tool_code>", func(body string) string { return body })...)
}

func gemmaCalls(text, open, close, quote string) []Call {
	return behind(text, open, func(start, at int) ([]Call, int) {
		body, isCall := strings.CutPrefix(skipBlanks(text[at:]), "call:")
		brace := strings.IndexByte(front(body), '{')
		if !isCall || brace < 0 || !wellNamed(body[:brace]) {
			return nil, 0
		}
		r := gemmaReader{rest: body[brace:], quote: quote}
		arguments, ok := r.value(0)
		if !ok {
			return nil, 0
		}
		end := closed(text, len(text)-len(r.rest), close)
		return []Call{{Name: body[:brace], Arguments: arguments, Start: start, End: end}}, end
	})
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

func (r *gemmaReader) blanks() { r.rest = skipBlanks(r.rest) }
