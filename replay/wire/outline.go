package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Outline returns the request as text with one line per fact, for a person and for text diffs: the same facts always give the
// same lines, and one changed fact changes few. Call ids are shown by order of appearance, options by name.
func (r *Request) Outline() string {
	o := outline{calls: make(map[string]int)}
	o.line("api " + string(r.API))
	o.line("model " + r.Model)
	o.line("stream " + strconv.FormatBool(r.Stream))
	o.text("system", r.System)
	for i := range r.Messages {
		o.message(i, &r.Messages[i])
	}
	for i := range r.Tools {
		o.tool(&r.Tools[i])
	}
	o.fields("option", r.Options)
	o.fields("unknown", r.Unknown)
	return o.b.String()
}

type outline struct {
	b     strings.Builder
	calls map[string]int // number of each call id, by order of appearance
}

func (o *outline) line(s string) {
	o.b.WriteString(s)
	o.b.WriteByte('\n')
}

// text writes each line of a text with a name before it. An empty text has no line.
func (o *outline) text(name, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		o.line(name + " | " + line)
	}
}

// value writes a line for each leaf of a JSON value, with its path. Names are sorted.
func (o *outline) value(name string, v jsontext.Value) {
	switch fields, items := members(v), elements(v); {
	case len(fields) > 0:
		slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
		for _, f := range fields {
			o.value(name+"."+f.Name, f.Value)
		}
	case len(items) > 0:
		for i, item := range items {
			o.value(name+"["+strconv.Itoa(i)+"]", item)
		}
	default:
		o.line(name + " " + string(canonical(v)))
	}
}

func (o *outline) fields(name string, fields []Field) {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range fields {
		o.value(name+" "+f.Name, f.Value)
	}
}

func (o *outline) message(i int, m *Message) {
	head := fmt.Sprintf("message %d %s", i+1, m.Role)
	if m.Name != "" {
		head += " named " + m.Name
	}
	o.line(head)
	for _, p := range m.Parts {
		switch p.Kind {
		case PartText, PartReasoning:
			o.text("  "+string(p.Kind), p.Text)
		case PartImage:
			o.line("  " + p.Image.String())
		case PartToolCall:
			name := fmt.Sprintf("  call %s %s", o.id(p.Call.ID), p.Call.Name)
			if raw := jsontext.Value(p.Call.RawArguments); raw.IsValid(lenient...) {
				o.value(name, raw)
			} else {
				o.line(name)
				o.text("  arguments", p.Call.Arguments)
			}
		case PartToolResult:
			o.result(p.Result)
		case PartOther:
			o.value("  "+p.Text, p.Raw)
		}
	}
}

func (o *outline) result(r *ToolResult) {
	name := "  result of call " + o.id(r.CallID)
	if r.IsError {
		name += " (error)"
	}
	if r.Text == "" {
		o.line(name)
	}
	o.text(name, r.Text)
	for i := range r.Images {
		o.line(name + " " + r.Images[i].String())
	}
	for _, v := range r.Other {
		o.value(name, v)
	}
}

// id returns the number of a call, "?" for a call without an id.
func (o *outline) id(id string) string {
	if id == "" {
		return "?"
	}
	if _, ok := o.calls[id]; !ok {
		o.calls[id] = len(o.calls) + 1
	}
	return strconv.Itoa(o.calls[id])
}

func (o *outline) tool(t *Tool) {
	if t.Raw != nil {
		o.value("tool", t.Raw)
		return
	}
	o.line("tool " + t.Name)
	o.text("  description", t.Description)
	if t.Schema != nil {
		o.value("  schema", t.Schema)
	}
}

// String describes the picture in a few words.
func (i *Image) String() string {
	if i.URL != "" {
		return "image at " + i.URL
	}
	mediaType := i.MediaType
	if mediaType == "" {
		mediaType = "of unknown type"
	}
	return fmt.Sprintf("image %s, %d bytes, sha256 %.12s", mediaType, i.Size, i.SHA256)
}
