package redact

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Rules say what is taken out beside what has the form of a secret. The zero value is what everything is exported with.
type Rules struct {
	// Headers are names of headers that are redacted beside those that are known to carry credentials; any case.
	Headers []string
	// JSON are paths of values in JSON bodies and events.
	JSON []Path
	// PII says that e-mail and IP addresses are redacted too.
	PII bool
}

// nesting is how many ways of writing are undone, one inside the other: two, and the JSON that bodies mostly are.
const nesting = 3

// minKnown is the length from which on a secret is looked for everywhere. Shorter ones would be found in places that have nothing
// to do with them.
const minKnown = 8

// Redactor takes secrets out of texts. It is for one goroutine.
type Redactor struct {
	rules   Rules
	finder  *finder
	mode    mode
	secrets map[string]*secret
	order   []*secret
	last    map[string]int // highest number of each kind
	bare    int            // length of the longest known secret that can stand in JSON without quotes
	stuck   bool
	plain   bool            // codes are not undone
	unspent int             // bytes that may still be unpacked of the text that is searched
	files   map[string]bool // packed ones that are among the secrets because of what is in them
	clean   clean
	decoded [nesting][]byte // room for what a code says, by the depth it is searched to
	viewed  [nesting][]byte // the same for what escapes say
}

// mode is what a redactor does about a secret.
type mode int

const (
	learning  mode = iota // remembers it
	redacting             // puts its placeholder in its place
	canonical             // puts one and the same placeholder in the place of every secret, and of every placeholder
	scanning              // leaves it to the caller
)

type secret struct {
	kind, value string
	placeholder string // "" until it has a number
	inner       bool   // it stands inside of another one: it gets a number when it is found by itself
}

// New returns a redactor that is learning.
func New(rules Rules) *Redactor {
	return &Redactor{rules: rules, finder: newFinder(patternsFor(rules)), secrets: map[string]*secret{}, last: map[string]int{}, files: map[string]bool{}}
}

func patternsFor(rules Rules) []*Pattern {
	return slices.DeleteFunc(slices.Clone(Patterns()), func(p *Pattern) bool { return p.PII && !rules.PII })
}

// Learned ends the learning: secrets get their numbers, and from now on those of 8 bytes or more are found everywhere.
func (r *Redactor) Learned() {
	r.mode = redacting
	for _, s := range r.order {
		if !s.inner {
			r.number(s)
		}
		r.know(s)
	}
}

func (r *Redactor) number(s *secret) {
	r.last[s.kind]++
	s.placeholder = fmt.Sprintf("[redacted:%s:%d]", s.kind, r.last[s.kind])
}

// also has a part of a secret be one too, wherever it stands by itself: the password that a header tells in base64 is one.
func (r *Redactor) also(kind string, part []byte) {
	if r.mode == scanning || len(part) < minKnown || isPlaceholder(part) || r.secrets[string(part)] != nil {
		return
	}
	s := &secret{kind: kind, value: string(part), inner: true}
	r.secrets[s.value] = s
	r.order = append(r.order, s)
	if r.mode != learning {
		r.know(s)
	}
}

func (r *Redactor) know(s *secret) {
	if len(s.value) < minKnown {
		return
	}
	r.clean = nil // what held no secret so far may hold this one
	value := []byte(s.value)
	if v := jsontext.Value(value); v.Kind() != '"' && v.IsValid(jsontext.AllowDuplicateNames(true)) {
		r.bare = max(r.bare, len(value))
	}
	r.finder.add(literal{text: value, kind: s.kind, value: value})
	if bytes.IndexByte(value, ' ') >= 0 {
		// As forms and queries have it. What else they encode is undone where they are read.
		r.finder.add(literal{text: bytes.ReplaceAll(value, []byte(" "), []byte("+")), kind: s.kind, value: value})
	}
}

// Secrets returns the number of different secrets there were. Packed files that were replaced because of what is in them count apart.
func (r *Redactor) Secrets() int {
	n := -len(r.files)
	for _, s := range r.order {
		if s.placeholder != "" {
			n++
		}
	}
	return n
}

// Files returns the number of different packed files that were replaced: those with secrets, and those that were too large to search.
func (r *Redactor) Files() int { return len(r.files) }

