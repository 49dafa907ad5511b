package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient is how envelopes are read: what is syntax is JSON's, but bytes that are not UTF-8, lone surrogates and repeated names do
// not fail the whole.
var lenient = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// object is a JSON object, its members in the order sent.
type object []Field

// get returns the value of a member, the last one of that name; nil when there is none.
func (o object) get(name string) jsontext.Value {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			return o[i].Value
		}
	}
	return nil
}

// has reports whether there is a member of that name whose value is not null.
func (o object) has(name string) bool { return !absent(o.get(name)) }

// absent reports whether v is no value or null.
func absent(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// members returns the members of a valid JSON object; nil for any other value.
func members(v jsontext.Value) object {
	if v.Kind() != '{' {
		return nil
	}
	o := make(object, 0, 8)
	for s := inside(v); s.more(); {
		name := s.next()
		o = append(o, Field{Name: nameOf(name), Value: s.next()})
	}
	return o
}

// nameOf returns the text of a member's name.
func nameOf(quoted jsontext.Value) string {
	if name, ok := names[string(quoted[1:len(quoted)-1])]; ok {
		return name
	}
	return unquote(quoted)
}

// names are those that most bodies have, or each event of a stream, under themselves: no text is made for them.
var names = keyed(
	"id", "object", "created", "created_at", "model", "type", "index", "role", "content", "text", "name", "usage", "error", "done",
	"choices", "delta", "message", "finish_reason", "logprobs", "system_fingerprint", "reasoning_content", "thinking", "refusal",
	"tool_calls", "tool_call_id", "function", "arguments", "call_id", "input", "content_block", "partial_json", "stop_reason",
	"item", "item_id", "output_index", "content_index", "summary_index", "sequence_number", "response", "output", "status",
	"messages", "tools", "parameters", "description", "tool_choice", "stream", "stream_options", "temperature", "max_tokens",
	"prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details",
)

func keyed(all ...string) map[string]string {
	m := make(map[string]string, len(all))
	for _, s := range all {
		m[s] = s
	}
	return m
}

// elements returns the elements of a valid JSON array; nil for any other value.
func elements(v jsontext.Value) []jsontext.Value {
	if v.Kind() != '[' {
		return nil
	}
	var all []jsontext.Value
	for s := inside(v); s.more(); {
		all = append(all, s.next())
	}
	return all
}

// splitter cuts a valid JSON object or array into its values, one level deep. The syntax of all levels was checked before, so that
// only strings and brackets matter here.
type splitter struct{ rest []byte }

// inside returns a splitter of what is in an object or array.
func inside(v jsontext.Value) splitter { return splitter{bytes.TrimLeft(v, blanks)[1:]} }

const blanks = " \t\r\n"

// more passes what stands between values and reports whether there is another value.
func (s *splitter) more() bool {
	for between(s.rest[0]) {
		s.rest = s.rest[1:]
	}
	return !closes(s.rest[0])
}

// between reports whether a byte stands between values, closes whether it ends an object or array.
func between(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':'
}
func closes(c byte) bool { return c == '}' || c == ']' }

// next returns the next value.
func (s *splitter) next() jsontext.Value {
	s.more()
	n := 1
	switch s.rest[0] {
	case '"':
		n = stringLen(s.rest)
	case '{', '[':
		for depth := 1; depth > 0; n++ {
			switch s.rest[n] {
			case '"':
				n += stringLen(s.rest[n:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
		}
	default:
		for !between(s.rest[n]) && !closes(s.rest[n]) {
			n++
		}
	}
	value := s.rest[:n:n]
	s.rest = s.rest[n:]
	return value
}

// stringLen returns the length of the JSON string that text begins with.
func stringLen(text []byte) int {
	for n := 1; ; n++ {
		n += bytes.IndexByte(text[n:], '"')
		before := n
		for text[before-1] == '\\' {
			before--
		}
		if (n-before)%2 == 0 { // each backslash escapes the next one, and none the quote
			return n + 1
		}
	}
}

// check reports whether data is exactly one JSON value, and what is odd in it.
func check(data []byte) (odd []Note, err error) {
	if jsontext.Value(data).IsValid() {
		return nil, nil
	}
	if err := readOne(data, lenient); err != nil {
		return nil, err
	}
	odd = append(odd, oddity(readOne(data, lenient[:1]), NoteDuplicateName)...)
	kind := NoteLoneSurrogate
	if !utf8.Valid(data) {
		kind = NoteInvalidUTF8
	}
	return append(odd, oddity(readOne(data, lenient[1:]), kind)...), nil
}

// oddity makes a note of the error of a strict reading; nil for nil.
func oddity(err error, kind NoteKind) []Note {
	if err == nil {
		return nil
	}
	n := Note{Kind: kind, Detail: err.Error()}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		n.Path = string(s.JSONPointer)
	}
	return []Note{n}
}

var errNoValue = errors.New("there is no JSON value")

// readOne reads data as one JSON value with nothing but blanks after it.
func readOne(data []byte, opts []jsontext.Options) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), opts...)
	switch _, err := dec.ReadValue(); {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return errNoValue
	case err != nil:
		return err
	}
	rest := data[dec.InputOffset():]
	if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 {
		return fmt.Errorf("more text after the JSON value, at byte %d", len(data)-len(rest))
	}
	return nil
}

// unquote returns the text of a valid JSON string. Bytes that are not UTF-8 stay as they are, and an escape of a lone surrogate
// gives its three bytes as in WTF-8, so that nothing is lost.
func unquote(v jsontext.Value) string {
	s := v[1 : len(v)-1]
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return string(s)
	}
	text := make([]byte, 0, len(s))
	for i >= 0 {
		text = append(text, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'b':
			text = append(text, '\b')
		case 'f':
			text = append(text, '\f')
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		case 'u':
			r := hex4(s)
			s = s[4:]
			if r>>10 == 0xd800>>10 && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
				if low := hex4(s[2:]); low>>10 == 0xdc00>>10 {
					r = (r-0xd800)<<10 + (low - 0xdc00) + 0x10000
					s = s[6:]
				}
			}
			text = appendRune(text, r)
		default: // a quote, a backslash or a slash
			text = append(text, c)
		}
		i = bytes.IndexByte(s, '\\')
	}
	return string(append(text, s...))
}

// hex4 reads four hexadecimal digits.
func hex4(s []byte) rune {
	n, _ := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(n)
}

// appendRune appends r as UTF-8, and a surrogate in the same manner.
func appendRune(b []byte, r rune) []byte {
	if isSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

func isSurrogate(r rune) bool { return 0xd800 <= r && r <= 0xdfff }

// quote appends text as a JSON string. Surrogates of WTF-8 become escapes again; other bytes that are not UTF-8 become
// U+FFFD, as JSON cannot hold them.
func quote(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		plain := i
		for plain < len(text) && plainByte[text[plain]] {
			plain++
		}
		dst = append(dst, text[i:plain]...)
		if i = plain; i == len(text) {
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			if s, ok := surrogateAt(text[i:]); ok {
				dst = fmt.Appendf(dst, `\u%04x`, s)
				size = 3
			} else {
				dst = append(dst, "\ufffd"...)
			}
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return append(dst, '"')
}

// plainByte tells the bytes of ASCII that stand in a JSON string as they are.
var plainByte = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// surrogateAt decodes the three bytes of a surrogate at the beginning of s.
func surrogateAt(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}
