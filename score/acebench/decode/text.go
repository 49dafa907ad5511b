package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// withoutSpace removes every white space character of Python's str.split, inside strings too.
func withoutSpace(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || isASCIISpace(c) {
			return removeSpace(text)
		}
	}
	return text
}

func removeSpace(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !isASCIISpace(c) {
				b.WriteByte(c)
			}
			i++
			continue
		}
		r, size := pyvalue.DecodeRune(text[i:])
		if !pyvalue.IsSpace(r) {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func isASCIISpace(c byte) bool { return c == ' ' || 0x09 <= c && c <= 0x0d || 0x1c <= c && c <= 0x1f }

// firstBlock returns the first part of the text with as many closing as opening brackets. It knows nothing of quotes: brackets
// inside strings count.
func firstBlock(text string) (string, bool) {
	start := strings.IndexByte(text, '[')
	if start < 0 {
		return "", false
	}
	depth := 0
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '[':
			depth++
		case ']':
			depth--
			if depth == 0 {
				return text[start : i+1], true
			}
		}
	}
	return "", false
}
