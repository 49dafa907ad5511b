package match

import (
	"hash/maphash"
	"strings"
)

const (
	// maxFillSteps bounds the work for all templates that one request is compared with: some tens of milliseconds.
	maxFillSteps = 1 << 18
	// scanned is how many bytes are looked through in about the time of a step.
	scanned = 2048
)

// filler compares the text of a request with templates: does the recorded text become this one when its placeholders are filled in?
// It depends on nothing but the two, so neither what was asked before nor what else is asked meanwhile changes the answer.
type filler struct {
	asked string
	left  int                // steps; below zero, what was found not to fit may do so all the same
	sums  map[stretch]uint64 // digests of parts of asked
}

type stretch struct{ start, end int }

func newFiller(asked string) *filler {
	return &filler{asked: asked, left: maxFillSteps, sums: map[stretch]uint64{}}
}

// gaveUp reports whether the steps did not suffice.
func (f *filler) gaveUp() bool { return f.left < 0 }

// fit says how well a text fits a template.
type fit int

const (
	fitsNot     fit = iota
	fitsLoosely     // the recorded request may be meant, but it is not safe to say so
	fits
)

// fit compares the text that is asked with a template. Equal placeholders stand for equal texts, different ones for different texts.
// What they stand for has 8 to 256 bytes of one line, and leaves a part of its message to what stands around them; otherwise it fits
// only loosely. texts is what they stand for, in the order of the template's names.
func (f *filler) fit(t *template) (well fit, texts []string) {
	last := len(t.pieces) - 1
	end := len(f.asked) - t.pieces[last].size
	if !f.stands(&t.pieces[0], 0) || !f.stands(&t.pieces[last], end) || !f.inOrder(t, end) {
		return fitsNot, nil
	}
	for _, well := range []fit{fits, fitsLoosely} {
		try := filling{filler: f, template: t, well: well, end: end, texts: make([]string, len(t.names)), used: make([]int, len(t.room))}
		if try.from(0, t.pieces[0].size) {
			return well, try.texts
		}
	}
	return fitsNot, nil
}

// stands reports whether a piece is at a place of the text.
func (f *filler) stands(p *piece, at int) bool {
	if at < 0 || p.size > len(f.asked)-at {
		return false
	}
	text := f.asked[at : at+p.size]
	if !strings.HasSuffix(text, p.tail) || !strings.HasPrefix(text, p.head) {
		return false
	}
	if p.size <= 2*pieceEnd {
		return true
	}
	place := stretch{at, at + p.size}
	sum, ok := f.sums[place]
	if !ok {
		f.left -= p.size / scanned
		sum = maphash.String(seed, text)
		f.sums[place] = sum
	}
	return sum == p.sum
}

// next returns the first place from start to end at which a piece is, -1 when there is none.
func (f *filler) next(p *piece, start, end int) int {
	for end = min(end, len(f.asked)-p.size); start <= end; start++ {
		if f.left--; f.left < 0 {
			return -1
		}
		i := strings.Index(f.asked[start:end+len(p.head)], p.head)
		if i < 0 {
			f.left -= (end - start) / scanned
			return -1
		}
		f.left -= i / scanned
		if start += i; f.stands(p, start) {
			return start
		}
	}
	return -1
}

// inOrder reports whether the pieces follow each other in the text. It is quick, and true of little but what fits. The last piece is
// at end.
func (f *filler) inOrder(t *template, end int) bool {
	at := t.pieces[0].size
	for i := 1; i < len(t.holes); i++ {
		p := &t.pieces[i]
		if at = f.next(p, at+1, end); at < 0 {
			return false
		}
		at += p.size
	}
	return at < end
}

// filling is the search for what the placeholders of one template stand for.
type filling struct {
	*filler
	*template
	well  fit
	end   int      // where the last piece is
	texts []string // by name; "" when it is not known yet
	used  []int    // by message: bytes of what its placeholders stand for
}

// from fills the i-th placeholder, which begins at a place of the text, and all behind it.
func (f *filling) from(i, at int) bool {
	if i == len(f.holes) {
		return true
	}
	if f.left--; f.left < 0 {
		return false
	}
	h, text := f.holes[i], f.asked[at:]
	known := f.texts[h.name]
	var first, last int // at which the filling can end
	switch {
	case known != "":
		if !strings.HasPrefix(text, known) {
			return false
		}
		first, last = at+len(known), at+len(known)
	case f.well == fits && strings.HasPrefix(text, redacted): // recognised in the request too
		first, last = at+len(redacted), at+len(redacted)
	case f.well == fits:
		first, last = at+minFilled, at+f.fillable(text[:min(len(text), maxFilled)])
	default:
		first, last = at+1, at+f.fillable(text)
	}
	if i == len(f.holes)-1 {
		first, last = max(first, f.end), min(last, f.end)
	}
	for ; first <= last; first++ {
		if first = f.next(&f.pieces[i+1], first, last); first < 0 {
			return false
		}
		if f.fill(h, f.asked[at:first]) {
			if f.from(i+1, first+f.pieces[i+1].size) {
				return true
			}
			f.empty(h, f.asked[at:first], known)
		}
	}
	return false
}

// fill has a placeholder stand for text. It reports false when another one does, or when the message has no room for it.
func (f *filling) fill(h hole, text string) bool {
	if !strings.Contains(text, redacted) { // else neither its length is known nor what it differs from
		for name, other := range f.texts {
			if other == text && name != h.name {
				return false
			}
		}
		if f.well == fits && f.used[h.message]+len(text) > f.room[h.message] {
			return false
		}
	}
	f.used[h.message] += filledLen(text)
	f.texts[h.name] = text
	return true
}

// empty undoes fill.
func (f *filling) empty(h hole, text, known string) {
	f.texts[h.name] = known
	f.used[h.message] -= filledLen(text)
}

// filledLen is how much of the room of a message a text takes: none when it was recognised.
func filledLen(text string) int {
	if strings.Contains(text, redacted) {
		return 0
	}
	return len(text)
}

// fillable returns how much of the beginning of a text a placeholder can stand for: what is in one string of a JSON text, and, if it is
// to fit well, what is on one line, has no quotes and was not recognised.
func (f *filling) fillable(text string) int {
	f.left -= len(text) / scanned
	if f.well == fits {
		text, _, _ = strings.Cut(text, redacted)
		if i := strings.IndexFunc(text, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' }); i >= 0 {
			text = text[:i]
		}
		return len(text)
	}
	for end := 0; f.json; end++ {
		i := strings.IndexByte(text[end:], '"')
		if i < 0 {
			break
		}
		end += i
		if before := text[:end]; (end-len(strings.TrimRight(before, `\`)))%2 == 0 {
			return end
		}
	}
	return len(text)
}
