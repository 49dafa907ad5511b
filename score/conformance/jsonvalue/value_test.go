package jsonvalue_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
)

// TestOf: texts are in one class when they are the same value.
func TestOf(t *testing.T) {
	classes := [][]string{
		{`2.5`, `2.50`, `25e-1`, `0.25E+1`, ` 2.5 `},
		{`100000`, `1e5`, `100000.0`, `1E+5`, `10e4`},
		{`1e-07`, `1E-7`, `0.0000001`},
		{`0`, `-0`, `0.0`, `-0.0`, `0e99`, `0e999999999999`, `1e-999`},
		{`-3`, `-3.0`},
		{`3`},
		{`9007199254740992`, `9007199254740992.0`},
		{`9007199254740993`},
		{`12345678901234567890123`},
		{`12345678901234567890124`},
		{`3.141592653589793`, `3.14159265358979323846`},
		{`1e999`, `10e998`, `1.0e999`},
		{`2e999`},
		{`1e999999999`, `0.1e1000000000`},
		{`-1e999999999`},
		{`1e99999999999999999999`},
		{`"2.5"`},
		{`"é"`, `"\u00e9"`},
		{`"a/b"`, `"a\/b"`},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`, `{ "a" : 1e0, "b":2 }`, `{"a":3,"a":1,"b":2}`, `{"\u0061":1,"b":2}`},
		{`{"a":3,"b":2}`, `{"a":1,"a":3,"b":2}`},
		{`{"a":{"b":[1,2.0]}}`, `{"a":{"b":[1.0,2]}}`},
		{`{"\"":1,"\\":[],"A":{"x":1,"y":2}}`, `{"A":{"y":2,"x":1},"\u005c":[],"\u0022":1}`, `{"A":0,"\\":0,"A":{"y":0,"x":1,"y":2},"\"":1,"\\":[]}`},
		{`[1,2]`},
		{`[2,1]`},
		{`[12]`},
		{`[[1],2]`},
		{`true`, "\ttrue"},
		{`"true"`},
		{`null`},
		{`{}`},
		{`[]`},
		{`{"a":NaN}`},
		{`{"a":1}{`},
		{`{"a":1`},
		{`{"a":1,}`},
		{``},
	}
	of := make(map[string]int)
	for i, class := range classes {
		want := jsonvalue.Of([]byte(class[0]))
		if other, ok := of[want]; ok {
			t.Errorf("%s and %s are the same", classes[other][0], class[0])
		}
		of[want] = i
		for _, text := range class {
			if got := jsonvalue.Of([]byte(text)); got != want {
				t.Errorf("%s is %s, %s is %s", class[0], want, text, got)
			}
		}
	}
}

// TestDigest: where a text ends counts, and of a value only what it is.
func TestDigest(t *testing.T) {
	sum := func(put ...func(*jsonvalue.Digest)) [32]byte {
		d := jsonvalue.NewDigest()
		for _, p := range put {
			p(d)
		}
		return d.Sum()
	}
	text := func(s string) func(*jsonvalue.Digest) { return func(d *jsonvalue.Digest) { d.Put(s) } }
	value := func(s string) func(*jsonvalue.Digest) { return func(d *jsonvalue.Digest) { d.PutValue([]byte(s)) } }
	for _, tt := range []struct {
		name string
		a, b [32]byte
		same bool
	}{
		{"the same texts", sum(text("ab"), text("c")), sum(text("ab"), text("c")), true},
		{"another end", sum(text("ab"), text("c")), sum(text("a"), text("bc")), false},
		{"nothing more", sum(text("a")), sum(text("a"), text("")), false},
		{"one value, written in two ways", sum(value(`{"a":1,"b":2}`)), sum(value(`{ "b":2.0, "a":1 }`)), true},
		{"two values", sum(value(`{"a":1}`)), sum(value(`{"a":2}`)), false},
		{"two texts", sum(text(`{"a":1}`)), sum(text(`{ "a":1 }`)), false},
	} {
		if same := tt.a == tt.b; same != tt.same {
			t.Errorf("%s: same %v, want %v", tt.name, same, tt.same)
		}
	}
}

func ExampleOf() {
	written := jsonvalue.Of([]byte(`{"port": "Vigo", "level": 2.50}`))
	again := jsonvalue.Of([]byte(`{"level":25e-1,"port":"V\u0069go"}`))
	fmt.Println(written == again)
	// Output: true
}

// FuzzOf: any text has a form, and blanks around JSON do not change it.
func FuzzOf(f *testing.F) {
	for _, text := range []string{`{"b":2.50,"a":[1e5,"\u00e9",null]}`, `{"a":1,"a":2}`, `-0`, `1e999`, `{"a":NaN}`, `"\ud83c"`, ``} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form := jsonvalue.Of([]byte(text))
		if again := jsonvalue.Of([]byte(" " + text)); json.Valid([]byte(text)) && again != form {
			t.Errorf("%q is %q, and behind a blank %q", text, form, again)
		}
	})
}
