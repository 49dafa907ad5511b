package conformance

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
)

// asked is what a judge needs to know of a request.
type asked struct {
	*wire.Request
	tools  map[string]*offered
	choice choice
	// allowed are the tools that may be called; nil for all on offer.
	allowed []string
	// legacy says that tools are offered as Chat Completions had them at first, when calls had no ids.
	legacy bool
	// limit is the most tokens that were asked for; nil for no limit.
	limit *int64
	// choices is how many answers were asked for, which share the token counts.
	choices int64
	// usage says that a stream was asked to tell its usage, json that the answer is to be JSON, stops that texts were given at which it ends.
	usage, json, stops bool
	stopTexts          []string
	// form is the schema of the JSON that the answer is to be; nil for any.
	form jsontext.Value
	// elsewhere says that tools may be offered that are not in the request: those of a stored prompt, and those that the server searches.
	elsewhere bool
}

// offered is a tool on offer.
type offered struct {
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
	// other is the whole setting when it says more than that.
	other string
}

func askedOf(q *wire.Request) *asked {
	if q == nil {
		return nil
	}
	a := &asked{Request: q, tools: make(map[string]*offered, len(q.Tools)), choices: 1}
	for _, t := range q.Tools {
		if t.Raw != nil {
			a.ownTool(t.Raw, 0)
		} else {
			a.tools[t.Name] = &offered{schema: t.Schema}
		}
	}
	for i := range q.Messages {
		for _, p := range q.Messages[i].Parts {
			if p.Kind == wire.PartOther && p.Text == "tool_search_output" {
				a.ownTool(p.Raw, 0)
			}
		}
	}
	for _, list := range [][]wire.Field{q.Options, q.Unknown} {
		for _, f := range list {
			a.option(f)
		}
	}
	return a
}

// ownTool reads a tool that is no function of the usual form: one of the server's own, one that takes text, or several under one name, as
// Responses has them in a namespace and in what its search for tools found. depth is how many of these it is in; what was found may be a
// namespace, and there it ends.
func (a *asked) ownTool(raw jsontext.Value, depth int) {
	var t struct {
		Type, Name string
		Custom     struct{ Name string }
		Parameters json.RawMessage
		Tools      []json.RawMessage
	}
	if json.Unmarshal(raw, &t) != nil {
		return
	}
	switch t.Type {
	case "namespace", "tool_search_output":
		for _, inner := range t.Tools {
			if depth < 2 {
				a.ownTool(jsontext.Value(inner), depth+1)
			}
		}
		return
	case "tool_search":
		a.elsewhere = true
	}
	if name := cmp.Or(t.Custom.Name, t.Name); name != "" {
		a.tools[name] = &offered{schema: jsontext.Value(t.Parameters), text: t.Type == "custom"}
	}
}

// option reads a member of the request that is neither message nor tool.
func (a *asked) option(f wire.Field) {
	switch f.Name {
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		a.limitTo(f.Value)
	case "options":
		var o struct {
			NumPredict json.RawMessage `json:"num_predict"`
			Stop       json.RawMessage
		}
		if json.Unmarshal(f.Value, &o) == nil {
			a.limitTo(jsontext.Value(o.NumPredict))
			a.stopAt(jsontext.Value(o.Stop))
		}
	case "stop", "stop_sequences":
		a.stopAt(f.Value)
	case "n":
		if n := int64(0); json.Unmarshal(f.Value, &n) == nil && n > 1 {
			a.choices = n
		}
	case "response_format", "text", "format", "output_format", "output_config":
		if asksForJSON(f.Value) {
			a.json, a.form = true, formOf(f.Value)
		}
	case "prompt":
		a.elsewhere = a.elsewhere || f.Value.Kind() == '{'
	case "stream_options":
		var o struct {
			IncludeUsage bool `json:"include_usage"`
		}
		a.usage = json.Unmarshal(f.Value, &o) == nil && o.IncludeUsage
	case "parallel_tool_calls":
		a.choice.single = f.Value.Kind() == 'f'
	case "tool_choice":
		a.toolChoice(f.Value)
	case "functions":
		a.functions(f.Value)
	case "function_call":
		a.functionCall(f.Value)
	}
}

// stopAt reads the texts at which an answer is to end: one, or a list of them.
func (a *asked) stopAt(v jsontext.Value) {
	var one string
	var list []string
	if json.Unmarshal(v, &one) == nil && one != "" {
		list = []string{one}
	} else if json.Unmarshal(v, &list) != nil {
		return
	}
	a.stopTexts = append(a.stopTexts, list...)
	a.stops = len(a.stopTexts) > 0
}