var placeholderForm = regexp.MustCompile(`\[redacted:([a-z0-9-]+):([0-9]{1,9})\]`)

// isPlaceholder reports whether text is one.
func isPlaceholder(text []byte) bool {
	m := placeholderForm.FindIndex(text)
	return m != nil && m[0] == 0 && m[1] == len(text)
}

// note keeps the numbers of placeholders that are in a text already, so that none is given out again.
func (r *Redactor) note(b []byte) {
	if r.mode != learning || !bytes.Contains(b, []byte("[redacted:")) {
		return
	}
	for _, m := range placeholderForm.FindAllSubmatch(b, -1) {
		n, _ := strconv.Atoi(string(m[2])) // nine digits are a number
		r.last[string(m[1])] = max(r.last[string(m[1])], n)
	}
}

// canonicalPlaceholder is what stands for every secret in the form in which requests are compared.
const canonicalPlaceholder = "[redacted]"

// replace returns the placeholder of a secret.
func (r *Redactor) replace(kind string, value []byte) []byte {
	if r.mode == scanning {
		return nil
	}
	s := r.secrets[string(value)]
	if s == nil {
		s = &secret{kind: kind, value: string(value)}
		r.secrets[s.value] = s
		r.order = append(r.order, s)
		if r.mode != learning {
			r.know(s)
		}
	}
	switch r.mode {
	case canonical:
		return []byte(canonicalPlaceholder)
	case learning:
		s.inner = false
		return []byte("[redacted:" + s.kind + ":0]") // it gets its number when all are known
	}
	if s.placeholder == "" {
		r.number(s)
	}
	return []byte(s.placeholder)
}

// edit is a change to a text.
type edit struct {
	start, end int
	// value is the secret, nil when there are several behind a code.
	value []byte
	kind  string
	via   []string // the ways of writing it stood in, the outermost first
	text  func() []byte
}

// edits returns the changes that take the secrets out of b, by their places. Ways of writing are undone to the given depth.
func (r *Redactor) edits(b []byte, depth int) []edit {
	edits := r.editsOf(r.finder.find(b))
	if depth > 0 && len(b) >= minKnown {
		for i := range escapes {
			edits = append(edits, r.escaped(b, &escapes[i], depth-1)...)
		}
		if r.plain {
			return separate(edits)
		}
		for i := range codes {
			edits = append(edits, r.coded(b, &codes[i], depth-1)...)
			for _, w := range codes[i].lines(b) {
				for _, e := range r.coded(w.text, &codes[i], depth-1) {
					e.start, e.end = w.at[e.start], w.at[e.end-1]+1
					edits = append(edits, e)
				}
			}
		}
		edits = append(edits, r.packed(b, depth-1)...)
	}
	return separate(edits)
}

// editsOf returns the changes that put placeholders in the place of secrets.
func (r *Redactor) editsOf(hits []hit) []edit {
	var edits []edit
	for _, h := range hits {
		edits = append(edits, edit{h.start, h.end, h.value, h.kind, nil, func() []byte { return r.replace(h.kind, h.value) }})
	}
	return edits
}

func (r *Redactor) escaped(b []byte, e *escape, depth int) []edit {
	view := e.view(r.viewed[depth], b)
	if view == nil {
		return nil
	}
	r.viewed[depth] = nil // in use
	edits := r.edits(view, depth)
	if len(edits) == 0 {
		if cap(view) <= maxRoom {
			r.viewed[depth] = view[:0]
		}
		return nil
	}
	at := e.places(b)
	for i, inner := range edits {
		edits[i].start, edits[i].end = at[inner.start], at[inner.end]
		edits[i].text = func() []byte { return e.encode(inner.text()) }
		if edits[i].end-edits[i].start != inner.end-inner.start {
			edits[i].via = append([]string{e.name}, inner.via...)
		}
	}
	return edits
}

