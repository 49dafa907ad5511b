package pycall

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// literal is one string token, taken apart.
type literal struct {
	pos                         int    // offset of the token
	body                        string // what is between the quotes
	bodyPos                     int
	raw, bytes, format, unicode bool
}

// cut takes the current token apart.
func (p *parser) cut() literal {
	s := p.src[p.start:p.end]
	l := literal{pos: p.start}
	n := 0
	for ; s[n] != '\'' && s[n] != '"'; n++ {
		switch s[n] | 0x20 {
		case 'r':
			l.raw = true
		case 'b':
			l.bytes = true
		case 'f':
			l.format = true
		case 'u':
			l.unicode = true
		}
	}
	q := 1
	if len(s) >= n+6 && s[n+1] == s[n] && s[n+2] == s[n] {
		q = 3
	}
	l.body = s[n+q : len(s)-q]
	l.bodyPos = p.start + n + q
	return l
}

// strings reads one or more string tokens, which are joined.
func (p *parser) strings() Expr {
	first := p.cut()
	if first.format {
		return p.joined(first)
	}
	text, ok := p.decode(first)
	if !ok {
		p.next()
		return p.text(first, "")
	}
	p.next()
	if p.tok != tString {
		return p.text(first, text)
	}
	return p.joined(first)
}

// text makes a constant of text or bytes.
func (p *parser) text(l literal, s string) Expr {
	c := p.newConstant(l.pos, nil)
	c.prefix = l.unicode
	if l.bytes {
		c.Value = pyvalue.Bytes(s)
	} else {
		c.Value = pyvalue.Str(s)
	}
	return c
}

// joined reads the current string token and those behind it, or those behind first when that one was passed over already. With an
// f-string among them the result is an f-string.
func (p *parser) joined(first literal) Expr {
	j := joiner{first: first}
	if p.tok != tString || p.start != first.pos {
		j.add(p, first)
	}
	for p.tok == tString {
		l := p.cut()
		if l.bytes != first.bytes {
			p.reject(first.pos, "cannot mix bytes and nonbytes literals")
			break
		}
		j.add(p, l)
		p.next()
	}
	return j.expr(p)
}

// joiner collects the parts of joined strings.
type joiner struct {
	first  literal
	format bool
	values []Expr
	text   strings.Builder // not yet among the values
}

func (j *joiner) add(p *parser, l literal) {
	if l.format {
		j.format = true
		f := fstring{p: p, lit: l, end: len(l.body)}
		f.parts(j, 0)
		return
	}
	text, _ := p.decode(l)
	j.text.WriteString(text)
}

// flush makes a value of the text collected so far.
func (j *joiner) flush(p *parser) {
	if j.text.Len() > 0 {
		j.values = append(j.values, p.newConstant(j.first.pos, pyvalue.Str(j.text.String())))
		j.text.Reset()
	}
}

func (j *joiner) expr(p *parser) Expr {
	if !j.format {
		return p.text(j.first, j.text.String())
	}
	return j.joinedStr(p)
}

func (j *joiner) joinedStr(p *parser) *JoinedStr {
	j.flush(p)
	return &JoinedStr{p.overAll(j.first.pos, j.values), j.values}
}

// decode returns the text or the bytes that a literal stands for.
func (p *parser) decode(l literal) (string, bool) {
	if l.bytes {
		for i := range len(l.body) {
			if l.body[i] >= utf8.RuneSelf {
				p.reject(l.pos, "bytes can only contain ASCII literal characters")
				return "", false
			}
		}
	}
	if l.raw || strings.IndexByte(l.body, '\\') < 0 {
		return l.body, true
	}
	text, msg := unescape(l.body, l.bytes)
	if msg != "" {
		p.reject(l.pos, msg)
		return "", false
	}
	return text, true
}

// unescape replaces the escapes of text or bytes. A message tells what is wrong with one. An unknown escape stays as it is.
func unescape(s string, isBytes bool) (text, msg string) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			i++
			continue
		}
		c := s[i+1]
		end := i + 2
		switch c {
		case '\n':
		case '\\', '\'', '"':
			out = append(out, c)
		case 'a':
			out = append(out, '\a')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'v':
			out = append(out, '\v')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			r := rune(0)
			for end = i + 1; end < i+4 && end < len(s) && s[end] >= '0' && s[end] <= '7'; end++ {
				r = r<<3 | rune(s[end]-'0')
			}
			out = appendChar(out, r, isBytes)
		case 'x':
			r, n := hexDigits(s[end:], 2)
			if n < 2 {
				if isBytes {
					return "", fmt.Sprintf(`(value error) invalid \x escape at position %d`, i)
				}
				return "", escapeError(s, i, end+n, `truncated \xXX escape`)
			}
			end += n
			out = appendChar(out, r, isBytes)
		case 'u', 'U', 'N':
			if isBytes {
				out = append(out, '\\', c)
				break
			}
			var r rune
			if r, end, msg = unicodeEscape(s, i); msg != "" {
				return "", msg
			}
			out = pyvalue.AppendRune(out, r)
		default:
			out = append(out, '\\', c)
		}
		i = end
	}
	return string(out), ""
}

// unicodeEscape reads the \u, \U or \N escape at offset i.
func unicodeEscape(s string, i int) (r rune, end int, msg string) {
	end = i + 2
	switch s[i+1] {
	case 'u':
		r, n := hexDigits(s[end:], 4)
		if n < 4 {
			return 0, 0, escapeError(s, i, end+n, `truncated \uXXXX escape`)
		}
		return r, end + n, ""
	case 'U':
		r, n := hexDigits(s[end:], 8)
		if n < 8 {
			return 0, 0, escapeError(s, i, end+n, `truncated \UXXXXXXXX escape`)
		}
		if r < 0 || r > utf8.MaxRune {
			return 0, 0, escapeError(s, i, end+n, `illegal Unicode character`)
		}
		return r, end + n, ""
	}
	if end == len(s) || s[end] != '{' {
		return 0, 0, escapeError(s, i, end, `malformed \N character escape`)
	}
	n := strings.IndexByte(s[end:], '}')
	switch {
	case n < 0:
		return 0, 0, escapeError(s, i, len(s), `malformed \N character escape`)
	case n == 1:
		return 0, 0, escapeError(s, i, end+1, `malformed \N character escape`)
	}
	r, ok := lookupName(s[end+1 : end+n])
	if !ok {
		return 0, 0, escapeError(s, i, end+n+1, `unknown Unicode character name`)
	}
	return r, end + n + 1, ""
}

func appendChar(dst []byte, r rune, isBytes bool) []byte {
	if isBytes {
		return append(dst, byte(r))
	}
	return pyvalue.AppendRune(dst, r)
}

// hexDigits reads up to limit hexadecimal digits at the start of s and returns how many there are.
func hexDigits(s string, limit int) (r rune, n int) {
	for n < limit && n < len(s) && isHexDigit(s[n]) {
		d := rune(s[n] | 0x20)
		if d >= 'a' {
			d -= 'a' - 10
		} else {
			d -= '0'
		}
		r = r<<4 | d
		n++
	}
	return r, n
}

// escapeError words a bad escape between two offsets. CPython counts as if characters beyond ASCII were written as \UXXXXXXXX.
func escapeError(s string, start, end int, reason string) string {
	at := func(offset int) int {
		n := 0
		for _, r := range s[:offset] {
			if n++; r >= utf8.RuneSelf {
				n += len(`\UXXXXXXXX`) - 1
			}
		}
		return n
	}
	return fmt.Sprintf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: %s", at(start), at(end)-1, reason)
}
