package check

import (
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// matchStrict matches calls with expected calls one to one: as many, by name, each with all of its arguments. The names were counted
// before. The failure is that of the first expected call that finds no call of its own.
func matchStrict(expected []expectedCall, calls []decode.Call) *failure {
	m := matching{expected: expected, calls: calls, holder: make([]int, len(calls))}
	for i := range m.holder {
		m.holder[i] = -1
	}
	for i := range expected {
		m.seen = make([]bool, len(calls))
		if !m.place(i) {
			return m.why(i)
		}
	}
	return nil
}

// A matching assigns calls to expected calls by augmenting paths.
type matching struct {
	expected []expectedCall
	calls    []decode.Call
	holder   []int // by call: the expected call it meets, -1 for none
	seen     []bool
}

// place finds a call for the i-th expected call, moving others aside when they can go elsewhere.
func (m *matching) place(i int) bool {
	for j := range m.calls {
		if m.seen[j] || strictCall(&m.expected[i], &m.calls[j]) != nil {
			continue
		}
		m.seen[j] = true
		if m.holder[j] < 0 || m.place(m.holder[j]) {
			m.holder[j] = i
			return true
		}
	}
	return false
}

// why says what is wrong with the call that looks most like the i-th expected one: the first of its name that meets no other.
func (m *matching) why(i int) *failure {
	var first *failure
	for j := range m.calls {
		f := strictCall(&m.expected[i], &m.calls[j])
		if f == nil || f.kind == WrongFunction {
			continue
		}
		if m.holder[j] < 0 {
			return f
		}
		if first == nil {
			first = f
		}
	}
	if first == nil {
		first = fail(ValueError, func() string {
			return "every call of " + m.expected[i].name + " that would do meets another expected call"
		})
	}
	return first
}

// strictCall compares one call with one expected call.
func strictCall(e *expectedCall, c *decode.Call) *failure {
	if c.Name != e.name {
		return failText(WrongFunction, "wrong_function")
	}
	want, ok := e.args.value.(*pyvalue.Dict)
	if !ok {
		return failText(ValueError, "the ground truth of "+e.key+" is not an object of arguments: no answer can meet it")
	}
	for name, value := range want.All() {
		if f := strictGiven(e.schema, c, pyvalue.String(name), value); f != nil {
			return f
		}
	}
	for i := range c.Args {
		a := &c.Args[i]
		p := e.schema.params[a.Name]
		expected, ok := want.GetStr(a.Name)
		if !ok {
			if p != nil && p.fallback != nil && strictEqual(a.Value, p.fallback, p.declared) {
				continue
			}
			return failText(AdditionArgs, "addition params: "+a.Name)
		}
		declared := ""
		if p != nil {
			declared = p.declared
		}
		if f := strictValue(c.Name, a, expected, declared); f != nil {
			return f
		}
	}
	return nil
}

// strictGiven asks that an expected argument is given. It may be left out when the schema does not require it and would take the
// expected value by default.
func strictGiven(s *schema, c *decode.Call, name string, expected pyvalue.Value) *failure {
	if find(c, name) != nil {
		return nil
	}
	p := s.params[name]
	if p != nil && p.fallback != nil && !s.requires(name) && strictEqual(p.fallback, expected, p.declared) {
		return nil
	}
	return failText(LackArgs, "lack params: "+name)
}

func (s *schema) requires(name string) bool {
	for _, r := range s.required.value {
		if pyvalue.Equal(r, pyvalue.Str(name)) {
			return true
		}
	}
	return false
}

func strictValue(function string, a *decode.Arg, expected pyvalue.Value, declared string) *failure {
	if strictEqual(a.Value, expected, declared) {
		return nil
	}
	if strictKind(a.Value) != strictKind(expected) {
		return fail(TypeError, func() string {
			return "wrong type for parameter (" + a.Name + ") of api (" + function + "): [expected: " + classOf(expected) + ", real: " + classOf(a.Value) + "]"
		})
	}
	kind := ValueError
	switch expected.(type) {
	case pyvalue.Str:
		kind = ValueErrorString
	case *pyvalue.List:
		kind = ValueErrorList
	}
	return fail(kind, func() string {
		return "wrong value for parameter (" + a.Name + ") of api (" + function + "): [expected: " + pyvalue.String(expected) + ", real: " + pyvalue.String(a.Value) + "]"
	})
}

// strictKind is the type of a value, where integers and floats are one.
func strictKind(v pyvalue.Value) string {
	switch name := pyvalue.TypeName(v); name {
	case "int", "float":
		return "number"
	default:
		return name
	}
}

// strictEqual compares two values as values of their kind. A tuple is a list where the schema declares a tuple.
func strictEqual(got, want pyvalue.Value, declared string) bool {
	if t, ok := got.(pyvalue.Tuple); ok && declared == "tuple" {
		got = pyvalue.NewList(t...)
	}
	if strictKind(got) != strictKind(want) {
		return false
	}
	switch w := want.(type) {
	case pyvalue.Str:
		g, _ := got.(pyvalue.Str)
		return normalise(string(g)) == normalise(string(w))
	case *pyvalue.List:
		g, _ := got.(*pyvalue.List)
		if g.Len() != w.Len() {
			return false
		}
		for i := range w.Items {
			if !strictEqual(g.Items[i], w.Items[i], "") {
				return false
			}
		}
		return true
	case *pyvalue.Dict:
		g, _ := got.(*pyvalue.Dict)
		if g.Len() != w.Len() {
			return false
		}
		for key, value := range w.All() {
			other, ok, _ := g.Get(key)
			if !ok || !strictEqual(other, value, "") {
				return false
			}
		}
		return true
	}
	return pyvalue.Equal(got, want)
}
