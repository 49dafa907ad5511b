package redact

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/exodeck/exodeck/proxy/sse"
)

// payload is the data of one event, and where it stands in the body.
type payload struct {
	data  []byte
	parts []part // lines of data, in order
}

// part is a line of data: where it begins in the data and in the body.
type part struct{ data, body int }

// place returns where a byte of the data stands in the body.
func (p *payload) place(i int) int {
	n, _ := slices.BinarySearchFunc(p.parts, i+1, func(p part, i int) int { return cmp.Compare(p.data, i) })
	at := p.parts[n-1]
	return at.body + i - at.data
}

// payloads returns the data of all events of a body. A body that is no stream is one.
func payloads(body []byte, format sse.Format) []payload {
	if format == sse.Whole {
		return []payload{{data: body, parts: []part{{}}}}
	}
	var all []payload
	d := sse.NewDecoder(format)
	take := func() {
		var e sse.Event
		for d.Next(&e) {
			if e.Kind != sse.Data || e.Data == nil {
				continue
			}
			p := payload{data: bytes.Clone(e.Data)}
			if format == sse.NDJSON {
				p.parts = []part{{0, int(e.Start)}}
			} else {
				p.parts = dataLines(body, int(e.Start), int(e.End))
			}
			if len(p.parts) > 0 {
				all = append(all, p)
			}
		}
	}
	d.Feed(body)
	take()
	d.End()
	take()
	return all
}

// byteOrderMark may stand before the first line of an event stream.
var byteOrderMark = []byte("\ufeff")

// dataLines finds the values of the data fields in body[start:end].
func dataLines(body []byte, start, end int) []part {
	var parts []part
	size := 0
	if start == 0 && bytes.HasPrefix(body, byteOrderMark) {
		start = len(byteOrderMark)
	}
	for at := start; at < end; {
		line, next := body[at:end], end
		if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
			line, next = line[:i], at+i+1
			if body[at+i] == '\r' && next < end && body[next] == '\n' {
				next++
			}
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		if string(field) == "data" {
			begin := at + len("data:")
			if bytes.HasPrefix(value, []byte(" ")) {
				value, begin = value[1:], begin+1
			}
			if len(parts) > 0 {
				size++ // the LF that joins two lines
			}
			parts = append(parts, part{size, begin})
			size += len(value)
		}
		at = next
	}
	return parts
}

// leaf is a text of one event that may be a part of a longer one.
type leaf struct {
	start, end int // in the body
	text       []byte
	numbers    bool // an array of bytes
	write      func(text []byte) []byte
}

// constant are members that say the same in every event of a stream, or are whole in each.
var constant = map[string]bool{
	"id": true, "object": true, "model": true, "type": true, "role": true, "created_at": true, "finish_reason": true, "stop_reason": true, "done_reason": true,
	"item_id": true, "call_id": true, "status": true, "system_fingerprint": true, "service_tier": true,
}

// split finds secrets that are split over several events, or over the tokens of a list of log probabilities, and returns the
// changes to the body.
func (r *Redactor) split(body []byte, format sse.Format) []edit {
	channels := map[string][]leaf{}
	var names []string // in the order in which they begin
	add := func(name string, l leaf) {
		if channels[name] == nil {
			names = append(names, name)
		}
		channels[name] = append(channels[name], l)
	}
	for _, p := range payloads(body, format) {
		if format == sse.EventStream && len(p.data) > 0 && p.data[0] != '{' && p.data[0] != '[' {
			add("", leaf{p.place(0), p.place(len(p.data)-1) + 1, p.data, false, bytes.Clone})
			continue
		}
		walkStart(p.data, func(v value) {
			if v.channel == "" {
				return // it is all of the event
			}
			isText := v.kind == '"' && !constant[v.key] && (format != sse.Whole || v.key == "token")
			isBytes := v.kind == '[' && v.key == "bytes"
			if isBytes {
				_, isBytes = byteArray(p.data[v.start:v.end])
			}
			if isText || isBytes {
				add(v.channel, leaf{p.place(v.start), p.place(v.end-1) + 1, v.text(p.data), isBytes, v.write})
			}
		})
	}
	var edits []edit
	for _, name := range names {
		edits = append(edits, r.joined(channels[name])...)
	}
	return separate(edits)
}

// joined finds secrets in what leaves add up to. The first leaf of a secret gets the placeholder, the others lose their part of it.
// What is in one leaf alone is left to the search of the body, which changes less of it, unless the leaf is an array of numbers,
// which no other search reads.
func (r *Redactor) joined(leaves []leaf) []edit {
	var whole []byte
	starts := make([]int, len(leaves))
	for i, l := range leaves {
		starts[i] = len(whole)
		whole = append(whole, l.text...)
	}
	found := slices.DeleteFunc(r.edits(whole, nesting), func(e edit) bool {
		i, _ := slices.BinarySearch(starts, e.start+1)
		return !leaves[i-1].numbers && e.end <= starts[i-1]+len(leaves[i-1].text)
	})
	// What adds up to JSON stays JSON.
	found = separate(append(r.unquoted(whole, sse.Whole), found...))
	if len(found) == 0 {
		return nil
	}
	placeholders := make([][]byte, len(found))
	for i, e := range found {
		placeholders[i] = e.text()
	}
	texts := map[int][]byte{} // of the leaves that change
	for n, e := range slices.Backward(found) {
		for i := len(leaves) - 1; i >= 0; i-- {
			start, end := max(e.start, starts[i]), min(e.end, starts[i]+len(leaves[i].text))
			if start >= end {
				continue
			}
			text, ok := texts[i]
			if !ok {
				text = leaves[i].text
			}
			var middle []byte
			if start == e.start {
				middle = placeholders[n]
			}
			// What comes behind has been changed already and keeps its distance from the end of the leaf's old text only in front
			// of that change.
			texts[i] = slices.Concat(text[:start-starts[i]], middle, text[end-starts[i]:])
		}
	}
	var edits []edit
	for i, text := range texts {
		l := leaves[i]
		edits = append(edits, edit{start: l.start, end: l.end, kind: found[0].kind, via: []string{"split"}, text: func() []byte { return l.write(text) }})
	}
	return edits
}
