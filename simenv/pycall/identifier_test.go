package pycall

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"unicode/utf8"
)

// The digests below are of what CPython 3.13 says about every code point, without the few that only Unicode 15.1 knows.

func TestEveryIdentifierCharacter(t *testing.T) {
	h := sha256.New()
	n := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if isIDContinue(r) {
			h.Write([]byte(nfkc("a"+string(r)) + "\n"))
			n++
		}
	}
	const want = "fb0f9e994616a3963b9e209f69535bf5a060713eed1b6eb5e6922cf23603f746"
	if got := hex.EncodeToString(h.Sum(nil)); n != 139463 || got != want {
		t.Errorf("%d characters with digest %s", n, got)
	}
}

func TestNormalise(t *testing.T) {
	tests := map[string]string{
		"name": "name", "名": "名", "ﬁ": "fi", "ª": "a", "\u212a": "K", "ａｂ": "ab",
		"a\u0301": "á", "q\u0307\u0323": "q\u0323\u0307", "a\u0301\u0301": "á\u0301", "a\u0327\u0301": "á\u0327", "s\u0323\u0307": "ṩ",
		"a\u0344": "ä\u0301", "\u1e9b\u0323": "ṩ", "Å\u0301": "Ǻ", "\u1100\u1161": "가", "\u1100\u1161\u11a8": "각", "\uac00\u11a8": "각",
		"\u09c7\u09be": "\u09cb", "\u09c7\u0334\u09be": "\u09c7\u0334\u09be", "e\u0334\u0301": "é\u0334",
	}
	for in, want := range tests {
		if got := normalise(in); got != want {
			t.Errorf("%+q: got %+q, want %+q", in, got, want)
		}
	}
}

func TestEveryName(t *testing.T) {
	names := map[rune]string{}
	aliases := map[string]bool{}
	for _, a := range nameAliases {
		aliases[a.name] = true
		if r, ok := lookupName(a.name); !ok || r != a.char {
			t.Errorf("%s is %U, %v", a.name, r, ok)
		}
	}
	for name, r := range charNames() {
		if !aliases[name] {
			names[r] = name
		}
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		for _, c := range computedNames {
			if c.is(r) {
				names[r] = fmt.Sprintf("%s%X", c.prefix, r)
			}
		}
	}
	for i, lead := range hangulLeads {
		for j, vowel := range hangulVowels {
			for k, tail := range hangulTails {
				names[rune(hangulS+(i*hangulVCount+j)*hangulTCount+k)] = "HANGUL SYLLABLE " + lead + vowel + tail
			}
		}
	}
	h := sha256.New()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		name, ok := names[r]
		if !ok {
			continue
		}
		if got, ok := lookupName(name); !ok || got != r {
			t.Errorf("%s is %U, %v, want %U", name, got, ok, r)
		}
		fmt.Fprintf(h, "%x %s\n", r, name)
	}
	const want = "98f5ade9ef95227474c865f274e0b725ea85b6c2be2d55e736fa63307ebc1c04"
	if got := hex.EncodeToString(h.Sum(nil)); len(names) != 143041 || got != want {
		t.Errorf("%d names with digest %s", len(names), got)
	}
}

func TestNoSuchName(t *testing.T) {
	for _, name := range []string{"", "NOPE", "CJK UNIFIED IDEOGRAPH-41", "CJK UNIFIED IDEOGRAPH-04E00", "CJK UNIFIED IDEOGRAPH-", "CJK UNIFIED IDEOGRAPH-F900",
		"TANGUT IDEOGRAPH-4E00", "HANGUL SYLLABLE ", "HANGUL SYLLABLE X", "HANGUL SYLLABLE GAX", "HANGUL SYLLABLE G", "<control>"} {
		if r, ok := lookupName(name); ok {
			t.Errorf("%q is %U", name, r)
		}
	}
}
