package pycall

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

const (
	// MaxDepth is the number of levels of a syntax tree; about as many as CPython 3.11 takes. Brackets are bounded by [MaxNesting].
	MaxDepth = 2900
	// MaxSource is the longest source that is read, in bytes.
	MaxSource = 16 << 20
)

// Parse reads one Python expression, as ast.parse(src, mode="eval") does. It takes time in proportion to the source. The error is a
// [*SyntaxError].
func Parse(src string) (Expr, error) {
	p := parsers.Get().(*parser)
	defer p.release()
	if err := p.prepare(src); err != nil {
		return nil, err
	}
	p.next()
	e := p.tuple(p.expression)
	for p.tok == tNewline {
		p.next()
	}
	if p.tok != tEOF {
		p.unexpected()
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// parser builds the tree by recursive descent with one token of lookahead. After the first error every token is tEOF, so that all
// loops end; what the methods return then is of no use, but never nil.
type parser struct {
	lexer
	depth int    // of the recursion
	stack []Expr // see mark

	constants []Constant // room for more, so that they need not be allocated one by one
	stackBuf  [16]Expr
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

// release makes the parser free for another source. Of what it holds it keeps only the room for constants that no tree has taken.
func (p *parser) release() {
	*p = parser{constants: p.constants[len(p.constants):]}
	parsers.Put(p)
}

// prepare checks the source as a whole and brings its line ends into one form.
func (p *parser) prepare(src string) *SyntaxError {
	switch {
	case len(src) > MaxSource:
		return &SyntaxError{Class: "SyntaxError", Msg: fmt.Sprintf("source of %d bytes is too long: at most %d are read", len(src), MaxSource), Line: 1, Column: 1}
	case strings.IndexByte(src, 0) >= 0:
		return newSyntaxError("SyntaxError", "source code string cannot contain null bytes", src, strings.IndexByte(src, 0))
	case !utf8.ValidString(src):
		return surrogateError(src)
	}
	if strings.IndexByte(src, '\r') >= 0 {
		src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	}
	p.init(src)
	p.stack = p.stackBuf[:0]
	return nil
}

// surrogateError describes the first place of src that is not UTF-8.
func surrogateError(src string) *SyntaxError {
	for i := 0; ; {
		r, size := pyvalue.DecodeRune(src[i:])
		switch {
		case size == 3 && r >= 0xd800 && r <= 0xdfff:
			msg := fmt.Sprintf("'utf-8' codec can't encode character '\\u%04x' in position %d: surrogates not allowed", r, pyvalue.RuneLen(src[:i]))
			return newSyntaxError("UnicodeEncodeError", msg, src, i)
		case r == utf8.RuneError && size <= 1:
			return newSyntaxError("SyntaxError", "source is not valid UTF-8", src, i)
		}
		i += size
	}
}

// unexpected reports that the current token has no place here. As CPython does, it reads on to the end, since a mistake of the
// lexer, such as a string that is never closed, explains more than the token at which it first shows.
func (p *parser) unexpected() {
	if p.err != nil {
		return
	}
	switch p.tok {
	case tIndent:
		p.fail(p.start, "IndentationError", "unexpected indent")
		return
	case tEOF:
		if n := len(p.open); n > 0 {
			at := int(p.open[n-1])
			p.failf(at, "'%c' was never closed", p.src[at])
			return
		}
	}
	p.reject(p.start, p.hint())
}

// hint returns the message for a token that has no place.
func (p *parser) hint() string {
	if len(p.open) > 0 && endsOperand(p.prev) {
		switch {
		case startsOperand(p.tok):
			return "invalid syntax. Perhaps you forgot a comma?"
		case p.tok == tAssign:
			return "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
		}
	}
	return "invalid syntax"
}

func endsOperand(t token) bool {
	switch t {
	case tName, tNumber, tString, tRParen, tRBracket, tRBrace, tEllipsis, kwNone, kwTrue, kwFalse:
		return true
	}
	return false
}

func startsOperand(t token) bool {
	switch t {
	case tName, tNumber, tString, tLBrace, tTilde, tEllipsis, kwNone, kwTrue, kwFalse, kwLambda, kwAwait:
		return true
	}
	return false
}

// reject records an error of the parser, unless a mistake of the lexer follows.
func (p *parser) reject(offset int, msg string) {
	if p.err != nil {
		return
	}
	for p.tok != tEOF {
		p.next()
	}
	if p.err == nil && len(p.open) > 0 {
		// A bracket of an earlier line that is never closed explains more than what follows it.
		if at := int(p.open[len(p.open)-1]); at < offset && strings.Contains(p.src[at:offset], "\n") {
			p.failf(at, "'%c' was never closed", p.src[at])
		}
	}
	p.fail(offset, "SyntaxError", msg)
}

// expect passes over a token that must be here.
func (p *parser) expect(t token) {
	if p.tok != t {
		p.unexpected()
		return
	}
	p.next()
}

// accept passes over a token when it is here.
func (p *parser) accept(t token) bool {
	if p.tok != t {
		return false
	}
	p.next()
	return true
}

// enter counts a level of recursion. It must be undone with leave.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.start, "RecursionError", "maximum recursion depth exceeded during ast construction")
	}
}

func (p *parser) leave() { p.depth-- }

// over makes the base of a node at pos with one child, which may be nil.
func (p *parser) over(pos int, child Expr) node {
	n := node{pos: int32(pos), height: 1}
	p.raise(&n, child)
	return n
}

// overAll makes the base of a node at pos with children.
func (p *parser) overAll(pos int, children []Expr) node {
	n := node{pos: int32(pos), height: 1}
	for _, c := range children {
		p.raise(&n, c)
	}
	return n
}

// raise makes a node higher than a child, which may be nil.
func (p *parser) raise(n *node, child Expr) {
	if child == nil {
		return
	}
	if h := child.base().height; h >= n.height {
		n.height = h + 1
		if h >= MaxDepth {
			p.fail(int(n.pos), "RecursionError", "maximum recursion depth exceeded during ast construction")
		}
	}
}

// mark starts a list of expressions with its first elements. They are collected on a stack, so that each list is allocated once, at
// its full length.
func (p *parser) mark(first ...Expr) (base int) {
	base = len(p.stack)
	p.stack = append(p.stack, first...)
	return base
}

func (p *parser) push(e Expr) { p.stack = append(p.stack, e) }

// pop ends the list that began at base and returns it.
func (p *parser) pop(base int) []Expr {
	if len(p.stack) == base {
		return nil
	}
	list := make([]Expr, len(p.stack)-base)
	copy(list, p.stack[base:])
	p.stack = p.stack[:base]
	return list
}
