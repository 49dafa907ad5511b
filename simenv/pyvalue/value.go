package pyvalue

import "unicode/utf8"

// Value is one Python value. The types of this package are the only ones that implement it; switch over them, and compare with
// [Equal], not with ==.
type Value interface{ pythonType() string }

// None is Python's None.
type None struct{}

// Ellipsis is Python's "...".
type Ellipsis struct{}

// Bool is True or False. In arithmetic, comparison and as a key it is 1 or 0.
type Bool bool

// Float is a Python float.
type Float float64

// Complex is a Python complex number.
type Complex complex128

// Str is Python text; see the package comment for how it holds lone surrogates.
type Str string

// Bytes is a Python bytes object.
type Bytes string

// Tuple is a Python tuple. Treat it as immutable.
type Tuple []Value

// List is a Python list, always used by reference.
type List struct{ Items []Value }

// NewList returns a list of the given items. It keeps the slice.
func NewList(items ...Value) *List { return &List{Items: items} }

// Append adds a value at the end of the list.
func (l *List) Append(v Value) { l.Items = append(l.Items, v) }

// Len returns the number of items.
func (l *List) Len() int { return len(l.Items) }

// String returns repr(l), for debugging and %v.
func (l *List) String() string { return Repr(l) }

func (None) pythonType() string     { return "NoneType" }
func (Ellipsis) pythonType() string { return "ellipsis" }
func (Bool) pythonType() string     { return "bool" }
func (Int) pythonType() string      { return "int" }
func (Float) pythonType() string    { return "float" }
func (Complex) pythonType() string  { return "complex" }
func (Str) pythonType() string      { return "str" }
func (Bytes) pythonType() string    { return "bytes" }
func (Tuple) pythonType() string    { return "tuple" }
func (*List) pythonType() string    { return "list" }
func (*Dict) pythonType() string    { return "dict" }
func (*Set) pythonType() string     { return "set" }

// TypeName returns type(v).__name__, such as "int" or "NoneType".
func TypeName(v Value) string { return v.pythonType() }

// Truth returns bool(v): false for None, False, zero and everything empty.
func Truth(v Value) bool {
	switch v := v.(type) {
	case None:
		return false
	case Bool:
		return bool(v)
	case Int:
		return v.Sign() != 0
	case Float:
		return v != 0
	case Complex:
		return v != 0
	case Str:
		return v != ""
	case Bytes:
		return v != ""
	case Tuple:
		return len(v) > 0
	case *List:
		return len(v.Items) > 0
	case *Dict:
		return v.Len() > 0
	case *Set:
		return v.Len() > 0
	}
	return true
}

// Valid reports whether the text is valid UTF-8, which it is unless it holds a lone surrogate.
func (s Str) Valid() bool { return utf8.ValidString(string(s)) }

// DeepCopy returns v with every list, dict and set inside it copied, as copy.deepcopy does for a value without shared parts.
func DeepCopy(v Value) Value {
	switch v := v.(type) {
	case Tuple:
		return Tuple(deepCopyItems(v))
	case *List:
		return &List{Items: deepCopyItems(v.Items)}
	case *Dict:
		c := v.Copy()
		for i := range c.entries {
			c.entries[i].value = DeepCopy(c.entries[i].value)
		}
		return c
	case *Set:
		return &Set{d: *v.d.Copy()}
	}
	return v
}

func deepCopyItems(items []Value) []Value {
	if items == nil {
		return nil
	}
	out := make([]Value, len(items))
	for i, v := range items {
		out[i] = DeepCopy(v)
	}
	return out
}
