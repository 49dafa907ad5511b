package pyvalue_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// The digests below are of what CPython 3.13 says about every code point there is.
func TestEveryCodePoint(t *testing.T) {
	char := func(r rune) string { return string(pyvalue.AppendRune(nil, r)) }
	tests := []struct {
		name string
		of   func(r rune) string
		end  rune // the code points below it are asked
		want string
	}{
		{"str.isprintable as bytes 0 and 1", func(r rune) string {
			if pyvalue.IsPrintable(r) {
				return "\x01"
			}
			return "\x00"
		}, utf8.MaxRune + 1, "bf0b550942f03d97e5623f688d8398cc2222ecfa58bfdef567d72d4bb994e4d9"},
		{"str.lower of the character", func(r rune) string { return pyvalue.Lower(char(r)) + "\n" }, utf8.MaxRune + 1, "3372ef1ac06c8f0831613e08031ba8b79930964ed5f541ac24a6fc57109bddb4"},
		{"str.lower of a capital sigma beside it", func(r rune) string {
			c := char(r)
			return pyvalue.Lower("a"+c+"Σ") + "\n" + pyvalue.Lower("aΣ"+c+"a") + "\n" + pyvalue.Lower(c+"Σ") + "\n" + pyvalue.Lower("aΣ"+c) + "\n"
		}, 0x20000, "db6d7a180c841cfad0cfda0ff1147d1983b1406e043f38427568ecdefd4435e0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := sha256.New()
			for r := rune(0); r < tt.end; r++ {
				h.Write([]byte(tt.of(r)))
			}
			if got := hex.EncodeToString(h.Sum(nil)); got != tt.want {
				t.Errorf("digest %s, want %s", got, tt.want)
			}
		})
	}
}

func TestIsSpace(t *testing.T) {
	want := map[rune]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, 0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true,
		' ': true, 0x85: true, 0xa0: true, 0x1680: true, 0x2028: true, 0x2029: true, 0x202f: true, 0x205f: true, 0x3000: true}
	for r := rune(0x2000); r <= 0x200a; r++ {
		want[r] = true
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if got := pyvalue.IsSpace(r); got != want[r] {
			t.Errorf("IsSpace(%U) = %v", r, got)
		}
	}
	if got := pyvalue.Strip("\x1f \u3000a b\u0085\n"); got != "a b" {
		t.Errorf("Strip: %q", got)
	}
}

func TestRuneLen(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "日本": 2, "\xed\xa0\x80": 1, "\xed\xa0\x80\xed\xb0\x80x": 3, "👍\xed\xbf\xbf": 2, "\xed\x95\x9c": 1} {
		if got := pyvalue.RuneLen(s); got != want {
			t.Errorf("RuneLen(%q) = %d, want %d", s, got, want)
		}
	}
}
