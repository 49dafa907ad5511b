package pyjson

import (
	"math"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Options are the keyword arguments of json.dumps. The zero value is dumps(v, ensure_ascii=False, allow_nan=False); see [Default].
type Options struct {
	Indent      string // one level of it, such as "  "; empty: all on one line
	ItemSep     string // empty: ", ", or "," with an indent
	KeySep      string // empty: ": "
	EnsureASCII bool   // write \u escapes for all that is not ASCII
	AllowNaN    bool   // write NaN, Infinity and -Infinity instead of failing
}

// Default is json.dumps(v) without further arguments.
var Default = Options{EnsureASCII: true, AllowNaN: true}

// Encode returns json.dumps(v). Tuples become arrays, keys that are numbers, booleans or None become text, the order of keys is
// kept. Without EnsureASCII a lone surrogate comes out as the three bytes it has in v, which is not valid UTF-8.
func Encode(v pyvalue.Value, o Options) ([]byte, error) { return Append(nil, v, o) }

// Append appends json.dumps(v) to dst.
func Append(dst []byte, v pyvalue.Value, o Options) ([]byte, error) {
	if o.ItemSep == "" {
		o.ItemSep = ", "
		if o.Indent != "" {
			o.ItemSep = ","
		}
	}
	if o.KeySep == "" {
		o.KeySep = ": "
	}
	e := encoder{Options: o, dst: dst}
	if err := e.value(v, 1); err != nil {
		return nil, err
	}
	return e.dst, nil
}

type encoder struct {
	Options
	dst []byte
}

// value writes v, whose parts stand at the given level of indent.
func (e *encoder) value(v pyvalue.Value, level int) error {
	switch v := v.(type) {
	case pyvalue.Str:
		e.string(string(v))
	case pyvalue.None:
		e.dst = append(e.dst, "null"...)
	case pyvalue.Bool:
		e.dst = append(e.dst, boolName(v)...)
	case pyvalue.Int:
		e.dst = pyvalue.AppendRepr(e.dst, v)
	case pyvalue.Float:
		return e.float(float64(v))
	case *pyvalue.List:
		return e.array(v.Items, level)
	case pyvalue.Tuple:
		return e.array(v, level)
	case *pyvalue.Dict:
		return e.object(v, level)
	default:
		return &UnsupportedError{Type: pyvalue.TypeName(v)}
	}
	return nil
}

func (e *encoder) array(items []pyvalue.Value, level int) error {
	e.dst = append(e.dst, '[')
	for i, item := range items {
		e.before(i, level)
		if err := e.value(item, level+1); err != nil {
			return err
		}
	}
	e.close(']', len(items), level)
	return nil
}

func (e *encoder) object(d *pyvalue.Dict, level int) error {
	e.dst = append(e.dst, '{')
	for i := range d.Len() {
		key, value := d.At(i)
		e.before(i, level)
		if err := e.key(key); err != nil {
			return err
		}
		e.dst = append(e.dst, e.KeySep...)
		if err := e.value(value, level+1); err != nil {
			return err
		}
	}
	e.close('}', d.Len(), level)
	return nil
}

// before writes what stands before the i-th element.
func (e *encoder) before(i, level int) {
	if i > 0 {
		e.dst = append(e.dst, e.ItemSep...)
	}
	if e.Indent != "" {
		e.newline(level)
	}
}

func (e *encoder) close(bracket byte, n, level int) {
	if e.Indent != "" && n > 0 {
		e.newline(level - 1)
	}
	e.dst = append(e.dst, bracket)
}

func (e *encoder) newline(level int) {
	e.dst = append(e.dst, '\n')
	for range level {
		e.dst = append(e.dst, e.Indent...)
	}
}

func (e *encoder) key(key pyvalue.Value) error {
	switch key := key.(type) {
	case pyvalue.Str:
		e.string(string(key))
		return nil
	case pyvalue.None, pyvalue.Bool, pyvalue.Int, pyvalue.Float:
		e.dst = append(e.dst, '"')
		if err := e.value(key, 0); err != nil {
			return err
		}
		e.dst = append(e.dst, '"')
		return nil
	}
	return &UnsupportedError{Type: pyvalue.TypeName(key), Key: true}
}

func (e *encoder) float(f float64) error {
	switch {
	case f == f && !math.IsInf(f, 0):
		e.dst = pyvalue.AppendFloat(e.dst, f)
	case !e.AllowNaN:
		return &RangeError{Value: f}
	case f > 0:
		e.dst = append(e.dst, "Infinity"...)
	case f < 0:
		e.dst = append(e.dst, "-Infinity"...)
	default:
		e.dst = append(e.dst, "NaN"...)
	}
	return nil
}

func boolName(b pyvalue.Bool) string {
	if b {
		return "true"
	}
	return "false"
}

// string writes a text with the escapes of Python: the short ones, and lower-case hexadecimal digits.
func (e *encoder) string(s string) {
	dst := append(e.dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && (!e.EnsureASCII || c < 0x7f) {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		size := 1
		if c < utf8.RuneSelf {
			dst = appendEscape(dst, c)
		} else {
			var r rune
			r, size = pyvalue.DecodeRune(s[i:])
			if r > 0xffff {
				r -= 0x10000
				dst = appendUnit(dst, 0xd800+r>>10)
				r = 0xdc00 + r&0x3ff
			}
			dst = appendUnit(dst, r)
		}
		i += size
		start = i
	}
	e.dst = append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return appendUnit(dst, rune(c))
}

func appendUnit(dst []byte, u rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
}
