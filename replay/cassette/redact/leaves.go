package redact

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a value inside a JSON text.
type value struct {
	at         []place // nil unless it was asked for
	start, end int
	kind       jsontext.Kind
	// key is the name of the innermost member that it is in; "" outside of all.
	key string
	// channel is equal for values that add up to one text: those at the same path, array indexes aside, in objects of the same type
	// and index. Only strings and arrays have one.
	channel string
	// broken says that the text ends inside of it, a string.
	broken bool
}

// discriminators are the members that tell objects apart that stand at the same place of different events. The type of an event is
// one too; other types are not: Chat Completions tells that of a call in the first of its events only.
var discriminators = map[string]bool{"index": true, "output_index": true, "content_index": true, "summary_index": true, "item_id": true}

// walk calls found for every value of a JSON text, objects and arrays included, but for none of a text that is not JSON. places says whether
// they are to tell where they are.
func walk(text []byte, places bool, found func(v value)) {
	w, whole := newWalker(text, places)
	if !whole {
		return
	}
	for _, v := range w.values {
		found(v)
	}
}

// walkStart is as walk. Of a text that is not JSON, or breaks off, it has the values in front of that.
func walkStart(text []byte, found func(v value)) {
	w, _ := newWalker(text, false)
	for _, v := range w.values {
		found(v)
	}
}

// newWalker returns a walker that has read a text, and whether that is JSON.
func newWalker(text []byte, places bool) (w *walker, whole bool) {
	w = &walker{dec: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), text: text, places: places}
	return w, w.value("") && len(bytes.TrimSpace(text[w.dec.InputOffset():])) == 0
}

type walker struct {
	dec    *jsontext.Decoder
	text   []byte
	places bool
	at     []place
	path   []byte // at, with * for array indexes
	values []value
}

// maxDepth bounds the recursion of a walk.
const maxDepth = 1000

// value reads a value that stands in a member, or in an array in it.
func (w *walker) value(key string) bool {
	if len(w.at) > maxDepth {
		return false
	}
	first := len(w.values)
	kind := w.dec.PeekKind()
	v := value{kind: kind, key: key}
	if w.places {
		v.at = slices.Clone(w.at)
	}
	if kind == '"' || kind == '[' {
		v.channel = string(w.path)
	}
	path := len(w.path)
	switch kind {
	case '{':
		v.start = w.next()
		told := ""
		tell := func() {
			if told == "" {
				return
			}
			for i := range w.values[first:] {
				w.values[first+i].channel += told
			}
		}
		for w.dec.PeekKind() == '"' {
			token, err := w.dec.ReadToken()
			if err != nil {
				return false
			}
			name := token.String()
			w.at = append(w.at, place{name, -1})
			w.path = append(append(w.path, '.'), name...)
			ok := w.value(name)
			w.at, w.path = w.at[:len(w.at)-1], w.path[:path]
			if !ok {
				tell()
				return false
			}
			if last := w.values[len(w.values)-1]; (discriminators[name] || name == "type" && len(w.at) == 0) && last.end-last.start < 100 {
				if text := string(w.text[last.start:last.end]); text != "0" { // which some events leave out
					told += "," + name + "=" + text
				}
			}
		}
		if w.dec.PeekKind() != '}' {
			return false
		}
		tell()
		w.next()
	case '[':
		v.start = w.next()
		for i := 0; w.dec.PeekKind() != ']'; i++ {
			w.at = append(w.at, place{"", i})
			w.path = append(w.path, "[*]"...)
			ok := w.value(key)
			w.at, w.path = w.at[:len(w.at)-1], w.path[:path]
			if !ok {
				return false
			}
		}
		w.next()
	default:
		before := int(w.dec.InputOffset())
		raw, err := w.dec.ReadValue()
		if err != nil {
			if i := bytes.IndexByte(w.text[before:], '"'); kind == '"' && i >= 0 && errors.Is(err, io.ErrUnexpectedEOF) {
				v.start, v.end, v.broken = before+i, len(w.text), true
				w.values = append(w.values, v)
			}
			return false
		}
		v.start = int(w.dec.InputOffset()) - len(raw)
	}
	v.end = int(w.dec.InputOffset())
	w.values = append(w.values, v)
	return true
}

// next reads the bracket that comes and returns where it stands.
func (w *walker) next() int {
	w.dec.ReadToken() // which has been peeked at
	return int(w.dec.InputOffset()) - 1
}

// text returns what a value says: the text of a string, the bytes of an array of numbers, else the JSON itself.
func (v value) text(b []byte) []byte {
	raw := b[v.start:v.end]
	switch v.kind {
	case '"':
		return unquoted(raw, !v.broken)
	case '[':
		if data, ok := byteArray(raw); ok {
			return data
		}
	}
	return bytes.Clone(raw)
}

// unquoted reads a JSON string, or what there is of one that breaks off, be it in an escape. What is not UTF-8 is replaced.
func unquoted(raw []byte, whole bool) []byte {
	if whole {
		text, _ := jsontext.AppendUnquote(nil, raw)
		return text
	}
	const escape = len(`\u002`)
	for cut := range min(escape+1, len(raw)) {
		if text, err := jsontext.AppendUnquote(nil, append(bytes.Clone(raw[:len(raw)-cut]), '"')); err == nil {
			return text
		}
	}
	text, _ := jsontext.AppendUnquote(nil, append(bytes.Clone(raw), '"'))
	return text
}

// byteArray reads [115,107]: some servers give the bytes of tokens like this.
func byteArray(raw []byte) ([]byte, bool) {
	inside := bytes.TrimSpace(raw[1 : len(raw)-1])
	var data []byte
	for part := range bytes.SplitSeq(inside, []byte(",")) {
		n, err := strconv.ParseUint(string(bytes.TrimSpace(part)), 10, 8)
		if err != nil {
			return nil, false
		}
		data = append(data, byte(n))
	}
	return data, true
}

// write returns the JSON of a value of the same kind that says text.
func (v value) write(text []byte) []byte {
	if v.kind != '[' {
		quoted, _ := jsontext.AppendQuote(nil, text) // the error only says that something was replaced
		if v.broken {
			quoted = quoted[:len(quoted)-1]
		}
		return quoted
	}
	out := []byte{'['}
	for i, c := range text {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendUint(out, uint64(c), 10)
	}
	return append(out, ']')
}
