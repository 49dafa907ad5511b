package pyvalue

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// equalGroups are values of which those of one group equal each other and nothing of another group.
func equalGroups(t *testing.T) [][]Value {
	nan := Float(math.NaN())
	return [][]Value{
		{None{}}, {Ellipsis{}}, {nan}, {Str("")}, {Bytes("")}, {Str("1")}, {Str("a")}, {Bytes("a")}, {Str("\xed\xa0\x80")},
		{Bool(false), NewInt(0), Float(0), Float(math.Copysign(0, -1)), Complex(0)},
		{Bool(true), NewInt(1), Float(1), Complex(1)},
		{NewInt(-1), Float(-1)},
		{Float(0.5), Complex(0.5)},
		{NewInt(1<<53 + 1)},
		{NewInt(1 << 53), Float(1 << 53)},
		{bigInt(t, "9223372036854775808"), Float(1 << 63), Complex(1 << 63)},
		{bigInt(t, "9223372036854775809")},
		{bigInt(t, "-9223372036854775809")},
		{Float(math.Inf(1))}, {Float(math.Inf(-1))},
		{NewList(), NewList()}, {Tuple{}, Tuple(nil)},
		{NewList(NewInt(1)), NewList(Bool(true)), NewList(Float(1))},
		{Tuple{NewInt(1)}, Tuple{Float(1)}},
		{NewList(NewList(Str("x")))},
		{NewDict()}, {NewSet()},
		{DictOf("a", NewInt(1), "b", None{}), DictOf("b", None{}, "a", Float(1))},
		{DictOf("a", NewInt(1), "c", None{})},
		{DictOf("a", NewInt(1))},
		{set(t, NewInt(1), Str("a")), set(t, Str("a"), Bool(true))},
		{set(t, NewInt(1), Str("b"))},
		{NewList(nan), NewList(nan)},
		{Complex(complex(0.5, 1)), Complex(complex(0.5, 1))},
		{Complex(complex(0, 1)), Complex(complex(math.Copysign(0, -1), 1))},
		{Tuple{Str("a"), Str("bc")}}, {Tuple{Str("ab"), Str("c")}}, {Tuple{Bytes("a"), None{}}}, {Tuple{Ellipsis{}}},
	}
}

func TestEqual(t *testing.T) {
	groups := equalGroups(t)
	for i, group := range groups {
		for j, other := range groups {
			for _, a := range group {
				for _, b := range other {
					want := i == j && Repr(a) != "nan"
					if got := Equal(a, b); got != want {
						t.Errorf("Equal(%s %s, %s %s) = %v", TypeName(a), Repr(a), TypeName(b), Repr(b), got)
					}
				}
			}
		}
	}
}

