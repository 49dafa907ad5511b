package pycall

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:generate go run gen_unicode.go

// isIDStart is Unicode's XID_Start, with the underscore.
func isIDStart(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space, notXIDStart, notXID)
}

// isIDContinue is Unicode's XID_Continue.
func isIDContinue(r rune) bool {
	return isIDStart(r) || unicode.Is(notXIDStart, r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// notXID and notXIDStart are letters that their normal form keeps out of identifiers, or away from their start.
var (
	notXID = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x37a, Hi: 0x37a, Stride: 1},
		{Lo: 0x309b, Hi: 0x309c, Stride: 1},
		{Lo: 0xfc5e, Hi: 0xfc63, Stride: 1},
		{Lo: 0xfdfa, Hi: 0xfdfb, Stride: 1},
		{Lo: 0xfe70, Hi: 0xfe7e, Stride: 2},
	}}
	notXIDStart = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0xe33, Hi: 0xe33, Stride: 1},
		{Lo: 0xeb3, Hi: 0xeb3, Stride: 1},
		{Lo: 0xff9e, Hi: 0xff9f, Stride: 1},
	}}
)

// normalise returns the normal form NFKC of an identifier, which is the identifier that Python takes it for.
func normalise(s string) string {
	for _, r := range s {
		// Most identifiers are ASCII, and most others are ideographs that no form changes.
		if r >= utf8.RuneSelf && (r < 0x3400 || r > 0x9fff) {
			return nfkc(s)
		}
	}
	return s
}

// Hangul syllables are composed of a leading consonant, a vowel and perhaps a trailing consonant.
const (
	hangulS, hangulL, hangulV, hangulT = 0xac00, 0x1100, 0x1161, 0x11a7
	hangulLCount                       = 19
	hangulVCount                       = 21
	hangulTCount                       = 28
	hangulSCount                       = hangulLCount * hangulVCount * hangulTCount
)

func nfkc(s string) string {
	u := unicodeForms()
	var runes []rune
	for _, r := range s {
		switch d, ok := u.decomposition[r]; {
		case ok:
			runes = append(runes, []rune(d)...)
		case r >= hangulS && r < hangulS+hangulSCount:
			n := r - hangulS
			runes = append(runes, hangulL+n/(hangulVCount*hangulTCount), hangulV+n%(hangulVCount*hangulTCount)/hangulTCount)
			if t := n % hangulTCount; t > 0 {
				runes = append(runes, hangulT+t)
			}
		default:
			runes = append(runes, r)
		}
	}
	u.order(runes)
	return string(u.compose(runes))
}

// order sorts the combining marks behind each character by their class.
func (u *forms) order(runes []rune) {
	for i := 0; i < len(runes); i++ {
		start := i
		for i < len(runes) && u.class[runes[i]] != 0 {
			i++
		}
		slices.SortStableFunc(runes[start:i], func(a, b rune) int { return int(u.class[a]) - int(u.class[b]) })
	}
}

// compose joins each character with the marks behind it that it composes with.
func (u *forms) compose(runes []rune) []rune {
	out := runes[:0]
	starter := -1 // index in out of the last character of class 0
	for _, r := range runes {
		class := u.class[r]
		if starter >= 0 {
			// A mark of the same class in between blocks; so does another starter.
			last := len(out) - 1
			if last == starter || u.class[out[last]] != 0 && u.class[out[last]] < class {
				if c, ok := u.pair(out[starter], r); ok {
					out[starter] = c
					continue
				}
			}
		}
		if class == 0 {
			starter = len(out)
		}
		out = append(out, r)
	}
	return out
}

func (u *forms) pair(a, b rune) (rune, bool) {
	switch {
	case a >= hangulL && a < hangulL+hangulLCount && b >= hangulV && b < hangulV+hangulVCount:
		return hangulS + ((a-hangulL)*hangulVCount+b-hangulV)*hangulTCount, true
	case a >= hangulS && a < hangulS+hangulSCount && (a-hangulS)%hangulTCount == 0 && b > hangulT && b < hangulT+hangulTCount:
		return a + b - hangulT, true
	}
	c, ok := u.pairs[[2]rune{a, b}]
	return c, ok
}

// forms are the tables behind the normal form.
type forms struct {
	decomposition map[rune]string
	class         map[rune]uint8
	pairs         map[[2]rune]rune
}

//go:embed nfkc.flate
var nfkcData []byte

var unicodeForms = sync.OnceValue(func() *forms {
	u := &forms{map[rune]string{}, map[rune]uint8{}, map[[2]rune]rune{}}
	for line := range strings.Lines(inflate(nfkcData)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		key := []rune(f[1])
		switch f[0] {
		case "d":
			u.decomposition[key[0]] = f[2]
		case "c":
			n, _ := strconv.Atoi(f[2])
			u.class[key[0]] = uint8(n)
		case "p":
			r, _ := utf8.DecodeRuneInString(f[2])
			u.pairs[[2]rune{key[0], key[1]}] = r
		}
	}
	return u
})

// inflate returns the text of an embedded table, which a test has read whole.
func inflate(data []byte) string {
	text, _ := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	return string(text)
}
