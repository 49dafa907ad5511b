package decode

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// fold computes an operator over constants, where the official programs execute the text. Whatever is not made of numbers, texts,
// lists and tuples fails, as a name that is not defined fails there.
func fold(e pycall.Expr) (pyvalue.Value, error) {
	switch n := e.(type) {
	case *pycall.Constant:
		return n.Value, nil
	case *pycall.List:
		items, err := foldAll(n.Elts)
		return pyvalue.NewList(items...), err
	case *pycall.Tuple:
		items, err := foldAll(n.Elts)
		return pyvalue.Tuple(items), err
	case *pycall.UnaryOp:
		v, err := fold(n.Operand)
		if err != nil {
			return nil, err
		}
		return unary(n.Op, v)
	case *pycall.BinOp:
		left, err := fold(n.Left)
		if err != nil {
			return nil, err
		}
		right, err := fold(n.Right)
		if err != nil {
			return nil, err
		}
		return binary(n.Op, left, right)
	}
	return nil, fmt.Errorf("the operand at byte %d is not a constant", e.Pos())
}

func foldAll(elements []pycall.Expr) ([]pyvalue.Value, error) {
	all := make([]pyvalue.Value, 0, len(elements))
	for _, e := range elements {
		v, err := fold(e)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func unary(op string, v pyvalue.Value) (pyvalue.Value, error) {
	switch op {
	case "-":
		return pyvalue.Neg(v)
	case "not":
		return pyvalue.Bool(!pyvalue.Truth(v)), nil
	case "~":
		if n := integer(v); n != nil {
			return pyvalue.NewBigInt(n.Not(n)), nil
		}
	case "+":
		if _, ok := v.(pyvalue.Str); !ok {
			return pyvalue.Add(v, pyvalue.NewInt(0))
		}
	}
	return nil, fmt.Errorf("bad operand type for unary %s: '%s'", op, pyvalue.TypeName(v))
}

func binary(op string, a, b pyvalue.Value) (pyvalue.Value, error) {
	switch op {
	case "+":
		return pyvalue.Add(a, b)
	case "-":
		return pyvalue.Sub(a, b)
	case "*":
		if x, y := integer(a), integer(b); x != nil && y != nil && x.BitLen()+y.BitLen() > maxBits {
			return nil, errTooLarge
		}
		return pyvalue.Mul(a, b)
	case "/":
		return pyvalue.TrueDiv(a, b)
	case "%":
		if s, ok := a.(pyvalue.Str); ok {
			return formatted(string(s), b)
		}
	}
	x, y := integer(a), integer(b)
	if x != nil && y != nil {
		v, err := integers(op, x, y)
		if _, ok := v.(pyvalue.Int); ok && isBool(a) && isBool(b) && strings.Contains("&|^", op) {
			v = pyvalue.Bool(pyvalue.Truth(v))
		}
		return v, err
	}
	f, fok := float(a)
	g, gok := float(b)
	if fok && gok {
		return floats(op, f, g)
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: '%s' and '%s'", op, pyvalue.TypeName(a), pyvalue.TypeName(b))
}

// integer returns the number behind an int or a bool, nil for another value.
func integer(v pyvalue.Value) *big.Int {
	switch v := v.(type) {
	case pyvalue.Int:
		return new(big.Int).Set(v.Big())
	case pyvalue.Bool:
		if v {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	return nil
}

func isBool(v pyvalue.Value) bool {
	_, ok := v.(pyvalue.Bool)
	return ok
}

func float(v pyvalue.Value) (float64, bool) {
	if f, ok := v.(pyvalue.Float); ok {
		return float64(f), true
	}
	if n := integer(v); n != nil {
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, !math.IsInf(f, 0)
	}
	return 0, false
}

var errZero = errors.New("division by zero")

// maxBits bounds the size of computed integers, so that a short text cannot fill the memory. It is a little more than the 4300 digits
// that Python prints of a number at most.
const maxBits = 1 << 14

var errTooLarge = errors.New("the number is too large")

func integers(op string, x, y *big.Int) (pyvalue.Value, error) {
	switch op {
	case "//", "%":
		if y.Sign() == 0 {
			return nil, errZero
		}
		quotient, rest := new(big.Int).QuoRem(x, y, new(big.Int))
		if rest.Sign() != 0 && rest.Sign() != y.Sign() { // Python rounds down
			quotient.Sub(quotient, big.NewInt(1))
			rest.Add(rest, y)
		}
		if op == "%" {
			return pyvalue.NewBigInt(rest), nil
		}
		return pyvalue.NewBigInt(quotient), nil
	case "**":
		if y.Sign() < 0 {
			f, _ := float(pyvalue.NewBigInt(x))
			g, _ := float(pyvalue.NewBigInt(y))
			return floats(op, f, g)
		}
		if !y.IsInt64() || x.BitLen() > 1 && y.Int64() > maxBits/int64(x.BitLen()) {
			return nil, errTooLarge
		}
		return pyvalue.NewBigInt(new(big.Int).Exp(x, y, nil)), nil
	case "<<", ">>":
		if y.Sign() < 0 {
			return nil, errors.New("negative shift count")
		}
		if op == ">>" {
			if all := int64(x.BitLen()); !y.IsInt64() || y.Int64() > all {
				y = big.NewInt(all)
			}
			return pyvalue.NewBigInt(new(big.Int).Rsh(x, uint(y.Int64()))), nil
		}
		if x.Sign() == 0 {
			return pyvalue.NewBigInt(x), nil
		}
		if !y.IsInt64() || y.Int64() > int64(maxBits-x.BitLen()) {
			return nil, errTooLarge
		}
		return pyvalue.NewBigInt(new(big.Int).Lsh(x, uint(y.Int64()))), nil
	case "&":
		return pyvalue.NewBigInt(new(big.Int).And(x, y)), nil
	case "|":
		return pyvalue.NewBigInt(new(big.Int).Or(x, y)), nil
	case "^":
		return pyvalue.NewBigInt(new(big.Int).Xor(x, y)), nil
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: 'int' and 'int'", op)
}

func floats(op string, x, y float64) (pyvalue.Value, error) {
	switch op {
	case "//", "%":
		if y == 0 {
			return nil, errZero
		}
		rest := math.Mod(x, y)
		quotient := (x - rest) / y
		if rest != 0 && (rest < 0) != (y < 0) {
			rest += y
			quotient--
		}
		if op == "%" {
			if rest == 0 {
				rest = math.Copysign(0, y)
			}
			return pyvalue.Float(rest), nil
		}
		if quotient == 0 {
			return pyvalue.Float(math.Copysign(0, x/y)), nil
		}
		whole := math.Floor(quotient)
		if quotient-whole > 0.5 {
			whole++
		}
		return pyvalue.Float(whole), nil
	case "**":
		if x == 0 && y < 0 {
			return nil, errZero
		}
		v := math.Pow(x, y)
		if math.IsNaN(v) && !math.IsNaN(x) && !math.IsNaN(y) {
			return nil, errors.New("the power is a complex number")
		}
		if math.IsInf(v, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			return nil, errors.New("the power is too large")
		}
		return pyvalue.Float(v), nil
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: 'float' and 'float'", op)
}

// formatted is format % values for the plain conversions %s, %r, %d and %%.
func formatted(format string, values pyvalue.Value) (pyvalue.Value, error) {
	arguments := []pyvalue.Value{values}
	if t, ok := values.(pyvalue.Tuple); ok {
		arguments = t
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found {
			break
		}
		if after == "" {
			return nil, errors.New("incomplete format")
		}
		format = after[1:]
		if after[0] == '%' {
			b.WriteByte('%')
			continue
		}
		if len(arguments) == 0 {
			return nil, errors.New("not enough arguments for format string")
		}
		v := arguments[0]
		arguments = arguments[1:]
		switch after[0] {
		case 's':
			b.WriteString(pyvalue.String(v))
		case 'r':
			b.WriteString(pyvalue.Repr(v))
		case 'd':
			n := integer(v)
			if n == nil {
				return nil, fmt.Errorf("%%d format: an integer is required, not %s", pyvalue.TypeName(v))
			}
			b.WriteString(n.String())
		default:
			return nil, fmt.Errorf("the conversion %%%c is not supported", after[0])
		}
	}
	if len(arguments) > 0 {
		return nil, errors.New("not all arguments converted during string formatting")
	}
	return pyvalue.Str(b.String()), nil
}
