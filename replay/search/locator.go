package search

import (
	"bytes"
	"sort"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// locator finds the event that brought a part of a streamed answer. The normal form keeps joined texts only, and no format is known here; but
// any part of a stream can be read as an answer by itself.
type locator struct {
	x      *reading.Exchange
	events []span // nil until needed
}

// span is where a data event of the body is.
type span struct{ start, end int64 }

// pieces tells which event brought which part of a text.
type pieces struct {
	events []span
	// ends[i] is how long the text is after event i; nil when the events do not add up to the text.
	ends []int
	// size is how long the text is in the answer that the body's beginning makes.
	size func(end int64) int
}

// pieces reads each event by itself and adds up what they bring. Where that is not the whole text, as in formats whose events
// only make sense after others, it is found by halving later on.
func (l *locator) pieces(f field) *pieces {
	if l.events == nil {
		l.events = eventsOf(l.x)
	}
	p := &pieces{events: l.events, size: func(end int64) int { return f.size(l.answer(0, end)) }}
	total := 0
	for _, e := range l.events {
		total += f.size(l.answer(e.start, e.end))
		p.ends = append(p.ends, total)
	}
	if total != len(f.text) {
		p.ends = nil
	}
	return p
}

// answer reads a part of the response.
func (l *locator) answer(start, end int64) *wire.Answer {
	// Reading from memory does not fail, and the whole was an answer.
	a, _ := wire.ParseResponse(l.x.Facts.API, true, bytes.NewReader(l.x.ResponseBody[start:end]))
	return a
}

// at returns number (from 1) and start of the event with which the text gets longer than offset; zeros when none does.
func (p *pieces) at(offset int) (number int, start int64) {
	i := sort.Search(len(p.events), func(i int) bool {
		if p.ends != nil {
			return p.ends[i] > offset
		}
		return p.size(p.events[i].end) > offset
	})
	if i == len(p.events) {
		return 0, 0
	}
	return i + 1, p.events[i].start
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
