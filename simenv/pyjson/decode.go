package pyjson

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Decode returns json.loads(data) for bytes. The encoding is found out as Python does: a byte order mark, else the zero bytes among
// the first four, else UTF-8.
func Decode(data []byte) (pyvalue.Value, error) {
	text, err := decodeText(data)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// DecodeString returns json.loads(text) for text, in the form that package pyvalue describes.
func DecodeString(text string) (pyvalue.Value, error) {
	if strings.HasPrefix(text, "\ufeff") {
		return nil, syntaxError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
	}
	return decode(text)
}

func decode(text string) (pyvalue.Value, error) {
	d := decoder{text: text}
	d.skipSpace()
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	d.skipSpace()
	if d.pos < len(text) {
		return nil, syntaxError("Extra data", text, d.pos)
	}
	return v, nil
}

// syntaxError turns a byte offset into the places that Python prints.
func syntaxError(msg, text string, offset int) *SyntaxError {
	before := text[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Msg:    msg,
		Line:   strings.Count(before, "\n") + 1,
		Column: pyvalue.RuneLen(before[lineStart:]) + 1,
		Char:   pyvalue.RuneLen(before),
	}
}

// decoder reads one text from pos on. It is a recursive descent in the order in which CPython's scanner looks at the text, since
// that order decides which of several mistakes is reported.
type decoder struct {
	text  string
	pos   int
	depth int
	buf   []byte // of a string with escapes
}

func (d *decoder) fail(msg string, offset int) error { return syntaxError(msg, d.text, offset) }

// peek returns the byte at pos, or 0, which starts nothing in JSON, at the end.
func (d *decoder) peek() byte {
	if d.pos < len(d.text) {
		return d.text[d.pos]
	}
	return 0
}

func (d *decoder) skipSpace() {
	for d.pos < len(d.text) {
		switch d.text[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// words are the values that are spelt out.
var words = []struct {
	text  string
	value pyvalue.Value
}{
	{"null", pyvalue.None{}},
	{"true", pyvalue.Bool(true)},
	{"false", pyvalue.Bool(false)},
	{"NaN", pyvalue.Float(math.NaN())},
	{"Infinity", pyvalue.Float(math.Inf(1))},
	{"-Infinity", pyvalue.Float(math.Inf(-1))},
}

func (d *decoder) value() (pyvalue.Value, error) {
	switch c := d.peek(); {
	case c == '"':
		s, err := d.string()
		return pyvalue.Str(s), err
	case c == '{':
		return d.object()
	case c == '[':
		return d.array()
	case c >= '0' && c <= '9', c == '-' && !strings.HasPrefix(d.text[d.pos:], "-I"):
		return d.number()
	}
	for _, w := range words {
		if strings.HasPrefix(d.text[d.pos:], w.text) {
			d.pos += len(w.text)
			return w.value, nil
		}
	}
	return nil, d.fail("Expecting value", d.pos)
}

// enter opens an array or an object.
func (d *decoder) enter(what string) error {
	if d.depth >= MaxDepth {
		return &DepthError{In: what}
	}
	d.depth++
	d.pos++
	d.skipSpace()
	return nil
}

// next reads what follows an element: true means another one, false that the closing bracket was read.
func (d *decoder) next(closing byte, what string) (bool, error) {
	d.skipSpace()
	if d.peek() == closing {
		d.close()
		return false, nil
	}
	if d.peek() != ',' {
		return false, d.fail("Expecting ',' delimiter", d.pos)
	}
	comma := d.pos
	d.pos++
	d.skipSpace()
	if d.peek() == closing {
		return false, d.fail("Illegal trailing comma before end of "+what, comma)
	}
	return true, nil
}

func (d *decoder) close() {
	d.pos++
	d.depth--
}

func (d *decoder) array() (pyvalue.Value, error) {
	list := pyvalue.NewList()
	if err := d.enter("array"); err != nil {
		return nil, err
	}
	if d.peek() == ']' {
		d.close()
		return list, nil
	}
	for {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		list.Append(v)
		more, err := d.next(']', "array")
		if err != nil {
			return nil, err
		}
		if !more {
			return list, nil
		}
	}
}

func (d *decoder) object() (pyvalue.Value, error) {
	if err := d.enter("object"); err != nil {
		return nil, err
	}
	if d.peek() == '}' {
		d.close()
		return pyvalue.NewDict(), nil
	}
	dict := pyvalue.NewDictCap(4) // most have no more keys
	for {
		if d.peek() != '"' {
			return nil, d.fail("Expecting property name enclosed in double quotes", d.pos)
		}
		key, err := d.string()
		if err != nil {
			return nil, err
		}
		d.skipSpace()
		if d.peek() != ':' {
			return nil, d.fail("Expecting ':' delimiter", d.pos)
		}
		d.pos++
		d.skipSpace()
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		dict.SetStr(key, v)
		more, err := d.next('}', "object")
		if err != nil {
			return nil, err
		}
		if !more {
			return dict, nil
		}
	}
}

// number reads the longest number at pos; what follows it is not looked at.
func (d *decoder) number() (pyvalue.Value, error) {
	start, end := d.pos, d.pos
	text := d.text
	if text[end] == '-' {
		end++
	}
	digits := end
	switch {
	case end < len(text) && text[end] == '0':
		end++
	case end < len(text) && isDigit(text[end]):
		end = skipDigits(text, end)
	default:
		return nil, d.fail("Expecting value", start)
	}
	intEnd := end
	if end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
		end = skipDigits(text, end+1)
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		e := end + 1
		if e < len(text) && (text[e] == '+' || text[e] == '-') {
			e++
		}
		if e < len(text) && isDigit(text[e]) {
			end = skipDigits(text, e)
		}
	}
	d.pos = end
	if end > intEnd {
		f, err := strconv.ParseFloat(text[start:end], 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range is an infinity, as in Python
			return nil, d.fail("Expecting value", start)
		}
		return pyvalue.Float(f), nil
	}
	if n := intEnd - digits; n > MaxDigits {
		return nil, &DigitsError{Digits: n}
	}
	i, _ := pyvalue.ParseInt(text[start:end], 10) // a sign and digits, as it asks for
	return i, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func skipDigits(text string, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// string reads the string whose opening quote is at pos. Text without escapes is a part of the input, not a copy.
func (d *decoder) string() (string, error) {
	begin := d.pos
	start := begin + 1
	d.buf = d.buf[:0]
	escaped := false
	for i := start; i < len(d.text); {
		switch c := d.text[i]; {
		case c == '"':
			d.pos = i + 1
			if !escaped {
				return d.text[start:i], nil
			}
			return string(append(d.buf, d.text[start:i]...)), nil
		case c == '\\':
			if i+1 == len(d.text) {
				return "", d.fail("Unterminated string starting at", begin)
			}
			escaped = true
			d.buf = append(d.buf, d.text[start:i]...)
			end, err := d.escape(i)
			if err != nil {
				return "", err
			}
			i, start = end, end
		case c < 0x20:
			return "", d.fail("Invalid control character at", i)
		default:
			i++
		}
	}
	return "", d.fail("Unterminated string starting at", begin)
}

// escape appends what the escape at offset i, of which the backslash and one more byte exist, stands for, and returns where it ends.
func (d *decoder) escape(i int) (end int, err error) {
	switch c := d.text[i+1]; c {
	case '"', '\\', '/':
		d.buf = append(d.buf, c)
	case 'b':
		d.buf = append(d.buf, '\b')
	case 'f':
		d.buf = append(d.buf, '\f')
	case 'n':
		d.buf = append(d.buf, '\n')
	case 'r':
		d.buf = append(d.buf, '\r')
	case 't':
		d.buf = append(d.buf, '\t')
	case 'u':
		r, ok := hex4(d.text, i+2)
		if !ok {
			return 0, d.fail(`Invalid \uXXXX escape`, i+1)
		}
		end = i + 6
		if r >= 0xd800 && r < 0xdc00 && strings.HasPrefix(d.text[end:], `\u`) {
			low, ok := hex4(d.text, end+2)
			if !ok {
				return 0, d.fail(`Invalid \uXXXX escape`, end+1)
			}
			if low >= 0xdc00 && low < 0xe000 {
				r = 0x10000 + (r-0xd800)<<10 + low - 0xdc00
				end += 6
			}
		}
		d.buf = pyvalue.AppendRune(d.buf, r)
		return end, nil
	default:
		return 0, d.fail(`Invalid \escape`, i)
	}
	return i + 2, nil
}

// hex4 reads four hexadecimal digits at offset i. As in Python something must follow them: a string is never over there.
func hex4(text string, i int) (rune, bool) {
	if i+4 >= len(text) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(text[i : i+4]) {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
