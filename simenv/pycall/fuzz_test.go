package pycall

import (
	"errors"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func FuzzParse(f *testing.F) {
	for _, row := range expressions(f, "testdata/expressions.jsonl") {
		f.Add(row.Source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		e, err := Parse(source)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Msg == "" || syntax.Line < 1 || syntax.Column < 1 || syntax.Offset > len(source) {
				t.Errorf("%q: error %#v", source, err)
			}
			return
		}
		for _, bare := range []BareCalls{BareCallsAsDicts, BareCallsAsText} {
			v, err := Value(e, bare)
			var exc *pyvalue.Exception
			if (v == nil) == (err == nil) || err != nil && !errors.As(err, &exc) {
				t.Errorf("%q: value %v, error %v", source, v, err)
			}
		}
		text, err := Unparse(e)
		if err != nil || strings.Contains(text, "f'") || strings.Contains(text, `f"`) {
			return // the source of an f-string is the best that CPython can do, not always the same string
		}
		again, err := Parse(text)
		if err != nil && !isASCII(source) {
			return // the normal form of a name can be a keyword
		}
		if err != nil {
			t.Fatalf("%q became %q: %v", source, text, err)
		}
		if twice, err := Unparse(again); err != nil || twice != text {
			t.Errorf("%q became %q, then %q, %v", source, text, twice, err)
		}
		if v, err := Literal(e); err == nil {
			if w, err := Literal(again); err != nil || pyvalue.Repr(v) != pyvalue.Repr(w) {
				t.Errorf("%q is %s, but %q is %v, %v", source, pyvalue.Repr(v), text, w, err)
			}
		}
	})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
