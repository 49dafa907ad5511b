package scenario

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// defaultCallID stands for the id of a call that has none.
const defaultCallID = pyvalue.Str("call_0")

// Answer is what the checks look at. Its values are kept as they came, since a server may send anything: a null finish reason, a
// list for a text.
type Answer struct {
	// FinishReason is in the words of Chat Completions where the API has a counterpart; "" when absent.
	FinishReason pyvalue.Value
	// Call is the first tool call, nil when there is none. Further calls are not judged.
	Call *Call
	// Content is the text, None when there is none.
	Content pyvalue.Value
}

// Call is a tool call of a model. Arguments should be JSON text.
type Call struct {
	ID, Name, Arguments pyvalue.Value
}

// parseAnswer reads the JSON of a whole response of the given API, exactly as exo's evaluator does. An answer of another shape gives an
// [*UnusableError].
func parseAnswer(api tape.API, data pyvalue.Value) (Answer, error) {
	d, err := dialectOf(api)
	if err != nil {
		return Answer{}, err
	}
	return d.answer(data)
}

func openaiAnswer(data pyvalue.Value) (Answer, error) {
	choices, err := subscript(data, "the answer", "choices")
	if err != nil {
		return Answer{}, err
	}
	choice, err := first(choices, "choices")
	if err != nil {
		return Answer{}, err
	}
	finish, err := get(choice, "choices[0]", "finish_reason", pyvalue.Str(""))
	if err != nil {
		return Answer{}, err
	}
	message, err := get(choice, "choices[0]", "message", pyvalue.NewDict())
	if err != nil {
		return Answer{}, err
	}
	calls, err := get(message, "message", "tool_calls", pyvalue.None{})
	if err != nil {
		return Answer{}, err
	}
	content, err := get(message, "message", "content", pyvalue.None{})
	if err != nil {
		return Answer{}, err
	}
	a := Answer{FinishReason: finish, Content: content}
	if list, ok := calls.(*pyvalue.List); ok && list.Len() > 0 {
		if a.Call, err = chatCallOf(list.Items[0], "tool_calls[0]", pyvalue.Str("{}")); err != nil {
			return Answer{}, err
		}
	}
	return a, nil
}

// chatCallOf reads a call of the form {"id", "function": {"name", "arguments"}}.
func chatCallOf(v pyvalue.Value, where string, noArguments pyvalue.Value) (*Call, error) {
	id, err := get(v, where, "id", defaultCallID)
	if err != nil {
		return nil, err
	}
	function, err := get(v, where, "function", pyvalue.NewDict())
	if err != nil {
		return nil, err
	}
	name, err := get(function, "function", "name", pyvalue.Str(""))
	if err != nil {
		return nil, err
	}
	arguments, err := get(function, "function", "arguments", noArguments)
	if err != nil {
		return nil, err
	}
	return &Call{ID: id, Name: name, Arguments: arguments}, nil
}

func claudeAnswer(data pyvalue.Value) (Answer, error) {
	content, err := get(data, "the answer", "content", pyvalue.NewList())
	if err != nil {
		return Answer{}, err
	}
	stop, err := get(data, "the answer", "stop_reason", pyvalue.Str(""))
	if err != nil {
		return Answer{}, err
	}
	blocks, err := iterate(content, "content")
	if err != nil {
		return Answer{}, err
	}
	a := Answer{FinishReason: claudeFinish(stop), Content: pyvalue.None{}}
	var parts []string
	for i, block := range blocks {
		where := fmt.Sprintf("content[%d]", i)
		kind, err := get(block, where, "type", pyvalue.None{})
		if err != nil {
			return Answer{}, err
		}
		switch kind {
		case pyvalue.Str("tool_use"):
			if a.Call == nil {
				a.Call = claudeCallOf(block.(*pyvalue.Dict))
			}
		case pyvalue.Str("text"):
			if parts, err = appendText(parts, block.(*pyvalue.Dict), where); err != nil {
				return Answer{}, err
			}
		}
	}
	if parts != nil {
		a.Content = pyvalue.Str(strings.Join(parts, "\n"))
	}
	return a, nil
}

// claudeFinish translates a stop reason.
func claudeFinish(reason pyvalue.Value) pyvalue.Value {
	switch reason {
	case pyvalue.Str("tool_use"):
		return pyvalue.Str("tool_calls")
	case pyvalue.Str("end_turn"):
		return pyvalue.Str("stop")
	default:
		return reason
	}
}

// claudeCallOf reads a tool_use block. Its input becomes JSON text, or Python's str() of it when it is no object.
func claudeCallOf(block *pyvalue.Dict) *Call {
	return &Call{
		ID:        lookup(block, "id", defaultCallID),
		Name:      lookup(block, "name", pyvalue.Str("")),
		Arguments: argumentText(lookup(block, "input", pyvalue.NewDict())),
	}
}

