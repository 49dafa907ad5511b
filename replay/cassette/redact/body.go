package redact

import (
	"bytes"
	"slices"

	"github.com/exodeck/exodeck/proxy/sse"
)

// Body takes the secrets out of a body whose content coding has been undone. offsets, which may be nil, are places in the body; they are moved to where the same
// bytes are afterwards.
func (r *Redactor) Body(body []byte, contentType string, offsets []int64) []byte {
	if len(body) == 0 {
		return body
	}
	r.note(body)
	format := sse.FormatOf(contentType, body[:min(len(body), sse.SniffLen)])
	whole := format == sse.Whole && !bytes.Contains(body, []byte(`"logprobs"`))
	for range maxRounds {
		changed := false
		change := func(edits []edit) {
			if len(edits) > 0 {
				var spans []span
				body, spans = apply(body, edits)
				shift(offsets, spans)
				changed = true
			}
		}
		if len(r.rules.JSON) > 0 {
			change(r.atPaths(body, format))
		}
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
	texts := []payload{{data: body, parts: []part{{}}}}
	if format != sse.Whole {
		texts = payloads(body, format)
	}
	var edits []edit
	for _, p := range texts {
		walk(p.data, func(v value) {
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
	return separate(edits)
}
