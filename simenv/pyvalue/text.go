package pyvalue

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DecodeRune returns the first code point of s, which may be a lone surrogate, and its width in bytes. Of bytes that are no text it
// makes U+FFFD of width 1, and of no bytes U+FFFD of width 0.
func DecodeRune(s string) (r rune, size int) {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2] >= 0x80 && s[2] <= 0xbf {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(s)
}

// AppendRune appends a code point, which may be a lone surrogate.
func AppendRune(dst []byte, r rune) []byte {
	if r >= 0xd800 && r <= 0xdfff {
		return append(dst, 0xed, 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(dst, r)
}

// RuneLen returns len(s) as Python counts it, in code points.
func RuneLen(s string) int {
	n := utf8.RuneCountInString(s)
	if !strings.Contains(s, "\xed") || utf8.ValidString(s) {
		return n
	}
	n = 0
	for i := 0; i < len(s); n++ {
		_, size := DecodeRune(s[i:])
		i += size
	}
	return n
}

// newlyPrintable are the characters that Unicode 15.1 added to the 15.0 of Go's tables.
var newlyPrintable = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2ffc, Hi: 0x2fff, Stride: 1}, {Lo: 0x31ef, Hi: 0x31ef, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x2ebf0, Hi: 0x2ee5d, Stride: 1}},
}

// IsPrintable reports whether repr leaves a character as it is: letters, marks, numbers, punctuation, symbols and the ASCII space.
func IsPrintable(r rune) bool { return unicode.IsPrint(r) || r > 0xff && unicode.Is(newlyPrintable, r) }

// IsSpace reports whether str.split and str.strip take r for white space. Unlike unicode.IsSpace it counts U+001C to U+001F.
func IsSpace(r rune) bool { return r >= 0x1c && r <= 0x1f || unicode.IsSpace(r) }

// Strip returns str.strip(): the text without white space at both ends.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// Lower returns str.lower(). It differs from [strings.ToLower] for "İ", which becomes two code points, and for a capital sigma at
// the end of a word.
func Lower(s string) string {
	ascii, upper := true, false
	for i := range len(s) {
		c := s[i]
		ascii = ascii && c < utf8.RuneSelf
		upper = upper || c >= 'A' && c <= 'Z'
	}
	if ascii {
		if !upper {
			return s
		}
		return strings.ToLower(s)
	}
	dst := make([]byte, 0, len(s)+1)
	for i := 0; i < len(s); {
		r, size := DecodeRune(s[i:])
		switch r {
		case 'İ':
			dst = append(dst, "i̇"...)
		case 'Σ':
			if finalSigma(s[:i], s[i+size:]) {
				dst = utf8.AppendRune(dst, 'ς')
			} else {
				dst = utf8.AppendRune(dst, 'σ')
			}
		default:
			if l := unicode.ToLower(r); l != r {
				dst = utf8.AppendRune(dst, l)
			} else {
				dst = append(dst, s[i:i+size]...)
			}
		}
		i += size
	}
	return string(dst)
}

// finalSigma reports whether a capital sigma between the two texts ends a word: a cased letter comes before it and none after it,
// where characters without a case of their own, such as an apostrophe, are passed over.
func finalSigma(before, after string) bool {
	for before != "" {
		r, size := utf8.DecodeLastRuneInString(before)
		before = before[:len(before)-size]
		if caseIgnorable(r) {
			continue
		}
		if !cased(r) {
			return false
		}
		for after != "" {
			r, size := utf8.DecodeRuneInString(after)
			after = after[size:]
			if !caseIgnorable(r) {
				return !cased(r)
			}
		}
		return true
	}
	return false
}

// cased is Unicode's derived property Cased.
func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// caseIgnorable is Unicode's derived property Case_Ignorable.
func caseIgnorable(r rune) bool {
	return strings.ContainsRune("':.\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r) ||
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
