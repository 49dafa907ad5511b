package conformance

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

// mangledCalls returns the calls that are meant by calls of the answer with markup in their names or arguments.
func (j *trial) mangledCalls() []Intended {
	if j.a == nil {
		return nil
	}
	var all []Intended
	for i := range j.args {
		name, object := j.a.ToolCalls[i].Name, j.args[i].object
		if object == nil {
			continue
		}
		if tool, known := j.unmarked(name); known {
			all = append(all, Intended{Family: familyOf(markup.Markers(name)[0]), Name: tool, Arguments: j.report.ToolCalls[i].Arguments, From: "name"})
		} else if arguments := j.fromGLM(name, object); arguments != nil {
			all = append(all, Intended{Family: "glm", Name: name, Arguments: arguments, From: "arguments"})
		}
	}
	return all
}

// unmarked returns the offered tool that a name with markup means, also when a namespace stands before it; "" for none. known is as that of
// [trial.bare].
func (j *trial) unmarked(name string) (tool string, known bool) {
	if tool := j.cleaned(name); tool != "" {
		return tool, true
	}
	for _, candidate := range withoutMarkup(name) {
		if tool, known := j.bare(candidate); tool != "" {
			return tool, known
		}
	}
	return "", false
}

// familyOf returns the first family whose calls are written with a marker, and the marker itself when there is none.
func familyOf(m markup.Marker) string {
	i := slices.IndexFunc(markup.Families, func(f markup.Family) bool {
		return slices.ContainsFunc(f.Examples, func(example string) bool { return strings.Contains(example, m.Text) })
	})
	if i < 0 {
		return m.Text
	}
	return markup.Families[i].Name
}

// The tags between which GLM writes the name and the value of an argument.
const (
	argKey, argKeyEnd     = "<arg_key>", "</arg_key>"
	argValue, argValueEnd = "<arg_value>", "</arg_value>"
)

// fromGLM returns the arguments that were meant by an object that a parser made of GLM's tags when it cut them in the wrong places, so that
// some of them are in its names or values. It returns nil when there are none, or when what they say is not what the tool takes.
func (j *trial) fromGLM(tool string, object []byte) json.RawMessage {
	var members map[string]json.RawMessage
	if !strings.Contains(string(object), argValue) || j.tool(tool) == nil || json.Unmarshal(object, &members) != nil {
		return nil
	}
	meant := make(map[string]json.RawMessage)
	for name, value := range members {
		read := map[string]json.RawMessage{name: value}
		if written := writtenByGLM(name, value); written != "" {
			read = nil
			calls := markup.Calls("<tool_call>"+tool+written+"</tool_call>", j.q.parameterType)
			if len(calls) != 1 || json.Unmarshal([]byte(calls[0].Arguments), &read) != nil {
				return nil
			}
		}
		for name, value := range read {
			if _, twice := meant[name]; twice {
				return nil
			}
			meant[name] = value
		}
	}
	arguments, err := json.Marshal(meant)
	if err != nil || !j.takes(tool, arguments) {
		return nil
	}
	return arguments
}

// writtenByGLM returns the tags that a member of an object was made of; "" when it has none in it.
func writtenByGLM(name string, value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil || !strings.Contains(name+text, argValue) {
		return ""
	}
	if strings.Contains(name, argValue) && text == "" { // all of it became the name
		return argKey + name + argValueEnd
	}
	return argKey + name + argKeyEnd + argValue + text + argValueEnd
}

// takes reports whether a tool takes arguments as its schema has them, without markup.
func (j *trial) takes(tool string, arguments json.RawMessage) bool {
	if len(markup.Markers(jsonvalue.Of(arguments))) > 0 {
		return false
	}
	s, err := j.judge.schemas.Compile(j.tool(tool).schema)
	if err != nil {
		return false
	}
	violations, err := s.Check(arguments)
	return err == nil && len(violations) == 0
}
