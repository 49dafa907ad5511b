package conformance

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// quoted shows the beginning of bytes.
func quoted(b []byte) string { return fmt.Sprintf("%q", shorten(string(b))) }

// quotedAround shows a text from a little before an offset on.
func quotedAround(text string, offset int) string {
	before := redact.Text(text[max(0, offset-beyond):offset])
	from := around(before, len(before))
	if i := strings.LastIndexByte(before[:from], '['); i >= 0 && strings.HasPrefix(before[i:], "[redacted:") && !strings.Contains(before[i:from], "]") {
		from = i // a placeholder is shown as a whole
	}
	return quoted([]byte(before[from:] + text[offset:]))
}

const (
	// most is how many bytes of a text are shown.
	most = 120
	// beyond is how far secrets are searched beyond what is shown of a text: a half of one would not be known for what it is.
	beyond = 512
)

// shorten cuts a text that is long, between characters, and takes its secrets out.
func shorten(s string) string {
	if head := s[:min(len(s), most+beyond)]; redact.Text(head) != head {
		s = redact.Text(s)
	}
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// inWords says what a decoder of JSON complains about as a person would, behind an introduction. What is no complaint of it stays.
func inWords(complaint, introduction string) string {
	if what, ok := strings.CutPrefix(complaint, "jsontext: "); ok {
		return introduction + strings.Replace(what, "unexpected EOF", "it ends too early", 1)
	}
	return complaint
}
