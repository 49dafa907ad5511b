package pycall

import (
	"fmt"
	"strings"
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
	var p parser
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
		case startsOperand(p.tok) && p.prevEnd <= p.start:
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

// tuple reads one element or, when a comma follows, a tuple without brackets.
func (p *parser) tuple(element func() Expr) Expr {
	e := element()
	if p.tok != tComma {
		return e
	}
	base := p.mark(e)
	for p.accept(tComma) && p.startsExpression() {
		p.push(element())
	}
	elts := p.pop(base)
	return &Tuple{p.overAll(e.Pos(), elts), elts}
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

// startsExpression reports whether another element may follow a comma.
func (p *parser) startsExpression() bool {
	switch p.tok {
	case tEOF, tNewline, tRParen, tRBracket, tRBrace, tAssign, tColon, kwIn:
		return false
	}
	return true
}

// expression reads a conditional expression, a lambda, or what is tighter than both. Most expressions are atoms without an operator,
// for which it takes a short way.
func (p *parser) expression() Expr {
	var body Expr
	switch p.tok {
	case tName, tNumber, tString, tLParen, tLBracket, tLBrace, tEllipsis, kwNone, kwTrue, kwFalse:
		body = p.atom()
		switch p.tok {
		case tComma, tRParen, tRBracket, tRBrace, tColon, tAssign:
			return body
		}
		body = p.power(p.suffixes(body))
		body = p.compare(p.binaries(body, precBitOr))
		body = p.booleans(body, kwAnd, "and", p.inversion)
		body = p.booleans(body, kwOr, "or", p.conjunction)
	case kwLambda:
		return p.lambda()
	default:
		body = p.disjunction()
	}
	if p.tok != kwIf {
		return body
	}
	p.next()
	test := p.disjunction()
	if p.tok != kwElse {
		if p.tok == tColon || p.tok == tEOF && len(p.open) > 0 {
			p.unexpected()
		}
		p.reject(body.Pos(), "expected 'else' after 'if' expression")
		return body
	}
	p.enter()
	defer p.leave()
	p.next()
	orElse := p.expression()
	n := p.over(body.Pos(), body)
	p.raise(&n, test)
	p.raise(&n, orElse)
	return &IfExp{n, body, test, orElse}
}

// named reads name := value or an expression.
func (p *parser) named() Expr {
	first := p.tok
	e := p.expression()
	if p.tok != tWalrus {
		return e
	}
	target, ok := e.(*Name)
	if !ok || first != tName || p.prev != tName {
		p.unexpected()
		return e
	}
	p.next()
	value := p.expression()
	return &NamedExpr{p.over(e.Pos(), value), target, value}
}

// starredOr reads *value, where the value is what the given function reads, or else an element.
func (p *parser) starredOr(element, value func() Expr) Expr {
	if p.tok != tStar {
		return element()
	}
	return p.starred(value)
}

// starred reads *value; the current token is the star.
func (p *parser) starred(value func() Expr) Expr {
	pos := p.start
	p.next()
	v := value()
	return &Starred{p.over(pos, v), v}
}

// item reads an element of a list, tuple or set display.
func (p *parser) item() Expr { return p.starredOr(p.named, p.bitOr) }

func (p *parser) disjunction() Expr {
	return p.booleans(p.conjunction(), kwOr, "or", p.conjunction)
}

func (p *parser) conjunction() Expr {
	return p.booleans(p.inversion(), kwAnd, "and", p.inversion)
}

func (p *parser) inversion() Expr {
	if p.tok != kwNot {
		return p.compare(p.bitOr())
	}
	p.enter()
	defer p.leave()
	pos := p.start
	p.next()
	operand := p.inversion()
	return &UnaryOp{p.over(pos, operand), "not", operand}
}

func (p *parser) bitOr() Expr { return p.binary(precBitOr) }

func (p *parser) binary(prec precedence) Expr { return p.binaries(p.unary(), prec) }

// booleans reads what an operator joins to the first operand.
func (p *parser) booleans(first Expr, op token, text string, operand func() Expr) Expr {
	if p.tok != op {
		return first
	}
	base := p.mark(first)
	for p.accept(op) {
		p.push(operand())
	}
	values := p.pop(base)
	return &BoolOp{p.overAll(first.Pos(), values), text, values}
}

// compare reads what comparison operators join to the first operand.
func (p *parser) compare(left Expr) Expr {
	op := p.comparator()
	if op == "" {
		return left
	}
	c := &Compare{Left: left}
	for ; op != ""; op = p.comparator() {
		c.Ops = append(c.Ops, op)
		c.Values = append(c.Values, p.bitOr())
	}
	c.node = p.overAll(left.Pos(), c.Values)
	p.raise(&c.node, left)
	return c
}

// comparator reads a comparison operator, which may be of two words; "" when there is none.
func (p *parser) comparator() string {
	op := ""
	switch p.tok {
	case tLess:
		op = "<"
	case tGreater:
		op = ">"
	case tLessEqual:
		op = "<="
	case tGreaterEqual:
		op = ">="
	case tEqual:
		op = "=="
	case tNotEqual:
		op = "!="
	case kwIn:
		op = "in"
	case kwIs:
		p.next()
		if p.accept(kwNot) {
			return "is not"
		}
		return "is"
	case kwNot:
		p.next()
		p.expect(kwIn)
		return "not in"
	default:
		return ""
	}
	p.next()
	return op
}

// binaries reads what operators that bind at least as tightly as prec join to the first operand.
func (p *parser) binaries(left Expr, prec precedence) Expr {
	for p.tok < tKeyword {
		op := operators[p.tok]
		if op.prec < prec || op.prec == 0 {
			break
		}
		p.next()
		right := p.binary(op.prec.next())
		n := p.over(left.Pos(), left)
		p.raise(&n, right)
		left = &BinOp{n, op.text, left, right}
	}
	return left
}

func (p *parser) unary() Expr {
	op := ""
	switch p.tok {
	case tPlus:
		op = "+"
	case tMinus:
		op = "-"
	case tTilde:
		op = "~"
	case kwAwait:
		pos := p.start
		p.next()
		v := p.suffixes(p.atom())
		return p.power(&Await{p.over(pos, v), v})
	default:
		return p.power(p.suffixes(p.atom()))
	}
	p.enter()
	defer p.leave()
	pos := p.start
	p.next()
	operand := p.unary()
	return &UnaryOp{p.over(pos, operand), op, operand}
}

// power reads the exponent of the first operand.
func (p *parser) power(left Expr) Expr {
	if p.tok != tPower {
		return left
	}
	p.enter()
	defer p.leave()
	p.next()
	right := p.unary()
	n := p.over(left.Pos(), left)
	p.raise(&n, right)
	return &BinOp{n, "**", left, right}
}

// suffixes reads the attributes, calls and subscripts behind an atom.
func (p *parser) suffixes(e Expr) Expr {
	for {
		switch p.tok {
		case tDot:
			p.next()
			if p.tok != tName {
				p.unexpected()
				return e
			}
			e = &Attribute{p.over(e.Pos(), e), e, p.identifier()}
		case tLParen:
			e = p.call(e)
		case tLBracket:
			e = p.subscript(e)
		default:
			return e
		}
	}
}

// identifier returns the current name in its normal form and passes over it.
func (p *parser) identifier() string {
	s := normalise(p.src[p.start:p.end])
	p.next()
	return s
}

func (p *parser) subscript(value Expr) Expr {
	p.next()
	index := p.index()
	if _, star := index.(*Starred); star || p.tok == tComma {
		base := p.mark(index)
		for p.accept(tComma) && p.tok != tRBracket {
			p.push(p.index())
		}
		elts := p.pop(base)
		index = &Tuple{p.overAll(index.Pos(), elts), elts}
	}
	p.expect(tRBracket)
	n := p.over(value.Pos(), value)
	p.raise(&n, index)
	return &Subscript{n, value, index}
}

// index reads one part of a subscript.
func (p *parser) index() Expr {
	s := Slice{node: node{pos: int32(p.start), height: 1}}
	if p.tok != tColon {
		first := p.tok
		e := p.starredOr(p.named, p.expression)
		if p.tok != tColon || !isKey(e, first) {
			return e
		}
		s.Lower = e
	}
	p.next()
	if p.tok != tColon && p.tok != tComma && p.tok != tRBracket {
		s.Upper = p.expression()
	}
	if p.accept(tColon) && p.tok != tComma && p.tok != tRBracket {
		s.Step = p.expression()
	}
	p.raise(&s.node, s.Lower)
	p.raise(&s.node, s.Upper)
	p.raise(&s.node, s.Step)
	return &s
}
