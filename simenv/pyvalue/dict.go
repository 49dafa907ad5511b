package pyvalue

import (
	"iter"
	"slices"
)

// indexFrom is the number of entries from which a dict finds its keys through a Go map instead of by looking at each.
const indexFrom = 9

type entry struct {
	key, value Value
}

// Dict is a Python dict, always used by reference: it keeps the order in which keys came, and 1, 1.0 and True are one key. Its
// zero value is an empty dict.
type Dict struct {
	entries []entry
	index   map[hashKey]int // nil while the dict is small
}

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{} }

// NewDictCap returns an empty dict with room for n keys.
func NewDictCap(n int) *Dict { return &Dict{entries: make([]entry, 0, n)} }

// DictOf returns a dict with text keys from alternating keys and values: DictOf("status", Bool(true), "message", Str("done")).
// The keys are Go strings or values of type [Str]; it panics for anything else, since it is meant for literals.
func DictOf(pairs ...any) *Dict {
	d := &Dict{entries: make([]entry, 0, len(pairs)/2)}
	for pair := range slices.Chunk(pairs, 2) {
		switch key := pair[0].(type) {
		case string:
			d.SetStr(key, pair[1].(Value))
		default:
			d.SetStr(string(key.(Str)), pair[1].(Value))
		}
	}
	return d
}

// Len returns the number of keys.
func (d *Dict) Len() int { return len(d.entries) }

// All yields the keys and values in the order in which the keys came. The dict must not change meanwhile.
func (d *Dict) All() iter.Seq2[Value, Value] {
	return func(yield func(key, value Value) bool) {
		for i := range d.entries {
			if !yield(d.entries[i].key, d.entries[i].value) {
				return
			}
		}
	}
}

// At returns the i-th key and its value, counted from 0.
func (d *Dict) At(i int) (key, value Value) { return d.entries[i].key, d.entries[i].value }

// Get returns the value of a key. The error is a TypeError for a key that cannot be hashed.
func (d *Dict) Get(key Value) (value Value, found bool, err error) {
	if s, ok := key.(Str); ok {
		value, found = d.GetStr(string(s))
		return value, found, nil
	}
	k, exc := hashOf(key)
	if exc != nil {
		return nil, false, exc
	}
	if i := d.find(k); i >= 0 {
		return d.entries[i].value, true, nil
	}
	return nil, false, nil
}

// GetStr returns the value of a text key.
func (d *Dict) GetStr(key string) (value Value, found bool) {
	if i := d.findStr(key); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

// Set gives a key a value. A key that is already there keeps its place and its first spelling. The error is a TypeError for a key
// that cannot be hashed.
func (d *Dict) Set(key, value Value) error {
	if s, ok := key.(Str); ok {
		d.set(d.findStr(string(s)), key, value)
		return nil
	}
	k, err := hashOf(key)
	if err != nil {
		return err
	}
	d.set(d.find(k), key, value)
	return nil
}

// SetStr gives a text key a value.
func (d *Dict) SetStr(key string, value Value) {
	if i := d.findStr(key); i >= 0 {
		d.entries[i].value = value
		return
	}
	d.set(-1, Str(key), value)
}

// Delete removes a key and tells whether it was there. It takes time in proportion to the size of the dict.
func (d *Dict) Delete(key Value) (found bool, err error) {
	k, exc := hashOf(key)
	if exc != nil {
		return false, exc
	}
	i := d.find(k)
	if i < 0 {
		return false, nil
	}
	d.entries = slices.Delete(d.entries, i, i+1)
	d.reindex()
	return true, nil
}

// Copy returns a dict of its own with the same keys and the same values.
func (d *Dict) Copy() *Dict {
	c := &Dict{entries: slices.Clone(d.entries)}
	c.reindex()
	return c
}

func (d *Dict) set(i int, key, value Value) {
	if i >= 0 {
		d.entries[i].value = value
		return
	}
	d.entries = append(d.entries, entry{key, value})
	switch {
	case d.index != nil:
		k, _ := hashOf(key) // hashed before, so it cannot fail
		d.index[k] = len(d.entries) - 1
	case len(d.entries) == indexFrom:
		d.reindex()
	}
}

func (d *Dict) reindex() {
	d.index = nil
	if len(d.entries) < indexFrom {
		return
	}
	d.index = make(map[hashKey]int, 2*len(d.entries))
	for i := range d.entries {
		k, _ := hashOf(d.entries[i].key)
		d.index[k] = i
	}
}

func (d *Dict) findStr(key string) int {
	if d.index != nil {
		return d.find(hashKey{kind: keyStr, text: key})
	}
	for i := range d.entries {
		if s, ok := d.entries[i].key.(Str); ok && string(s) == key {
			return i
		}
	}
	return -1
}

func (d *Dict) find(k hashKey) int {
	if d.index != nil {
		if i, ok := d.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range d.entries {
		if other, _ := hashOf(d.entries[i].key); other == k {
			return i
		}
	}
	return -1
}

// keysSubset reports whether every key of d is in e.
func (d *Dict) keysSubset(e *Dict) bool {
	for i := range d.entries {
		k, _ := hashOf(d.entries[i].key)
		if e.find(k) < 0 {
			return false
		}
	}
	return true
}

// String returns repr(d), for debugging and %v.
func (d *Dict) String() string { return Repr(d) }
