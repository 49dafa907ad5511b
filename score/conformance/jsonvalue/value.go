// Package jsonvalue tells when two pieces of JSON are the same value, and makes digests that heed it.
package jsonvalue

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Of returns a text that is the same for all JSON of the same value, and for no other; text that is not JSON stays as it is. Values are
// the same when Python's json.loads makes equal ones of them, for that is what an answer went through when a server parsed what the model
// wrote and wrote it down once more: blanks, escapes and the order of names do not count, of a name that is there twice the last value holds,
// whole numbers are exact, and numbers with a fraction or an exponent are what a float of 64 bits can tell of them: 2.50 is 25e-1, and 1e5
// is 100000.
//
// It is the one notion of the same value that there is: of arguments between answers and within one, and of what a request asks.
func Of(raw []byte) string { return string(appendOf(nil, raw)) }

// decoders keeps decoders, as each request has a value for every tool and setting.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// lenient is how values are read: repeated names and bytes that are not UTF-8 do not make them another kind of text.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// appendOf appends what [Of] returns.
func appendOf(b, raw []byte) []byte {
	d := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(d)
	d.Reset(bytes.NewBuffer(raw), lenient...)
	all, err := appendValue(b, d)
	if err != nil || len(bytes.TrimSpace(raw[d.InputOffset():])) > 0 {
		return append(b, raw...)
	}
	return all
}

// appendValue appends the next value of d in its normal form.
func appendValue(b []byte, d *jsontext.Decoder) ([]byte, error) {
	switch d.PeekKind() {
	case '{':
		return appendObject(b, d)
	case '[':
		return appendArray(b, d)
	}
	v, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	switch v.Kind() {
	case '"':
		return appendText(b, v), nil
	case '0':
		return appendNumber(b, string(v)), nil
	}
	return append(b, v...), nil
}

// member says where a member of an object stands in the normal form that is being written: its name, a colon, its value, a comma.
type member struct{ start, colon, end int }

// name returns the text of the member's name.
func (m member) name(b []byte) []byte { return textOf(b[m.start:m.colon]) }

func appendObject(b []byte, d *jsontext.Decoder) ([]byte, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	b = append(b, '{')
	members := make([]member, 0, 8)
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m := member{start: len(b)}
		b = appendText(b, name)
		m.colon = len(b)
		if b, err = appendValue(append(b, ':'), d); err != nil {
			return nil, err
		}
		b = append(b, ',')
		m.end = len(b)
		members = append(members, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return append(inOrder(b, members), '}'), nil
}

// inOrder puts the members that b ends with in the order of their names. Of those with one name the last one is left.
func inOrder(b []byte, members []member) []byte {
	sorted := true
	for i := 1; i < len(members) && sorted; i++ {
		sorted = bytes.Compare(members[i-1].name(b), members[i].name(b)) < 0
	}
	if sorted {
		return b
	}
	start, end := members[0].start, len(b)
	slices.SortStableFunc(members, func(m, n member) int { return bytes.Compare(m.name(b), n.name(b)) })
	for i, m := range members {
		if i+1 == len(members) || !bytes.Equal(m.name(b), members[i+1].name(b)) {
			b = append(b, b[m.start:m.end]...)
		}
	}
	return b[:start+copy(b[start:], b[end:])]
}

func appendArray(b []byte, d *jsontext.Decoder) ([]byte, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	b = append(b, '[')
	for d.PeekKind() != ']' {
		var err error
		if b, err = appendValue(b, d); err != nil {
			return nil, err
		}
		b = append(b, ',')
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return append(b, ']'), nil
}

// textOf returns the text of a JSON string. What is no text, such as half of a surrogate pair, is replaced where it is an escape.
func textOf(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // the error is that something was replaced
	return text
}

// appendText appends a JSON string in its normal form, in which what is no text is replaced.
func appendText(b, quoted []byte) []byte {
	b, _ = jsontext.AppendQuote(b, textOf(quoted)) // the error is that something was replaced
	return b
}

// appendNumber appends a number as its digits, without zeros at either end, and an exponent of ten. It takes no longer for a great exponent.
func appendNumber(b []byte, literal string) []byte {
	number := literal
	if strings.ContainsAny(number, ".eE") {
		if f, err := strconv.ParseFloat(number, 64); err == nil { // one that is too great for a float is taken as it is written
			number = strconv.FormatFloat(f, 'e', -1, 64)
		}
	}
	mantissa, exponent := number, int64(0)
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(number[i+1:], 10, 32); err != nil {
			return append(b, literal...)
		}
		mantissa = number[:i]
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	digits := strings.TrimRight(all, "0")
	if digits == "" {
		return append(b, '0')
	}
	if negative {
		b = append(b, '-')
	}
	b = append(append(b, digits...), 'e')
	return strconv.AppendInt(b, exponent-int64(len(fraction))+int64(len(all)-len(digits)), 10)
}
