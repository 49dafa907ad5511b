package pycall

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Unparse returns the source text of an expression as ast.unparse of CPython 3.11 writes it: one space around operators and after
// commas, as few round brackets as the operators need, text by its repr. The error is Python's ValueError for an f-string whose
// parts cannot be written without a backslash.
func Unparse(e Expr) (string, error) {
	if n, ok := e.(*Name); ok {
		return n.ID, nil
	}
	w := writer{}
	w.expr(e, precTest)
	if w.err != nil {
		return "", w.err
	}
	return string(w.out), nil
}

// writer prints expressions. Each is printed with the precedence that its place asks for; what is looser gets round brackets.
type writer struct {
	out           []byte
	noBackslashes bool // inside a field of an f-string
	err           error
}

func (w *writer) str(s string) { w.out = append(w.out, s...) }

// brackets runs write, between round brackets when the place asks for more than own.
func (w *writer) brackets(place, own precedence, write func()) {
	if place > own {
		w.str("(")
		defer w.str(")")
	}
	write()
}

// list writes expressions with commas between them.
func (w *writer) list(elts []Expr) {
	for i, e := range elts {
		if i > 0 {
			w.str(", ")
		}
		w.expr(e, precTest)
	}
}

// items writes the elements of a tuple, which needs a comma when it is only one.
func (w *writer) items(elts []Expr) {
	w.list(elts)
	if len(elts) == 1 {
		w.str(",")
	}
}

func (w *writer) expr(e Expr, place precedence) {
	switch e := e.(type) {
	case *Constant:
		w.constant(e)
	case *Name:
		w.str(e.ID)
	case *Attribute:
		w.expr(e.Value, precAtom)
		if c, ok := e.Value.(*Constant); ok && isInt(c.Value) {
			w.str(" ") // or its point would make a float of the number
		}
		w.str("." + e.Attr)
	case *Call:
		w.call(e)
	case *List:
		w.str("[")
		w.list(e.Elts)
		w.str("]")
	case *Set:
		w.str("{")
		w.list(e.Elts)
		w.str("}")
	case *Tuple:
		if len(e.Elts) == 0 {
			place = precAtom
		}
		w.brackets(place, precTuple, func() { w.items(e.Elts) })
	case *Dict:
		w.dict(e)
	case *UnaryOp:
		w.unary(e, place)
	case *BinOp:
		w.binary(e, place)
	case *BoolOp:
		w.boolean(e, place)
	case *Compare:
		w.brackets(place, precCompare, func() {
			w.expr(e.Left, precBitOr)
			for i, op := range e.Ops {
				w.str(" " + op + " ")
				w.expr(e.Values[i], precBitOr)
			}
		})
	case *IfExp:
		w.brackets(place, precTest, func() {
			w.expr(e.Body, precOr)
			w.str(" if ")
			w.expr(e.Test, precOr)
			w.str(" else ")
			w.expr(e.OrElse, precTest)
		})
	case *Lambda:
		w.brackets(place, precTest, func() {
			w.str("lambda")
			w.params(e.Params)
			w.str(": ")
			w.expr(e.Body, precTest)
		})
	case *Subscript:
		w.expr(e.Value, precAtom)
		w.str("[")
		if t, ok := e.Index.(*Tuple); ok && len(t.Elts) > 0 {
			w.items(t.Elts)
		} else {
			w.expr(e.Index, precTest)
		}
		w.str("]")
	case *Slice:
		w.slice(e)
	case *Starred:
		w.str("*")
		w.expr(e.Value, precBitOr)
	case *NamedExpr:
		w.brackets(place, precNamed, func() {
			w.str(e.Target.ID + " := ")
			w.expr(e.Value, precAtom)
		})
	case *Await:
		w.brackets(place, precAwait, func() {
			w.str("await ")
			w.expr(e.Value, precAtom)
		})
	case *Yield:
		w.brackets(place, precYield, func() { w.yield(e) })
	case *Comp:
		w.comp(e)
	case *JoinedStr:
		w.joined(e)
	case *FormattedValue:
		w.field(e)
	}
}

func isInt(v pyvalue.Value) bool {
	switch v.(type) {
	case pyvalue.Int, pyvalue.Bool:
		return true
	}
	return false
}

