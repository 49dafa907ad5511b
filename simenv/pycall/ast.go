package pycall

import "github.com/exodeck/exodeck/simenv/pyvalue"

// Expr is one node of a syntax tree. The nodes are those of Python's ast module, with the same names.
type Expr interface {
	// Pos returns the byte offset in the source at which the expression starts, not counting round brackets around it.
	Pos() int
	base() *node
}

// node is what all nodes have.
type node struct {
	pos    int32
	height int32 // levels of nodes, this one included
}

// Pos returns the byte offset in the source at which the expression starts, not counting round brackets around it.
func (n *node) Pos() int    { return int(n.pos) }
func (n *node) base() *node { return n }

type (
	// Constant is a number, text, bytes, None, True, False or "...".
	Constant struct {
		node
		Value  pyvalue.Value
		prefix bool // the text was written u'', which its source form keeps
	}

	// Name is a bare identifier, in normal form NFKC.
	Name struct {
		node
		ID string
	}

	// Attribute is Value.Attr.
	Attribute struct {
		node
		Value Expr
		Attr  string
	}

	// Call is Func(Args, Keywords). Positional arguments come first whatever the order in the source was.
	Call struct {
		node
		Func     Expr
		Args     []Expr
		Keywords []Keyword
	}

	// List is [Elts].
	List struct {
		node
		Elts []Expr
	}

	// Tuple is (Elts).
	Tuple struct {
		node
		Elts []Expr
	}

	// Set is {Elts}, with at least one element.
	Set struct {
		node
		Elts []Expr
	}

	// Dict is {Key: Value}.
	Dict struct {
		node
		Items []DictItem
	}

	// UnaryOp is one of + - ~ not, applied to Operand.
	UnaryOp struct {
		node
		Op      string
		Operand Expr
	}

	// BinOp is Left Op Right, for the arithmetic and bit operators.
	BinOp struct {
		node
		Op          string
		Left, Right Expr
	}

	// BoolOp is Values joined by "and" or "or".
	BoolOp struct {
		node
		Op     string
		Values []Expr
	}

	// Compare is Left followed by pairs of an operator, such as "<" or "not in", and a value.
	Compare struct {
		node
		Left   Expr
		Ops    []string
		Values []Expr
	}

	// IfExp is Body if Test else OrElse.
	IfExp struct {
		node
		Body, Test, OrElse Expr
	}

	// Lambda is lambda Params: Body.
	Lambda struct {
		node
		Params []Param
		Body   Expr
	}

	// Subscript is Value[Index].
	Subscript struct {
		node
		Value, Index Expr
	}

	// Slice is Lower:Upper:Step inside a subscript; each may be nil.
	Slice struct {
		node
		Lower, Upper, Step Expr
	}

	// Starred is *Value.
	Starred struct {
		node
		Value Expr
	}

	// NamedExpr is (Target := Value).
	NamedExpr struct {
		node
		Target *Name
		Value  Expr
	}

	// Await is await Value.
	Await struct {
		node
		Value Expr
	}

	// Yield is yield Value or, with From, yield from Value. Value may be nil.
	Yield struct {
		node
		From  bool
		Value Expr
	}

	// Comp is a comprehension or a generator: Elt, or Elt: Value in a dict, for each of Clauses. Open is the bracket around it.
	Comp struct {
		node
		Open       byte // '[', '{' or '('
		Elt, Value Expr // Value is nil except in a dict comprehension
		Clauses    []Clause
	}

	// JoinedStr is an f-string: texts as [Constant], and [FormattedValue].
	JoinedStr struct {
		node
		Values []Expr
	}

	// FormattedValue is one {Value!Conversion:Spec} of an f-string.
	FormattedValue struct {
		node
		Value      Expr
		Conversion byte       // 's', 'r', 'a' or 0
		Spec       *JoinedStr // nil when there is none
	}
)

// Keyword is one name=value of a call; for **value the name is empty.
type Keyword struct {
	Name  string
	Value Expr
}

// DictItem is one key: value of a dict display; for **value the key is nil.
type DictItem struct {
	Key, Value Expr
}

// Clause is one "for Target in Iter if … if …" of a comprehension.
type Clause struct {
	Async        bool
	Target, Iter Expr
	Ifs          []Expr
}

// Param is one part of a lambda's parameters.
type Param struct {
	Mark    string // "", "*", "**" or "/"
	Name    string // empty for "/" and for a "*" of its own
	Default Expr   // nil when there is none
}
