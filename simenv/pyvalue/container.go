package pyvalue

import "strings"

// Contains returns item in container: a key of a dict, an item of a list, tuple or set, a part of text or bytes. The errors are
// those of Python, for a container that has no such test and for a key that cannot be hashed.
func Contains(container, item Value) (bool, error) {
	switch c := container.(type) {
	case *Dict:
		_, found, err := c.Get(item)
		return found, err
	case *Set:
		return c.Has(item)
	case *List:
		return containsItem(c.Items, item), nil
	case Tuple:
		return containsItem(c, item), nil
	case Str:
		if s, ok := item.(Str); ok {
			return strings.Contains(string(c), string(s)), nil
		}
		return false, Raise("TypeError", "'in <string>' requires string as left operand, not %s", TypeName(item))
	case Bytes:
		if s, ok := item.(Bytes); ok {
			return strings.Contains(string(c), string(s)), nil
		}
		n, ok := asInt(item)
		if !ok {
			return false, Raise("TypeError", "a bytes-like object is required, not '%s'", TypeName(item))
		}
		if b, fits := n.Int64(); fits && b >= 0 && b <= 0xff {
			return strings.IndexByte(string(c), byte(b)) >= 0, nil
		}
		return false, Raise("ValueError", "byte must be in range(0, 256)")
	}
	return false, Raise("TypeError", "argument of type '%s' is not iterable", TypeName(container))
}

func containsItem(items []Value, item Value) bool {
	for _, v := range items {
		if same(v, item) {
			return true
		}
	}
	return false
}

// Elements returns what a for loop over v walks: items, keys, characters, byte values. The slice may be the one inside v; do not
// change it. The error is Python's "'int' object is not iterable".
func Elements(v Value) ([]Value, error) {
	switch v := v.(type) {
	case *List:
		return v.Items, nil
	case Tuple:
		return v, nil
	case *Dict:
		return v.keys(), nil
	case *Set:
		return v.d.keys(), nil
	case Str:
		out := make([]Value, 0, len(v))
		for s := string(v); s != ""; {
			_, size := DecodeRune(s)
			out = append(out, Str(s[:size]))
			s = s[size:]
		}
		return out, nil
	case Bytes:
		out := make([]Value, len(v))
		for i := range len(v) {
			out[i] = NewInt(int64(v[i]))
		}
		return out, nil
	}
	return nil, Raise("TypeError", "'%s' object is not iterable", TypeName(v))
}

func (d *Dict) keys() []Value {
	out := make([]Value, len(d.entries))
	for i := range d.entries {
		out[i] = d.entries[i].key
	}
	return out
}

// Index returns v[key] for a key that is not a slice. The errors are Python's KeyError, whose text is the repr of the key,
// IndexError, and the TypeErrors of CPython 3.11 such as "string indices must be integers, not 'str'".
func Index(v, key Value) (Value, error) {
	switch v := v.(type) {
	case *Dict:
		value, found, err := v.Get(key)
		if err == nil && !found {
			err = Raise("KeyError", "%s", Repr(key))
		}
		return value, err
	case *List:
		return indexItem(v.Items, "list", key)
	case Tuple:
		return indexItem(v, "tuple", key)
	case Str:
		if _, ok := asInt(key); !ok {
			return nil, Raise("TypeError", "string indices must be integers, not '%s'", TypeName(key))
		}
		items, _ := Elements(v) // text can always be walked
		return indexItem(items, "string", key)
	case Bytes:
		if _, ok := asInt(key); !ok {
			return nil, Raise("TypeError", "byte indices must be integers or slices, not %s", TypeName(key))
		}
		items, _ := Elements(v)
		return indexItem(items, "index", key)
	}
	return nil, Raise("TypeError", "'%s' object is not subscriptable", TypeName(v))
}

func indexItem(items []Value, what string, key Value) (Value, error) {
	n, ok := asInt(key)
	if !ok {
		return nil, Raise("TypeError", "%s indices must be integers or slices, not %s", what, TypeName(key))
	}
	i, fits := n.Int64()
	if !fits {
		return nil, Raise("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	if i < 0 {
		i += int64(len(items))
	}
	if i < 0 || i >= int64(len(items)) {
		return nil, Raise("IndexError", "%s out of range", indexName(what))
	}
	return items[i], nil
}

func indexName(what string) string {
	if what == "index" {
		return what
	}
	return what + " index"
}
