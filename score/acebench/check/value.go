package check

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// valuing compares values whose types were found right.
type valuing struct {
	key      *Key
	param    *param
	function string
}

func (v valuing) official() bool { return v.key.rules == rules.Official }

// wrong renders the difference between a value and its expected value.
func (v valuing) wrong(kind string, value, answer pyvalue.Value) *failure {
	return fail(kind, func() string {
		head := "wrong value for parameter (" + v.param.name + ") of api (" + v.function + "): "
		if v.official() {
			return head + "[excepted: " + pyvalue.String(answer) + ", real: [" + pyvalue.String(value) + "]]"
		}
		return head + "[expected: " + pyvalue.String(answer) + ", real: " + pyvalue.String(value) + "]"
	})
}

// text asks that the expected text is contained in the given one, both normalised; in agent categories that they are equal.
func (v valuing) text(value, answer pyvalue.Value) (*failure, error) {
	got, _ := value.(pyvalue.Str)
	want, _ := answer.(pyvalue.Str) // both are texts: the types were checked
	given, expected := normalise(string(got)), normalise(string(want))
	right := strings.Contains(given, expected)
	if v.key.category.Family() == dataset.Agent {
		right = given == expected
	}
	if !right {
		return v.wrong(ValueErrorString, value, answer), nil
	}
	return nil, nil
}

// list asks that two lists are equal, where the texts directly in them are normalised.
func (v valuing) list(value, answer pyvalue.Value) (*failure, error) {
	got, err := pyvalue.Elements(value)
	if err != nil {
		return nil, err
	}
	want, err := pyvalue.Elements(answer)
	if err != nil {
		return nil, err
	}
	right := len(got) == len(want)
	for i := 0; right && i < len(got); i++ {
		right = equalNormalised(got[i], want[i])
	}
	switch {
	case right:
		return nil, nil
	case v.official():
		return fail(ValueErrorList, func() string {
			return "wrong value for parameter (" + pyvalue.ReprStr(v.param.name) + ") of api (" + v.function + "): [expected " +
				pyvalue.String(answer) + ", real: [" + pyvalue.Repr(value) + "]]"
		}), nil
	}
	return v.wrong(ValueErrorList, value, answer), nil
}

func equalNormalised(a, b pyvalue.Value) bool {
	if s, ok := a.(pyvalue.Str); ok {
		t, ok := b.(pyvalue.Str)
		return ok && normalise(string(s)) == normalise(string(t))
	}
	return pyvalue.Equal(a, b)
}

// dicts compares two lists of objects pair by pair.
func (v valuing) dicts(value, answer pyvalue.Value) (*failure, error) {
	got, err := pyvalue.Elements(value)
	if err != nil {
		return nil, err
	}
	want, err := pyvalue.Elements(answer)
	if err != nil {
		return nil, err
	}
	if v.param.declared == "objectArray" {
		if len(got) != len(want) {
			return failText(ValueErrorItems, "Wrong number of parameters for dictionary."), nil
		}
		if v.official() && len(got) > 0 {
			return nil, pyvalue.Raise("TypeError", "dict_checker() missing 1 required positional argument: 'func_name'")
		}
	}
	if len(got) != len(want) {
		return v.wrong(ValueErrorDicts, value, answer), nil
	}
	for i := range got {
		if f, err := v.dict(got[i], want[i]); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// dict asks for the same number of keys, for every key to be expected, and for the printed expected value to be contained in the
// printed given one.
func (v valuing) dict(value, answer pyvalue.Value) (*failure, error) {
	got, ok := value.(*pyvalue.Dict)
	if !ok {
		if v.official() {
			return fail(ValueError, func() string {
				return "wrong type for parameter (" + v.param.name + ") of api (" + v.function + "): [excepted: " +
					pyvalue.String(answer) + ", real: [" + pyvalue.String(value) + "]]"
			}), nil
		}
		return v.wrong(ValueError, value, answer), nil
	}
	want, err := asDict(answer, "keys")
	if err != nil {
		return nil, err
	}
	if got.Len() != want.Len() {
		return v.wrong(ValueError, value, answer), nil
	}
	for i := range got.Len() {
		key, given := got.At(i)
		given = boolOf(given)
		expected, ok, err := want.Get(key)
		if err != nil {
			return nil, err
		}
		if !ok {
			return v.wrong(ValueError, value, answer), nil
		}
		if _, ok := expected.(*pyvalue.Dict); ok {
			if f, err := v.dict(given, expected); f != nil || err != nil {
				return f, err
			}
			continue
		}
		if !strings.Contains(printed(given), printed(expected)) {
			return v.wrong(ValueError, value, answer), nil
		}
	}
	return nil, nil
}

// printed is str(v), where a text is normalised first.
func printed(v pyvalue.Value) string {
	if s, ok := v.(pyvalue.Str); ok {
		return normalise(string(s))
	}
	return pyvalue.String(v)
}
