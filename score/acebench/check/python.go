package check

import (
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// The reference checkers apply Python's operators to schemas and ground truths without looking what kind of value they have, so a
// mistake in the data shows as the exception of an operator. Package pyvalue has most of the operators, the rest is here.

// at is container["name"].
func at(container pyvalue.Value, name string) (pyvalue.Value, error) {
	if d, ok := container.(*pyvalue.Dict); ok {
		if v, ok := d.GetStr(name); ok {
			return v, nil
		}
	}
	return pyvalue.Index(container, pyvalue.Str(name))
}

// length is len(v).
func length(v pyvalue.Value) (int, error) {
	switch v := v.(type) {
	case *pyvalue.Dict:
		return v.Len(), nil
	case *pyvalue.List:
		return v.Len(), nil
	case pyvalue.Tuple:
		return len(v), nil
	case pyvalue.Str:
		return utf8.RuneCountInString(string(v)), nil
	}
	return 0, pyvalue.Raise("TypeError", "object of type '%s' has no len()", pyvalue.TypeName(v))
}

// asDict is v where the reference calls a method that only objects have.
func asDict(v pyvalue.Value, method string) (*pyvalue.Dict, error) {
	if d, ok := v.(*pyvalue.Dict); ok {
		return d, nil
	}
	return nil, pyvalue.Raise("AttributeError", "'%s' object has no attribute '%s'", pyvalue.TypeName(v), method)
}

// isEmptyDict is v == {}.
func isEmptyDict(v pyvalue.Value) bool {
	d, ok := v.(*pyvalue.Dict)
	return ok && d.Len() == 0
}

// isEmptyText is v == ”.
func isEmptyText(v pyvalue.Value) bool {
	s, ok := v.(pyvalue.Str)
	return ok && s == ""
}

// boolOf makes a bool of the texts true and false, as the reference checkers do before they compare.
func boolOf(v pyvalue.Value) pyvalue.Value {
	if s, ok := v.(pyvalue.Str); ok {
		switch s {
		case "true":
			return pyvalue.Bool(true)
		case "false":
			return pyvalue.Bool(false)
		}
	}
	return v
}

// normalise removes blanks and , . / - _ * ^ from a text, lowers its case and turns ' into ", as both reference checkers do before
// they compare texts.
func normalise(s string) string { return string(appendNormalised(nil, s)) }

// appendNormalised appends the normalised text.
func appendNormalised(dst []byte, s string) []byte {
	start := len(dst)
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return appendNormalisedUnicode(dst[:start], s)
		case c == '\'':
			dst = append(dst, '"')
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case !dropped[c]:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendNormalisedUnicode does the same for text of more than ASCII.
func appendNormalisedUnicode(dst []byte, s string) []byte {
	kept := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || !dropped[c] {
			kept = append(kept, c)
		}
	}
	for _, c := range []byte(pyvalue.Lower(string(kept))) {
		if c == '\'' {
			c = '"'
		}
		dst = append(dst, c)
	}
	return dst
}

var dropped = [utf8.RuneSelf]bool{' ': true, ',': true, '.': true, '/': true, '-': true, '_': true, '*': true, '^': true}
