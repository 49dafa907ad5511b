package scenario

import (
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"
)

// table is a TOML table with its keys in the order of the file. The order matters: parts of a scenario become JSON text
// inside a message, and a model may answer differently to differently ordered keys.
type table struct {
	keys   []string
	values map[string]*node
}

// node is a TOML value and the line of the key it belongs to (0 when unknown).
type node struct {
	line int
	// value is a string, int64, float64, bool, time.Time, *table or []*node.
	value any
}

func newTable() *table { return &table{values: map[string]*node{}} }

// child returns the node of a key, adding it when it is new.
func (t *table) child(key string, line int) *node {
	n := t.values[key]
	if n == nil {
		n = &node{line: line}
		t.keys = append(t.keys, key)
		t.values[key] = n
	}
	return n
}

// readDocument reads a TOML document with its keys in order and their lines. A syntax error is an [*Error] without a file name.
func readDocument(doc string) (*table, error) {
	var raw map[string]any
	meta, err := toml.Decode(doc, &raw)
	if err != nil {
		if parse, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, &Error{Line: parse.Position.Line, Key: parse.LastKey, Problem: parse.Message}
		}
		return nil, &Error{Problem: err.Error()}
	}
	o := orderer{keys: meta.Keys(), lines: keyLines(doc)}
	if len(o.lines) != len(o.keys) {
		// Only the line numbers in error messages are lost.
		o.lines = make([]int, len(o.keys))
	}
	root := newTable()
	for o.next < len(o.keys) {
		if err := o.place(root, raw, 0); err != nil {
			return nil, &Error{Line: o.line(), Problem: err.Error()}
		}
	}
	return root, nil
}

// orderer puts decoded values, which are Go maps, back into the order of the file. The decoder lists the keys of the whole
// document in order, each with its full path but without saying to which element of an array it belongs; that follows from
// the order: a header opens a new element, and what comes later belongs to the last one.
type orderer struct {
	keys  []toml.Key
	lines []int
	next  int // the first key not yet placed
}

// line is that of the next key, 0 when there is none.
func (o *orderer) line() int {
	if o.next < len(o.lines) {
		return o.lines[o.next]
	}
	return 0
}

// place puts the next key, without its first skip parts, into t, whose decoded form is raw, and goes on to the key after it.
func (o *orderer) place(t *table, raw map[string]any, skip int) error {
	key, line := o.keys[o.next], o.line()
	for i, part := range key[skip:] {
		last := skip+i == len(key)-1
		value, ok := raw[part]
		if !ok {
			return fmt.Errorf("key %s has no value", key)
		}
		n := t.child(part, line)
		switch v := value.(type) {
		case map[string]any:
			if n.value == nil {
				n.value = newTable()
			}
			t, raw = n.value.(*table), v
		case []map[string]any:
			items, _ := n.value.([]*node)
			if last {
				items = append(items, &node{line: line, value: newTable()})
				n.value = items
			}
			if len(items) == 0 || len(items) > len(v) {
				return fmt.Errorf("key %s belongs to no element", key)
			}
			t, raw = items[len(items)-1].value.(*table), v[len(items)-1]
		default:
			if !last {
				return fmt.Errorf("key %s reaches into a value", key)
			}
			o.next++
			inner, err := o.inline(v, key, line)
			n.value = inner
			return err
		}
	}
	o.next++
	return nil
}

// inline converts a value that was written in one place, whose inner keys come next in the list.
func (o *orderer) inline(v any, key toml.Key, line int) (any, error) {
	switch v := v.(type) {
	case []any:
		items := make([]*node, 0, len(v))
		for _, item := range v {
			inner, err := o.inline(item, key, line)
			if err != nil {
				return nil, err
			}
			items = append(items, &node{line: line, value: inner})
		}
		return items, nil
	case map[string]any:
		t := newTable()
		for o.next < len(o.keys) && isUnder(o.keys[o.next], key) && isFree(t, v, o.keys[o.next][len(key):]) {
			if err := o.place(t, v, len(key)); err != nil {
				return nil, err
			}
		}
		return t, nil
	default:
		return v, nil
	}
}

// isUnder reports whether key names something inside parent.
func isUnder(key, parent toml.Key) bool {
	if len(key) <= len(parent) {
		return false
	}
	for i, part := range parent {
		if key[i] != part {
			return false
		}
	}
	return true
}

// isFree reports whether path exists in raw and has not been placed in t: then it is a key of this element of an array,
// else of one further on.
func isFree(t *table, raw map[string]any, path toml.Key) bool {
	for i, part := range path {
		value, ok := raw[part]
		if !ok {
			return false
		}
		var n *node
		if t != nil {
			n = t.values[part]
		}
		if i == len(path)-1 {
			return n == nil
		}
		if raw, ok = value.(map[string]any); !ok {
			return false
		}
		if t = nil; n != nil {
			t, _ = n.value.(*table)
		}
	}
	return false
}
