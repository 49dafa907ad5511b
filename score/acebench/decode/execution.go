package decode

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// OfficialExecution decodes the message of an agent as the official runners do before they evaluate it, and returns the calls as the
// source text they make of them. The runner of multi-step samples refuses a list with something else than calls in it. How evalscope
// reads such a message is in package rollout.
func OfficialExecution(message string, multiStep bool) ([]string, error) {
	if message == "" {
		return nil, pyvalue.Raise("IndexError", "string index out of range")
	}
	if len(message) > MaxText {
		return nil, malformed("The message has %d bytes; texts of up to %d are read.", len(message), MaxText)
	}
	top, err := pycall.Parse(unwrap(message))
	if err != nil {
		return nil, fmt.Errorf("reading the message of an agent: %w", err)
	}
	elements, ok := elementsOf(top)
	if !ok {
		elements = []pycall.Expr{top}
	}
	reader := officialResolver{executing: true}
	calls := []string{}
	for _, e := range elements {
		node, isCall := e.(*pycall.Call)
		if !isCall {
			if ok && multiStep {
				return nil, pyvalue.Raise("ValueError", "Element is not a function call")
			}
			continue
		}
		c, err := reader.call(node)
		if err != nil {
			return nil, err
		}
		text, err := source(c)
		if err != nil {
			return nil, err
		}
		calls = append(calls, text)
	}
	return calls, nil
}

// unwrap takes the brackets off a message: one blank before them is dropped, missing ones are added first, and then all brackets and
// single quotes at both ends go.
func unwrap(message string) string {
	text := strings.TrimPrefix(message, " ")
	if !strings.HasPrefix(text, "[") {
		text = "[" + text
	}
	if !strings.HasSuffix(text, "]") {
		text += "]"
	}
	return strings.Trim(text, "[]'")
}

// source renders a call as source text again.
func source(c Call) (string, error) {
	args := make([]string, 0, len(c.Args))
	for _, a := range c.Args {
		value, err := sourceOf(a.Value)
		if err != nil {
			return "", err
		}
		args = append(args, pyvalue.String(a.Key())+"="+value)
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")", nil
}

// sourceOf renders a value. An object is taken for a nested call by its first key.
func sourceOf(v pyvalue.Value) (string, error) {
	object, ok := v.(*pyvalue.Dict)
	if !ok {
		return pyvalue.Repr(v), nil
	}
	if object.Len() == 0 {
		return "", pyvalue.Raise("IndexError", "list index out of range")
	}
	name, args := object.At(0)
	named, ok := args.(*pyvalue.Dict)
	if !ok {
		return "", pyvalue.Raise("AttributeError", "'%s' object has no attribute 'items'", pyvalue.TypeName(args))
	}
	all := make([]string, 0, named.Len())
	for key, value := range named.All() {
		text, err := sourceOf(value)
		if err != nil {
			return "", err
		}
		all = append(all, pyvalue.String(key)+"="+text)
	}
	return pyvalue.String(name) + "(" + strings.Join(all, ", ") + ")", nil
}