// TestKeys uses the same values as keys: those that are equal, and NaN, find each other.
func TestKeys(t *testing.T) {
	groups := equalGroups(t)
	d, want := NewDict(), 0
	for i, group := range groups {
		if Hashable(group[0]) != nil {
			continue
		}
		want++
		for _, v := range group {
			if err := d.Set(v, NewInt(int64(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if d.Len() != want {
		t.Errorf("%d keys, want %d: %v", d.Len(), want, d)
	}
	for i, group := range groups {
		for _, v := range group {
			got, found, err := d.Get(v)
			if unhashable := Hashable(v) != nil; unhashable != (err != nil) || !unhashable && (!found || !Equal(got, NewInt(int64(i)))) {
				t.Errorf("under %s %s: %v, %v, %v, want %d", TypeName(v), Repr(v), got, found, err, i)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	ascending := []Value{
		Float(math.Inf(-1)), bigInt(t, "-9223372036854775809"), NewInt(-2), Float(-1.5), Bool(false), Float(5e-324), Bool(true),
		NewInt(1 << 53), NewInt(1<<53 + 1), Float(1<<53 + 2), NewInt(math.MaxInt64), Float(1 << 63), bigInt(t, "9223372036854775809"),
		Float(math.Inf(1)),
	}
	for i, a := range ascending {
		for j, b := range ascending {
			got := fmt.Sprint(must(Less(a, b)), must(Greater(a, b)), must(GreaterEqual(a, b)))
			if want := fmt.Sprint(i < j, i > j, i >= j); got != want {
				t.Errorf("%s and %s: < > >= are %s, want %s", Repr(a), Repr(b), got, want)
			}
		}
	}
	less := [][2]Value{
		{Str("a"), Str("b")}, {Str(""), Str("a")}, {Str("\uffff"), Str("\U00010000")}, {Str("\xed\xbf\xbf"), Str("\ue000")},
		{Bytes("a"), Bytes("b")}, {NewList(), NewList(None{})}, {NewList(NewInt(1), Str("a")), NewList(Bool(true), Str("b"))},
		{Tuple{NewInt(1)}, Tuple{NewInt(2)}}, {set(t, NewInt(1)), set(t, NewInt(1), NewInt(2))},
	}
	for _, p := range less {
		if !must(Less(p[0], p[1])) || must(Less(p[1], p[0])) || !must(GreaterEqual(p[0], p[0])) || must(Greater(p[0], p[0])) {
			t.Errorf("%s is not less than %s", Repr(p[0]), Repr(p[1]))
		}
	}
	nan := Float(math.NaN())
	for _, v := range []Value{nan, NewInt(1), Float(1)} {
		if must(Less(v, nan)) || must(Less(nan, v)) || must(Greater(v, nan)) || must(GreaterEqual(nan, v)) {
			t.Errorf("NaN is ordered against %s", Repr(v))
		}
	}
	disjoint := set(t, NewInt(3))
	if must(Less(disjoint, set(t, NewInt(1), NewInt(2)))) || must(GreaterEqual(disjoint, set(t, NewInt(1)))) {
		t.Error("sets without a common item are ordered")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestOrderErrors(t *testing.T) {
	_, err := Less(Str("a"), NewInt(1))
	wantError(t, err, "TypeError: '<' not supported between instances of 'str' and 'int'")
	_, err = Greater(None{}, Float(1))
	wantError(t, err, "TypeError: '>' not supported between instances of 'NoneType' and 'float'")
	_, err = Less(NewList(NewInt(1), Str("a")), NewList(NewInt(1), None{}))
	wantError(t, err, "TypeError: '<' not supported between instances of 'str' and 'NoneType'")
	_, err = GreaterEqual(NewDict(), NewDict())
	wantError(t, err, "TypeError: '>=' not supported between instances of 'dict' and 'dict'")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestDict(t *testing.T) {
	d := NewDict()
	for _, k := range []Value{Str("b"), Str("a"), NewInt(1), Float(1), Bool(true), None{}, Tuple{NewInt(1), Str("x")}, Tuple{Float(1), Str("x")}} {
		if err := d.Set(k, Str(Repr(k))); err != nil {
			t.Fatal(err)
		}
	}
	want := "{'b': \"'b'\", 'a': \"'a'\", 1: 'True', None: 'None', (1, 'x'): \"(1.0, 'x')\"}"
	if Repr(d) != want {
		t.Errorf("got %s, want %s", Repr(d), want)
	}
	if v, ok, err := d.Get(Complex(1)); !ok || err != nil || Repr(v) != "'True'" {
		t.Errorf("d[1+0j] = %v, %v, %v", v, ok, err)
	}
	if _, ok := d.GetStr("1"); ok {
		t.Error("'1' found under 1")
	}
	if found, err := d.Delete(Bool(true)); !found || err != nil {
		t.Errorf("deleting True: %v, %v", found, err)
	}
	if found, _ := d.Delete(NewInt(1)); found {
		t.Error("1 was deleted twice")
	}
	for _, k := range []Value{NewList(), NewDict(), NewSet(), Tuple{NewList()}} {
		_, _, err := d.Get(k)
		name := TypeName(k)
		if name == "tuple" {
			name = "list"
		}
		wantError(t, err, "TypeError: unhashable type: '"+name+"'")
		wantError(t, d.Set(k, None{}), "TypeError: unhashable type: '"+name+"'")
		wantError(t, Hashable(k), "TypeError: unhashable type: '"+name+"'")
	}
	if got, err := Contains(d, NewList()); got || err == nil {
		t.Error("a list was looked up in a dict")
	}
}

// TestDictSizes walks a dict over the size from which it is indexed, forth and back.
func TestDictSizes(t *testing.T) {
	d, want := NewDict(), []string{}
	check := func() {
		t.Helper()
		var got []string
		for k := range d.All() {
			got = append(got, Repr(k))
			if v, ok, err := d.Get(k); !ok || err != nil || !Equal(v, k) {
				t.Fatalf("d[%s] = %v, %v, %v", Repr(k), v, ok, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("keys %v, want %v", got, want)
		}
	}
	for i := range 40 {
		var k Value = NewInt(int64(i))
		if i%2 == 1 {
			k = Str(k.(Int).String())
		}
		for range 2 {
			if err := d.Set(k, k); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, Repr(k))
		check()
	}
	copied := d.Copy()
	for i := range 40 {
		var k Value = NewInt(int64(39 - i))
		if i%2 == 0 {
			k = Str(k.(Int).String())
		}
		if found, err := d.Delete(k); !found || err != nil {
			t.Fatalf("deleting %s: %v, %v", Repr(k), found, err)
		}
		want = want[:len(want)-1]
		check()
	}
	if copied.Len() != 40 {
		t.Errorf("the copy changed with its original: %s", Repr(copied))
	}
}

func TestDeepCopy(t *testing.T) {
	inner := NewList(NewInt(1))
	v := DictOf("a", Tuple{inner}, "b", set(t, NewInt(1)), "c", DictOf("d", inner))
	c := DeepCopy(v)
	if !Equal(v, c) {
		t.Fatalf("copy %s of %s differs", Repr(c), Repr(v))
	}
	inner.Append(None{})
	if want := "{'a': ([1],), 'b': {1}, 'c': {'d': [1]}}"; Repr(c) != want {
		t.Errorf("copy is now %s, want %s", Repr(c), want)
	}
}
