package redact

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"sync"

	"github.com/BurntSushi/toml"
)

//go:embed patterns.toml
var patternsTOML string

// Pattern is the form of one kind of secret. The file patterns.toml lists them all and says what the fields mean.
type Pattern struct {
	Kind   string
	Starts []string
	Mark   string
	Regexp string
	Back   int
	Ahead  int
	Inside bool
	Mixed  bool
	Except string
	PII    bool `toml:"pii"`
	Source string
	Sample string
	Not    string

	re     *regexp.Regexp
	except *regexp.Regexp
	secret int // number of the group "secret", 0 without one
}

// Patterns returns the patterns that are looked for, in the order of the file.
var Patterns = sync.OnceValue(func() []*Pattern {
	var file struct{ Pattern []*Pattern }
	if _, err := toml.Decode(patternsTOML, &file); err != nil {
		panic(fmt.Sprintf("reading the built-in patterns.toml: %v", err))
	}
	for _, p := range file.Pattern {
		p.compile()
	}
	return file.Pattern
})

func (p *Pattern) compile() {
	anchor := ""
	if p.Back == 0 {
		anchor = `\A`
	}
	p.re = regexp.MustCompile(anchor + `(?:` + p.Regexp + `)`)
	p.secret = max(0, p.re.SubexpIndex("secret"))
	if p.Except != "" {
		p.except = regexp.MustCompile(p.Except)
	}
}

const (
	// maxSecret bounds what is looked at behind a start: a private key of 16,384 bits has some 12 KiB.
	maxSecret = 16 << 10
	// maxAhead bounds it for a pattern whose start is inside the match and that does not say more.
	maxAhead = 512
)

// at looks for the pattern where one of its starts stands, at b[i], and returns the range of the secret.
func (p *Pattern) at(b []byte, i int) (start, end int, ok bool) {
	from, to := i, min(len(b), i+maxSecret)
	if p.Back > 0 {
		from, to = max(0, i-p.Back), min(len(b), i+cmp.Or(p.Ahead, maxAhead))
	}
	for from <= i {
		m := p.re.FindSubmatchIndex(b[from:to])
		if m == nil || from+m[0] > i {
			return 0, 0, false
		}
		if start, end, ok := p.accept(b, from, m); ok && end > i {
			return start, end, true
		}
		from += m[0] + 1
	}
	return 0, 0, false
}

// accept looks at a match m in b[from:] and returns the range of the secret.
func (p *Pattern) accept(b []byte, from int, m []int) (start, end int, ok bool) {
	if at := from + m[0]; !p.Inside && at > 0 && wordByte[b[at-1]] {
		return 0, 0, false
	}
	start, end = from+m[2*p.secret], from+m[2*p.secret+1]
	if m[2*p.secret] < 0 || p.Mixed && !mixed(b[start:end]) || p.except != nil && p.except.Match(b[start:end]) {
		return 0, 0, false
	}
	return start, end, true
}

// wordByte tells letters and digits of ASCII.
var wordByte = func() (word [256]bool) {
	for c := range word {
		word[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return word
}()

// mixed reports whether s holds letters and digits.
func mixed(s []byte) bool {
	letter, digit := false, false
	for _, c := range s {
		if c >= '0' && c <= '9' {
			digit = true
		} else if wordByte[c] {
			letter = true
		}
	}
	return letter && digit
}
