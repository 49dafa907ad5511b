package redact

import (
	"bytes"
	"slices"

	"github.com/exodeck/exodeck/proxy/sse"
)

// Body takes the secrets out of a body whose content coding has been undone. offsets, which may be nil, are places in the body;
// they are moved to where the same bytes are afterwards.
func (r *Redactor) Body(body []byte, contentType string, offsets []int64) []byte {
	return r.body(body, contentType, offsets, false)
}

// RequestBody is as Body for the body of a request, of which the [Members] that carry credentials are taken out too.
func (r *Redactor) RequestBody(body []byte, contentType string) []byte {
	return r.body(body, contentType, nil, true)
}

func (r *Redactor) body(body []byte, contentType string, offsets []int64, request bool) []byte {
	if len(body) == 0 {
		return body
	}
	r.note(body)
	format := sse.FormatOf(contentType, body[:min(len(body), sse.SniffLen)])
	whole := format == sse.Whole && !bytes.Contains(body, []byte(`"logprobs"`))
	for range maxRounds {
		r.allow(body)
		changed := false
		change := func(edits []edit) {
			if len(edits) > 0 {
				var spans []span
				body, spans = apply(body, edits)
				shift(offsets, spans)
				changed = true
			}
		}
		var told []edit
		if request {
			told = r.members(body)
		}
		if len(r.rules.JSON) > 0 {
			told = append(told, r.atPaths(body, format)...)
		}
		change(separate(told))
		change(r.unquoted(body, format))
		if !whole {
			change(r.split(body, format))
		}
		change(r.edits(body, nesting))
		if !changed || r.mode == learning {
			return body
		}
	}
	r.stuck = true
	return body
}

// atPaths returns the changes that take out the values at the JSON paths of the rules.
func (r *Redactor) atPaths(body []byte, format sse.Format) []edit {
	var edits []edit
	for _, p := range payloads(body, format) {
		walk(p.data, true, func(v value) {
			if v.kind == 'n' || !slices.ContainsFunc(r.rules.JSON, func(path Path) bool { return path.matches(v.at) }) {
				return
			}
			text := bytes.Clone(p.data[v.start:v.end])
			if v.kind == '"' {
				text = v.text(p.data)
			}
			if len(text) == 0 || isPlaceholder(text) && r.mode != canonical {
				return
			}
			edits = append(edits, edit{
				start: p.place(v.start), end: p.place(v.end-1) + 1, value: text, kind: "json",
				text: func() []byte { return value{}.write(r.replace("json", text)) },
			})
		})
	}
	return edits
}

// unquoted returns the changes that take known secrets out of where they stand in JSON without quotes: numbers, objects and arrays
// that were values at JSON paths elsewhere. A string takes their place, so that the text stays JSON. Strings that hold JSON, as the
// arguments of calls do, are searched like that too.
func (r *Redactor) unquoted(body []byte, format sse.Format) []edit {
	if r.bare == 0 || format == sse.Whole && !startsJSON(body) {
		return nil
	}
	var edits []edit
	for _, p := range payloads(body, format) {
		walk(p.data, false, func(v value) {
			text := p.data[v.start:v.end]
			var inner []edit
			switch v.kind {
			case '"':
				text = v.text(p.data)
				inner = r.unquoted(text, sse.Whole)
			case '0':
				inner = r.editsOf(r.finder.find(text))
			case '{', '[':
				if len(text) < minKnown || len(text) > r.bare {
					break
				}
				if s := r.secrets[string(text)]; s != nil {
					inner = r.editsOf([]hit{{0, len(text), s.kind, []byte(s.value)}})
				}
			}
			if len(inner) == 0 {
				return
			}
			text = bytes.Clone(text)
			edits = append(edits, edit{
				start: p.place(v.start), end: p.place(v.end-1) + 1, value: inner[0].value, kind: inner[0].kind,
				text: func() []byte {
					text, _ := apply(text, inner)
					return value{}.write(text)
				},
			})
		})
	}
	return separate(edits)
}

// startsJSON reports whether a text begins as an object or an array does.
func startsJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
