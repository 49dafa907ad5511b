package conformance

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

// shows reports whether markup stands in a text that says tells of, or closes what does.
func shows(says func(text string) bool, m markup.Marker) bool {
	for _, end := range []string{"</", "[/"} {
		if name, ok := strings.CutPrefix(m.Text, end); ok && says(end[:1]+name) {
			return true
		}
	}
	return says(m.Text)
}

// says reports whether a text stands in what the client wrote itself, or had the model write for it: in all but what the assistant's turns
// say, whose leaks come back with the history. What earlier calls wrote into something longer counts, since agents speak of that.
func (a *asked) says(text string) bool {
	if a == nil {
		return false
	}
	if strings.Contains(a.System, text) {
		return true
	}
	for i := range a.Messages {
		m := &a.Messages[i]
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				if writes(text, p.Call.RawArguments) {
					return true
				}
			case p.Result != nil:
				if strings.Contains(p.Result.Text, text) || contain(text, p.Result.Other...) {
					return true
				}
			case p.Kind == wire.PartOther: // a document, or what a tool of the server found
				if contain(text, p.Raw) {
					return true
				}
			case m.Role != "assistant" && strings.Contains(p.Text, text):
				return true
			}
		}
	}
	for _, t := range a.Tools {
		if strings.Contains(t.Description, text) || contain(text, t.Schema, t.Raw) {
			return true
		}
	}
	return false
}

// has reports whether a text stands anywhere in the conversation, be it that the assistant said it.
func (a *asked) has(text string) bool {
	if a == nil {
		return false
	}
	for i := range a.Messages {
		for _, p := range a.Messages[i].Parts {
			if strings.Contains(p.Text, text) || p.Call != nil && contain(text, p.Call.RawArguments) {
				return true
			}
		}
	}
	return a.says(text)
}

// writes reports whether arguments have a text in them that ends no value: at the end of one it may be a leak itself.
func writes(text string, arguments jsontext.Value) bool {
	quoted, _ := jsontext.AppendQuote(nil, text)
	rest := canonical(arguments)
	for {
		_, behind, found := strings.Cut(rest, string(quoted[1:len(quoted)-1]))
		if !found {
			return false
		}
		if !strings.HasPrefix(strings.TrimLeft(behind, `\`), `"`) {
			return true
		}
		rest = behind
	}
}

// contain reports whether one of JSON values has a text in it. Clients escape what they like: some write < as \u003c.
func contain(text string, values ...jsontext.Value) bool {
	quoted, _ := jsontext.AppendQuote(nil, text) // markers are valid UTF-8
	escaped := quoted[1 : len(quoted)-1]
	return slices.ContainsFunc(values, func(v jsontext.Value) bool {
		return bytes.Contains(v, escaped) || bytes.Contains(v, []byte(`\u`)) && strings.Contains(canonical(v), string(escaped))
	})
}
