package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// withoutSpace removes every white space character of Python's str.split, inside strings too.
func withoutSpace(text string) string {
	var kept strings.Builder
	start := 0 // of what is not copied yet
	for i := 0; i < len(text); {
		if !maybeSpace[text[i]] {
			i++
			continue
		}
		r, size := pyvalue.DecodeRune(text[i:])
		if pyvalue.IsSpace(r) {
			if start == 0 {
				kept.Grow(len(text))
			}
			kept.WriteString(text[start:i])
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return text
	}
	kept.WriteString(text[start:])
	return kept.String()
}

// maybeSpace holds the bytes with which a white space character can begin.
var maybeSpace = func() (in [256]bool) {
	for c := range in {
		in[c] = c >= utf8.RuneSelf || pyvalue.IsSpace(rune(c))
	}
	return in
}()

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
