package pycall

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// BareCalls says what becomes of a call without keyword arguments that is itself an argument, such as the g() in f(a=g()). It is the
// only thing in which the two decoders of the benchmark differ.
type BareCalls int

const (
	// BareCallsAsDicts makes {'g': {}} of it, as when answers are scored.
	BareCallsAsDicts BareCalls = iota
	// BareCallsAsText makes the text 'g()' of it, as when the calls of an agent are executed.
	BareCallsAsText
)

// Name returns the dotted name of a callee: the attributes, and the name that they hang on. Anything else than a name at their end,
// as in f().g or 's'.upper, is left out, so the name may be empty.
func (c *Call) Name() string {
	if n, ok := c.Func.(*Name); ok {
		return n.ID
	}
	var parts []string
	e := c.Func
	for {
		a, ok := e.(*Attribute)
		if !ok {
			break
		}
		parts = append(parts, a.Attr)
		e = a.Value
	}
	if n, ok := e.(*Name); ok {
		parts = append(parts, n.ID)
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
		if i > 0 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// Arguments returns the keyword arguments of a call, each read by [Value]. Positional arguments, *values and **values are dropped;
// of a keyword that is repeated the last value counts, at the place of the first.
func (c *Call) Arguments(bare BareCalls) (*pyvalue.Dict, error) {
	d := pyvalue.NewDictCap(len(c.Keywords))
	for _, k := range c.Keywords {
		if k.Name == "" {
			continue
		}
		v, err := Value(k.Value, bare)
		if err != nil {
			return nil, err
		}
		d.SetStr(k.Name, v)
	}
	return d, nil
}

// Value returns what the benchmark's decoder, evalscope's, takes an argument for. Nothing is executed:
//
//	a constant                    itself; ... becomes the text '...'
//	a list, a tuple, a dict       itself, of values read likewise
//	-x                            the negative of a real number or a bool; otherwise x
//	+x, ~x, not x                 x
//	a name                        its text: true is 'true'
//	a call with keywords          {name: {argument: value}}
//	a call without                see [BareCalls]
//	another literal ([Literal])   its value: a set, a complex sum
//	anything else                 its source text ([Unparse])
//
// The error is a [*pyvalue.Exception]: TypeError for a key that cannot be hashed, AttributeError for a ** inside a dict, ValueError for
// what [Unparse] cannot write.
func Value(e Expr, bare BareCalls) (pyvalue.Value, error) {
	switch e := e.(type) {
	case *Constant:
		if _, ok := e.Value.(pyvalue.Ellipsis); ok {
			return pyvalue.Str("..."), nil
		}
		return e.Value, nil
	case *Name:
		return pyvalue.Str(e.ID), nil
	case *List:
		items, err := values(e.Elts, bare)
		if err != nil {
			return nil, err
		}
		return pyvalue.NewList(items...), nil
	case *Tuple:
		items, err := values(e.Elts, bare)
		if err != nil {
			return nil, err
		}
		return pyvalue.Tuple(items), nil
	case *Dict:
		return dictValue(e, bare)
	case *UnaryOp:
		return unaryValue(e, bare)
	case *Call:
		if len(e.Keywords) == 0 && bare == BareCallsAsText {
			return sourceText(e)
		}
		args, err := e.Arguments(bare)
		if err != nil {
			return nil, err
		}
		return pyvalue.DictOf(e.Name(), args), nil
	}
	if v, err := Literal(e); err == nil {
		return v, nil
	}
	return sourceText(e)
}

func sourceText(e Expr) (pyvalue.Value, error) {
	text, err := Unparse(e)
	if err != nil {
		return nil, err
	}
	return pyvalue.Str(text), nil
}

func values(elts []Expr, bare BareCalls) ([]pyvalue.Value, error) {
	out := make([]pyvalue.Value, len(elts))
	for i, e := range elts {
		v, err := Value(e, bare)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func dictValue(d *Dict, bare BareCalls) (pyvalue.Value, error) {
	out := pyvalue.NewDictCap(len(d.Items))
	for _, item := range d.Items {
		if item.Key == nil {
			return nil, pyvalue.Raise("AttributeError", "'NoneType' object has no attribute '_fields'")
		}
		k, err := Value(item.Key, bare)
		if err != nil {
			return nil, err
		}
		v, err := Value(item.Value, bare)
		if err != nil {
			return nil, err
		}
		if err := out.Set(k, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func unaryValue(u *UnaryOp, bare BareCalls) (pyvalue.Value, error) {
	v, err := Value(u.Operand, bare)
	if err != nil || u.Op != "-" {
		return v, err
	}
	switch v.(type) {
	case pyvalue.Int, pyvalue.Float, pyvalue.Bool:
		return pyvalue.Neg(v)
	}
	return v, nil
}
