package check

import (
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// call checks one call against an expected call of its name, in the order of steps that both reference checkers have.
func (k *Key) call(e *expectedCall, c *decode.Call) (*failure, error) {
	s := e.schema
	if s.parameters.err != nil {
		return nil, s.parameters.err
	}
	noArgs, noParameters := len(c.Args) == 0, isEmptyDict(s.parameters.value)
	switch {
	case noArgs && noParameters:
		return nil, nil
	case noArgs || noParameters:
		return failText(WrongParam, ""), nil
	}
	if s.properties.err != nil {
		return nil, s.properties.err
	}
	switch {
	case e.isProperties:
		return nil, nil
	case isEmptyDict(e.args.value):
		return failText(WrongParam, ""), nil
	}
	if s.name.err != nil {
		return nil, s.name.err
	}
	if !e.isNamed {
		return fail(WrongName, func() string {
			pair := pyvalue.DictOf("expected", s.name.value, "real", pyvalue.Str(c.Name))
			return pyvalue.String(pyvalue.DictOf("wrong_function", pair))
		}), nil
	}
	if f, err := s.lacking(c); f != nil || err != nil {
		return f, err
	}
	for i := range c.Args {
		if f, err := k.argument(e, c.Name, &c.Args[i]); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// lacking looks for the arguments that the schema requires.
func (s *schema) lacking(c *decode.Call) (*failure, error) {
	if s.required.err != nil {
		return nil, s.required.err
	}
	if s.names == nil {
		return s.lackingAny(c)
	}
	for _, name := range s.names {
		if find(c, name) == nil {
			return lacks(name), nil
		}
	}
	return nil, nil
}

// lackingAny does the same where not all that is required is text.
func (s *schema) lackingAny(c *decode.Call) (*failure, error) {
	for _, name := range s.required.value {
		if err := pyvalue.Hashable(name); err != nil {
			return nil, err
		}
		given := false
		for _, a := range c.Args {
			given = given || pyvalue.Equal(a.Key(), name)
		}
		if !given {
			return lacks(pyvalue.String(name)), nil
		}
	}
	return nil, nil
}

func lacks(name string) *failure {
	return fail(LackArgs, func() string { return "lack required_params: " + name })
}

// find returns the argument with a name, nil when it is not given.
func find(c *decode.Call, name string) *decode.Arg {
	for i := range c.Args {
		if c.Args[i].Name == name {
			return &c.Args[i]
		}
	}
	return nil
}

// argument checks one argument of a call.
func (k *Key) argument(e *expectedCall, function string, a *decode.Arg) (*failure, error) {
	p, answer, err := e.lookUp(a)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return fail(AdditionArgs, func() string { return "addition params: " + pyvalue.String(a.Key()) }), nil
	}
	if p.err != nil {
		return nil, p.err
	}
	value := a.Value
	switch v := value.(type) {
	case pyvalue.Tuple:
		if p.declared == "tuple" {
			value = pyvalue.NewList(v...)
		}
	case pyvalue.Int:
		if p.declared == "float" {
			value = pyvalue.Float(v.Float())
		}
	}
	t := typing{k.rules, p, function}
	variable, f, err := t.check(value, answer.value, p.want, p.nested)
	if f != nil || err != nil || variable {
		return f, err
	}
	v := valuing{k, p, function}
	switch {
	case p.want == "dict":
		return v.dict(value, answer)
	case p.want == "list" && p.nested == "dict":
		return v.dicts(value, answer)
	case p.want == "str":
		return v.text(value, answer), nil
	case p.want == "list":
		return v.list(value, answer)
	}
	return nil, nil
}

// lookUp returns the property and the expected value of an argument; both are nil when the schema or the ground truth does not have
// it. Where they are not objects it does what Python's "in" and index do.
func (e *expectedCall) lookUp(a *decode.Arg) (*param, *expected, error) {
	if e.schema.params != nil && e.args.isObject() {
		for i := range e.args.fields {
			if f := &e.args.fields[i]; f.name == a.Name && e.params[i] != nil {
				return e.params[i], &f.value, nil
			}
		}
		return nil, nil, nil
	}
	for _, container := range []pyvalue.Value{e.schema.properties.value, e.args.value} {
		ok, err := pyvalue.Contains(container, a.Key())
		if !ok || err != nil {
			return nil, nil, err
		}
	}
	detail, err := pyvalue.Index(e.schema.properties.value, a.Key())
	if err != nil {
		return nil, nil, err
	}
	p := newParam(a.Name, detail)
	if p.err != nil {
		return nil, nil, p.err
	}
	answer, err := pyvalue.Index(e.args.value, a.Key())
	if err != nil {
		return nil, nil, err
	}
	want := newExpected(answer)
	return p, &want, nil
}

// typing compares the kinds of a value and of its expected value.
type typing struct {
	rules    rules.Rules
	param    *param
	function string
}

// check reports whether value has the type it must have. It is variable, and not to be compared further, when the expected value
// itself is not of the declared type.
func (t typing) check(value, answer pyvalue.Value, want, nested string) (variable bool, f *failure, err error) {
	typed := !isEmptyText(answer) // an empty text stands for "any type"
	variable = typed && pyvalue.TypeName(answer) != want
	value = boolOf(value)
	if pyvalue.TypeName(value) == want {
		if nested == "" {
			return variable, nil, nil
		}
		ok, err := t.inside(value, answer, nested)
		if ok || err != nil {
			return variable, nil, err
		}
		f = fail(TypeError, func() string { return t.innerText(value, nested) })
	}
	if typed && (pyvalue.TypeName(value) == pyvalue.TypeName(answer) || pyvalue.Equal(answer, value)) {
		return true, f, nil
	}
	return false, fail(TypeError, func() string {
		expected := "): [expected: "
		if t.rules == rules.Official {
			expected = "):[excepted: "
		}
		return "wrong type for parameter (" + t.param.name + ") of api (" + t.function + expected + class(want) + ", real: " + classOf(value) + "]"
	}), nil
}

// inside looks for an element of the expected value that the elements of value agree with. Any element that is not a list will do,
// so only an empty one fails.
func (t typing) inside(value, answer pyvalue.Value, nested string) (bool, error) {
	if object, ok := answer.(*pyvalue.Dict); ok {
		return object.Len() > 0, nil // its elements are its keys
	}
	elements, err := pyvalue.Elements(answer)
	if err != nil {
		return false, err
	}
	for _, element := range elements {
		list, ok := element.(*pyvalue.List)
		if !ok {
			return true, nil
		}
		agrees, err := t.agree(value, list, nested)
		if agrees || err != nil {
			return agrees, err
		}
	}
	return false, nil
}

func (t typing) agree(value pyvalue.Value, list *pyvalue.List, nested string) (bool, error) {
	elements, err := pyvalue.Elements(value)
	if err != nil {
		return false, err
	}
	for _, element := range elements {
		if _, f, err := t.check(element, list, nested, ""); f != nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (t typing) innerText(value pyvalue.Value, nested string) string {
	if t.rules == rules.Official {
		return "Nested type checking failed for parameter " + pyvalue.ReprStr(t.param.name) + ". Expected outer type " + t.param.declared +
			" with inner type " + class(nested) + ". Parameter value: " + pyvalue.Repr(value) + "."
	}
	return "wrong inner type for parameter (" + t.param.name + ") of api (" + t.function + ")"
}
