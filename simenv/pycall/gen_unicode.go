//go:build ignore

// This program writes names.flate and nfkc.flate from the tables of golang.org/x/text, of which the package itself has no need.
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"log"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"
)

func main() {
	write("names.flate", names())
	write("nfkc.flate", nfkc())
}

// names lists a name a line. A code point in hexadecimal and a tab come first when it does not follow that of the line before. Names
// that Unicode computes are not listed.
func names() string {
	var b strings.Builder
	last := rune(-2)
	for r := rune(0); r <= utf8.MaxRune; r++ {
		name := runenames.Name(r)
		if name == "" || name[0] == '<' || strings.HasPrefix(name, "CJK COMPATIBILITY IDEOGRAPH-") {
			continue
		}
		if r != last+1 {
			fmt.Fprintf(&b, "%x\t", r)
		}
		fmt.Fprintln(&b, name)
		last = r
	}
	return b.String()
}

// nfkc lists, a line each and tab-separated: "d", a character and its full compatibility decomposition; "c", a character and its
// canonical combining class; "p", two characters and the one that they compose to. Hangul syllables are computed and not listed.
func nfkc() string {
	var b strings.Builder
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) || unicode.Is(unicode.Hangul, r) && r >= 0xac00 && r <= 0xd7a3 {
			continue
		}
		s := string(r)
		if d := norm.NFKD.String(s); d != s {
			fmt.Fprintf(&b, "d\t%s\t%s\n", s, d)
		}
		if ccc := norm.NFKD.PropertiesString(s).CCC(); ccc != 0 {
			fmt.Fprintf(&b, "c\t%s\t%d\n", s, ccc)
		}
		if d := []rune(norm.NFD.String(s)); len(d) > 1 && norm.NFC.String(s) == s {
			first := norm.NFC.String(string(d[:len(d)-1]))
			if utf8.RuneCountInString(first) == 1 && norm.NFC.String(first+string(d[len(d)-1])) == s {
				fmt.Fprintf(&b, "p\t%s%c\t%s\n", first, d[len(d)-1], s)
			}
		}
	}
	return b.String()
}

func write(name, text string) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(name, b.Bytes(), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name, len(text), b.Len())
}
