package pyvalue

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Repr returns repr(v).
func Repr(v Value) string {
	if s, ok := v.(Str); ok {
		return ReprStr(string(s))
	}
	return string(AppendRepr(nil, v))
}

// ReprStr returns repr(s) of text.
func ReprStr(s string) string { return string(appendReprStr(make([]byte, 0, len(s)+2), s)) }

// String returns str(v): text as it is, everything else as [Repr] prints it.
func String(v Value) string {
	switch v := v.(type) {
	case Str:
		return string(v)
	case Int:
		return v.String()
	}
	return string(AppendRepr(nil, v))
}

// AppendString appends str(v) to dst.
func AppendString(dst []byte, v Value) []byte {
	if s, ok := v.(Str); ok {
		return append(dst, s...)
	}
	return AppendRepr(dst, v)
}

// AppendRepr appends repr(v) to dst.
func AppendRepr(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case None:
		return append(dst, "None"...)
	case Ellipsis:
		return append(dst, "Ellipsis"...)
	case Bool:
		if v {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case Int:
		return v.append(dst)
	case Float:
		return AppendFloat(dst, float64(v))
	case Complex:
		return appendComplex(dst, complex128(v))
	case Str:
		return appendReprStr(dst, string(v))
	case Bytes:
		return appendReprBytes(dst, string(v))
	case Tuple:
		dst = append(dst, '(')
		dst = appendItems(dst, v)
		if len(v) == 1 {
			dst = append(dst, ',')
		}
		return append(dst, ')')
	case *List:
		dst = append(dst, '[')
		dst = appendItems(dst, v.Items)
		return append(dst, ']')
	case *Dict:
		dst = append(dst, '{')
		for i := range v.entries {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = AppendRepr(dst, v.entries[i].key)
			dst = append(dst, ": "...)
			dst = AppendRepr(dst, v.entries[i].value)
		}
		return append(dst, '}')
	case *Set:
		if v.Len() == 0 {
			return append(dst, "set()"...)
		}
		dst = append(dst, '{')
		for i := range v.d.entries {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = AppendRepr(dst, v.d.entries[i].key)
		}
		return append(dst, '}')
	}
	return dst
}

func appendItems(dst []byte, items []Value) []byte {
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendRepr(dst, item)
	}
	return dst
}

// AppendFloat appends repr(f): the shortest digits that read back as f, with an exponent below 1e-4 and from 1e16 on, and otherwise
// with at least ".0".
func AppendFloat(dst []byte, f float64) []byte {
	start := len(dst)
	dst = appendShortest(dst, f)
	for _, c := range dst[start:] {
		if c != '-' && (c < '0' || c > '9') {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// appendShortest is AppendFloat without the ".0".
func appendShortest(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

func appendComplex(dst []byte, c complex128) []byte {
	re, im := real(c), imag(c)
	if re == 0 && !math.Signbit(re) {
		return append(appendShortest(dst, im), 'j')
	}
	dst = appendShortest(append(dst, '('), re)
	if im != im || !math.Signbit(im) {
		dst = append(dst, '+')
	}
	return append(appendShortest(dst, im), "j)"...)
}

const lowerHex = "0123456789abcdef"

func appendReprStr(dst []byte, s string) []byte {
	quote := quoteFor(s)
	dst = append(dst, quote)
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f {
			if c == quote || c == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := DecodeRune(s[i:])
		switch {
		case c < utf8.RuneSelf:
			dst = appendControl(dst, c)
		case IsPrintable(r):
			dst = append(dst, s[i:i+size]...)
		case r <= 0xff:
			dst = append(dst, '\\', 'x', lowerHex[r>>4], lowerHex[r&15])
		case r <= 0xffff:
			dst = append(dst, '\\', 'u', lowerHex[r>>12], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
		default:
			dst = append(dst, '\\', 'U')
			for shift := 28; shift >= 0; shift -= 4 {
				dst = append(dst, lowerHex[r>>shift&15])
			}
		}
		i += size
	}
	return append(dst, quote)
}

func appendReprBytes(dst []byte, s string) []byte {
	quote := quoteFor(s)
	dst = append(dst, 'b', quote)
	for i := range len(s) {
		switch c := s[i]; {
		case c == quote || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ' && c < 0x7f:
			dst = append(dst, c)
		default:
			dst = appendControl(dst, c)
		}
	}
	return append(dst, quote)
}

// quoteFor returns the quote that repr puts around s: single, unless only single quotes are inside.
func quoteFor(s string) byte {
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		return '"'
	}
	return '\''
}

func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'x', lowerHex[c>>4], lowerHex[c&15])
}
