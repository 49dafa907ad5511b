package pycall

// comprehends reports whether a "for" of a comprehension follows.
func (p *parser) comprehends() bool { return p.tok == kwFor || p.tok == kwAsync }

// comprehension reads the clauses of a comprehension and its closing bracket.
func (p *parser) comprehension(pos int, open byte, elt, value Expr, closing token) Expr {
	if _, star := elt.(*Starred); star {
		p.reject(elt.Pos(), "iterable unpacking cannot be used in comprehension")
	}
	c := p.clauses(pos, open, elt, value)
	p.expect(closing)
	return c
}

func (p *parser) clauses(pos int, open byte, elt, value Expr) Expr {
	c := &Comp{node: p.over(pos, elt), Open: open, Elt: elt, Value: value}
	p.raise(&c.node, value)
	for p.comprehends() {
		cl := Clause{Async: p.accept(kwAsync)}
		p.expect(kwFor)
		cl.Target = p.target()
		p.expect(kwIn)
		cl.Iter = p.disjunction()
		for p.accept(kwIf) {
			cl.Ifs = append(cl.Ifs, p.disjunction())
		}
		p.raise(&c.node, cl.Target)
		p.raise(&c.node, cl.Iter)
		for _, e := range cl.Ifs {
			p.raise(&c.node, e)
		}
		c.Clauses = append(c.Clauses, cl)
	}
	return c
}

// target reads what a comprehension assigns to.
func (p *parser) target() Expr {
	if p.tok == kwIn {
		p.unexpected()
	}
	t := p.tuple(func() Expr { return p.starredOr(p.bitOr, p.bitOr) })
	if bad, what := notAssignable(t); bad != nil {
		p.reject(bad.Pos(), "cannot assign to "+what)
	}
	return t
}

// notAssignable returns the part of a target that nothing can be assigned to, and what it is.
func notAssignable(e Expr) (bad Expr, what string) {
	switch e := e.(type) {
	case *Name, *Attribute, *Subscript:
		return nil, ""
	case *Starred:
		return notAssignable(e.Value)
	case *Tuple:
		return notAllAssignable(e.Elts)
	case *List:
		return notAllAssignable(e.Elts)
	case *Call:
		return e, "function call"
	case *Constant:
		return e, "literal"
	}
	return e, "expression"
}

func notAllAssignable(elts []Expr) (bad Expr, what string) {
	for _, e := range elts {
		if bad, what := notAssignable(e); bad != nil {
			return bad, what
		}
	}
	return nil, ""
}
