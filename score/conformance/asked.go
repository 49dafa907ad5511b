package conformance

import (
	"encoding/json"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/go-json-experiment/json/jsontext"
)

// asked is what a judge needs to know of a request.
type asked struct {
	*wire.Request
	tools  map[string]*offered
	choice choice
	// limit is the most tokens that were asked for; nil for no limit.
	limit *int64
	// usage says that a stream was asked to tell its usage.
	usage bool
}

// offered is a tool on offer.
type offered struct {
	number int // in the request
	schema jsontext.Value
	// text says that the tool takes text, not JSON.
	text  bool
	types map[string]string // JSON type of each parameter; nil until needed
}

// choice is what a request says about calls.
type choice struct {
	forbidden, required bool
	// name is the tool that was demanded; "" for none.
	name string
	// single says that parallel calls were switched off.
	single bool
}

func askedOf(q *wire.Request) *asked {
	if q == nil {
		return nil
	}
	a := &asked{Request: q, tools: make(map[string]*offered, len(q.Tools))}
	for i, t := range q.Tools {
		o := &offered{number: i, schema: t.Schema}
		name := t.Name
		if t.Raw != nil {
			name, o.text = ownTool(t.Raw, name)
		}
		if name != "" {
			a.tools[name] = o
		}
	}
	for _, list := range [][]wire.Field{q.Options, q.Unknown} {
		for _, f := range list {
			a.option(f)
		}
	}
	return a
}

// ownTool reads the name of a tool that is no function, and whether its input is text.
func ownTool(raw jsontext.Value, name string) (string, bool) {
	var t struct {
		Type, Name string
		Custom     struct{ Name string }
	}
	if json.Unmarshal(raw, &t) != nil {
		return name, false
	}
	for _, n := range []string{t.Name, t.Custom.Name} {
		if n != "" {
			name = n
		}
	}
	return name, t.Type == "custom"
}

// option reads a member of the request that is neither message nor tool.
func (a *asked) option(f wire.Field) {
	switch f.Name {
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		a.limitTo(f.Value)
	case "options":
		var o struct {
			NumPredict json.RawMessage `json:"num_predict"`
		}
		if json.Unmarshal(f.Value, &o) == nil {
			a.limitTo(jsontext.Value(o.NumPredict))
		}
	case "stream_options":
		var o struct {
			IncludeUsage bool `json:"include_usage"`
		}
		a.usage = json.Unmarshal(f.Value, &o) == nil && o.IncludeUsage
	case "parallel_tool_calls":
		a.choice.single = f.Value.Kind() == 'f'
	case "tool_choice":
		a.toolChoice(f.Value)
	}
}

func (a *asked) limitTo(v jsontext.Value) {
	var n int64
	if json.Unmarshal(v, &n) == nil && n > 0 {
		a.limit = &n
	}
}

// toolChoice reads the word or object of any API: "required", {"type":"any"}, {"type":"function","function":{"name":…}}, …
func (a *asked) toolChoice(v jsontext.Value) {
	var word string
	var object struct {
		Type, Mode, Name string
		Function, Custom struct{ Name string }
		Single           bool `json:"disable_parallel_tool_use"`
	}
	if json.Unmarshal(v, &word) != nil && json.Unmarshal(v, &object) == nil {
		word = object.Type
		if word == "allowed_tools" {
			word = object.Mode
		}
		a.choice.single = a.choice.single || object.Single
	}
	switch word {
	case "none":
		a.choice.forbidden = true
	case "required", "any":
		a.choice.required = true
	case "function", "tool", "custom":
		a.choice.required = true
		for _, name := range []string{object.Name, object.Function.Name, object.Custom.Name} {
			if name != "" {
				a.choice.name = name
			}
		}
	}
}

// continued reports whether the request goes on from a conversation that the server keeps, so that not all of it is in the request.
func (a *asked) continued() bool {
	for _, f := range a.Options {
		if (f.Name == "previous_response_id" || f.Name == "conversation") && f.Value.Kind() != 'n' {
			return true
		}
	}
	return false
}

// says reports whether a text stands in what the client wrote itself: in all but the assistant's turns.
func (a *asked) says(text string) bool {
	if a == nil {
		return false
	}
	if strings.Contains(a.System, text) {
		return true
	}
	for i := range a.Messages {
		m := &a.Messages[i]
		if m.Role == "assistant" {
			continue
		}
		for _, p := range m.Parts {
			if p.Kind != wire.PartReasoning && strings.Contains(p.Text, text) || p.Result != nil && strings.Contains(p.Result.Text, text) {
				return true
			}
		}
	}
	for _, t := range a.Tools {
		if strings.Contains(t.Description, text) || strings.Contains(string(t.Schema), text) {
			return true
		}
	}
	return false
}

// parameterType returns the JSON type that a tool's parameter is declared with; "" when nothing is known of it.
func (a *asked) parameterType(tool, parameter string) string {
	if a == nil {
		return ""
	}
	t, ok := a.tools[tool]
	if !ok {
		return ""
	}
	if t.types == nil {
		t.types = make(map[string]string)
		var s struct {
			Properties map[string]struct {
				Type json.RawMessage
			}
		}
		if json.Unmarshal(t.schema, &s) == nil {
			for name, p := range s.Properties {
				var one string
				if json.Unmarshal(p.Type, &one) == nil {
					t.types[name] = one
				}
			}
		}
	}
	return t.types[parameter]
}

// hasIDs reports whether calls of an API are answered by id.
func hasIDs(api tape.API) bool { return api != tape.Ollama && api != tape.OllamaGenerate }
