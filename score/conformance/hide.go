package conformance

import (
	"encoding/json"

	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// hide takes what has the form of a secret out of all that a report quotes of its exchange: reports end up in logs and issue trackers.
// Nothing is judged by what is left.
func (r *Report) hide() {
	r.Model = redact.Text(r.Model)
	if r.FinishReason != nil {
		reason := redact.Text(*r.FinishReason)
		r.FinishReason = &reason
	}
	for i := range r.ToolCalls {
		c := &r.ToolCalls[i]
		if c.ID != nil {
			id := redact.Text(*c.ID)
			c.ID = &id
		}
		c.Name, c.Arguments = redact.Text(c.Name), hidden(c.Arguments)
	}
	for i := range r.Recovered {
		c := &r.Recovered[i]
		c.Name, c.Arguments = redact.Text(c.Name), hidden(c.Arguments)
	}
	for i := range r.Evidence {
		r.Evidence[i] = redact.Text(r.Evidence[i])
	}
	for i := range r.Unchecked {
		r.Unchecked[i] = redact.Text(r.Unchecked[i])
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		p.Detail = redact.Text(p.Detail)
		p.Where.hide()
		for k := range p.Also {
			p.Also[k].hide()
		}
	}
}

// hide takes secrets out of the names on the way to a place.
func (w *Where) hide() { w.Path, w.Argument = redact.Text(w.Path), redact.Text(w.Argument) }

// hidden returns JSON without secrets. Where it would be none any more, because a private key without an end takes what follows with it,
// a string is left of it.
func hidden(value json.RawMessage) json.RawMessage {
	text := redact.Text(string(value))
	if text == string(value) || json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string always can be written
	return quoted
}
