package search

import (
	"bytes"
	"regexp"
	"sort"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
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
	l := &locator{x: x}
	fields(x, func(f field) bool {
		for _, at := range pattern.FindAllStringIndex(f.text, -1) {
			if at[0] == at[1] {
				continue
			}
			h := Hit{Place: f.place, Match: f.text[at[0]:at[1]]}
			h.Offset = at[0]
			h.Before, h.CutBefore = tail(f.text[:at[0]])
			h.After, h.CutAfter = head(f.text[at[1]:])
			if f.size != nil {
				h.Event, h.Start = l.locate(at[0], f.size)
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

// locator finds the event that brought a part of a streamed answer. The normal form keeps joined texts only; but the beginning of a stream,
// read by itself, is the answer so far, so the event is found by halving.
type locator struct {
	x      *reading.Exchange
	events []span // nil until needed
}

// span is where a data event of the body is.
type span struct{ start, end int64 }

// locate returns number (from 1) and start of the event with which size exceeds offset; zeros when the answer is not streamed.
func (l *locator) locate(offset int, size func(*wire.Answer) int) (number int, start int64) {
	if !l.x.Answer.Stream {
		return 0, 0
	}
	if l.events == nil {
		l.events = eventsOf(l.x)
	}
	i := sort.Search(len(l.events), func(i int) bool {
		return size(l.x.AnswerOf(l.x.ResponseBody[:l.events[i].end])) > offset
	})
	if i == len(l.events) {
		return 0, 0
	}
	return i + 1, l.events[i].start
}

func eventsOf(x *reading.Exchange) []span {
	format := sse.EventStream
	if x.Facts.API == tape.Ollama || x.Facts.API == tape.OllamaGenerate {
		format = sse.NDJSON
	}
	events := []span{}
	sc := sse.NewScanner(bytes.NewReader(x.ResponseBody), format)
	for sc.Scan() {
		if e := sc.Event(); e.Kind == sse.Data {
			events = append(events, span{e.Start, e.End})
		}
	}
	return events
}
