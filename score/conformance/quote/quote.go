// Package quote shows pieces of an exchange in reports and problems: cut where they are long, and without secrets.
package quote

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/replay/cassette/redact"
)

const (
	// most is how many bytes of a text are shown.
	most = 120
	// beyond is how far secrets are searched beyond what is shown of a text: a half of one would not be known for what it is.
	beyond = 512
)

// Short cuts a text that is long, between characters, and takes its secrets out.
func Short(s string) string {
	if head := s[:min(len(s), most+beyond)]; redact.Text(head) != head {
		s = redact.Text(s)
	}
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Text shows the beginning of a text, in quotation marks.
func Text(s string) string { return fmt.Sprintf("%q", Short(s)) }

// Around shows a text from a little before an offset on, in quotation marks.
func Around(text string, offset int) string {
	before := redact.Text(text[max(0, offset-beyond):offset])
	from := around(before, len(before))
	if i := strings.LastIndexByte(before[:from], '['); i >= 0 && strings.HasPrefix(before[i:], "[redacted:") && !strings.Contains(before[i:from], "]") {
		from = i // a placeholder is shown as a whole
	}
	return Text(before[from:] + text[offset:])
}

// around is where to begin showing a text, so that the place at offset is seen.
func around(text string, offset int) int {
	if offset < 40 {
		return 0
	}
	from := offset - 20
	for from > 0 && text[from]&0xC0 == 0x80 {
		from--
	}
	return from
}

// Line puts a text on one line.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }
