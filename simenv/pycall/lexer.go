package pycall

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// MaxNesting is the number of brackets that may be open at once, as in CPython.
const MaxNesting = 200

// lexer splits a source into tokens by the rules of CPython 3.11. The first error stops it: from then on every token is tEOF.
type lexer struct {
	src string
	pos int // of the next character

	tok        token // the current token and where it is
	start, end int
	prev       token // the token before it
	prevEnd    int

	open      []int32 // offsets of the open brackets
	lineStart bool    // pos is at the start of a line
	err       *SyntaxError

	openBuf [8]int32
}

func (l *lexer) init(src string) {
	l.src = src
	l.lineStart = true
	l.open = l.openBuf[:0]
}

// fail records an error, unless there is one already, and stops the lexer.
func (l *lexer) fail(offset int, class, msg string) {
	if l.err == nil {
		l.err = newSyntaxError(class, msg, l.src, offset)
	}
	l.tok, l.start, l.end = tEOF, l.pos, l.pos
}

func (l *lexer) failf(offset int, format string, args ...any) {
	l.fail(offset, "SyntaxError", fmt.Sprintf(format, args...))
}

// at returns the byte at offset i, or 0 at the end of the source, which itself holds no 0.
func (l *lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// next reads the next token.
func (l *lexer) next() {
	l.prev, l.prevEnd = l.tok, l.end
	if l.err != nil {
		return
	}
	l.scan()
	if l.err != nil {
		l.tok = tEOF
	}
}

func (l *lexer) scan() {
	// blank is true as long as the line has no token, so that its end is none either.
	blank := false
	for {
		if l.lineStart {
			l.lineStart = false
			var layout bool
			if blank, layout = l.layout(); layout {
				return
			}
		}
		for l.at(l.pos) == ' ' || l.at(l.pos) == '\t' || l.at(l.pos) == '\f' {
			l.pos++
		}
		l.start = l.pos
		switch c := l.at(l.pos); {
		case l.pos == len(l.src):
			l.set(tEOF, 0)
			return
		case c == '#':
			if n := strings.IndexByte(l.src[l.pos:], '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.src)
			}
			continue
		case c == '\n':
			l.pos++
			l.lineStart = true
			if blank || len(l.open) > 0 {
				continue
			}
			l.tok, l.end = tNewline, l.pos
			return
		case c == '\\':
			if !l.continuation() {
				return
			}
			continue
		case c >= '0' && c <= '9', c == '.' && isDigit(l.at(l.pos+1)):
			l.number()
		case c == '\'' || c == '"':
			l.string(l.pos)
		case isWord(c):
			l.word()
		default:
			l.operator(c)
		}
		return
	}
}

// set makes the current token one of n bytes.
func (l *lexer) set(t token, n int) {
	l.tok = t
	l.pos = l.start + n
	l.end = l.pos
}

// continuation passes over a backslash at the end of a line.
func (l *lexer) continuation() bool {
	if l.at(l.pos+1) != '\n' {
		l.fail(l.pos, "SyntaxError", "unexpected character after line continuation character")
		return false
	}
	if l.pos+2 == len(l.src) {
		l.fail(l.pos, "SyntaxError", "unexpected EOF while parsing")
		return false
	}
	l.pos += 2
	return true
}

// layout looks at the blanks at the start of a line. It reports whether nothing else is on the line, and whether it made a token or
// failed: outside of brackets blanks before something make one, although no expression has a place for it.
func (l *lexer) layout() (blank, token bool) {
	col, first := 0, 0 // the column, and that of the first backslash behind blanks, which counts instead
	for done := false; !done; {
		switch l.at(l.pos) {
		case ' ', '\t':
			col++
			l.pos++
		case '\f':
			col = 0
			l.pos++
		case '\\':
			if first == 0 {
				first = col
			}
			if !l.continuation() {
				return false, true
			}
		default:
			done = true
		}
	}
	if c := l.at(l.pos); c == '#' || c == '\n' {
		return true, false
	}
	if len(l.open) > 0 || max(col, first) == 0 {
		return false, false
	}
	l.start = l.pos
	l.set(tIndent, 0)
	return false, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord reports whether a byte can be part of an identifier; of the bytes beyond ASCII any may.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c >= utf8.RuneSelf
}

// word reads an identifier, a keyword, or a string with a prefix.
func (l *lexer) word() {
	i := l.pos
	for isWord(l.at(i)) {
		i++
	}
	s := l.src[l.start:i]
	if c := l.at(i); (c == '\'' || c == '"') && isPrefix(s) {
		l.string(i)
		return
	}
	l.set(keyword(s), i-l.start)
	for j, r := range s {
		if r < utf8.RuneSelf {
			continue
		}
		if isIDContinue(r) && (j > 0 || isIDStart(r)) {
			continue
		}
		if pyvalue.IsPrintable(r) {
			l.failf(l.start+j, "invalid character '%c' (U+%04X)", r, r)
		} else {
			l.failf(l.start+j, "invalid non-printable character U+%04X", r)
		}
		return
	}
}

// isPrefix reports whether a word before a quote belongs to the string.
func isPrefix(s string) bool {
	switch len(s) {
	case 1:
		return strings.ContainsAny(s, "rRuUbBfF")
	case 2:
		a, b := s[0]|0x20, s[1]|0x20
		return a == 'r' && (b == 'b' || b == 'f') || b == 'r' && (a == 'b' || a == 'f')
	}
	return false
}

// string reads a string whose first quote is at offset i.
func (l *lexer) string(i int) {
	quote := l.src[i]
	triple := l.at(i+1) == quote && l.at(i+2) == quote
	body := i + 1
	if triple {
		body = i + 3
	}
	for j := body; j < len(l.src); j++ {
		switch c := l.src[j]; {
		case c == '\\':
			j++
		case c == '\n' && !triple:
			l.unterminated(i, j, triple)
			return
		case c == quote && !triple:
			l.set(tString, j+1-l.start)
			return
		case c == quote && l.at(j+1) == quote && l.at(j+2) == quote:
			l.set(tString, j+3-l.start)
			return
		}
	}
	l.unterminated(i, len(l.src), triple)
}

func (l *lexer) unterminated(quote, end int, triple bool) {
	if triple {
		l.failf(quote, "unterminated triple-quoted string literal (detected at line %d)", strings.Count(l.src[:end], "\n")+1)
		return
	}
	l.failf(quote, "unterminated string literal (detected at line %d)", strings.Count(l.src[:quote], "\n")+1)
}

// operator reads an operator or a bracket.
func (l *lexer) operator(c byte) {
	two, three := l.at(l.pos+1), l.at(l.pos+2)
	switch c {
	case '(':
		l.bracket(tLParen)
	case '[':
		l.bracket(tLBracket)
	case '{':
		l.bracket(tLBrace)
	case ')':
		l.closing(tRParen, '(')
	case ']':
		l.closing(tRBracket, '[')
	case '}':
		l.closing(tRBrace, '{')
	case ',':
		l.set(tComma, 1)
	case ':':
		l.either(tColon, two, '=', tWalrus)
	case '.':
		if two == '.' && three == '.' {
			l.set(tEllipsis, 3)
		} else {
			l.set(tDot, 1)
		}
	case '=':
		l.either(tAssign, two, '=', tEqual)
	case '!':
		l.either(tIllegal, two, '=', tNotEqual)
	case '+':
		l.either(tPlus, two, '=', tOther)
	case '-':
		if two == '>' {
			l.set(tOther, 2)
		} else {
			l.either(tMinus, two, '=', tOther)
		}
	case '%':
		l.either(tPercent, two, '=', tOther)
	case '@':
		l.either(tAt, two, '=', tOther)
	case '&':
		l.either(tAnd, two, '=', tOther)
	case '|':
		l.either(tOr, two, '=', tOther)
	case '^':
		l.either(tXor, two, '=', tOther)
	case '*':
		l.double(tStar, '*', tPower)
	case '/':
		l.double(tSlash, '/', tDoubleSlash)
	case '<':
		switch two {
		case '=':
			l.set(tLessEqual, 2)
		case '>':
			l.set(tOther, 2)
		default:
			l.double(tLess, '<', tShiftLeft)
		}
	case '>':
		if two == '=' {
			l.set(tGreaterEqual, 2)
		} else {
			l.double(tGreater, '>', tShiftRight)
		}
	case '~':
		l.set(tTilde, 1)
	case ';':
		l.set(tOther, 1)
	default:
		if c == '$' || c == '?' || c == '`' {
			l.set(tIllegal, 1)
			return
		}
		l.failf(l.pos, "invalid non-printable character U+%04X", c)
	}
}

// either sets one of two tokens, the longer one when the second character is as given.
func (l *lexer) either(one token, second, want byte, two token) {
	if second == want {
		l.set(two, 2)
	} else {
		l.set(one, 1)
	}
}

// double sets an operator of one character or of that character twice; with "=" behind it belongs to a statement.
func (l *lexer) double(one token, c byte, two token) {
	t, n := one, 1
	if l.at(l.pos+1) == c {
		t, n = two, 2
	}
	if l.at(l.pos+n) == '=' {
		t, n = tOther, n+1
	}
	l.set(t, n)
}

func (l *lexer) bracket(t token) {
	if len(l.open) == MaxNesting {
		l.fail(l.pos, "SyntaxError", "too many nested parentheses")
		return
	}
	l.open = append(l.open, int32(l.pos))
	l.set(t, 1)
}

func (l *lexer) closing(t token, opening byte) {
	c := l.src[l.pos]
	if len(l.open) == 0 {
		l.failf(l.pos, "unmatched '%c'", c)
		return
	}
	at := int(l.open[len(l.open)-1])
	if l.src[at] != opening {
		on := ""
		if strings.Contains(l.src[at:l.pos], "\n") {
			on = fmt.Sprintf(" on line %d", strings.Count(l.src[:at], "\n")+1)
		}
		l.failf(l.pos, "closing parenthesis '%c' does not match opening parenthesis '%c'%s", c, l.src[at], on)
		return
	}
	l.open = l.open[:len(l.open)-1]
	l.set(t, 1)
}
