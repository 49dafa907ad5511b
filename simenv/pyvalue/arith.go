package pyvalue

import (
	"math"
	"math/big"
	"strconv"
)

// maxRepeat bounds the length, in items or bytes, of what [Mul] repeats and the size in bits of what it and [Add] compute, so that
// an expression of a few characters cannot fill the memory.
const maxRepeat = 1 << 20

// Add returns a + b: a sum of numbers, or two texts, bytes, lists or tuples joined.
func Add(a, b Value) (Value, error) {
	switch x := a.(type) {
	case Str:
		if y, ok := b.(Str); ok {
			return x + y, nil
		}
		return nil, Raise("TypeError", `can only concatenate str (not "%s") to str`, TypeName(b))
	case Bytes:
		if y, ok := b.(Bytes); ok {
			return x + y, nil
		}
		return nil, Raise("TypeError", "can't concat %s to bytes", TypeName(b))
	case *List:
		if y, ok := b.(*List); ok {
			return &List{Items: joined(x.Items, y.Items)}, nil
		}
		return nil, Raise("TypeError", `can only concatenate list (not "%s") to list`, TypeName(b))
	case Tuple:
		if y, ok := b.(Tuple); ok {
			return Tuple(joined(x, y)), nil
		}
		return nil, Raise("TypeError", `can only concatenate tuple (not "%s") to tuple`, TypeName(b))
	}
	return arithmetic("+", a, b)
}

// AddAssign returns what a is after a += b: as [Add], but a list is extended in place by anything that can be walked, and the text
// of an error names the operator "+=".
func AddAssign(a, b Value) (Value, error) {
	switch x := a.(type) {
	case *List:
		items, err := Elements(b)
		if err != nil {
			return nil, err
		}
		x.Items = append(x.Items, items...)
		return x, nil
	case Str, Bytes, Tuple:
		return Add(a, b)
	}
	return arithmetic("+=", a, b)
}

// Sub returns a - b for numbers and sets.
func Sub(a, b Value) (Value, error) {
	x, ok := a.(*Set)
	y, both := b.(*Set)
	if !ok || !both {
		return arithmetic("-", a, b)
	}
	d := NewSet()
	for v := range x.All() {
		if found, _ := y.Has(v); !found {
			_ = d.Add(v) // hashable, since it comes from a set
		}
	}
	return d, nil
}

// Mul returns a * b: a product of numbers, or text, bytes, a list or a tuple repeated. What would get larger than a million items,
// bytes or bits fails with MemoryError.
func Mul(a, b Value) (Value, error) {
	if !isSequence(a) && isSequence(b) {
		a, b = b, a
	}
	if !isSequence(a) {
		return arithmetic("*", a, b)
	}
	n, ok := asInt(b)
	if !ok {
		return nil, Raise("TypeError", "can't multiply sequence by non-int of type '%s'", TypeName(b))
	}
	size := 0
	switch x := a.(type) {
	case Str:
		size = len(x)
	case Bytes:
		size = len(x)
	case *List:
		size = len(x.Items)
	case Tuple:
		size = len(x)
	}
	count, fits := n.Int64()
	switch {
	case n.Sign() <= 0 || size == 0:
		count = 0
	case !fits:
		return nil, Raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	case count > int64(maxRepeat/size):
		return nil, Raise("MemoryError", "")
	}
	switch x := a.(type) {
	case Str:
		return Str(repeat([]byte(x), int(count))), nil
	case Bytes:
		return Bytes(repeat([]byte(x), int(count))), nil
	case *List:
		return &List{Items: repeat(x.Items, int(count))}, nil
	}
	return Tuple(repeat(a.(Tuple), int(count))), nil
}

// TrueDiv returns a / b, which is a float even for integers, rounded once.
func TrueDiv(a, b Value) (Value, error) { return arithmetic("/", a, b) }

// Neg returns -v. The error is Python's "bad operand type for unary -: 'str'".
func Neg(v Value) (Value, error) {
	if i, ok := asInt(v); ok {
		return i.Neg(), nil
	}
	switch v := v.(type) {
	case Float:
		return -v, nil
	case Complex:
		return -v, nil
	}
	return nil, Raise("TypeError", "bad operand type for unary -: '%s'", TypeName(v))
}

