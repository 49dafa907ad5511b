package check

import "github.com/exodeck/exodeck/simenv/pyvalue"

// An expected is a value of the ground truth, taken apart once, so that what both reference checkers make of it for every answer
// need not be made again.
type expected struct {
	value   pyvalue.Value
	printed []byte     // str(value), where a text is normalised first; nil for an object
	fields  []field    // of an object
	items   []expected // of a list
}

// A field is one value of an expected object. JSON has no other keys than text.
type field struct {
	name  string
	value expected
}

func newExpected(v pyvalue.Value) expected {
	e := expected{value: v}
	switch v := v.(type) {
	case *pyvalue.Dict:
		e.fields = make([]field, 0, v.Len())
		for key, value := range v.All() {
			e.fields = append(e.fields, field{pyvalue.String(key), newExpected(value)})
		}
		return e
	case *pyvalue.List:
		e.items = make([]expected, 0, v.Len())
		for _, item := range v.Items {
			e.items = append(e.items, newExpected(item))
		}
	}
	e.printed = appendPrinted(nil, v)
	return e
}

// isObject tells whether the value is an object.
func (e *expected) isObject() bool { return e.fields != nil }

// get returns the value of a key, nil when the object does not have it. Only text can be a key of it.
func (e *expected) get(key pyvalue.Value) *expected {
	name, ok := key.(pyvalue.Str)
	if !ok {
		return nil
	}
	for i := range e.fields {
		if e.fields[i].name == string(name) {
			return &e.fields[i].value
		}
	}
	return nil
}

// appendPrinted appends str(v), where a text is normalised first.
func appendPrinted(dst []byte, v pyvalue.Value) []byte {
	if s, ok := v.(pyvalue.Str); ok {
		return appendNormalised(dst, string(s))
	}
	return pyvalue.AppendString(dst, v)
}
