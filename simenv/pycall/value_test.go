package pycall

import (
	"errors"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func TestValue(t *testing.T) {
	tests := []struct {
		source string
		want   string // the value, tagged, or the exception
		asText string // the same when bare calls become text; empty when it does not differ
	}{
		{source: "12", want: `["i","12"]`},
		{source: "-0x10", want: `["i","-16"]`},
		{source: "123456789012345678901", want: `["i","123456789012345678901"]`},
		{source: "1.50", want: `["f","1.5"]`},
		{source: "-1e400", want: `["f","-inf"]`},
		{source: "2j", want: `["c",["0.0","2.0"]]`},
		{source: "-2j", want: `["c",["0.0","2.0"]]`},
		{source: "1-2j", want: `["c",["1.0","-2.0"]]`},
		{source: "True", want: `["b",true]`},
		{source: "-True", want: `["i","-1"]`},
		{source: "not False", want: `["b",false]`},
		{source: "+3", want: `["i","3"]`},
		{source: "~3", want: `["i","3"]`},
		{source: "- -3", want: `["i","3"]`},
		{source: "-'up'", want: `["s","up"]`},
		{source: "-later", want: `["s","later"]`},
		{source: "None", want: `["n"]`},
		{source: "null", want: `["s","null"]`},
		{source: "true", want: `["s","true"]`},
		{source: "...", want: `["s","..."]`},
		{source: "'a' \"b\"", want: `["s","ab"]`},
		{source: `'\ud800'`, want: `["u",[55296]]`},
		{source: `b'\x00a'`, want: `["y","0061"]`},
		{source: "[1, 'a', None]", want: `["l",[["i","1"],["s","a"],["n"]]]`},
		{source: "(1,)", want: `["t",[["i","1"]]]`},
		{source: "{2, 1}", want: `["S",[["i","1"],["i","2"]]]`},
		{source: "{...}", want: `["S",[["e"]]]`},
		{source: "{x, 1}", want: `["s","{x, 1}"]`},
		{source: "{[1]}", want: `["s","{[1]}"]`},
		{source: "{'a': 1, 'b': [c], 'a': 2}", want: `["d",[[["s","a"],["i","2"]],[["s","b"],["l",[["s","c"]]]]]]`},
		{source: "{1: 'x', True: 'y'}", want: `["d",[[["i","1"],["s","y"]]]]`},
		{source: "{[1]: 2}", want: "TypeError: unhashable type: 'list'"},
		{source: "{g(a=1): 2}", want: "TypeError: unhashable type: 'dict'"},
		{source: "{'a': 1, **b}", want: "AttributeError: 'NoneType' object has no attribute '_fields'"},
		{source: "[{**b}]", want: "AttributeError: 'NoneType' object has no attribute '_fields'"},
		{source: "g(a=1, **k)", want: `["d",[[["s","g"],["d",[[["s","a"],["i","1"]]]]]]]`},
		{source: "g(**k)", want: `["d",[[["s","g"],["d",[]]]]]`},
		{source: "g()", want: `["d",[[["s","g"],["d",[]]]]]`, asText: `["s","g()"]`},
		{source: "m.g(1, *x)", want: `["d",[[["s","m.g"],["d",[]]]]]`, asText: `["s","m.g(1, *x)"]`},
		{source: "[g(1)]", want: `["l",[["d",[[["s","g"],["d",[]]]]]]]`, asText: `["l",[["s","g(1)"]]]`},
		{source: "g(a=h())", want: `["d",[[["s","g"],["d",[[["s","a"],["d",[[["s","h"],["d",[]]]]]]]]]]]`,
			asText: `["d",[[["s","g"],["d",[[["s","a"],["s","h()"]]]]]]]`},
		{source: "1+1", want: `["s","1 + 1"]`},
		{source: "a.b", want: `["s","a.b"]`},
		{source: "a[0]", want: `["s","a[0]"]`},
		{source: "[*a]", want: `["l",[["s","*a"]]]`},
		{source: "f'{x}!'", want: `["s","f'{x}!'"]`},
		{source: `f'{"\x41"}'`, want: "syntax"},
		{source: "f'{\"\u200b\"}'", want: "ValueError: Unable to avoid backslash in f-string expression part"},
	}
	for _, tt := range tests {
		if tt.asText == "" {
			tt.asText = tt.want
		}
		for bare, want := range map[BareCalls]string{BareCallsAsDicts: tt.want, BareCallsAsText: tt.asText} {
			if got := valueOf(tt.source, bare); got != want {
				t.Errorf("%s (%d): got %s, want %s", tt.source, bare, got, want)
			}
		}
	}
}

func valueOf(source string, bare BareCalls) string {
	e, err := Parse(source)
	if err != nil {
		return "syntax"
	}
	v, err := Value(e, bare)
	var exc *pyvalue.Exception
	if errors.As(err, &exc) {
		return exc.Error()
	}
	return string(pyvalue.AppendTagged(nil, v))
}

func TestCallNameAndArguments(t *testing.T) {
	tests := []struct{ source, name, args string }{
		{"f()", "f", "{}"},
		{"a.b.c(x=1)", "a.b.c", "{'x': 1}"},
		{"(a.b)(x=1)", "a.b", "{'x': 1}"},
		{"f().g(x=1)", "g", "{'x': 1}"},
		{"'s'.upper.x()", "upper.x", "{}"},
		{"f[0](x=1)", "", "{'x': 1}"},
		{"f()()", "", "{}"},
		{"(lambda: 0)()", "", "{}"},
		{"f(1, *a, x=1, **k)", "f", "{'x': 1}"},
		{"f(x=1, y=2, x=3)", "f", "{'x': 3, 'y': 2}"},
		{"ﬁ(ﬁ=1)", "fi", "{'fi': 1}"},
		{"f(print=1, match=2, _=3, __debug__=4)", "f", "{'print': 1, 'match': 2, '_': 3, '__debug__': 4}"},
		{"f(a = 1, b\n= 2, c # why\n = 3, d==4, e=-5)", "f", "syntax"},
		{"f(d==4, a = 1, b\n= 2, c # why\n = 3, e=-5)", "f", "{'a': 1, 'b': 2, 'c': 3, 'e': -5}"},
	}
	for _, tt := range tests {
		e, err := Parse(tt.source)
		if err != nil {
			if tt.args != "syntax" {
				t.Errorf("%s: %v", tt.source, err)
			}
			continue
		}
		c := e.(*Call)
		args, err := c.Arguments(BareCallsAsDicts)
		if err != nil || c.Name() != tt.name || pyvalue.Repr(args) != tt.args {
			t.Errorf("%s: %q %v, %v, want %q %s", tt.source, c.Name(), args, err, tt.name, tt.args)
		}
	}
}

func TestNotLiteralReasons(t *testing.T) {
	tests := map[string]string{
		"[1, x]":          "not a literal: the name x at byte 4",
		"{'a': g()}":      "not a literal: a call at byte 6",
		"(1, 2 * 3)":      "not a literal: the operator * at byte 4",
		"-'a'":            "not a literal: a sign before str at byte 1",
		"not 1":           "not a literal: the operator not at byte 0",
		"a < b":           "not a literal: the comparison < at byte 0",
		"a.b":             "not a literal: the attribute b at byte 0",
		"{**a}":           "not a literal: the unpacking ** at byte 3",
		"[*a]":            "not a literal: the unpacking * at byte 1",
		"f'a'":            "not a literal: an f-string at byte 0",
		"[1 for a in b]":  "not a literal: a comprehension at byte 0",
		"a if b else c":   "not a literal: a conditional expression at byte 0",
		"a or b":          "not a literal: the operator or at byte 0",
		"lambda: 1":       "not a literal: a lambda at byte 0",
		"a[0]":            "not a literal: a subscript at byte 0",
		"[(a := 1)]":      "not a literal: an assignment at byte 2",
		"(await a)":       "not a literal: an await at byte 1",
		"((yield), 1)[0]": "not a literal: a subscript at byte 0",
		"(yield)":         "not a literal: a yield at byte 1",
	}
	for source, want := range tests {
		e, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if _, err := Literal(e); errorText(err) != want {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}

// TestReprReadsBack prints every code point, and reads what was printed.
func TestReprReadsBack(t *testing.T) {
	for start := rune(0); start <= 0x10ffff; start += 0x100 {
		var b []byte
		for r := start; r < start+0x100; r++ {
			b = pyvalue.AppendRune(b, r)
		}
		text := pyvalue.Str(b)
		e, err := Parse(pyvalue.Repr(text))
		if err != nil {
			t.Errorf("%U: %v", start, err)
			continue
		}
		if v, err := Literal(e); err != nil || !pyvalue.Equal(v, text) {
			t.Errorf("%U: read back as %v, %v", start, v, err)
		}
	}
}