// Round returns round(f, digits): the float nearest to f rounded to that many decimals, where a tie goes to the even digit. The
// exact binary value decides, so Round(2.675, 2) is 2.67.
func Round(f float64, digits int) float64 {
	if digits < 0 || math.IsInf(f, 0) || f != f {
		return f
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	if err != nil {
		return f
	}
	return r
}

func isSequence(v Value) bool {
	switch v.(type) {
	case Str, Bytes, *List, Tuple:
		return true
	}
	return false
}

func joined(a, b []Value) []Value {
	items := make([]Value, 0, len(a)+len(b))
	return append(append(items, a...), b...)
}

func repeat[T any](s []T, n int) []T {
	out := make([]T, 0, len(s)*n)
	for range n {
		out = append(out, s...)
	}
	return out
}

// arithmetic computes with two numbers. The operator is one of + - * /, or += for the text of an error.
func arithmetic(op string, a, b Value) (Value, error) {
	x, xInt := asInt(a)
	y, yInt := asInt(b)
	if xInt && yInt {
		return intArithmetic(op[0], x, y)
	}
	if f, g, ok, err := asFloats(a, b); err != nil {
		return nil, err
	} else if ok {
		return floatArithmetic(op[0], f, g)
	}
	if f, g, ok, err := asComplexes(a, b); err != nil {
		return nil, err
	} else if ok {
		return complexArithmetic(op[0], f, g)
	}
	return nil, unsupported(op, a, b)
}

func unsupported(op string, a, b Value) error {
	return Raise("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, TypeName(a), TypeName(b))
}

func intArithmetic(op byte, x, y Int) (Value, error) {
	if x.big == nil && y.big == nil {
		a, b := x.small, y.small
		switch op {
		case '+':
			if c := a + b; (c > a) == (b > 0) {
				return Int{small: c}, nil
			}
		case '-':
			if c := a - b; (c < a) == (b > 0) {
				return Int{small: c}, nil
			}
		case '*':
			if max(a, -a, b, -b) <= math.MaxInt32 && min(a, b) > math.MinInt64 {
				return Int{small: a * b}, nil
			}
		case '/':
			const exact = 1 << 53
			if b != 0 && max(a, b) <= exact && min(a, b) >= -exact {
				return Float(float64(a) / float64(b)), nil
			}
		}
	}
	a, b := x.shared(), y.shared()
	switch op {
	case '+':
		return ownBig(new(big.Int).Add(a, b)), nil
	case '-':
		return ownBig(new(big.Int).Sub(a, b)), nil
	case '*':
		if a.BitLen()+b.BitLen() > maxRepeat {
			return nil, Raise("MemoryError", "")
		}
		return ownBig(new(big.Int).Mul(a, b)), nil
	}
	if b.Sign() == 0 {
		return nil, Raise("ZeroDivisionError", "division by zero")
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		return nil, Raise("OverflowError", "integer division result too large for a float")
	}
	return Float(f), nil
}

func floatArithmetic(op byte, x, y float64) (Value, error) {
	switch op {
	case '+':
		return Float(x + y), nil
	case '-':
		return Float(x - y), nil
	case '*':
		return Float(x * y), nil
	}
	if y == 0 {
		return nil, Raise("ZeroDivisionError", "float division by zero")
	}
	return Float(x / y), nil
}

func complexArithmetic(op byte, x, y complex128) (Value, error) {
	switch op {
	case '+':
		return Complex(x + y), nil
	case '-':
		return Complex(x - y), nil
	case '*':
		return Complex(x * y), nil
	}
	if y == 0 {
		return nil, Raise("ZeroDivisionError", "complex division by zero")
	}
	return Complex(x / y), nil
}

// asFloats returns both numbers as floats, unless one of them is complex or no number.
func asFloats(a, b Value) (x, y float64, ok bool, err error) {
	if !isReal(a) || !isReal(b) {
		return 0, 0, false, nil
	}
	if x, err = toFloat(a); err != nil {
		return 0, 0, false, err
	}
	y, err = toFloat(b)
	return x, y, err == nil, err
}

func asComplexes(a, b Value) (x, y complex128, ok bool, err error) {
	if x, ok, err = toComplex(a); !ok {
		return 0, 0, false, err
	}
	y, ok, err = toComplex(b)
	return x, y, ok, err
}

func toComplex(v Value) (complex128, bool, error) {
	if c, ok := v.(Complex); ok {
		return complex128(c), true, nil
	}
	if !isReal(v) {
		return 0, false, nil
	}
	f, err := toFloat(v)
	return complex(f, 0), err == nil, err
}

func isReal(v Value) bool {
	switch v.(type) {
	case Bool, Int, Float:
		return true
	}
	return false
}

// toFloat returns the float nearest to a bool, an int or a float.
func toFloat(v Value) (float64, error) {
	if f, ok := v.(Float); ok {
		return float64(f), nil
	}
	i, _ := asInt(v)
	f := i.Float()
	if math.IsInf(f, 0) {
		return 0, Raise("OverflowError", "int too large to convert to float")
	}
	return f, nil
}
