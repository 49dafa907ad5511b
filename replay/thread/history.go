package thread

import (
	"crypto/sha256"
	"strings"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// unit is what is compared at a time: all that the assistant says until somebody else speaks, one tool result, or what else
// stands in one message.
type unit struct {
	wire.Message
	assistant bool
	message   int // number of the message it begins with
}

// history is a request as a chain of digests, one for each prefix.
type history struct {
	units    []unit
	states   []key // states[k] is the digest of the first k units
	messages int   // of the request
	voice    key   // who speaks to whom: API, model and system text
	answer   *wire.Answer
}

func newHistory(x *reading.Exchange) *history {
	q := x.Request
	who := &wire.Request{API: q.API, Model: q.Model, System: q.System}
	h := &history{units: units(q.Messages), messages: len(q.Messages), voice: sha256.Sum256(who.Meaning(true)), answer: x.Answer}
	h.states = append(h.states, seed(x.Labels))
	for k := range h.units {
		m := h.units[k].Message
		if h.units[k].assistant {
			m = said(m.Parts)
		}
		h.states = append(h.states, h.states[k].add(&m))
	}
	return h
}

// seed keeps apart what the labels of our own suites keep apart.
func seed(labels map[string]string) key {
	var b strings.Builder
	for _, name := range []string{"suite", "sample", "repeat"} {
		b.WriteString(labels[name])
		b.WriteByte(0)
	}
	return sha256.Sum256([]byte(b.String()))
}

// add returns the digest of a history and one more unit.
func (k key) add(m *wire.Message) key {
	one := &wire.Request{Messages: []wire.Message{*m}}
	return sha256.Sum256(append(k[:len(k):len(k)], one.Meaning(false)...))
}

// with returns the digest of a history spoken by the voice.
func (h *history) with(state key) key {
	return sha256.Sum256(append(state[:len(state):len(state)], h.voice[:]...))
}

// whole is the digest of all that was sent.
func (h *history) whole() key { return h.states[len(h.units)] }

// prefilled reports whether the request ends with the beginning of its answer.
func (h *history) prefilled() bool {
	n := len(h.units)
	return n > 0 && h.units[n-1].assistant
}

// base is the digest of what was sent before the answer begins.
func (h *history) base() key {
	if h.prefilled() {
		return h.states[len(h.units)-1]
	}
	return h.whole()
}

// after is the digest of the history with the answer, if there is one.
func (h *history) after() (key, bool) {
	if h.answer == nil || h.answer.Text == "" && len(h.answer.ToolCalls) == 0 {
		return key{}, false
	}
	var parts []wire.Part
	if h.prefilled() {
		parts = h.units[len(h.units)-1].Parts
	}
	if h.answer.Text != "" {
		parts = append(parts[:len(parts):len(parts)], wire.Part{Kind: wire.PartText, Text: h.answer.Text})
	}
	for i := range h.answer.ToolCalls {
		parts = append(parts[:len(parts):len(parts)], wire.Part{Kind: wire.PartToolCall, Call: &h.answer.ToolCalls[i]})
	}
	m := said(parts)
	return h.base().add(&m), true
}

// units takes messages apart and together again, so that histories of different APIs look the same.
func units(messages []wire.Message) []unit {
	var all []unit
	for i, m := range messages {
		if m.Role == "assistant" {
			if n := len(all) - 1; n >= 0 && all[n].assistant {
				all[n].Parts = append(all[n].Parts, m.Parts...)
			} else {
				all = append(all, unit{Message: wire.Message{Parts: m.Parts[:len(m.Parts):len(m.Parts)]}, assistant: true, message: i})
			}
			continue
		}
		// Chat sends each tool result as a message, Claude several within one of the user's.
		rest := wire.Message{Role: m.Role, Name: m.Name}
		for _, p := range m.Parts {
			if p.Kind != wire.PartToolResult {
				rest.Parts = append(rest.Parts, p)
				continue
			}
			result := *p.Result
			result.CallID = ""
			p.Result = &result
			all = append(all, unit{Message: wire.Message{Role: "tool", Parts: []wire.Part{p}}, message: i})
		}
		if len(rest.Parts) > 0 || len(m.Parts) == 0 {
			all = append(all, unit{Message: rest, message: i})
		}
	}
	return all
}

// said brings what the assistant says into the form in which it is compared: one text without blanks around it, then everything else
// but reasoning, in order.
func said(parts []wire.Part) wire.Message {
	m := wire.Message{Role: "assistant"}
	var text strings.Builder
	var rest []wire.Part
	for _, p := range parts {
		switch p.Kind {
		case wire.PartText:
			text.WriteString(p.Text)
		case wire.PartReasoning:
		case wire.PartToolCall:
			call := wire.ToolCall{Name: p.Call.Name, Arguments: p.Call.Arguments, RawArguments: p.Call.RawArguments}
			if strings.TrimSpace(call.Arguments) == "" {
				call.RawArguments = []byte("{}") // which Claude streams send as nothing
			}
			rest = append(rest, wire.Part{Kind: p.Kind, Call: &call})
		default:
			rest = append(rest, p)
		}
	}
	if t := strings.TrimSpace(text.String()); t != "" {
		m.Parts = append(m.Parts, wire.Part{Kind: wire.PartText, Text: t})
	}
	m.Parts = append(m.Parts, rest...)
	return m
}