func (r *Redactor) coded(b []byte, c *code, depth int) []edit {
	var edits []edit
	buf := r.decoded[depth]
	r.decoded[depth] = nil // in use
	c.runs(b, func(start, end int) {
		if r.clean.has(c.name, depth, b[start:end]) {
			return
		}
		before, unspent := len(edits), r.unspent
		for k := range c.group {
			run := b[start+k : end]
			buf = c.decode(buf[:0], run)
			inner := r.edits(buf, depth)
			if len(inner) == 0 {
				continue
			}
			// All from the group on in which the first secret begins is written anew.
			bytesPerGroup := len(c.decode(nil, []byte("AAAA")[:c.group]))
			group := inner[0].start / bytesPerGroup
			data := bytes.Clone(buf)
			inner = r.edits(data, depth) // which may refer to what it was made of
			stop, padded := end, len(run)%c.group == 0
			for c.group == 4 && stop < len(b) && b[stop] == '=' && stop < end+2 {
				stop, padded = stop+1, true
			}
			edits = append(edits, edit{
				start: start + k + group*c.group, end: stop, kind: inner[0].kind, via: append([]string{c.name}, inner[0].via...),
				text: func() []byte {
					text, _ := apply(data, inner)
					return c.encode(text[group*bytesPerGroup:], run[group*c.group:], padded && r.mode != canonical)
				},
			})
		}
		if len(edits) == before && r.unspent == unspent {
			r.clean.add(c.name, depth, b[start:end])
		}
	})
	if cap(buf) <= maxRoom {
		r.decoded[depth] = buf
	}
	return edits
}

// separate sorts edits and drops those that overlap an earlier one. Of several at one place the longest counts; of equal ones the
// first, unless another reads the secret with escapes undone.
func separate(edits []edit) []edit {
	if len(edits) < 2 {
		return edits
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	kept := edits[:1]
	for _, e := range edits[1:] {
		last := &kept[len(kept)-1]
		switch {
		case e.start >= last.end:
			kept = append(kept, e)
		case e.start == last.start && e.end == last.end && e.value != nil && len(e.value) < len(last.value):
			*last = e
		}
	}
	return kept
}

// span is a change that was made: bytes from start to end became size bytes.
type span struct{ start, end, size int }

// apply makes the changes and says what they were.
func apply(b []byte, edits []edit) ([]byte, []span) {
	out := make([]byte, 0, len(b))
	spans := make([]span, 0, len(edits))
	at := 0
	for _, e := range edits {
		text := e.text()
		out = append(append(out, b[at:e.start]...), text...)
		spans = append(spans, span{e.start, e.end, len(text)})
		at = e.end
	}
	return append(out, b[at:]...), spans
}

// shift moves offsets in a text to where the same bytes are after changes. An offset inside of what was replaced moves behind it.
func shift(offsets []int64, spans []span) {
	for i, offset := range offsets {
		moved := offset
		for _, s := range spans {
			switch {
			case int64(s.end) <= offset:
				moved += int64(s.size - (s.end - s.start))
			case int64(s.start) < offset:
				moved += int64(s.start+s.size) - offset
			}
		}
		offsets[i] = moved
	}
}

// maxRounds bounds how often a text is searched again after secrets have been taken out of it.
const maxRounds = 5

// Text takes the secrets out of a text.
func (r *Redactor) Text(b []byte) []byte {
	return r.rounds(b, func(text []byte) []byte { return text })
}

// String is as Text.
func (r *Redactor) String(s string) string { return string(r.Text([]byte(s))) }

// rounds takes the secrets out of b until there are none. encode writes placeholders so that they can stand in it.
func (r *Redactor) rounds(b []byte, encode func([]byte) []byte) []byte {
	if r.clean.has("", nesting, b) {
		return b
	}
	r.note(b)
	for range maxRounds {
		r.allow(b)
		edits := r.edits(b, nesting)
		if len(edits) == 0 {
			r.clean.add("", nesting, b)
			return b
		}
		for i, e := range edits {
			edits[i].text = func() []byte { return encode(e.text()) }
		}
		b, _ = apply(b, edits)
		if r.mode == learning {
			return b
		}
	}
	r.stuck = true
	return b
}

// Value returns the placeholder of a value that is a secret as a whole.
func (r *Redactor) Value(kind string, value []byte) []byte { return r.replace(kind, value) }

// ErrStuck: what came out when secrets were replaced held secrets again, several times over. What the redactor returned may hold some.
var ErrStuck = errors.New("taking out secrets brought up new ones again and again")

// Err returns [ErrStuck] when that happened to any of the texts.
func (r *Redactor) Err() error {
	if r.stuck {
		return ErrStuck
	}
	return nil
}