// argumentText is the text of arguments that came as a value.
func argumentText(v pyvalue.Value) pyvalue.Str {
	if d, ok := v.(*pyvalue.Dict); ok {
		return pyvalue.Str(dumps(d))
	}
	return pyvalue.Str(pyvalue.String(v))
}

func responsesAnswer(data pyvalue.Value) (Answer, error) {
	output, err := get(data, "the answer", "output", pyvalue.NewList())
	if err != nil {
		return Answer{}, err
	}
	items, err := iterate(output, "output")
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Content: pyvalue.None{}}
	var parts []string
	for i, item := range items {
		where := fmt.Sprintf("output[%d]", i)
		kind, err := get(item, where, "type", pyvalue.None{})
		if err != nil {
			return Answer{}, err
		}
		switch kind {
		case pyvalue.Str("function_call"):
			if a.Call == nil {
				d := item.(*pyvalue.Dict)
				a.Call = &Call{
					ID:        lookup(d, "call_id", defaultCallID),
					Name:      lookup(d, "name", pyvalue.Str("")),
					Arguments: lookup(d, "arguments", pyvalue.Str("{}")),
				}
			}
		case pyvalue.Str("message"):
			if parts, err = appendContent(parts, item.(*pyvalue.Dict), where); err != nil {
				return Answer{}, err
			}
		}
	}
	if parts != nil {
		a.Content = pyvalue.Str(strings.Join(parts, "\n"))
	}
	status := lookup(data.(*pyvalue.Dict), "status", pyvalue.Str("completed"))
	a.FinishReason = responsesFinish(status, a.Call != nil)
	return a, nil
}

// responsesFinish translates a status. The API has no word for "asks for tools", nor does exo's say when an answer was cut off.
func responsesFinish(status pyvalue.Value, called bool) pyvalue.Value {
	switch {
	case called:
		return pyvalue.Str("tool_calls")
	case status == pyvalue.Value(pyvalue.Str("completed")):
		return pyvalue.Str("stop")
	default:
		return status
	}
}

// appendContent adds the texts of a message item that are not blank.
func appendContent(parts []string, item *pyvalue.Dict, where string) ([]string, error) {
	switch content := lookup(item, "content", pyvalue.NewList()).(type) {
	case *pyvalue.List:
		for i, part := range content.Items {
			d, ok := part.(*pyvalue.Dict)
			if !ok || !pyvalue.Truth(lookup(d, "text", pyvalue.Str(""))) {
				continue // null and 0 pass for no text here, though not in Claude's blocks
			}
			var err error
			if parts, err = appendText(parts, d, fmt.Sprintf("%s.content[%d]", where, i)); err != nil {
				return nil, err
			}
		}
	case pyvalue.Str:
		if pyvalue.Strip(string(content)) != "" {
			parts = append(parts, string(content))
		}
	}
	return parts, nil
}

// appendText adds the value of the key "text" unless it is blank.
func appendText(parts []string, d *pyvalue.Dict, where string) ([]string, error) {
	text := lookup(d, "text", pyvalue.Str(""))
	stripped, err := strip(text, where+".text")
	if err != nil {
		return nil, err
	}
	if stripped != "" {
		parts = append(parts, string(text.(pyvalue.Str)))
	}
	return parts, nil
}

// ollamaAnswer reads an Ollama chat answer the way the other APIs are read. Ollama itself ends a call with "stop", exo with
// "tool_call"; both are "tool_calls" here, as for Responses.
func ollamaAnswer(data pyvalue.Value) (Answer, error) {
	message, err := get(data, "the answer", "message", pyvalue.NewDict())
	if err != nil {
		return Answer{}, err
	}
	calls, err := get(message, "message", "tool_calls", pyvalue.None{})
	if err != nil {
		return Answer{}, err
	}
	a := Answer{
		FinishReason: lookup(data.(*pyvalue.Dict), "done_reason", pyvalue.Str("")),
		Content:      lookup(message.(*pyvalue.Dict), "content", pyvalue.None{}),
	}
	list, ok := calls.(*pyvalue.List)
	if !ok || list.Len() == 0 {
		return a, nil
	}
	if a.Call, err = chatCallOf(list.Items[0], "tool_calls[0]", pyvalue.NewDict()); err != nil {
		return Answer{}, err
	}
	if _, ok := a.Call.Arguments.(*pyvalue.Dict); ok {
		a.Call.Arguments = argumentText(a.Call.Arguments)
	}
	a.FinishReason = ollamaFinish(a.FinishReason, true)
	return a, nil
}

// ollamaFinish translates a done reason.
func ollamaFinish(reason pyvalue.Value, called bool) pyvalue.Value {
	if called && (reason == pyvalue.Value(pyvalue.Str("stop")) || reason == pyvalue.Value(pyvalue.Str("tool_call"))) {
		return pyvalue.Str("tool_calls")
	}
	return reason
}
