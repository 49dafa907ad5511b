package markup

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// wholeJSON returns the JSON object or array that s begins with; "" when it begins with none, or with a part of one.
func wholeJSON(s string) string {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return ""
	}
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				if json.Valid([]byte(s[:i+1])) {
					return s[:i+1]
				}
				return ""
			}
		}
	}
	return ""
}

// jsonCalls reads calls written as JSON: an object with a name and arguments, under whatever names a family has for the two, or an array of
// such. Bare ones must have both and nothing else that is not a part of a call. It returns nil unless all of it is calls.
func jsonCalls(value string, bare bool) []named {
	switch value[0] {
	case '[':
		var items []json.RawMessage
		if json.Unmarshal([]byte(value), &items) != nil {
			return nil
		}
		var all []named
		for _, item := range items {
			c, ok := jsonCall(item, bare)
			if !ok {
				return nil
			}
			all = append(all, c)
		}
		return all
	case '{':
		if c, ok := jsonCall([]byte(value), bare); ok {
			return []named{c}
		}
		var wrapped struct {
			Calls json.RawMessage `json:"tool_calls"`
		}
		if json.Unmarshal([]byte(value), &wrapped) == nil && len(wrapped.Calls) > 0 && wrapped.Calls[0] == '[' {
			return jsonCalls(string(wrapped.Calls), bare)
		}
	}
	return nil
}

// Names under which calls in JSON have their parts. What is false may stand beside them.
var (
	nameKeys      = []string{"name", "tool_name", "function_name", "tool", "function"}
	argumentsKeys = []string{"arguments", "parameters", "args", "input"}
	partOfCall    = map[string]bool{"id": true, "type": true, "index": true, "tool_call_id": true}
)

func jsonCall(item []byte, bare bool) (named, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(item, &fields) != nil {
		return named{}, false
	}
	if f := fields["function"]; len(f) > 0 && f[0] == '{' {
		for key := range fields {
			if bare && key != "function" && !partOfCall[key] {
				return named{}, false
			}
		}
		return jsonCall(f, bare)
	}
	var c named
	nameKey, argumentsKey := "", ""
	for _, key := range nameKeys {
		if v, ok := fields[key]; ok && json.Unmarshal(v, &c.name) == nil {
			nameKey = key
			break
		}
	}
	for _, key := range argumentsKeys {
		if v, ok := fields[key]; ok {
			argumentsKey, c.arguments = key, object(v)
			break
		}
	}
	if bare {
		for key := range fields {
			if key != nameKey && key != argumentsKey && !partOfCall[key] {
				return named{}, false
			}
		}
		if declares(c.arguments) {
			return named{}, false
		}
	}
	return c, wellNamed(c.name) && c.arguments != ""
}

// declares reports whether arguments are the schema of arguments: what has them is the declaration of a tool, not a call.
func declares(arguments string) bool {
	var s struct {
		Type       string
		Properties map[string]json.RawMessage
	}
	return json.Unmarshal([]byte(arguments), &s) == nil && s.Type == "object" && s.Properties != nil
}

// object returns arguments as the text of a JSON object: as they are, or out of a string; "" when they are none.
func object(v json.RawMessage) string {
	text := string(v)
	if text != "" && text[0] == '"' {
		var inner string
		if json.Unmarshal(v, &inner) != nil || !json.Valid([]byte(inner)) {
			return ""
		}
		text = strings.TrimSpace(inner)
	}
	if text == "null" {
		return "{}"
	}
	if text == "" || text[0] != '{' {
		return ""
	}
	return text
}

// wellNamed reports whether a text can be the name of a tool.
func wellNamed(name string) bool {
	return name != "" && len(name) <= 256 && !strings.ContainsAny(name, " \t\r\n<>{}()[]\"'`,;")
}

// objectWriter writes a JSON object.
type objectWriter struct{ b []byte }

// add adds a member whose value is JSON already.
func (w *objectWriter) add(key, value string) {
	if len(w.b) == 0 {
		w.b = append(w.b, '{')
	} else {
		w.b = append(w.b, ',')
	}
	w.b = append(append(appendString(w.b, key), ':'), value...)
}

func (w *objectWriter) String() string {
	if len(w.b) == 0 {
		return "{}"
	}
	return string(w.b) + "}"
}

// appendString appends a text as JSON. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\ufffd"))
	return b
}

// typed returns a value that was written as plain text as JSON of the declared type, where it can be read so.
func typed(text, declared string) string {
	if trimmed := strings.TrimSpace(text); declared != "string" && trimmed != "" && json.Valid([]byte(trimmed)) && (declared != "" || trimmed[0] != '"') {
		return trimmed
	}
	return string(appendString(nil, text))
}
