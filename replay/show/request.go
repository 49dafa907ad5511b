package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/wire"
)

func (p *printer) request(r *wire.Request) {
	if len(r.Tools) > 0 {
		p.line("tools")
		for _, t := range r.Tools {
			p.line("  %s", Printable(tool(t)))
		}
	}
	if r.System != "" {
		p.block("system", r.System)
	}
	for _, m := range r.Messages {
		p.message(m)
	}
	p.fields("options", r.Options)
	p.fields("unknown fields", r.Unknown)
}

func (p *printer) fields(heading string, fields []wire.Field) {
	if len(fields) == 0 {
		return
	}
	var shown []string
	for _, f := range fields {
		shown = append(shown, f.Name+"="+brief(string(f.Value)))
	}
	p.line("%s", heading)
	p.line("  %s", Printable(strings.Join(shown, "  ")))
}

// tool is a tool as a signature: its name, its parameters (a star marks required ones), what it is for.
func tool(t wire.Tool) string {
	if t.Name == "" {
		return brief(string(t.Raw))
	}
	var schema struct {
		Properties json.RawMessage
		Required   []string
	}
	// A schema that is none shows as a tool without parameters.
	_ = json.Unmarshal(t.Schema, &schema)
	var params []string
	for _, name := range keys(schema.Properties) {
		if slices.Contains(schema.Required, name) {
			name += "*"
		}
		params = append(params, name)
	}
	s := t.Name + "(" + strings.Join(params, ", ") + ")"
	if t.Description != "" {
		first, _, _ := strings.Cut(t.Description, "\n")
		s += "  " + first
	}
	return s
}

// keys returns the member names of a JSON object as they stand.
func keys(object json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	var names []string
	for dec.More() {
		tok, err := dec.Token()
		name, ok := tok.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			break
		}
		names = append(names, name)
	}
	return names
}

func (p *printer) message(m wire.Message) {
	heading := m.Role
	if m.Name != "" {
		heading += " (" + m.Name + ")"
	}
	p.line("%s", Printable(heading))
	for _, part := range m.Parts {
		switch part.Kind {
		case wire.PartText:
			p.indented("", part.Text)
		case wire.PartReasoning:
			p.indented("thinks: ", part.Text)
		case wire.PartImage:
			p.indented("", image(*part.Image))
		case wire.PartToolCall:
			p.indented("", call(*part.Call))
		case wire.PartToolResult:
			p.result(*part.Result)
		default:
			p.indented(part.Text+": ", brief(string(part.Raw)))
		}
	}
}

func (p *printer) result(r wire.ToolResult) {
	prefix := "result"
	if r.CallID != "" {
		prefix += " of " + r.CallID
	}
	if r.IsError {
		prefix += " (an error)"
	}
	prefix += ": "
	if r.Text != "" || len(r.Images)+len(r.Other) == 0 {
		p.indented(prefix, r.Text)
	}
	for _, i := range r.Images {
		p.indented(prefix, image(i))
	}
	for _, raw := range r.Other {
		p.indented(prefix, brief(string(raw)))
	}
}

func image(i wire.Image) string {
	switch {
	case i.URL != "":
		return "[image " + brief(i.URL) + "]"
	case i.MediaType == "":
		return "[image of an untold type, " + Count(i.Size, "byte") + "]"
	}
	return fmt.Sprintf("[image %s, %s]", i.MediaType, Count(i.Size, "byte"))
}

// call is a tool call, of a request or of an answer.
func call(c wire.ToolCall) string {
	s := "calls " + c.Name + " " + c.Arguments
	if c.ID != "" {
		s += "  (" + c.ID + ")"
	}
	return s
}
