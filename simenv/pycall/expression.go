package pycall

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
