package pyvalue

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

func set(t testing.TB, items ...Value) *Set {
	t.Helper()
	s := NewSet()
	for _, v := range items {
		if err := s.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func bigInt(t testing.TB, s string) Int {
	t.Helper()
	i, ok := ParseInt(s, 10)
	if !ok {
		t.Fatalf("%q is not an integer", s)
	}
	return i
}

func TestRepr(t *testing.T) {
	negZero := math.Copysign(0, -1)
	tests := []struct {
		v    Value
		want string
	}{
		{None{}, "None"},
		{Ellipsis{}, "Ellipsis"},
		{Bool(true), "True"},
		{Bool(false), "False"},
		{NewInt(math.MinInt64), "-9223372036854775808"},
		{NewInt(math.MinInt64).Neg(), "9223372036854775808"},
		{NewBigInt(new(big.Int).Lsh(big.NewInt(1), 100)), "1267650600228229401496703205376"},
		{Float(0), "0.0"},
		{Float(negZero), "-0.0"},
		{Float(1), "1.0"},
		{Float(-500), "-500.0"},
		{Float(0.1), "0.1"},
		{Float(1e15), "1000000000000000.0"},
		{Float(9999999999999998), "9999999999999998.0"},
		{Float(1e16), "1e+16"},
		{Float(1.5e16), "1.5e+16"},
		{Float(1e22), "1e+22"},
		{Float(1e100), "1e+100"},
		{Float(0.0001), "0.0001"},
		{Float(0.00012345), "0.00012345"},
		{Float(0.00001), "1e-05"},
		{Float(1.25e-7), "1.25e-07"},
		{Float(math.SmallestNonzeroFloat64), "5e-324"},
		{Float(math.MaxFloat64), "1.7976931348623157e+308"},
		{Float(math.Inf(1)), "inf"},
		{Float(math.Inf(-1)), "-inf"},
		{Float(math.NaN()), "nan"},
		{Complex(1i), "1j"},
		{Complex(complex(1, 2)), "(1+2j)"},
		{Complex(complex(1.5, -2.25)), "(1.5-2.25j)"},
		{Complex(complex(negZero, -1)), "(-0-1j)"},
		{Complex(complex(0, -1)), "-1j"},
		{Complex(complex(0, negZero)), "-0j"},
		{Complex(complex(1, negZero)), "(1-0j)"},
		{Complex(complex(0, 1e16)), "1e+16j"},
		{Complex(complex(math.Inf(1), math.NaN())), "(inf+nanj)"},
		{Str(""), "''"},
		{Str("it's"), `"it's"`},
		{Str(`say "it's"`), `'say "it\'s"'`},
		{Str(`say "hi"`), `'say "hi"'`},
		{Str(`a\b`), `'a\\b'`},
		{Str("\a\b\t\n\v\f\r\x1b\x7f"), `'\x07\x08\t\n\x0b\x0c\r\x1b\x7f'`},
		{Str("\x00"), `'\x00'`},
		{Str("\u0080\u00a0\u00ad\u00e9"), `'\x80\xa0\xadé'`},
		{Str("日本語 👍"), "'日本語 👍'"},
		{Str("\u2028\u200b\u3000\ufeff\ue000\u0378"), `'\u2028\u200b\u3000\ufeff\ue000\u0378'`},
		{Str("\U000e0001\U0010ffff\U0002ebf0"), "'\\U000e0001\\U0010ffff\U0002ebf0'"},
		{Str("\xed\xa0\x80x\xed\xbf\xbf"), `'\ud800x\udfff'`},
		{Bytes("a'\"\\\n\x00\xff"), `b'a\'"\\\n\x00\xff'`},
		{Bytes("it's"), `b"it's"`},
		{NewList(), "[]"},
		{NewList(NewInt(1), Str("a"), NewList(None{})), "[1, 'a', [None]]"},
		{Tuple{}, "()"},
		{Tuple{NewInt(1)}, "(1,)"},
		{Tuple{NewInt(1), Float(2)}, "(1, 2.0)"},
		{NewDict(), "{}"},
		{DictOf("status", Bool(false), "items", NewList(DictOf("n", NewInt(2)))), "{'status': False, 'items': [{'n': 2}]}"},
		{NewSet(), "set()"},
		{set(t, NewInt(1), Str("a"), Float(1)), "{1, 'a'}"},
	}
	for _, tt := range tests {
		if got := Repr(tt.v); got != tt.want {
			t.Errorf("Repr: got %s, want %s", got, tt.want)
		}
		want := tt.want
		if s, ok := tt.v.(Str); ok {
			want = string(s)
		}
		if got := String(tt.v); got != want {
			t.Errorf("String: got %s, want %s", got, want)
		}
		if got := string(AppendString([]byte("x"), tt.v)); got != "x"+want {
			t.Errorf("AppendString: got %s, want x%s", got, want)
		}
	}
}

func TestTypeNameAndTruth(t *testing.T) {
	tests := []struct {
		v     Value
		name  string
		truth bool
	}{
		{None{}, "NoneType", false}, {Ellipsis{}, "ellipsis", true},
		{Bool(true), "bool", true}, {Bool(false), "bool", false},
		{NewInt(0), "int", false}, {NewInt(-1), "int", true}, {bigInt(t, "100000000000000000000"), "int", true},
		{Float(math.Copysign(0, -1)), "float", false}, {Float(math.NaN()), "float", true},
		{Complex(0), "complex", false}, {Complex(1i), "complex", true},
		{Str(""), "str", false}, {Str("0"), "str", true}, {Bytes(""), "bytes", false}, {Bytes("\x00"), "bytes", true},
		{Tuple{}, "tuple", false}, {Tuple{None{}}, "tuple", true}, {NewList(), "list", false}, {NewList(None{}), "list", true},
		{NewDict(), "dict", false}, {DictOf("a", None{}), "dict", true}, {NewSet(), "set", false}, {set(t, None{}), "set", true},
	}
	for _, tt := range tests {
		if TypeName(tt.v) != tt.name || Truth(tt.v) != tt.truth {
			t.Errorf("%s: type %s, truth %v; want %s, %v", Repr(tt.v), TypeName(tt.v), Truth(tt.v), tt.name, tt.truth)
		}
	}
}

func TestFormatting(t *testing.T) {
	for _, v := range []Value{NewList(None{}), DictOf(Str("a"), None{}), set(t, None{}), NewInt(1)} {
		if got := fmt.Sprint(v); got != Repr(v) {
			t.Errorf("printed as %s, want %s", got, Repr(v))
		}
	}
}

func TestInt(t *testing.T) {
	tests := []struct {
		digits string
		base   int
		want   string
		fits   bool
	}{
		{"-9223372036854775808", 10, "-9223372036854775808", true},
		{"9223372036854775808", 10, "9223372036854775808", false},
		{"ff", 16, "255", true},
		{"-8000000000000001", 16, "-9223372036854775809", false},
	}
	for _, tt := range tests {
		i, ok := ParseInt(tt.digits, tt.base)
		n, fits := i.Int64()
		if !ok || i.String() != tt.want || fits != tt.fits || fits && fmt.Sprint(n) != tt.want {
			t.Errorf("%s: %v, %v, fits %v", tt.digits, i, ok, fits)
		}
		// The copy that Big returns is the caller's own.
		b := i.Big()
		again := NewBigInt(b)
		b.SetInt64(0)
		if !i.Equal(again) || i.String() != tt.want || i.Neg().Neg().Cmp(i) != 0 {
			t.Errorf("%s became %v and %v", tt.digits, i, again)
		}
	}
	if i, ok := ParseInt("1x", 10); ok {
		t.Errorf("1x is %v", i)
	}
}
