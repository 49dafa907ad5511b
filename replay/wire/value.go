package wire

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func ref[T any](v T) *T { return &v }

// str returns the text of a JSON string, "" for any other value.
func str(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return unquote(v)
}

// is reports whether v is the JSON string of a text.
func is(v jsontext.Value, text string) bool {
	if v.Kind() != '"' {
		return false
	}
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == text
	}
	return unquote(v) == text
}

// integer returns a JSON number as a whole number. Servers send 12 and also 12.0.
func integer(v jsontext.Value) (int64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// indexOf returns a JSON number as a list index, -1 for anything else.
func indexOf(v jsontext.Value) int {
	n, ok := integer(v)
	if !ok || n < 0 || n > 1<<31-1 {
		return -1
	}
	return int(n)
}

func kindName(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	}
	return "nothing"
}

// shortLen bounds how many bytes of a body a message quotes.
const shortLen = 300

// shorten returns the beginning of data, cut between characters.
func shorten(data []byte) string {
	if len(data) <= shortLen {
		return string(data)
	}
	end := shortLen
	for end > shortLen-utf8.UTFMax && !utf8.RuneStart(data[end]) {
		end--
	}
	return string(data[:end]) + "…"
}