// asksForJSON reports whether a setting for the form of the answer asks for JSON: "json" or a schema (Ollama), {"type":"json_schema",…}, or
// {"format":{"type":"json_schema",…}}.
func asksForJSON(v jsontext.Value) bool {
	if string(v) == `"json"` {
		return true
	}
	var o, format struct {
		Type, Format json.RawMessage
	}
	if json.Unmarshal(v, &o) != nil {
		return false
	}
	_ = json.Unmarshal(o.Format, &format) // the format in a schema is a word
	for _, kind := range []string{string(o.Type), string(format.Type)} {
		switch kind {
		case `"json_object"`, `"json_schema"`, `"object"`, `"array"`:
			return true
		}
	}
	return false
}

// formOf returns the schema in a setting for the form of the answer: the setting itself (Ollama), or a member of it; nil for none.
func formOf(v jsontext.Value) jsontext.Value {
	var o struct {
		Type       string
		JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		Schema     json.RawMessage
		Format     json.RawMessage
	}
	if json.Unmarshal(v, &o) != nil {
		return nil
	}
	switch {
	case len(o.JSONSchema.Schema) > 0:
		return jsontext.Value(o.JSONSchema.Schema)
	case len(o.Schema) > 0:
		return jsontext.Value(o.Schema)
	case o.Type == "object" || o.Type == "array":
		return v
	case len(o.Format) > 0 && o.Format[0] == '{':
		return formOf(jsontext.Value(o.Format))
	}
	return nil
}

// functions reads tools as Chat Completions had them at first.
func (a *asked) functions(v jsontext.Value) {
	var list []struct {
		Name       string
		Parameters json.RawMessage
	}
	if json.Unmarshal(v, &list) != nil {
		return
	}
	for _, f := range list {
		a.tools[f.Name] = &offered{schema: jsontext.Value(f.Parameters)}
	}
	a.legacy = len(list) > 0 && len(a.Tools) == 0
}

// functionCall reads what Chat Completions had at first for a choice: "none", "auto", {"name":…}.
func (a *asked) functionCall(v jsontext.Value) {
	var object struct{ Name string }
	switch {
	case string(v) == `"none"`:
		a.choice.forbidden = true
	case json.Unmarshal(v, &object) == nil && object.Name != "":
		a.choice.required, a.choice.name = true, object.Name
	}
}

// offers reports whether there is a tool on offer.
func (a *asked) offers() bool { return len(a.Tools) > 0 || len(a.tools) > 0 }

func (a *asked) limitTo(v jsontext.Value) {
	var n int64
	if json.Unmarshal(v, &n) == nil && n > 0 {
		a.limit = &n
	}
}

// allowedTools are those that a choice leaves: {"mode":"auto","tools":[{"type":"function","name":…}]}. Chat Completions has each name in an
// object of its own.
type allowedTools struct {
	Mode  string
	Tools []struct {
		Name             string
		Function, Custom struct{ Name string }
	}
}

// toolChoice reads the word or object of any API: "required", {"type":"any"}, {"type":"function","function":{"name":…}}, …
func (a *asked) toolChoice(v jsontext.Value) {
	var word string
	var object struct {
		allowedTools     // of Responses
		Type, Name       string
		Function, Custom struct{ Name string }
		Allowed          allowedTools `json:"allowed_tools"` // of Chat Completions
		Single           bool         `json:"disable_parallel_tool_use"`
	}
	if json.Unmarshal(v, &word) != nil && json.Unmarshal(v, &object) == nil {
		word = object.Type
		if word == "allowed_tools" {
			a.choice.other = jsonvalue.Of(v)
			word = cmp.Or(object.Mode, object.Allowed.Mode)
			for _, t := range append(object.Tools, object.Allowed.Tools...) {
				a.allowed = append(a.allowed, cmp.Or(t.Name, t.Function.Name, t.Custom.Name)) // "" for a tool of the server's
			}
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
	case "auto", "":
	default:
		a.choice.other = jsonvalue.Of(v)
	}
}

// continued reports whether the request goes on from a conversation that the server keeps, so that not all of it is in the request.
func (a *asked) continued() bool {
	for _, f := range a.Options {
		if (f.Name == "previous_response_id" || f.Name == "conversation") && f.Value.Kind() != 'n' {
			return true
		}
	}
	for i := range a.Messages {
		for _, p := range a.Messages[i].Parts {
			if p.Kind == wire.PartOther && p.Text == "item_reference" {
				return true
			}
		}
	}
	return false
}

// suffixed reports whether Ollama's generate is asked for what belongs between the prompt and a suffix.
func (a *asked) suffixed() bool {
	return slices.ContainsFunc(a.Messages, func(m wire.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p wire.Part) bool { return p.Kind == wire.PartOther && p.Text == "suffix" })
	})
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
