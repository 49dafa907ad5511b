package redact

import "sync"

// forms finds what has the form of a secret. Nothing is ever added to it, so that it is for any number of goroutines.
var forms = sync.OnceValue(func() *finder { return newFinder(patternsFor(Rules{})) })

// Text returns a text without what has the form of a secret, for reports, logs and errors that quote what was recorded. JSON's escapes and
// those of URLs are undone to look for it; base64, hexadecimal and gzip are not, which would cost more than the rest of a report. A piece
// of a text has to be taken after this: no form tells the half of a secret. Placeholders are numbered in each text by itself. A text of
// which the secrets cannot be taken out is left out as a whole.
//
// It may be called by several goroutines at a time. Most texts hold no secret, and are returned as they are.
func Text(s string) string {
	if len(s) < minKnown {
		return s
	}
	b := []byte(s)
	look := Redactor{finder: forms(), mode: scanning, plain: true}
	if len(look.edits(b, nesting)) == 0 {
		return s
	}
	r := New(Rules{})
	r.plain = true
	r.Text(b)
	r.Learned()
	if s = r.String(s); r.Err() != nil {
		return canonicalPlaceholder
	}
	return s
}
