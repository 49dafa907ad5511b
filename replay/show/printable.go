package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes text safe for a terminal. What could move the cursor, rewrite what stands above or turn the order of the letters
// around is shown as Go escapes: control characters, bidirectional controls, line separators, and bytes that are no UTF-8, which
// some terminals take for control characters. A tab stays.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unsafeRune) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unsafeRune(r):
			q := fmt.Sprintf("%+q", r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// printableLine is a line made safe, without its ending.
func printableLine(l string) string {
	return Printable(strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r"))
}

func unsafeRune(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r)
}
