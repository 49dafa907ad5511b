package redact

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/sse"
)

// Finding is a secret that a scan found.
type Finding struct {
	Kind string
	// Offset is where it begins in the text.
	Offset int
	// Via are the ways of writing it stood in, the outermost first: "base64", "JSON-escaped", "split" (over events) …
	Via []string
	// Begins are its first characters, enough to find it and of no use to anybody.
	Begins string
}

func (f Finding) String() string {
	via := ""
	if len(f.Via) > 0 {
		via = " (" + strings.Join(f.Via, ", ") + ")"
	}
	return fmt.Sprintf("%s %s%s", f.Kind, f.Begins, via)
}

// Scanner looks for secrets that have the form of one of the [Patterns]. It is for one goroutine.
type Scanner struct{ r *Redactor }

// NewScanner returns a scanner for the patterns that rules ask for.
func NewScanner(rules Rules) *Scanner {
	r := New(rules)
	r.mode = scanning
	return &Scanner{r}
}

// Scan looks at a text. It undoes ways of writing to the given depth.
func (s *Scanner) Scan(text []byte, depth int) []Finding {
	s.r.allow(text)
	return findings(text, s.r.edits(text, depth))
}

// ScanBody looks at a body: the text, and what the deltas of a stream add up to.
func (s *Scanner) ScanBody(body []byte, contentType string) []Finding {
	return append(s.Scan(body, nesting), s.ScanSplit(body, contentType)...)
}

// ScanSplit looks at what the deltas of a stream add up to, and the tokens of log probabilities.
func (s *Scanner) ScanSplit(body []byte, contentType string) []Finding {
	s.r.allow(body)
	format := sse.FormatOf(contentType, body[:min(len(body), sse.SniffLen)])
	return findings(body, s.r.split(body, format))
}

func findings(text []byte, edits []edit) []Finding {
	var found []Finding
	for _, e := range edits {
		value := e.value
		if value == nil {
			value = text[e.start:e.end]
		}
		found = append(found, Finding{e.kind, e.start, e.via, string(value[:min(len(value), 4)]) + "…"})
	}
	return found
}
