package decode

import (
	"errors"
	"strings"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// strictCalls reads an answer by our own rules: the text is the list, but for one block of reasoning at its front.
func strictCalls(text string) ([]Call, error) {
	text = pyvalue.Strip(withoutThinking(text))
	top, err := pycall.Parse(text)
	if err != nil {
		return nil, &FormatError{"The answer is not a list of calls.", err}
	}
	list, ok := top.(*pycall.List)
	if !ok {
		return nil, malformed("The answer is not a list of calls: it does not start with [ and end with ].")
	}
	calls := make([]Call, 0, len(list.Elts))
	for _, e := range list.Elts {
		node, ok := e.(*pycall.Call)
		if !ok {
			return nil, malformed("The list holds something that is not a call, at byte %d.", e.Pos())
		}
		c, err := strictCall(node)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// withoutThinking removes one complete block of reasoning at the front of the text.
func withoutThinking(text string) string {
	rest, ok := strings.CutPrefix(pyvalue.Strip(text), "<think>")
	if !ok {
		return text
	}
	if _, after, ok := strings.Cut(rest, "</think>"); ok {
		return after
	}
	return text
}

func strictCall(node *pycall.Call) (Call, error) {
	c := Call{Name: node.Name()}
	if !isName(node.Func) {
		return c, malformed("What is called at byte %d is not a name.", node.Pos())
	}
	if len(node.Args) > 0 {
		return c, malformed("The call of %s has an argument without a name, at byte %d.", c.Name, node.Args[0].Pos())
	}
	var args arguments
	for _, k := range node.Keywords {
		if k.Name == "" {
			return c, malformed("The call of %s has ** in it, at byte %d.", c.Name, k.Value.Pos())
		}
		if args.find(k.Name) >= 0 {
			return c, malformed("The call of %s has the argument %s twice, the second time at byte %d.", c.Name, k.Name, k.Value.Pos())
		}
		v, err := pycall.Literal(k.Value)
		var notLiteral *pycall.NotLiteralError
		if errors.As(err, &notLiteral) {
			return c, &FormatError{"The argument " + k.Name + " of " + c.Name + " is", err}
		}
		if err != nil {
			return c, &FormatError{"The argument " + k.Name + " of " + c.Name + " has no value.", err}
		}
		args.put(Arg{Name: k.Name, Value: v})
	}
	c.Args = args.list
	return c, nil
}

// isName tells whether an expression is a name or a dotted name.
func isName(e pycall.Expr) bool {
	switch n := e.(type) {
	case *pycall.Name:
		return true
	case *pycall.Attribute:
		return isName(n.Value)
	}
	return false
}
