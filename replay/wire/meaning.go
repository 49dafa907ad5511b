package wire

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// canonical returns JSON with its names sorted and its blanks removed. Numbers stay as sent: RFC 8785 would make long integers
// equal that are not.
func canonical(v jsontext.Value) jsontext.Value {
	c := v.Clone()
	err := c.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
		jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err != nil {
		return v
	}
	return c
}

// meaning writes the canonical JSON of what a request asks.
type meaning struct {
	b     []byte
	calls map[string]int // number of each call id, by order of appearance
}

// Meaning returns canonical bytes that are equal for two requests that ask the same: same API family, system text, messages and
// tools, and the same model if includeModel is set. Options and unknown fields do not count, nor do the ids of
// calls, which are replaced by their order of appearance. JSON is compared by value, with numbers as they are written.
// Lines of the system text that exo itself removes ("x-anthropic-…;", which Claude Code sends anew each time) do not count.
func (r *Request) Meaning(includeModel bool) []byte {
	m := meaning{calls: make(map[string]int)}
	m.text(`{"api":`, string(r.API))
	if includeModel {
		m.text(`,"model":`, r.Model)
	}
	m.text(`,"system":`, withoutBilling(r.System))
	m.b = append(m.b, `,"messages":[`...)
	for i := range r.Messages {
		m.comma(i)
		m.message(&r.Messages[i])
	}
	m.b = append(m.b, `],"tools":[`...)
	for i := range r.Tools {
		m.comma(i)
		m.tool(&r.Tools[i])
	}
	return append(m.b, `]}`...)
}

// withoutBilling removes the lines of a system text that exo does not hand to the model.
func withoutBilling(system string) string {
	if !strings.Contains(system, "x-anthropic-") {
		return system
	}
	var kept []string
	for line := range strings.SplitSeq(system, "\n") {
		if !strings.HasPrefix(line, "x-anthropic-") || !strings.HasSuffix(line, ";") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func (m *meaning) comma(i int) {
	if i > 0 {
		m.b = append(m.b, ',')
	}
}

// text appends a name and a text.
func (m *meaning) text(name, text string) {
	m.b = quote(append(m.b, name...), text)
}

// raw appends a name and a JSON value.
func (m *meaning) raw(name string, v jsontext.Value) {
	m.b = append(append(m.b, name...), canonical(v)...)
}

func (m *meaning) message(msg *Message) {
	m.text(`{"role":`, msg.Role)
	if msg.Name != "" {
		m.text(`,"name":`, msg.Name)
	}
	m.b = append(m.b, `,"parts":[`...)
	for i, p := range msg.Parts {
		m.comma(i)
		m.part(&p)
	}
	m.b = append(m.b, `]}`...)
}

func (m *meaning) part(p *Part) {
	m.text(`{"kind":`, string(p.Kind))
	switch p.Kind {
	case PartText, PartReasoning:
		m.text(`,"text":`, p.Text)
	case PartImage:
		m.image(`,"image":`, p.Image)
	case PartToolCall:
		m.id(p.Call.ID)
		m.text(`,"name":`, p.Call.Name)
		if raw := jsontext.Value(p.Call.RawArguments); raw.IsValid(lenient...) {
			m.raw(`,"arguments":`, raw)
		} else {
			m.text(`,"text":`, p.Call.Arguments)
		}
	case PartToolResult:
		m.result(p.Result)
	case PartOther:
		m.text(`,"type":`, p.Text)
		m.raw(`,"value":`, withoutCacheControl(p.Raw))
	}
	m.b = append(m.b, '}')
}

func (m *meaning) result(r *ToolResult) {
	m.id(r.CallID)
	m.text(`,"text":`, r.Text)
	if r.IsError {
		m.b = append(m.b, `,"is_error":true`...)
	}
	for i := range r.Images {
		m.image(`,"image":`, &r.Images[i])
	}
	for _, v := range r.Other {
		m.raw(`,"value":`, withoutCacheControl(v))
	}
}

// id appends the number of a call.
func (m *meaning) id(id string) {
	if id == "" {
		return
	}
	n, ok := m.calls[id]
	if !ok {
		n = len(m.calls) + 1
		m.calls[id] = n
	}
	m.b = strconv.AppendInt(append(m.b, `,"call":`...), int64(n), 10)
}

func (m *meaning) image(name string, i *Image) {
	m.b = append(m.b, name...)
	if i.URL != "" {
		m.text(`{"url":`, i.URL)
	} else {
		m.text(`{"sha256":`, i.SHA256)
	}
	m.b = append(m.b, '}')
}

func (m *meaning) tool(t *Tool) {
	if t.Raw != nil {
		m.raw(`{"value":`, withoutCacheControl(t.Raw))
	} else {
		m.text(`{"name":`, t.Name)
		m.text(`,"description":`, t.Description)
		if t.Schema != nil {
			m.raw(`,"schema":`, t.Schema)
		}
	}
	m.b = append(m.b, '}')
}

// withoutCacheControl removes Claude's cache_control, which asks for nothing, from a content block.
func withoutCacheControl(v jsontext.Value) jsontext.Value {
	fields := members(v)
	if fields.get("cache_control") == nil {
		return v
	}
	var b bytes.Buffer
	separator := byte('{')
	for _, f := range fields {
		if f.Name != "cache_control" {
			b.WriteByte(separator)
			b.Write(quote(nil, f.Name))
			b.WriteByte(':')
			b.Write(f.Value)
			separator = ','
		}
	}
	if separator == '{' {
		return jsontext.Value("{}")
	}
	b.WriteByte('}')
	return b.Bytes()
}
