package decode

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// officialCalls reads a text without white space as the official scorer does. It takes every failure for a wrong format.
func (r *Reader) officialCalls(text string) ([]Call, error) {
	if calls, ok := r.plainCalls(text); ok {
		return calls, nil
	}
	top, err := pycall.Parse(text)
	if err != nil {
		return nil, &FormatError{"Invalid syntax. Failed to decode AST.", err}
	}
	elements, ok := elementsOf(top)
	if set, isSet := top.(*pycall.Set); isSet {
		elements, ok = set.Elts, true
	}
	if !ok {
		return nil, malformed("Invalid syntax. Failed to decode AST. The text is not a list of calls.")
	}
	calls := make([]Call, 0, len(elements))
	for _, e := range elements {
		node, ok := e.(*pycall.Call)
		if !ok {
			return nil, malformed("Invalid syntax. Failed to decode AST. The list holds something that is not a call.")
		}
		c, err := officialCall(node)
		if err != nil {
			return nil, &FormatError{"Invalid syntax. Failed to decode AST.", err}
		}
		calls = append(calls, c)
	}
	return calls, nil
}

func officialCall(node *pycall.Call) (Call, error) {
	var args arguments
	for _, k := range node.Keywords {
		v, err := officialValue(k.Value)
		if err != nil {
			return Call{}, err
		}
		name := k.Name
		if name == "" {
			name = Unpacked
		}
		args.put(Arg{name, v})
	}
	return Call{node.Name(), args.list}, nil
}

// officialValue makes the value of an expression as the official programs do, except that it folds operators over constants where they
// execute the text.
func officialValue(e pycall.Expr) (pyvalue.Value, error) {
	switch n := e.(type) {
	case *pycall.Constant:
		if _, ok := n.Value.(pyvalue.Ellipsis); ok {
			return pyvalue.Str("..."), nil
		}
		return n.Value, nil
	case *pycall.UnaryOp:
		// Every operator negates, and only constants can be negated.
		c, ok := n.Operand.(*pycall.Constant)
		if !ok {
			return nil, fmt.Errorf("the operator %s stands before something that is not a constant", n.Op)
		}
		return pyvalue.Neg(c.Value)
	case *pycall.List:
		items, err := officialValues(n.Elts)
		return pyvalue.NewList(items...), err
	case *pycall.Tuple:
		items, err := officialValues(n.Elts)
		return pyvalue.Tuple(items), err
	case *pycall.Dict:
		return officialDict(n)
	case *pycall.Name:
		return pyvalue.Str(n.ID), nil
	case *pycall.Call:
		c, err := officialCall(n)
		return c.Value(), err
	case *pycall.BinOp:
		return fold(n)
	case *pycall.Subscript:
		return subscript(n)
	}
	return nil, fmt.Errorf("the expression at byte %d is of a kind that is not supported", e.Pos())
}

// subscript is the source text, with a tuple as the index in parentheses.
func subscript(n *pycall.Subscript) (pyvalue.Value, error) {
	value, err := pycall.Unparse(n.Value)
	if err != nil {
		return nil, err
	}
	index, err := pycall.Unparse(n.Index)
	return pyvalue.Str(value + "[" + index + "]"), err
}

func officialValues(elements []pycall.Expr) ([]pyvalue.Value, error) {
	all := make([]pyvalue.Value, 0, len(elements))
	for _, e := range elements {
		v, err := officialValue(e)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func officialDict(n *pycall.Dict) (pyvalue.Value, error) {
	d := pyvalue.NewDict()
	for _, item := range n.Items {
		if item.Key == nil {
			return nil, fmt.Errorf("an object holds **")
		}
		key, err := officialValue(item.Key)
		if err != nil {
			return nil, err
		}
		value, err := officialValue(item.Value)
		if err != nil {
			return nil, err
		}
		if err := d.Set(key, value); err != nil {
			return nil, err
		}
	}
	return d, nil
}
