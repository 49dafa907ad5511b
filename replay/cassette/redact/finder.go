package redact

import (
	"bytes"
	"cmp"
	"slices"
)

// finder finds patterns and known values in a text. A filter over the first three bytes of all that is looked for leaves little to try.
type finder struct {
	filter   [1 << 10]uint64 // bits, by the hash of three bytes
	literals map[[3]byte][]literal
	marked   []*Pattern
}

// literal is a text to look for: the start of a pattern, or a known value.
type literal struct {
	text    []byte
	pattern *Pattern // nil for a known value
	kind    string   // of a known value
	value   []byte   // that text stands for, when it is another
}

// hit is a secret in a text.
type hit struct {
	start, end int
	kind       string
	value      []byte
}

func newFinder(patterns []*Pattern) *finder {
	f := &finder{literals: map[[3]byte][]literal{}}
	for _, p := range patterns {
		if p.Mark != "" {
			f.marked = append(f.marked, p)
		}
		for _, start := range p.Starts {
			f.add(literal{text: []byte(start), pattern: p})
		}
	}
	return f
}

func (f *finder) add(l literal) {
	key := [3]byte(l.text)
	f.literals[key] = append(f.literals[key], l)
	h := hash3(key[0], key[1], key[2])
	f.filter[h>>6] |= 1 << (h & 63)
}

func hash3(a, b, c byte) uint16 {
	return uint16((uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435761 >> 16)
}

// find returns the secrets in b by their places. They do not overlap.
func (f *finder) find(b []byte) []hit {
	var hits []hit
	for i := 0; i+2 < len(b); i++ {
		h := hash3(b[i], b[i+1], b[i+2])
		if f.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, l := range f.literals[[3]byte(b[i:])] {
			if !bytes.HasPrefix(b[i:], l.text) {
				continue
			}
			if l.pattern == nil {
				hits = append(hits, hit{i, i + len(l.text), l.kind, l.value})
			} else if start, end, ok := l.pattern.at(b, i); ok {
				hits = append(hits, hit{start, end, l.pattern.Kind, b[start:end]})
			}
		}
	}
	for _, p := range f.marked {
		for i := bytes.IndexByte(b, p.Mark[0]); i >= 0; {
			next := i + 1
			if start, end, ok := p.at(b, i); ok {
				hits = append(hits, hit{start, end, p.Kind, b[start:end]})
				next = end
			}
			if i = bytes.IndexByte(b[next:], p.Mark[0]); i >= 0 {
				i += next
			}
		}
	}
	return apart(hits)
}

// apart sorts hits and drops those that overlap an earlier one. Of several at one place the longest counts, of equal ones the
// first: patterns stand in the order of their precision.
func apart(hits []hit) []hit {
	if len(hits) < 2 {
		return hits
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	kept := hits[:1]
	for _, h := range hits[1:] {
		if h.start >= kept[len(kept)-1].end {
			kept = append(kept, h)
		}
	}
	return kept
}
