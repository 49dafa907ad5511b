package pycall

import "github.com/exodeck/exodeck/simenv/pyvalue"

// atom reads what has no operator: a name, a literal, something in brackets.
func (p *parser) atom() Expr {
	pos := p.start
	switch p.tok {
	case tName:
		return &Name{p.over(pos, nil), p.identifier()}
	case tNumber:
		v, msg := numberValue(p.src[p.start:p.end])
		if msg != "" {
			p.reject(pos, msg)
		}
		return p.constant(v)
	case tString:
		return p.strings()
	case tEllipsis:
		return p.constant(pyvalue.Ellipsis{})
	case kwNone:
		return p.constant(pyvalue.None{})
	case kwTrue:
		return p.constant(pyvalue.Bool(true))
	case kwFalse:
		return p.constant(pyvalue.Bool(false))
	case tLParen:
		return p.group()
	case tLBracket:
		return p.list()
	case tLBrace:
		return p.braces()
	}
	p.unexpected()
	return p.newConstant(pos, pyvalue.None{})
}

// constant makes a node of the current token.
func (p *parser) constant(v pyvalue.Value) Expr {
	c := p.newConstant(p.start, v)
	p.next()
	return c
}

func (p *parser) newConstant(pos int, v pyvalue.Value) *Constant {
	if len(p.constants) == cap(p.constants) {
		p.constants = make([]Constant, 0, 8)
	}
	p.constants = append(p.constants, Constant{node{pos: int32(pos), height: 1}, v, false})
	return &p.constants[len(p.constants)-1]
}

// group reads what is in round brackets: a tuple, a generator, a yield, or one expression.
func (p *parser) group() Expr {
	pos := p.start
	p.next()
	if p.accept(tRParen) {
		return &Tuple{p.over(pos, nil), nil}
	}
	return p.inRound(pos, tRParen)
}

// inRound reads what is in round brackets, of which the first is at pos, and the closing token.
func (p *parser) inRound(pos int, closing token) Expr {
	if p.tok == kwYield {
		e := p.yield()
		p.expect(closing)
		return e
	}
	start := p.start
	first := p.item()
	_, star := first.(*Starred)
	switch {
	case p.tok == tComma:
		elts := p.items(first, closing)
		p.expect(closing)
		return &Tuple{p.overAll(pos, elts), elts}
	case p.comprehends():
		return p.comprehension(pos, '(', first, nil, closing)
	case star && p.tok == closing:
		p.reject(start, "cannot use starred expression here")
	}
	p.expect(closing)
	return first
}

// items reads the elements of a display behind the first, up to its closing bracket.
func (p *parser) items(first Expr, closing token) []Expr {
	base := p.mark(first)
	for p.accept(tComma) && p.tok != closing {
		p.push(p.item())
	}
	return p.pop(base)
}

func (p *parser) yield() Expr {
	pos := p.start
	p.next()
	y := &Yield{From: p.accept(kwFrom)}
	switch {
	case y.From:
		y.Value = p.expression()
	case p.startsExpression():
		y.Value = p.tuple(func() Expr { return p.starredOr(p.expression, p.bitOr) })
	}
	y.node = p.over(pos, y.Value)
	return y
}

func (p *parser) list() Expr {
	pos := p.start
	p.next()
	var elts []Expr
	if p.tok != tRBracket {
		first := p.item()
		if p.comprehends() {
			return p.comprehension(pos, '[', first, nil, tRBracket)
		}
		elts = p.items(first, tRBracket)
	}
	p.expect(tRBracket)
	return &List{p.overAll(pos, elts), elts}
}

// braces reads a dict or a set, or a comprehension of one.
func (p *parser) braces() Expr {
	pos := p.start
	p.next()
	if p.tok == tRBrace || p.tok == tPower {
		return p.dict(pos, nil)
	}
	firstTok := p.tok
	first := p.item()
	switch {
	case p.tok == tColon && isKey(first, firstTok):
		p.next()
		value := p.dictValue()
		if p.comprehends() {
			return p.comprehension(pos, '{', first, value, tRBrace)
		}
		return p.dict(pos, []DictItem{{first, value}})
	case p.comprehends():
		return p.comprehension(pos, '{', first, nil, tRBrace)
	}
	elts := p.items(first, tRBrace)
	p.expect(tRBrace)
	return &Set{p.overAll(pos, elts), elts}
}

// isKey reports whether an element of braces, beginning with the given token, can be a key: not when it is starred, and a := needs
// brackets.
func isKey(e Expr, first token) bool {
	_, isNamed := e.(*NamedExpr)
	return first != tStar && (!isNamed || first == tLParen)
}

