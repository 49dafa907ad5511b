package pycall

// lambda reads lambda parameters: body.
func (p *parser) lambda() Expr {
	p.enter()
	defer p.leave()
	pos := p.start
	p.next()
	l := &Lambda{}
	if p.tok == tSlash {
		p.unexpected()
	}
	var s paramState
	for p.tok != tColon && p.tok != tEOF {
		l.Params = append(l.Params, p.param(&s))
		if p.tok != tColon {
			p.expect(tComma)
		}
	}
	if s.bareStar && !s.keywordOnly {
		p.reject(pos, "named arguments must follow bare *")
	}
	p.expect(tColon)
	l.Body = p.expression()
	l.node = p.over(pos, l.Body)
	for _, q := range l.Params {
		p.raise(&l.node, q.Default)
	}
	return l
}

// paramState is what the parameters read so far were.
type paramState struct {
	slash, star, bareStar, keywordOnly, doubleStar, defaults bool
}

// param reads one part of the parameters.
func (p *parser) param(s *paramState) Param {
	start := p.start
	if s.doubleStar {
		p.reject(start, "arguments cannot follow var-keyword argument")
	}
	var q Param
	switch p.tok {
	case tLParen:
		p.reject(start, "Lambda expression parameters cannot be parenthesized")
	case tSlash:
		switch {
		case s.slash:
			p.reject(start, "/ may appear only once")
		case s.star:
			p.reject(start, "/ must be ahead of *")
		}
		s.slash = true
		p.next()
		return Param{Mark: "/"}
	case tStar:
		if s.star {
			p.reject(start, "* argument may appear only once")
		}
		q.Mark, s.star = "*", true
		p.next()
		if p.tok == tComma || p.tok == tColon {
			s.bareStar = true
			return q
		}
	case tPower:
		q.Mark, s.doubleStar = "**", true
		p.next()
	default:
		s.keywordOnly = s.star
	}
	if p.tok != tName {
		p.unexpected()
		return q
	}
	q.Name = p.identifier()
	p.paramDefault(&q, s, start)
	return q
}

// paramDefault reads the default of a parameter, or checks that it may do without.
func (p *parser) paramDefault(q *Param, s *paramState, start int) {
	switch {
	case p.tok != tAssign:
		if s.defaults && q.Mark == "" && !s.star {
			p.reject(start, "non-default argument follows default argument")
		}
		return
	case q.Mark == "*":
		p.reject(p.start, "var-positional argument cannot have default value")
	case q.Mark == "**":
		p.reject(p.start, "var-keyword argument cannot have default value")
	}
	s.defaults = true
	p.next()
	q.Default = p.expression()
}
