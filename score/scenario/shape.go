package scenario

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// The functions below take an answer apart as a Python program does, so that what exo's evaluator trips over is told in the same words.

// subscript is v[key] for a text key.
func subscript(v pyvalue.Value, where, key string) (pyvalue.Value, error) {
	switch v := v.(type) {
	case *pyvalue.Dict:
		if value, ok := v.GetStr(key); ok {
			return value, nil
		}
		return nil, unusable(fmt.Sprintf("%s has no %q", where, key), "KeyError", pyvalue.ReprStr(key))
	case *pyvalue.List:
		return nil, notObject(v, where, "TypeError", "list indices must be integers or slices, not str")
	case pyvalue.Str:
		return nil, notObject(v, where, "TypeError", "string indices must be integers, not 'str'")
	default:
		return nil, notObject(v, where, "TypeError", fmt.Sprintf("'%s' object is not subscriptable", pyvalue.TypeName(v)))
	}
}

// first is v[0].
func first(v pyvalue.Value, where string) (pyvalue.Value, error) {
	switch v := v.(type) {
	case *pyvalue.List:
		if v.Len() > 0 {
			return v.Items[0], nil
		}
		return nil, unusable(where+" is empty", "IndexError", "list index out of range")
	case pyvalue.Str:
		if v != "" {
			_, size := pyvalue.DecodeRune(string(v))
			return v[:size], nil
		}
		return nil, unusable(where+" is empty", "IndexError", "string index out of range")
	case *pyvalue.Dict:
		return nil, unusable(where+" is an object, not a list", "KeyError", "0")
	default:
		return nil, unusable(where+" is "+wordFor(v)+", not a list", "TypeError",
			fmt.Sprintf("'%s' object is not subscriptable", pyvalue.TypeName(v)))
	}
}

// get is v.get(key, absent).
func get(v pyvalue.Value, where, key string, absent pyvalue.Value) (pyvalue.Value, error) {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, notObject(v, where, "AttributeError", fmt.Sprintf("'%s' object has no attribute 'get'", pyvalue.TypeName(v)))
	}
	return lookup(d, key, absent), nil
}

func lookup(d *pyvalue.Dict, key string, absent pyvalue.Value) pyvalue.Value {
	if value, ok := d.GetStr(key); ok {
		return value
	}
	return absent
}

// iterate is what a for loop over v sees: the items of a list, the keys of an object, the characters of a text.
func iterate(v pyvalue.Value, where string) ([]pyvalue.Value, error) {
	switch v := v.(type) {
	case *pyvalue.List:
		return v.Items, nil
	case *pyvalue.Dict:
		var keys []pyvalue.Value
		for key := range v.All() {
			keys = append(keys, key)
		}
		return keys, nil
	case pyvalue.Str:
		var chars []pyvalue.Value
		for rest := string(v); rest != ""; {
			_, size := pyvalue.DecodeRune(rest)
			chars = append(chars, pyvalue.Str(rest[:size]))
			rest = rest[size:]
		}
		return chars, nil
	default:
		return nil, unusable(where+" is "+wordFor(v)+", not a list", "TypeError",
			fmt.Sprintf("'%s' object is not iterable", pyvalue.TypeName(v)))
	}
}

// strip is v.strip().
func strip(v pyvalue.Value, where string) (string, error) {
	s, ok := v.(pyvalue.Str)
	if !ok {
		return "", unusable(where+" is "+wordFor(v)+", not a string", "AttributeError",
			fmt.Sprintf("'%s' object has no attribute 'strip'", pyvalue.TypeName(v)))
	}
	return pyvalue.Strip(string(s)), nil
}

func notObject(v pyvalue.Value, where, exception, text string) error {
	return unusable(where+" is "+wordFor(v)+", not an object", exception, text)
}

func unusable(what, exception, text string) *UnusableError {
	return &UnusableError{What: what, Exception: exception + ": " + text}
}

// wordFor names the kind of a JSON value.
func wordFor(v pyvalue.Value) string {
	switch v.(type) {
	case pyvalue.None:
		return "null"
	case pyvalue.Bool:
		return "a boolean"
	case pyvalue.Int, pyvalue.Float:
		return "a number"
	case pyvalue.Str:
		return "a string"
	case *pyvalue.List:
		return "a list"
	default:
		return "an object"
	}
}
