package search

import (
	"regexp"
	"unicode/utf8"

	"github.com/exodeck/exodeck/replay/reading"
)

// around is how many bytes of the text on each side of a match are part of a hit.
const around = 40

// Hit is one place where a text was found.
type Hit struct {
	Place
	// Match is what was found, Before and After the text around it. Cut says which of them are not all there is.
	Before, Match, After string
	CutBefore, CutAfter  bool
}

// Pattern makes the expression that finds a text: as it is, or as a regular expression of Go's syntax.
func Pattern(text string, regular, ignoreCase bool) (*regexp.Regexp, error) {
	if !regular {
		text = regexp.QuoteMeta(text)
	}
	if ignoreCase {
		text = "(?i:" + text + ")"
	}
	return regexp.Compile(text)
}

// Find calls yield for each place in an exchange where the pattern matches, until it returns false. Empty matches do not count.
func Find(x *reading.Exchange, pattern *regexp.Regexp, yield func(Hit) bool) {
	fields(x, func(f field) bool {
		for _, at := range pattern.FindAllStringIndex(f.text, -1) {
			if at[0] == at[1] {
				continue
			}
			h := Hit{Place: f.place, Match: f.text[at[0]:at[1]]}
			h.Offset = at[0]
			h.Before, h.CutBefore = tail(f.text[:at[0]])
			h.After, h.CutAfter = head(f.text[at[1]:])
			if f.came != nil && x.Answer.Stream {
				if p, ok := f.came(at[0]); ok {
					h.Event, h.Start = eventNumber(x.Answer, p), p.Start
				}
			}
			if !yield(h) {
				return false
			}
		}
		return true
	})
}

// tail returns the end of a text, and head its beginning; neither cuts a character.
func tail(s string) (string, bool) {
	if len(s) <= around {
		return s, false
	}
	i := len(s) - around
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:], true
}

func head(s string) (string, bool) {
	if len(s) <= around {
		return s, false
	}
	i := around
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return s[:i], true
}
