package pycall

import (
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// number reads a number by the rules of CPython's tokenizer. A keyword may follow it directly, a letter of another word may not.
func (l *lexer) number() {
	i := l.pos
	ok := true
	switch {
	case l.at(i) == '0' && l.at(i+1)|0x20 == 'x':
		i, ok = l.based(i+2, "hexadecimal", isHexDigit)
	case l.at(i) == '0' && l.at(i+1)|0x20 == 'o':
		i, ok = l.based(i+2, "octal", func(c byte) bool { return c >= '0' && c <= '7' })
	case l.at(i) == '0' && l.at(i+1)|0x20 == 'b':
		i, ok = l.based(i+2, "binary", func(c byte) bool { return c == '0' || c == '1' })
	default:
		i, ok = l.decimal(i)
	}
	if ok {
		l.set(tNumber, i-l.start)
	}
}

func isHexDigit(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// based reads the digits, from offset i on, of a number with the prefix of its base.
func (l *lexer) based(i int, kind string, is func(c byte) bool) (end int, ok bool) {
	for more := true; more; more = l.at(i) == '_' {
		if l.at(i) == '_' {
			i++
		}
		if !is(l.at(i)) {
			if isDigit(l.at(i)) {
				l.failf(i, "invalid digit '%c' in %s literal", l.at(i), kind)
			} else {
				l.failf(i, "invalid %s literal", kind)
			}
			return i, false
		}
		for is(l.at(i)) {
			i++
		}
	}
	if isDigit(l.at(i)) {
		l.failf(i, "invalid digit '%c' in %s literal", l.at(i), kind)
		return i, false
	}
	return i, l.numberEnds(i, kind)
}

// decimal reads a decimal integer, a float or an imaginary number.
func (l *lexer) decimal(i int) (end int, ok bool) {
	if isDigit(l.at(i)) {
		if i, ok = l.digits(i); !ok {
			return i, false
		}
	}
	whole := l.src[l.start:i]
	isInt := true
	if l.at(i) == '.' {
		isInt = false
		i++
		if isDigit(l.at(i)) {
			if i, ok = l.digits(i); !ok {
				return i, false
			}
		}
	}
	if l.at(i)|0x20 == 'e' {
		e := i + 1
		if c := l.at(e); c == '+' || c == '-' {
			e++
			if !isDigit(l.at(e)) {
				l.fail(e, "SyntaxError", "invalid decimal literal")
				return e, false
			}
		}
		if !isDigit(l.at(e)) {
			return i, l.numberEnds(i, "decimal")
		}
		isInt = false
		if i, ok = l.digits(e); !ok {
			return i, false
		}
	}
	if l.at(i)|0x20 == 'j' {
		return i + 1, l.numberEnds(i+1, "imaginary")
	}
	if isInt && whole[0] == '0' && strings.Trim(whole, "0_") != "" {
		l.fail(l.start, "SyntaxError", "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
		return i, false
	}
	return i, l.numberEnds(i, "decimal")
}

// digits reads decimal digits, with single underscores between them.
func (l *lexer) digits(i int) (end int, ok bool) {
	for {
		for isDigit(l.at(i)) {
			i++
		}
		if l.at(i) != '_' {
			return i, true
		}
		i++
		if !isDigit(l.at(i)) {
			l.fail(i, "SyntaxError", "invalid decimal literal")
			return i, false
		}
	}
}

// numberEnds checks what follows a number at offset i.
func (l *lexer) numberEnds(i int, kind string) bool {
	c := l.at(i)
	if !isWord(c) || c >= 0x80 {
		return true
	}
	for _, word := range [...]string{"and", "else", "for", "if", "in", "is", "or", "not"} {
		if strings.HasPrefix(l.src[i:], word) {
			return true
		}
	}
	l.failf(i, "invalid %s literal", kind)
	return false
}

// numberValue returns what a number token stands for. An integer that Python refuses to convert gives a message.
func numberValue(s string) (v pyvalue.Value, msg string) {
	if strings.Contains(s, "_") {
		s = strings.ReplaceAll(s, "_", "")
	}
	if len(s) > 2 && s[0] == '0' {
		base := 0
		switch s[1] | 0x20 {
		case 'x':
			base = 16
		case 'o':
			base = 8
		case 'b':
			base = 2
		}
		if base != 0 {
			i, _ := pyvalue.ParseInt(s[2:], base) // the lexer let only digits of the base through
			return i, ""
		}
	}
	last := s[len(s)-1]
	switch {
	case last|0x20 == 'j':
		return pyvalue.Complex(complex(0, parseFloat(s[:len(s)-1]))), ""
	case strings.ContainsAny(s, ".eE"):
		return pyvalue.Float(parseFloat(s)), ""
	case len(s) > pyjson.MaxDigits:
		return nil, (&pyjson.DigitsError{Digits: len(s)}).Error() + " - Consider hexadecimal for huge integer literals to avoid decimal conversion limits."
	}
	i, _ := pyvalue.ParseInt(s, 10)
	if n, ok := i.Int64(); ok && n < int64(len(smallInts)) {
		return smallInts[n], ""
	}
	return i, ""
}

// smallInts are the integers that occur most, so that they need not be allocated.
var smallInts = func() (ints [256]pyvalue.Value) {
	for i := range ints {
		ints[i] = pyvalue.NewInt(int64(i))
	}
	return ints
}()

// parseFloat converts what the lexer let through; a number that is too large becomes an infinity, as in Python.
func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}
