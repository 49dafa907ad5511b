package pycall

import "github.com/exodeck/exodeck/simenv/pyvalue"

// Literal returns the value of an expression that consists of literals only, as ast.literal_eval does: constants, signed numbers, a
// sum of a real and an imaginary number, and lists, tuples, sets and dicts of these. Nothing is executed. The error is a
// [*NotLiteralError], or a [*pyvalue.Exception] for a key or an item that cannot be hashed.
func Literal(e Expr) (pyvalue.Value, error) {
	switch e := e.(type) {
	case *Constant:
		return e.Value, nil
	case *List:
		items, err := literals(e.Elts)
		if err != nil {
			return nil, err
		}
		return pyvalue.NewList(items...), nil
	case *Tuple:
		items, err := literals(e.Elts)
		if err != nil {
			return nil, err
		}
		return pyvalue.Tuple(items), nil
	case *Set:
		return literalSet(e.Elts)
	case *Call:
		if n, ok := e.Func.(*Name); ok && n.ID == "set" && len(e.Args)+len(e.Keywords) == 0 {
			return pyvalue.NewSet(), nil
		}
	case *Dict:
		return literalDict(e)
	case *BinOp:
		return complexSum(e)
	case *UnaryOp:
		return signed(e)
	}
	return nil, notLiteral(e)
}

func literals(elts []Expr) ([]pyvalue.Value, error) {
	out := make([]pyvalue.Value, len(elts))
	for i, e := range elts {
		v, err := Literal(e)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func literalSet(elts []Expr) (pyvalue.Value, error) {
	items, err := literals(elts)
	if err != nil {
		return nil, err
	}
	s := pyvalue.NewSet()
	for _, v := range items {
		if err := s.Add(v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func literalDict(d *Dict) (pyvalue.Value, error) {
	out := pyvalue.NewDict()
	for _, item := range d.Items {
		if item.Key == nil {
			return nil, &NotLiteralError{Reason: "the unpacking **", Offset: item.Value.Pos()}
		}
		k, err := Literal(item.Key)
		if err != nil {
			return nil, err
		}
		v, err := Literal(item.Value)
		if err != nil {
			return nil, err
		}
		if err := out.Set(k, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// signed returns the value of a number with at most one sign.
func signed(e Expr) (pyvalue.Value, error) {
	u, ok := e.(*UnaryOp)
	if !ok {
		return number(e)
	}
	if u.Op != "+" && u.Op != "-" {
		return nil, notLiteral(e)
	}
	v, err := number(u.Operand)
	if err != nil || u.Op == "+" {
		return v, err
	}
	return pyvalue.Neg(v)
}

// number returns the value of an int, a float or a complex number; a bool is none.
func number(e Expr) (pyvalue.Value, error) {
	if c, ok := e.(*Constant); ok {
		switch c.Value.(type) {
		case pyvalue.Int, pyvalue.Float, pyvalue.Complex:
			return c.Value, nil
		}
	}
	return nil, notLiteral(e)
}

// complexSum returns the value of a real number plus or minus an imaginary one.
func complexSum(b *BinOp) (pyvalue.Value, error) {
	left, err := signed(b.Left)
	if err != nil {
		return nil, notLiteral(b)
	}
	right, err := number(b.Right)
	if err != nil {
		return nil, notLiteral(b)
	}
	_, leftComplex := left.(pyvalue.Complex)
	if _, ok := right.(pyvalue.Complex); !ok || leftComplex {
		return nil, notLiteral(b)
	}
	switch b.Op {
	case "+":
		return pyvalue.Add(left, right)
	case "-":
		return pyvalue.Sub(left, right)
	}
	return nil, notLiteral(b)
}

// notLiteral says what an expression is instead of a literal.
func notLiteral(e Expr) error {
	reason := "an expression"
	switch e := e.(type) {
	case *Constant:
		reason = "a sign before " + pyvalue.TypeName(e.Value)
	case *Name:
		reason = "the name " + e.ID
	case *Attribute:
		reason = "the attribute " + e.Attr
	case *Call:
		reason = "a call"
	case *UnaryOp:
		reason = "the operator " + e.Op
	case *BinOp:
		reason = "the operator " + e.Op
	case *BoolOp:
		reason = "the operator " + e.Op
	case *Compare:
		reason = "the comparison " + e.Ops[0]
	case *IfExp:
		reason = "a conditional expression"
	case *Lambda:
		reason = "a lambda"
	case *Subscript, *Slice:
		reason = "a subscript"
	case *Starred:
		reason = "the unpacking *"
	case *NamedExpr:
		reason = "an assignment"
	case *Await:
		reason = "an await"
	case *Yield:
		reason = "a yield"
	case *Comp:
		reason = "a comprehension"
	case *JoinedStr, *FormattedValue:
		reason = "an f-string"
	}
	return &NotLiteralError{Reason: reason, Offset: e.Pos()}
}
