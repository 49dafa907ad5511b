package cluster

import (
	"errors"
	"net/http"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// The functions below look into answers, whose shape nobody guarantees: what is not there or of another kind is absent.

// field is the value behind a path of keys, nil when there is none.
func field(v pyvalue.Value, path ...string) pyvalue.Value {
	for _, key := range path {
		d, ok := v.(*pyvalue.Dict)
		if !ok {
			return nil
		}
		if v, ok = d.GetStr(key); !ok {
			return nil
		}
	}
	return v
}

// text is the text behind a path, "" when there is none.
func text(v pyvalue.Value, path ...string) string {
	s, _ := field(v, path...).(pyvalue.Str)
	return string(s)
}

// number is the number behind a path, 0 when there is none.
func number(v pyvalue.Value, path ...string) float64 {
	switch n := field(v, path...).(type) {
	case pyvalue.Int:
		return n.Float()
	case pyvalue.Float:
		return float64(n)
	default:
		return 0
	}
}

// items are the elements of the list behind a path.
func items(v pyvalue.Value, path ...string) []pyvalue.Value {
	list, ok := field(v, path...).(*pyvalue.List)
	if !ok {
		return nil
	}
	return list.Items
}

// keys are the keys of the object behind a path, in order.
func keys(v pyvalue.Value, path ...string) []string {
	d, ok := field(v, path...).(*pyvalue.Dict)
	if !ok {
		return nil
	}
	var names []string
	for key := range d.All() {
		if s, ok := key.(pyvalue.Str); ok {
			names = append(names, string(s))
		}
	}
	return names
}

// variant takes exo's tagged values apart: an object with one key, which names the kind of what is under it.
func variant(v pyvalue.Value) (kind string, content pyvalue.Value) {
	names := keys(v)
	if len(names) != 1 {
		return "", nil
	}
	return names[0], field(v, names[0])
}

func isNotFound(err error) bool {
	e, ok := errors.AsType[*HTTPError](err)
	return ok && e.Status == http.StatusNotFound
}