func (w *writer) constant(c *Constant) {
	switch v := c.Value.(type) {
	case pyvalue.Ellipsis:
		w.str("...")
	case pyvalue.Float, pyvalue.Complex:
		// No literal spells infinity, but one that is too large means it.
		w.str(strings.ReplaceAll(pyvalue.Repr(v), "inf", "1e309"))
	case pyvalue.Str:
		if c.prefix {
			w.str("u")
		}
		if w.noBackslashes {
			w.quoted(string(v))
			return
		}
		w.out = pyvalue.AppendRepr(w.out, v)
	default:
		w.out = pyvalue.AppendRepr(w.out, v)
	}
}

func (w *writer) call(c *Call) {
	w.expr(c.Func, precAtom)
	w.str("(")
	w.list(c.Args)
	for i, k := range c.Keywords {
		if i > 0 || len(c.Args) > 0 {
			w.str(", ")
		}
		if k.Name == "" {
			w.str("**")
		} else {
			w.str(k.Name + "=")
		}
		w.expr(k.Value, precTest)
	}
	w.str(")")
}

func (w *writer) dict(d *Dict) {
	w.str("{")
	for i, item := range d.Items {
		if i > 0 {
			w.str(", ")
		}
		if item.Key == nil {
			w.str("**")
			w.expr(item.Value, precBitOr)
			continue
		}
		w.expr(item.Key, precTest)
		w.str(": ")
		w.expr(item.Value, precTest)
	}
	w.str("}")
}

func (w *writer) unary(u *UnaryOp, place precedence) {
	own := precFactor
	op := u.Op
	if op == "not" {
		own, op = precNot, "not "
	}
	w.brackets(place, own, func() {
		w.str(op)
		w.expr(u.Operand, own)
	})
}

func (w *writer) binary(b *BinOp, place precedence) {
	own := precPower
	for _, op := range operators {
		if op.text == b.Op {
			own = op.prec
		}
	}
	left, right := own, own.next()
	if b.Op == "**" { // which groups to the right
		left, right = right, left
	}
	w.brackets(place, own, func() {
		w.expr(b.Left, left)
		w.str(" " + b.Op + " ")
		w.expr(b.Right, right)
	})
}

// boolean asks a little more of each value than of the one before, as CPython does; so "a or (b and c)" keeps its brackets and
// "a and b or c" needs none.
func (w *writer) boolean(b *BoolOp, place precedence) {
	own := precOr
	if b.Op == "and" {
		own = precAnd
	}
	w.brackets(place, own, func() {
		each := own
		for i, v := range b.Values {
			if i > 0 {
				w.str(" " + b.Op + " ")
			}
			each = each.next()
			w.expr(v, each)
		}
	})
}

func (w *writer) params(params []Param) {
	sep := " "
	for _, q := range params {
		w.str(sep + q.Mark + q.Name)
		if q.Default != nil {
			w.str("=")
			w.expr(q.Default, precTest)
		}
		sep = ", "
	}
}

func (w *writer) slice(s *Slice) {
	if s.Lower != nil {
		w.expr(s.Lower, precTest)
	}
	w.str(":")
	if s.Upper != nil {
		w.expr(s.Upper, precTest)
	}
	if s.Step != nil {
		w.str(":")
		w.expr(s.Step, precTest)
	}
}

func (w *writer) yield(y *Yield) {
	w.str("yield")
	if y.From {
		w.str(" from")
	}
	if y.Value != nil {
		w.str(" ")
		w.expr(y.Value, precAtom)
	}
}

func (w *writer) comp(c *Comp) {
	w.out = append(w.out, c.Open)
	w.expr(c.Elt, precTest)
	if c.Value != nil {
		w.str(": ")
		w.expr(c.Value, precTest)
	}
	for _, cl := range c.Clauses {
		if cl.Async {
			w.str(" async")
		}
		w.str(" for ")
		w.expr(cl.Target, precTuple)
		w.str(" in ")
		w.expr(cl.Iter, precOr)
		for _, cond := range cl.Ifs {
			w.str(" if ")
			w.expr(cond, precOr)
		}
	}
	w.out = append(w.out, closers[c.Open])
}

// closers are the closing brackets by the opening ones.
var closers = [...]byte{'(': ')', '[': ']', '{': '}'}
