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
	var kept strings.Builder
	kept.Grow(len(text))
	start := 0 // of what is not copied yet
	for i := 0; i < len(text); {
		size, space := 1, isASCIISpace(text[i])
		if text[i] >= utf8.RuneSelf {
			var r rune
			r, size = pyvalue.DecodeRune(text[i:])
			space = pyvalue.IsSpace(r)
		}
		if space {
			kept.WriteString(text[start:i])
			start = i + size
		}
		i += size
	}
	kept.WriteString(text[start:])
	return kept.String()
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
	for end := start; ; {
		next := strings.IndexByte(text[end:], ']')
		if next < 0 {
			return "", false
		}
		depth += strings.Count(text[end:end+next], "[") - 1
		end += next + 1
		if depth == 0 {
			return text[start:end], true
		}
	}
}
