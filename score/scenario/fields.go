package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// fields reads the keys of one table and words the errors about them.
type fields struct {
	path  string
	line  int
	table *table
}

// newFields takes the table out of n and refuses keys other than known; a nil known allows all.
func newFields(path string, n *node, known []string) (fields, error) {
	t, ok := n.value.(*table)
	if !ok {
		return fields{}, &Error{Line: n.line, Key: path, Problem: "must be a table, not " + kindOf(n.value)}
	}
	f := fields{path: path, line: n.line, table: t}
	for _, key := range t.keys {
		if known != nil && !slices.Contains(known, key) {
			return f, &Error{Line: t.values[key].line, Key: f.key(key), Problem: "unknown key",
				Hint: "known here: " + strings.Join(known, ", ")}
		}
	}
	return f, nil
}

func (f fields) key(name string) string {
	if f.path == "" {
		return name
	}
	if strings.ContainsAny(f.path, " ") {
		return f.path + " " + name
	}
	return f.path + "." + name
}

func (f fields) missing(name string) error {
	return &Error{Line: f.line, Key: f.key(name), Problem: "is missing"}
}

func (f fields) wrong(name, want string, n *node) error {
	return &Error{Line: n.line, Key: f.key(name), Problem: fmt.Sprintf("must be %s, not %s", want, kindOf(n.value))}
}

// text is the string of a key, nil when it is absent.
func (f fields) text(name string) (*string, error) {
	n := f.table.values[name]
	if n == nil {
		return nil, nil
	}
	s, ok := n.value.(string)
	if !ok {
		return nil, f.wrong(name, "a string", n)
	}
	return &s, nil
}

// textOf is the string of a key, "" when it is absent.
func (f fields) textOf(name string) (string, error) {
	s, err := f.text(name)
	if err != nil || s == nil {
		return "", err
	}
	return *s, nil
}

func (f fields) needText(name string) (string, error) {
	s, err := f.text(name)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", f.missing(name)
	}
	return *s, nil
}

func (f fields) needBool(name string) (bool, error) {
	n := f.table.values[name]
	if n == nil {
		return false, f.missing(name)
	}
	b, ok := n.value.(bool)
	if !ok {
		return false, f.wrong(name, "true or false", n)
	}
	return b, nil
}

// items are the elements of an array, none when the key is absent.
func (f fields) items(name string) ([]*node, error) {
	n := f.table.values[name]
	if n == nil {
		return nil, nil
	}
	items, ok := n.value.([]*node)
	if !ok {
		return nil, f.wrong(name, "an array", n)
	}
	return items, nil
}

// texts is an array of strings, nil when the key is absent.
func (f fields) texts(name string) ([]string, error) {
	items, err := f.items(name)
	if err != nil || items == nil {
		return nil, err
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.value.(string)
		if !ok {
			return nil, f.wrong(name, "an array of strings", &node{line: item.line, value: item.value})
		}
		out = append(out, s)
	}
	return out, nil
}

// object is a table as the JSON object it becomes.
func (f fields) object(name string) (*pyvalue.Dict, error) {
	n := f.table.values[name]
	t, ok := n.value.(*table)
	if !ok {
		return nil, f.wrong(name, "a table", n)
	}
	return f.dict(name, t)
}

// json is a value as Python's json.dumps writes it.
func (f fields) json(name string) (string, error) {
	v, err := f.python(name, f.table.values[name])
	if err != nil {
		return "", err
	}
	return dumps(v), nil
}

func (f fields) dict(path string, t *table) (*pyvalue.Dict, error) {
	d := pyvalue.NewDict()
	for _, key := range t.keys {
		v, err := f.python(path+"."+key, t.values[key])
		if err != nil {
			return nil, err
		}
		d.Set(pyvalue.Str(key), v)
	}
	return d, nil
}

// python converts a TOML value to the value that Python's reader makes of it.
func (f fields) python(path string, n *node) (pyvalue.Value, error) {
	switch v := n.value.(type) {
	case string:
		return pyvalue.Str(v), nil
	case bool:
		return pyvalue.Bool(v), nil
	case int64:
		return pyvalue.NewInt(v), nil
	case float64:
		return pyvalue.Float(v), nil
	case *table:
		return f.dict(path, v)
	case []*node:
		list := make([]pyvalue.Value, len(v))
		for i, item := range v {
			var err error
			if list[i], err = f.python(path+"["+strconv.Itoa(i)+"]", item); err != nil {
				return nil, err
			}
		}
		return pyvalue.NewList(list...), nil
	default:
		return nil, &Error{Line: n.line, Key: f.key(path), Problem: kindOf(v) + " cannot be told in JSON", Hint: "write it as a string"}
	}
}

// kindOf names a TOML value's kind.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case time.Time:
		return "a date or time"
	case *table:
		return "a table"
	case []*node:
		return "an array"
	default:
		return fmt.Sprintf("a %T", v)
	}
}
