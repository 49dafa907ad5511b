package rollout

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// decoded is the repr of what the reference's decoder returns, or the class of the exception that it raises.
func decoded(message string) (repr, class string) {
	calls, err := Decode(message)
	if err != nil {
		if e, ok := errors.AsType[*pycall.SyntaxError](err); ok {
			return "", e.Class
		}
		if e, ok := errors.AsType[*pyvalue.Exception](err); ok {
			return "", e.Type
		}
		return "", err.Error()
	}
	list := pyvalue.NewList()
	for _, c := range calls {
		list.Append(pyvalue.DictOf(c.Name, c.Args))
	}
	return pyvalue.Repr(list), ""
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		message, want, class string
		looks                bool
	}{
		{message: "[f()]", want: "[{'f': {}}]", looks: true},
		{message: "f()", want: "[{'f': {}}]"},
		{message: " [f(), g(a=1)]", want: "[{'f': {}}, {'g': {'a': 1}}]", looks: true},
		{message: "[[f()]]", want: "[{'f': {}}]", looks: true},
		{message: "'[f()]'", want: "[{'f': {}}]", looks: true},
		{message: "f()]", want: "[{'f': {}}]"},
		{message: "[f(a=1,\n b='x')]", want: "[{'f': {'a': 1, 'b': 'x'}}]"},
		{message: "[f(x=[1],\n y=2)]", want: "[{'f': {'x': [1], 'y': 2}}]", looks: true},
		{message: "[f(1, *a, **b)]", want: "[{'f': {}}]", looks: true},
		{message: "[f(a=g(), b=g(c=true))]", want: "[{'f': {'a': 'g()', 'b': {'g': {'c': 'true'}}}}]", looks: true},
		{message: "[a.b(c=1 + 2)]", want: "[{'a.b': {'c': '1 + 2'}}]", looks: true},
		{message: "[f(), 1, g()]", want: "[{'f': {}}, {'g': {}}]", looks: true},
		{message: "[Hello]", want: "[]", looks: true},
		{message: "ok", want: "[]"},
		{message: "]f()[", want: "[{'f': {}}]"},
		{message: "", class: "SyntaxError"},
		{message: "[]", class: "SyntaxError"},
		{message: "[f()] ", class: "SyntaxError"},
		{message: "[f()]\n", class: "SyntaxError"},
		{message: "  [f()]", class: "IndentationError"},
		{message: "[f(), 'text']", class: "SyntaxError"},
		{message: "[f(a='Domino's')]", class: "SyntaxError"},
		{message: "Shall I call f()?", class: "SyntaxError"},
		{message: "[f(a={**b})]", class: "AttributeError"},
		{message: "[f(a={[1]: 2})]", class: "TypeError"},
	} {
		t.Run(tt.message, func(t *testing.T) {
			got, class := decoded(tt.message)
			if got != tt.want || class != tt.class {
				t.Errorf("got %s %s, want %s %s", got, class, tt.want, tt.class)
			}
			if looks := LooksLikeCalls(tt.message); looks != tt.looks {
				t.Errorf("looks like calls: %v, want %v", looks, tt.looks)
			}
		})
	}
}

// TestReferenceDecode compares with the reference's decoder on both of its vector files. Their lines are JSON as Python reads it.
func TestReferenceDecode(t *testing.T) {
	rows := 0
	for line := range bytes.Lines(shared.Read(t, "golden/simenv/decode.jsonl")) {
		rows++
		want := decodeObject(t, line)
		message := pyvalue.String(value(want, "text"))
		got, class := decoded(message)
		if repr, ok := value(want, "repr").(pyvalue.Str); ok && got != string(repr) {
			t.Errorf("%q: got %s %s, want %s", message, got, class, repr)
		}
		if raised, ok := value(want, "error_type").(pyvalue.Str); ok && class != string(raised) {
			t.Errorf("%q: got %s %s, want %s", message, got, class, raised)
		}
		if looks := pyvalue.Bool(LooksLikeCalls(message)); looks != value(want, "looks_like_calls") {
			t.Errorf("%q: looks like calls: %v", message, looks)
		}
	}
	for line := range bytes.Lines(shared.Read(t, "golden/acebench/exec_decode.jsonl")) {
		rows++
		row := decodeObject(t, line)
		message, want := pyvalue.String(value(value(row, "input"), "message")), value(row, "evalscope")
		calls, err := Decode(message)
		if (err != nil) != pyvalue.Truth(value(want, "raises")) {
			t.Errorf("%q: got error %v, want %s", message, err, value(want, "raises"))
		}
		if err == nil {
			tagged := pyvalue.NewList()
			for _, c := range calls {
				arguments := pyvalue.NewList()
				for name, v := range c.Args.All() {
					arguments.Append(pyvalue.NewList(name, tag(v)))
				}
				tagged.Append(pyvalue.NewList(pyvalue.Str(c.Name), arguments))
			}
			if got, want := pyvalue.Repr(tagged), pyvalue.Repr(value(want, "calls")); got != want {
				t.Errorf("%q:\n got %s\nwant %s", message, got, want)
			}
		}
		if looks := pyvalue.Bool(LooksLikeCalls(message)); looks != value(want, "looks_like_calls") {
			t.Errorf("%q: looks like calls: %v", message, looks)
		}
	}
	if rows != 208+416 {
		t.Errorf("compared %d messages, want %d", rows, 208+416)
	}
}

// tag writes a value as the vectors do: ["i", "3"], ["l", […]].
func tag(v pyvalue.Value) pyvalue.Value {
	each := func(vs []pyvalue.Value) *pyvalue.List {
		l := pyvalue.NewList()
		for _, v := range vs {
			l.Append(tag(v))
		}
		return l
	}
	tagged := func(name string, rest ...pyvalue.Value) pyvalue.Value {
		return pyvalue.NewList(append([]pyvalue.Value{pyvalue.Str(name)}, rest...)...)
	}
	switch v := v.(type) {
	case pyvalue.None:
		return tagged("n")
	case pyvalue.Bool:
		return tagged("b", v)
	case pyvalue.Int:
		return tagged("i", pyvalue.Str(v.String()))
	case pyvalue.Float:
		return tagged("f", pyvalue.Str(pyvalue.Repr(v)))
	case pyvalue.Complex:
		return tagged("c", pyvalue.NewList(pyvalue.Str(pyvalue.Repr(pyvalue.Float(real(v)))), pyvalue.Str(pyvalue.Repr(pyvalue.Float(imag(v))))))
	case pyvalue.Str:
		if !v.Valid() {
			codes := pyvalue.NewList()
			for s := string(v); s != ""; {
				r, size := pyvalue.DecodeRune(s)
				codes.Append(pyvalue.NewInt(int64(r)))
				s = s[size:]
			}
			return tagged("u", codes)
		}
		return tagged("s", v)
	case pyvalue.Bytes:
		return tagged("y", pyvalue.Str(hex.EncodeToString([]byte(v))))
	case *pyvalue.List:
		return tagged("l", each(v.Items))
	case pyvalue.Tuple:
		return tagged("t", each(v))
	case *pyvalue.Set:
		items := each(slices.Collect(v.All()))
		slices.SortFunc(items.Items, func(a, b pyvalue.Value) int { return strings.Compare(pyvalue.Repr(a), pyvalue.Repr(b)) })
		return tagged("S", items)
	case *pyvalue.Dict:
		pairs := pyvalue.NewList()
		for key, value := range v.All() {
			pairs.Append(pyvalue.NewList(tag(key), tag(value)))
		}
		return tagged("d", pairs)
	}
	return tagged("e")
}
