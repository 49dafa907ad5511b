package pyvalue

import (
	"math"
	"strings"
	"testing"
)

func TestAppendTagged(t *testing.T) {
	huge, _ := ParseInt("f"+strings.Repeat("0", 4000), 16)
	dict := NewDict()
	for _, k := range []Value{None{}, NewInt(1), Tuple{Str("a")}} {
		if err := dict.Set(k, Ellipsis{}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		v    Value
		want string
	}{
		{None{}, `["n"]`},
		{Ellipsis{}, `["e"]`},
		{Bool(false), `["b",false]`},
		{bigInt(t, "-123456789012345678901"), `["i","-123456789012345678901"]`},
		{bigInt(t, strings.Repeat("9", 4300)), `["i","` + strings.Repeat("9", 4300) + `"]`},
		{bigInt(t, "-"+strings.Repeat("9", 4300)), `["i","-` + strings.Repeat("9", 4300) + `"]`},
		{huge, `["i","hex:0xf` + strings.Repeat("0", 4000) + `"]`},
		{huge.Neg(), `["i","hex:-0xf` + strings.Repeat("0", 4000) + `"]`},
		{Float(math.Inf(-1)), `["f","-inf"]`},
		{Float(1e16), `["f","1e+16"]`},
		{Complex(complex(1, -0.5)), `["c",["1.0","-0.5"]]`},
		{Str("a\"\n日"), `["s","a\"\n日"]`},
		{Str("a\xed\xa0\x80"), `["u",[97,55296]]`},
		{Bytes("\x00a"), `["y","0061"]`},
		{NewList(), `["l",[]]`},
		{Tuple{NewList(None{}), Bool(true)}, `["t",[["l",[["n"]]],["b",true]]]`},
		{set(t, Str("b"), NewInt(2), Str("a")), `["S",[["i","2"],["s","a"],["s","b"]]]`},
		{dict, `["d",[[["n"],["e"]],[["i","1"],["e"]],[["t",[["s","a"]]],["e"]]]]`},
	}
	for _, tt := range tests {
		if got := string(AppendTagged(nil, tt.v)); got != tt.want {
			t.Errorf("got %.200s, want %.200s", got, tt.want)
		}
	}
}
