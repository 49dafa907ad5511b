package search

import (
	"bytes"
	"slices"
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
	// ends[i] is how long the text is after event i, up to the event with which it is whole; nil when the events do not add up to the text.
	ends []int
	// size is how long the text is after event i, by reading all until there; sizes are those that were asked for.
	size  func(i int) int
	sizes map[int]int
}

// pieces adds up what the events bring. Where that is not the whole text it is found by halving later on.
func (l *locator) pieces(f field) *pieces {
	if l.events == nil {
		l.events = eventsOf(l.x)
	}
	p := &pieces{events: l.events, sizes: make(map[int]int)}
	p.size = func(i int) int {
		if _, ok := p.sizes[i]; !ok {
			p.sizes[i] = f.size(l.answer(l.x.ResponseBody[:l.events[i].end]))
		}
		return p.sizes[i]
	}
	p.ends = l.sums(f, p.size)
	// What an event adds is told without all that came before it, so that the sum may be right by accident.
	if last := len(p.ends) - 1; last >= 0 && p.size(last) != len(f.text) {
		p.ends = nil
	}
	return p
}

// sums returns how long a text is after each event, until it is whole: events behind that may say it again. It returns nil when the text
// does not become whole. Where a part of the answer begins, all until there is read. What each other event adds is what it adds when it
// comes once more, behind those alone that began a part: others may make no sense without them. So the time goes with the length of the stream.
func (l *locator) sums(f field, size func(i int) int) []int {
	opening := make(map[int64]bool)
	for i := range l.x.Answer.Blocks {
		opening[l.x.Answer.Blocks[i].Open.Start] = true
	}
	var openings []byte
	var ends []int
	total, opened, fresh := 0, 0, true
	for i, e := range l.events {
		event := l.x.ResponseBody[e.start:e.end]
		once := slices.Concat(openings, event)
		after := f.size(l.answer(once))
		switch {
		case opening[e.start]:
			openings, opened, fresh = once, after, true
			total = size(i)
		case after == opened:
		default:
			added := f.size(l.answer(slices.Concat(once, event))) - after
			if total += added; fresh {
				fresh = false
				total = size(i)
				// What comes first may take the place of what stood for it until then.
				for k := range ends {
					ends[k] = min(ends[k], total-added)
				}
			}
		}
		ends = append(ends, total)
		if total == len(f.text) {
			return ends
		}
	}
	return nil
}

// answer reads a part of the response.
func (l *locator) answer(part []byte) *wire.Answer {
	// Reading from memory does not fail, and the whole was an answer.
	a, _ := wire.ParseResponse(l.x.Facts.API, true, bytes.NewReader(part))
	return a
}

// at returns number (from 1) and start of the event with which the text gets longer than offset; zeros when none does.
func (p *pieces) at(offset int) (number int, start int64) {
	n, end := len(p.events), p.size
	if p.ends != nil {
		n, end = len(p.ends), func(i int) int { return p.ends[i] }
	}
	i := sort.Search(n, func(i int) bool { return end(i) > offset })
	if i == n {
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
