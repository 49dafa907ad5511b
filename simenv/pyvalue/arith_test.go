package pyvalue

import (
	"math"
	"strings"
	"testing"
)

func TestArithmetic(t *testing.T) {
	maxInt, minInt := NewInt(math.MaxInt64), NewInt(math.MinInt64)
	huge := bigInt(t, "1"+strings.Repeat("0", 400))
	ops := map[string]func(a, b Value) (Value, error){"+": Add, "-": Sub, "*": Mul, "/": TrueDiv, "+=": AddAssign}
	tests := []struct {
		a    Value
		op   string
		b    Value
		want string // repr of the result, or the exception
	}{
		{NewInt(2), "+", NewInt(3), "5"},
		{Bool(true), "+", Bool(true), "2"},
		{maxInt, "+", NewInt(1), "9223372036854775808"},
		{minInt, "+", NewInt(-1), "-9223372036854775809"},
		{minInt, "+", NewInt(0), "-9223372036854775808"},
		{maxInt, "+", minInt, "-1"},
		{maxInt, "-", NewInt(-1), "9223372036854775808"},
		{minInt, "-", NewInt(1), "-9223372036854775809"},
		{NewInt(0), "-", minInt, "9223372036854775808"},
		{maxInt, "*", maxInt, "85070591730234615847396907784232501249"},
		{minInt, "*", NewInt(-1), "9223372036854775808"},
		{NewInt(-3), "*", NewInt(50), "-150"},
		{NewInt(10), "/", NewInt(2), "5.0"},
		{NewInt(1), "/", NewInt(3), "0.3333333333333333"},
		{NewInt(9007199254740993), "/", NewInt(1), "9007199254740992.0"},
		{huge, "/", huge, "1.0"},
		{huge, "/", NewInt(3), "OverflowError: integer division result too large for a float"},
		{huge, "*", Float(1), "OverflowError: int too large to convert to float"},
		{NewInt(1), "/", Bool(false), "ZeroDivisionError: division by zero"},
		{Float(1), "/", NewInt(0), "ZeroDivisionError: float division by zero"},
		{Complex(1i), "/", NewInt(0), "ZeroDivisionError: complex division by zero"},
		{Float(0.1), "+", Float(0.2), "0.30000000000000004"},
		{NewInt(500), "-", Float(88), "412.0"},
		{NewInt(3), "*", Float(0.1), "0.30000000000000004"},
		{NewInt(1), "+", Complex(2i), "(1+2j)"},
		{Complex(2i), "-", Float(0.5), "(-0.5+2j)"},
		{Complex(2i), "*", Complex(2i), "(-4+0j)"},
		{Str("a"), "+", Str("b"), "'ab'"},
		{Bytes("a"), "+", Bytes("b"), "b'ab'"},
		{NewList(NewInt(1)), "+", NewList(None{}), "[1, None]"},
		{Tuple{NewInt(1)}, "+", Tuple{}, "(1,)"},
		{Str("ab"), "*", NewInt(2), "'abab'"},
		{Bool(true), "*", Str("ab"), "'ab'"},
		{NewList(NewInt(1)), "*", NewInt(-1), "[]"},
		{Tuple{NewInt(1)}, "*", NewInt(2), "(1, 1)"},
		{Bytes("a"), "*", NewInt(3), "b'aaa'"},
		{Str("ab"), "*", NewInt(1 << 20), "MemoryError: "},
		{Str("ab"), "*", huge, "OverflowError: cannot fit 'int' into an index-sized integer"},
		{Str("ab"), "*", Float(1.5), "TypeError: can't multiply sequence by non-int of type 'float'"},
		{Str("ab"), "*", Str("c"), "TypeError: can't multiply sequence by non-int of type 'str'"},
		{set(t, NewInt(1), NewInt(2)), "-", set(t, Float(1)), "{2}"},
		{Str("a"), "+", NewInt(1), `TypeError: can only concatenate str (not "int") to str`},
		{Bytes("a"), "+", Str("a"), "TypeError: can't concat str to bytes"},
		{NewList(), "+", Tuple{}, `TypeError: can only concatenate list (not "tuple") to list`},
		{Tuple{}, "+", NewList(), `TypeError: can only concatenate tuple (not "list") to tuple`},
		{NewInt(1), "+", Str("a"), "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
		{None{}, "+=", NewInt(1), "TypeError: unsupported operand type(s) for +=: 'NoneType' and 'int'"},
		{Str("a"), "-", NewInt(1), "TypeError: unsupported operand type(s) for -: 'str' and 'int'"},
		{None{}, "*", NewInt(3), "TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'"},
		{NewDict(), "/", Complex(1i), "TypeError: unsupported operand type(s) for /: 'dict' and 'complex'"},
		{NewInt(1), "+=", Float(2), "3.0"},
		{Str("a"), "+=", Str("b"), "'ab'"},
		{NewList(NewInt(1)), "+=", Str("日b"), "[1, '日', 'b']"},
		{NewList(NewInt(1)), "+=", NewInt(1), "TypeError: 'int' object is not iterable"},
		{NewInt(1), "-", Bool(true), "0"},
	}
	for _, tt := range tests {
		got, err := ops[tt.op](tt.a, tt.b)
		text := ""
		if err != nil {
			text = err.Error()
		} else {
			text = Repr(got)
		}
		if text != tt.want {
			t.Errorf("%s %s %s: got %s, want %s", Repr(tt.a), tt.op, Repr(tt.b), text, tt.want)
		}
	}
}

func TestAddAssignExtendsTheList(t *testing.T) {
	l := NewList(NewInt(1))
	if _, err := AddAssign(l, Tuple{NewInt(2)}); err != nil || Repr(l) != "[1, 2]" {
		t.Errorf("l is %s, error %v", Repr(l), err)
	}
}

func TestNeg(t *testing.T) {
	for want, v := range map[string]Value{"-1": Bool(true), "0": NewInt(0), "-0.0": Float(0), "(-0-1j)": Complex(1i), "9223372036854775808": NewInt(math.MinInt64)} {
		if got, err := Neg(v); err != nil || Repr(got) != want {
			t.Errorf("-%s = %v, %v, want %s", Repr(v), got, err, want)
		}
	}
	_, err := Neg(Str("a"))
	wantError(t, err, "TypeError: bad operand type for unary -: 'str'")
}

func TestRound(t *testing.T) {
	tests := []struct {
		f      float64
		digits int
		want   float64
	}{
		{1.0 / 16, 3, 0.062}, {3.0 / 16, 3, 0.188}, {0.5, 0, 0}, {1.5, 0, 2}, {2.5, 0, 2}, {2.675, 2, 2.67}, {0.15, 1, 0.1}, {0.25, 1, 0.2},
		{0.35, 1, 0.3}, {-0.0625, 3, -0.062}, {1e300, 4, 1e300}, {math.Inf(1), 2, math.Inf(1)}, {2.0 / 3, 4, 0.6667},
	}
	for _, tt := range tests {
		if got := Round(tt.f, tt.digits); got != tt.want {
			t.Errorf("Round(%v, %d) = %v, want %v", tt.f, tt.digits, got, tt.want)
		}
	}
}

func TestContainers(t *testing.T) {
	text := Str("a日\xed\xa0\x80")
	show := func(v Value, err error) string {
		if err != nil {
			return err.Error()
		}
		return Repr(v)
	}
	contains := func(c, v Value) string {
		ok, err := Contains(c, v)
		return show(Bool(ok), err)
	}
	elements := func(v Value) string {
		items, err := Elements(v)
		return show(NewList(items...), err)
	}
	index := func(v, k Value) string { return show(Index(v, k)) }
	d := DictOf("a", NewInt(1))
	tests := []struct{ name, got, want string }{
		{"key", contains(d, Str("a")), "True"},
		{"no key", contains(d, NewInt(1)), "False"},
		{"item", contains(NewList(NewInt(1)), Bool(true)), "True"},
		{"unhashable item", contains(Tuple{}, NewList()), "False"},
		{"part", contains(text, Str("日")), "True"},
		{"part of a text", contains(text, NewInt(1)), "TypeError: 'in <string>' requires string as left operand, not int"},
		{"byte", contains(Bytes("a"), NewInt(97)), "True"},
		{"byte too large", contains(Bytes("a"), NewInt(256)), "ValueError: byte must be in range(0, 256)"},
		{"byte of another type", contains(Bytes("a"), Str("a")), "TypeError: a bytes-like object is required, not 'str'"},
		{"bytes", contains(Bytes("ab"), Bytes("b")), "True"},
		{"set", contains(set(t, NewInt(1)), Float(1)), "True"},
		{"set and list", contains(set(t), NewList()), "TypeError: unhashable type: 'list'"},
		{"number", contains(NewInt(1), NewInt(1)), "TypeError: argument of type 'int' is not iterable"},
		{"characters", elements(text), `['a', '日', '\ud800']`},
		{"keys", elements(d), "['a']"},
		{"byte values", elements(Bytes("\x00\xff")), "[0, 255]"},
		{"set items", elements(set(t, None{})), "[None]"},
		{"no items", elements(None{}), "TypeError: 'NoneType' object is not iterable"},
		{"d['a']", index(d, Str("a")), "1"},
		{"d['it\\'s']", index(d, Str("it's")), `KeyError: "it's"`},
		{"d[3.0]", index(d, Float(3)), "KeyError: 3.0"},
		{"d[[]]", index(d, NewList()), "TypeError: unhashable type: 'list'"},
		{"l[-1]", index(NewList(NewInt(1), NewInt(2)), NewInt(-1)), "2"},
		{"l[True]", index(NewList(NewInt(1), NewInt(2)), Bool(true)), "2"},
		{"l[2]", index(NewList(NewInt(1), NewInt(2)), NewInt(2)), "IndexError: list index out of range"},
		{"l['a']", index(NewList(), Str("a")), "TypeError: list indices must be integers or slices, not str"},
		{"t['a']", index(Tuple{}, Str("a")), "TypeError: tuple indices must be integers or slices, not str"},
		{"s['a']", index(text, Str("a")), "TypeError: string indices must be integers, not 'str'"},
		{"s[1]", index(text, NewInt(1)), "'日'"},
		{"s[9]", index(text, NewInt(9)), "IndexError: string index out of range"},
		{"b[0]", index(Bytes("a"), NewInt(0)), "97"},
		{"b[1]", index(Bytes("a"), NewInt(1)), "IndexError: index out of range"},
		{"b['a']", index(Bytes("a"), Str("a")), "TypeError: byte indices must be integers or slices, not str"},
		{"l[10**20]", index(NewList(), bigInt(t, "100000000000000000000")), "IndexError: cannot fit 'int' into an index-sized integer"},
		{"None['a']", index(None{}, Str("a")), "TypeError: 'NoneType' object is not subscriptable"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
