package pyvalue

// An Arena makes lists and dicts in memory that is used again after [Arena.Reset]. It is for a reader that makes many values and
// needs each for a short time only. Its zero value is ready; it must not be used from several goroutines at once.
type Arena struct {
	lists   slab[List]
	dicts   slab[Dict]
	items   slab[Value]
	entries slab[entry]
}

// Reset takes back the memory of everything that was made: values of the arena must not be used any more.
func (a *Arena) Reset() {
	a.lists.used, a.dicts.used, a.items.used, a.entries.used = 0, 0, 0, 0
}

// List returns a list of the items, which it copies.
func (a *Arena) List(items []Value) *List {
	list := &a.lists.take(1)[0]
	list.Items = a.items.take(len(items))
	copy(list.Items, items)
	return list
}

// Dict returns a dict of alternating text keys and values. Of a key that comes again the last value counts.
func (a *Arena) Dict(pairs []Value) *Dict {
	dict := &a.dicts.take(1)[0]
	*dict = Dict{entries: a.entries.take(len(pairs) / 2)[:0]}
	for i := 0; i < len(pairs); i += 2 {
		_ = dict.Set(pairs[i], pairs[i+1]) // text can be hashed
	}
	return dict
}

// slabSize is how many elements a slab holds.
const slabSize = 128

// A slab hands out parts of a slice, and starts a new slice when it is used up. It keeps only the last one, so it stays small: what
// is longer than a slab gets memory of its own.
type slab[T any] struct {
	all  []T
	used int
}

// take returns n elements, which hold what was there before.
func (s *slab[T]) take(n int) []T {
	if n > slabSize {
		return make([]T, n)
	}
	if len(s.all)-s.used < n {
		s.all, s.used = make([]T, slabSize), 0
	}
	part := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	return part
}
