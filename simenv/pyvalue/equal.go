package pyvalue

import "strings"

// Equal returns a == b as Python has it. Numbers are compared by value whatever their type (True == 1 == 1.0 == 1+0j) and without
// rounding; a list equals only lists, a tuple only tuples, text never equals bytes; the order of a dict does not matter. NaN is not
// equal to NaN, except inside containers: there Python looks for the same object first, and the NaN of its JSON reader is one object.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case Str:
		b, ok := b.(Str)
		return ok && a == b
	case Bool, Int, Float, Complex:
		return equalNumbers(a, b)
	case None:
		_, ok := b.(None)
		return ok
	case Ellipsis:
		_, ok := b.(Ellipsis)
		return ok
	case Bytes:
		b, ok := b.(Bytes)
		return ok && a == b
	case *List:
		b, ok := b.(*List)
		return ok && (a == b || equalItems(a.Items, b.Items))
	case Tuple:
		b, ok := b.(Tuple)
		return ok && equalItems(a, b)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && (a == b || equalDicts(a, b))
	case *Set:
		b, ok := b.(*Set)
		return ok && a.Len() == b.Len() && a.d.keysSubset(&b.d)
	}
	return false
}

// same is the test Python makes inside containers: identical or equal.
func same(a, b Value) bool {
	if x, ok := a.(Float); ok && x != x {
		y, ok := b.(Float)
		return ok && y != y
	}
	return Equal(a, b)
}

func equalItems(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalDicts(a, b *Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.entries {
		value, found, _ := b.Get(a.entries[i].key)
		if !found || !same(a.entries[i].value, value) {
			return false
		}
	}
	return true
}

func equalNumbers(a, b Value) bool {
	if x, ok := asInt(a); ok {
		if y, ok := asInt(b); ok {
			return x.Equal(y)
		}
		if y, ok := b.(Float); ok {
			return y == y && x.cmpFloat(float64(y)) == 0
		}
		y, ok := b.(Complex)
		return ok && imag(y) == 0 && real(y) == real(y) && x.cmpFloat(real(y)) == 0
	}
	if x, ok := a.(Float); ok {
		switch y := b.(type) {
		case Float:
			return x == y
		case Complex:
			return imag(y) == 0 && float64(x) == real(y)
		}
		y, ok := asInt(b)
		return ok && x == x && y.cmpFloat(float64(x)) == 0
	}
	if y, ok := b.(Complex); ok {
		return a.(Complex) == y
	}
	switch b.(type) {
	case Bool, Int, Float:
		return equalNumbers(b, a)
	}
	return false
}

// asInt returns the integer behind an int or a bool.
func asInt(v Value) (Int, bool) {
	switch v := v.(type) {
	case Int:
		return v, true
	case Bool:
		if v {
			return Int{small: 1}, true
		}
		return Int{}, true
	}
	return Int{}, false
}

// Less returns a < b. The error is Python's "'<' not supported between instances of 'str' and 'int'".
func Less(a, b Value) (bool, error) {
	return order(a, b, "<", func(c int) bool { return c < 0 })
}

// Greater returns a > b.
func Greater(a, b Value) (bool, error) {
	return order(a, b, ">", func(c int) bool { return c > 0 })
}

// GreaterEqual returns a >= b.
func GreaterEqual(a, b Value) (bool, error) {
	return order(a, b, ">=", func(c int) bool { return c >= 0 })
}

func order(a, b Value, op string, holds func(c int) bool) (bool, error) {
	switch x := a.(type) {
	case Bool, Int, Float:
		switch b.(type) {
		case Bool, Int, Float:
			c, ordered := compareNumbers(a, b)
			return ordered && holds(c), nil
		}
	case Str:
		if y, ok := b.(Str); ok {
			return holds(strings.Compare(string(x), string(y))), nil
		}
	case Bytes:
		if y, ok := b.(Bytes); ok {
			return holds(strings.Compare(string(x), string(y))), nil
		}
	case *List:
		if y, ok := b.(*List); ok {
			return orderItems(x.Items, y.Items, op, holds)
		}
	case Tuple:
		if y, ok := b.(Tuple); ok {
			return orderItems(x, y, op, holds)
		}
	case *Set:
		if y, ok := b.(*Set); ok {
			return orderSets(&x.d, &y.d, op), nil
		}
	}
	return false, Raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, TypeName(a), TypeName(b))
}

// orderItems lets the first pair that differs decide, and otherwise the lengths.
func orderItems(a, b []Value, op string, holds func(c int) bool) (bool, error) {
	for i := range min(len(a), len(b)) {
		if !same(a[i], b[i]) {
			return order(a[i], b[i], op, holds)
		}
	}
	return holds(len(a) - len(b)), nil
}

// orderSets is the subset relation, which knows sets that are neither less nor greater.
func orderSets(a, b *Dict, op string) bool {
	switch op {
	case "<":
		return a.Len() < b.Len() && a.keysSubset(b)
	case ">":
		return b.Len() < a.Len() && b.keysSubset(a)
	}
	return b.keysSubset(a)
}

// compareNumbers compares two of int, bool and float; ordered is false when one is NaN.
func compareNumbers(a, b Value) (c int, ordered bool) {
	x, xInt := asInt(a)
	y, yInt := asInt(b)
	switch {
	case xInt && yInt:
		return x.Cmp(y), true
	case xInt:
		f := float64(b.(Float))
		return x.cmpFloat(f), f == f
	case yInt:
		f := float64(a.(Float))
		return -y.cmpFloat(f), f == f
	}
	f, g := a.(Float), b.(Float)
	switch {
	case f < g:
		return -1, true
	case f > g:
		return 1, true
	}
	return 0, f == g
}