// dict reads the rest of a dict after its first item, if it has one.
func (p *parser) dict(pos int, items []DictItem) Expr {
	d := &Dict{p.over(pos, nil), items}
	if len(items) > 0 && p.tok != tRBrace {
		p.expect(tComma)
	}
	for p.tok != tRBrace && p.tok != tEOF {
		var item DictItem
		if p.tok == tPower {
			p.next()
			item.Value = p.bitOr()
			if p.comprehends() {
				p.reject(pos, "dict unpacking cannot be used in dict comprehension")
			}
		} else {
			start := p.start
			item.Key = p.expression()
			if p.tok == tRBrace || p.tok == tComma {
				p.reject(start, "':' expected after dictionary key")
			}
			p.expect(tColon)
			item.Value = p.dictValue()
		}
		d.Items = append(d.Items, item)
		if p.tok != tRBrace {
			p.expect(tComma)
		}
	}
	p.expect(tRBrace)
	for _, item := range d.Items {
		p.raise(&d.node, item.Key)
		p.raise(&d.node, item.Value)
	}
	return d
}

func (p *parser) dictValue() Expr {
	switch p.tok {
	case tStar:
		p.reject(p.start, "cannot use a starred expression in a dictionary value")
	case tRBrace, tComma:
		p.reject(p.start, "expression expected after dictionary key and ':'")
	}
	return p.expression()
}

// call reads the arguments of a call.
func (p *parser) call(fn Expr) Expr {
	p.next()
	c := &Call{Func: fn}
	base := p.mark()
	unpacked := false // **value was seen
	for p.tok != tRParen && p.tok != tEOF {
		start, first := p.start, p.tok
		switch {
		case p.accept(tPower):
			unpacked = true
			c.keyword("", p.expression())
		case p.tok == tStar:
			if unpacked {
				p.reject(start, "iterable argument unpacking follows keyword argument unpacking")
			}
			p.push(p.starred(p.expression))
		case first == tName && p.assignFollows():
			name := p.identifier()
			p.next()
			c.keyword(name, p.expression())
		default:
			e := p.named()
			if p.tok == tAssign {
				p.keywordArgument(c, e, first)
				break
			}
			alone := len(p.stack) == base && c.Keywords == nil
			p.push(p.positional(c, e, start, alone, unpacked))
		}
		if p.tok != tRParen {
			p.expect(tComma)
		}
	}
	p.expect(tRParen)
	c.Args = p.pop(base)
	c.node = p.overAll(fn.Pos(), c.Args)
	p.raise(&c.node, fn)
	for i := range c.Keywords {
		p.raise(&c.node, c.Keywords[i].Value)
	}
	return c
}

// assignFollows reports whether a single "=" comes next on the same line. It is the short way to tell a keyword argument.
func (p *parser) assignFollows() bool {
	i := p.pos
	for p.at(i) == ' ' {
		i++
	}
	return p.at(i) == '=' && p.at(i+1) != '='
}

// keyword adds a keyword argument. Most calls have few, so the first gets room for four.
func (c *Call) keyword(name string, value Expr) {
	if c.Keywords == nil {
		c.Keywords = make([]Keyword, 0, 4)
	}
	c.Keywords = append(c.Keywords, Keyword{name, value})
}

// keywordArgument reads the "=value" behind e, which began with the token first.
func (p *parser) keywordArgument(c *Call, e Expr, first token) {
	name, ok := e.(*Name)
	switch {
	case ok && first == tName && p.prev == tName:
	case p.prev == first && (first == kwTrue || first == kwFalse || first == kwNone):
		p.reject(e.Pos(), "cannot assign to "+p.src[e.Pos():p.prevEnd])
		return
	default:
		p.reject(e.Pos(), `expression cannot contain assignment, perhaps you meant "=="?`)
		return
	}
	p.next()
	value := p.expression()
	c.keyword(name.ID, value)
}

// positional checks a positional argument that begins at start, or reads on when it is a generator without brackets of its own.
func (p *parser) positional(c *Call, e Expr, start int, alone, unpacked bool) Expr {
	switch {
	case p.comprehends():
		e = p.clauses(start, '(', e, nil)
		if !alone || p.tok != tRParen {
			p.reject(start, "Generator expression must be parenthesized")
		}
	case unpacked:
		p.reject(start, "positional argument follows keyword argument unpacking")
	case len(c.Keywords) > 0:
		p.reject(start, "positional argument follows keyword argument")
	}
	return e
}
