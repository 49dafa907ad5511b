package pycall

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed names.flate
var namesData []byte

// charNames are the characters by their Unicode names.
var charNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 40_000)
	next := rune(0)
	for line := range strings.Lines(inflate(namesData)) {
		name := strings.TrimSuffix(line, "\n")
		if code, rest, ok := strings.Cut(name, "\t"); ok {
			n, _ := strconv.ParseInt(code, 16, 32)
			next, name = rune(n), rest
		}
		names[name] = next
		next++
	}
	for _, a := range nameAliases {
		names[a.name] = a.char
	}
	return names
})

// lookupName returns the character of a \N{name} escape. Case does not matter.
func lookupName(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if r, ok := charNames()[name]; ok {
		return r, true
	}
	if syllable, ok := strings.CutPrefix(name, "HANGUL SYLLABLE "); ok {
		return hangulSyllable(syllable)
	}
	for _, c := range computedNames {
		if code, ok := strings.CutPrefix(name, c.prefix); ok && len(code) >= 4 {
			n, err := strconv.ParseUint(code, 16, 32)
			r := rune(n)
			return r, err == nil && c.is(r) && strings.ToUpper(strconv.FormatInt(int64(r), 16)) == code
		}
	}
	return 0, false
}

// computedNames are the names that consist of a prefix and the code of the character. CPython does not know those of Tangut.
var computedNames = []struct {
	prefix string
	is     func(r rune) bool
}{
	{"CJK UNIFIED IDEOGRAPH-", func(r rune) bool { return unicode.Is(unicode.Unified_Ideograph, r) && !isCompatibility(r) }},
	{"CJK COMPATIBILITY IDEOGRAPH-", func(r rune) bool { return unicode.Is(unicode.Han, r) && isCompatibility(r) }},
}

// isCompatibility reports whether an ideograph is in one of the two blocks of compatibility ideographs.
func isCompatibility(r rune) bool { return r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f }

// The names of the parts of a Hangul syllable, in the order of their codes.
var (
	hangulLeads  = strings.Split("G GG N D DD R M B BB S SS  J JJ C K T P H", " ")
	hangulVowels = strings.Split("A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I", " ")
	hangulTails  = strings.Split(" G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H", " ")
)

// hangulSyllable returns the syllable whose name is that of its parts, each as long as possible.
func hangulSyllable(name string) (rune, bool) {
	lead := longestPrefix(hangulLeads, name)
	name = name[len(hangulLeads[lead]):]
	vowel := longestPrefix(hangulVowels, name)
	if vowel < 0 {
		return 0, false
	}
	tail := slices.Index(hangulTails, name[len(hangulVowels[vowel]):])
	return rune(hangulS + (lead*hangulVCount+vowel)*hangulTCount + tail), tail >= 0
}

// longestPrefix returns the index of the longest of parts that s starts with, or -1.
func longestPrefix(parts []string, s string) int {
	best := -1
	for i, part := range parts {
		if strings.HasPrefix(s, part) && (best < 0 || len(part) > len(parts[best])) {
			best = i
		}
	}
	return best
}
