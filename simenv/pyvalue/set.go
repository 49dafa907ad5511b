package pyvalue

import "iter"

// Set is a Python set, always used by reference. It prints and is walked in the order in which its items came; Python's order is
// undefined. Its zero value is an empty set.
type Set struct{ d Dict }

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Len returns the number of items.
func (s *Set) Len() int { return s.d.Len() }

// Add adds an item. The error is a TypeError for an item that cannot be hashed.
func (s *Set) Add(v Value) error {
	k, err := hashOf(v)
	if err != nil {
		return err
	}
	if s.d.find(k) < 0 {
		s.d.set(-1, v, nil)
	}
	return nil
}

// Has reports whether an item equal to v is in the set. The error is a TypeError for a value that cannot be hashed.
func (s *Set) Has(v Value) (bool, error) {
	_, found, err := s.d.Get(v)
	return found, err
}

// All yields the items in the order in which they came. The set must not change meanwhile.
func (s *Set) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for key := range s.d.All() {
			if !yield(key) {
				return
			}
		}
	}
}

// String returns repr(s), for debugging and %v.
func (s *Set) String() string { return Repr(s) }
