package check

import (
	"bytes"

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
		open, real, end := "): [expected: ", ", real: ", "]"
		if v.official() {
			open, real, end = "): [excepted: ", ", real: [", "]]"
		}
		b := newBuffer()
		b.bytes = append(b.bytes, "wrong value for parameter ("...)
		b.bytes = append(b.bytes, v.param.name...)
		b.bytes = append(b.bytes, ") of api ("...)
		b.bytes = append(b.bytes, v.function...)
		b.bytes = append(b.bytes, open...)
		b.bytes = pyvalue.AppendString(b.bytes, answer)
		b.bytes = append(b.bytes, real...)
		b.bytes = pyvalue.AppendString(b.bytes, value)
		b.bytes = append(b.bytes, end...)
		return b.text()
	})
}

// text asks that the expected text is contained in the given one, both normalised; in agent categories that they are equal.
func (v valuing) text(value pyvalue.Value, answer *expected) *failure {
	s, _ := value.(pyvalue.Str) // it is text: its type was checked
	var buffer [128]byte
	given := appendNormalised(buffer[:0], string(s))
	right := bytes.Contains(given, answer.printed)
	if v.key.exact {
		right = bytes.Equal(given, answer.printed)
	}
	if !right {
		return v.wrong(ValueErrorString, value, answer.value)
	}
	return nil
}

// list asks that two lists are equal, where the texts directly in them are normalised.
func (v valuing) list(value pyvalue.Value, answer *expected) (*failure, error) {
	got, err := pyvalue.Elements(value)
	if err != nil {
		return nil, err
	}
	if _, err := pyvalue.Elements(answer.value); err != nil {
		return nil, err
	}
	right := len(got) == len(answer.items)
	for i := 0; right && i < len(got); i++ {
		right = equalNormalised(got[i], &answer.items[i])
	}
	switch {
	case right:
		return nil, nil
	case v.official():
		return fail(ValueErrorList, func() string {
			return "wrong value for parameter (" + pyvalue.ReprStr(v.param.name) + ") of api (" + v.function + "): [expected " +
				pyvalue.String(answer.value) + ", real: [" + pyvalue.Repr(value) + "]]"
		}), nil
	}
	return v.wrong(ValueErrorList, value, answer.value), nil
}

func equalNormalised(got pyvalue.Value, want *expected) bool {
	s, ok := got.(pyvalue.Str)
	if !ok {
		return pyvalue.Equal(got, want.value)
	}
	if _, ok := want.value.(pyvalue.Str); !ok {
		return false
	}
	var buffer [128]byte
	return bytes.Equal(appendNormalised(buffer[:0], string(s)), want.printed)
}

// dicts compares two lists of objects pair by pair.
func (v valuing) dicts(value pyvalue.Value, answer *expected) (*failure, error) {
	got, err := pyvalue.Elements(value)
	if err != nil {
		return nil, err
	}
	if _, err := pyvalue.Elements(answer.value); err != nil {
		return nil, err
	}
	if v.param.declared == "objectArray" {
		if len(got) != len(answer.items) {
			return failText(ValueErrorItems, "Wrong number of parameters for dictionary."), nil
		}
		if v.official() && len(got) > 0 {
			return nil, pyvalue.Raise("TypeError", "dict_checker() missing 1 required positional argument: 'func_name'")
		}
	}
	if len(got) != len(answer.items) {
		return v.wrong(ValueErrorDicts, value, answer.value), nil
	}
	for i := range got {
		if f, err := v.dict(got[i], &answer.items[i]); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// dict asks for the same number of keys, for every key to be expected, and for the printed expected value to be contained in the
// printed given one.
func (v valuing) dict(value pyvalue.Value, answer *expected) (*failure, error) {
	got, ok := value.(*pyvalue.Dict)
	if !ok {
		if v.official() {
			return fail(ValueError, func() string {
				return "wrong type for parameter (" + v.param.name + ") of api (" + v.function + "): [excepted: " +
					pyvalue.String(answer.value) + ", real: [" + pyvalue.String(value) + "]]"
			}), nil
		}
		return v.wrong(ValueError, value, answer.value), nil
	}
	if _, err := asDict(answer.value, "keys"); err != nil {
		return nil, err
	}
	if got.Len() != len(answer.fields) {
		return v.wrong(ValueError, value, answer.value), nil
	}
	for i := range got.Len() {
		key, given := got.At(i)
		given = boolOf(given)
		want := answer.get(key)
		if want == nil {
			return v.wrong(ValueError, value, answer.value), nil
		}
		if want.isObject() {
			if f, err := v.dict(given, want); f != nil || err != nil {
				return f, err
			}
			continue
		}
		if !contains(given, want) {
			return v.wrong(ValueError, value, answer.value), nil
		}
	}
	return nil, nil
}

// contains tells whether the printed expected value is a part of the printed given one.
func contains(given pyvalue.Value, want *expected) bool {
	if s, ok := given.(pyvalue.Str); ok {
		var buffer [128]byte
		return bytes.Contains(appendNormalised(buffer[:0], string(s)), want.printed)
	}
	b := newBuffer()
	defer b.free()
	b.bytes = pyvalue.AppendString(b.bytes, given)
	return bytes.Contains(b.bytes, want.printed)
}
