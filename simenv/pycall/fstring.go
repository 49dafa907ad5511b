package pycall

import "strings"

const noBackslash = "f-string expression part cannot include a backslash"

// fstring reads the inside of one f-string by the rules of CPython up to 3.11, where the string ends at the first quote of its kind
// and the part between braces knows neither backslashes nor comments. 3.12 accepts more.
type fstring struct {
	p   *parser
	lit literal
	pos int // in the body
	end int
}

func (f *fstring) fail(msg string) { f.p.reject(f.lit.pos, "f-string: "+msg) }

// parts reads texts and fields, up to the end or, in a format specification, the brace that ends it.
func (f *fstring) parts(j *joiner, level int) {
	for f.p.err == nil && f.pos < f.end {
		f.text(j, level)
		if f.p.err != nil || f.pos == f.end || f.lit.body[f.pos] == '}' {
			return
		}
		f.field(j, level)
	}
}

// text reads up to the next field. Doubled braces stand for one, except in a format specification.
func (f *fstring) text(j *joiner, level int) {
	body := f.lit.body
	start := f.pos
	flush := func(end int) {
		s := body[start:end]
		if !f.lit.raw && strings.IndexByte(s, '\\') >= 0 {
			text, msg := unescape(s, false)
			if msg != "" {
				f.p.reject(f.lit.pos, msg)
			}
			s = text
		}
		j.text.WriteString(s)
	}
	for f.pos < f.end {
		switch c := body[f.pos]; {
		case c == '\\' && !f.lit.raw && f.pos+1 < f.end:
			f.pos++
			if next := body[f.pos]; next == '{' || next == '}' {
				continue
			} else if next == 'N' && f.pos+1 < f.end && body[f.pos+1] == '{' {
				f.pos = f.after(f.pos+2, '}')
				continue
			}
		case c != '{' && c != '}':
		case level == 0 && f.pos+1 < f.end && body[f.pos+1] == c:
			flush(f.pos + 1)
			f.pos += 2
			start = f.pos
			continue
		case level == 0 && c == '}':
			f.fail("single '}' is not allowed")
			return
		default:
			flush(f.pos)
			return
		}
		f.pos++
	}
	flush(f.end)
}

// after returns the offset behind the next c, or the end.
func (f *fstring) after(i int, c byte) int {
	if n := strings.IndexByte(f.lit.body[i:f.end], c); n >= 0 {
		return i + n + 1
	}
	return f.end
}

// field reads one {expression=!conversion:specification}. The "=" makes the text of the expression a part of the string.
func (f *fstring) field(j *joiner, level int) {
	if level >= 2 {
		f.fail("expressions nested too deeply")
		return
	}
	f.pos++
	start := f.pos
	if !f.skipExpression() {
		return
	}
	v := &FormattedValue{Value: f.expression(start)}
	debug := f.peek() == '='
	if debug {
		f.pos++
		for strings.IndexByte(" \t\n\v\f\r", f.peek()) >= 0 {
			f.pos++
		}
		j.text.WriteString(f.lit.body[start:f.pos])
	}
	if f.peek() == '!' {
		f.conversion(v)
	}
	if f.peek() == ':' {
		f.pos++
		spec := joiner{first: f.lit, format: true}
		f.parts(&spec, level+1)
		v.Spec = spec.joinedStr(f.p)
	}
	if f.peek() != '}' {
		f.fail("expecting '}'")
		return
	}
	f.pos++
	v.node = f.p.over(f.lit.bodyPos+start-1, v.Value)
	if v.Spec != nil {
		f.p.raise(&v.node, v.Spec)
	} else if debug && v.Conversion == 0 {
		v.Conversion = 'r'
	}
	j.flush(f.p)
	j.values = append(j.values, v)
}

// peek returns the next byte, or 0 at the end.
func (f *fstring) peek() byte {
	if f.pos < f.end {
		return f.lit.body[f.pos]
	}
	return 0
}

func (f *fstring) conversion(v *FormattedValue) {
	f.pos++
	start := f.pos
	for f.peek() != '}' && f.peek() != ':' && f.pos < f.end {
		f.pos++
	}
	switch c := f.lit.body[start:f.pos]; {
	case f.pos == f.end:
		f.fail("expecting '}'")
	case c == "s" || c == "r" || c == "a":
		v.Conversion = c[0]
	default:
		f.fail("invalid conversion character: expected 's', 'r', or 'a'")
	}
}

// skipExpression moves behind the expression of a field, which ends at the first = ! : or } outside of brackets and strings.
func (f *fstring) skipExpression() bool {
	var open []byte
	for f.pos < f.end {
		switch c := f.lit.body[f.pos]; c {
		case '\\':
			f.p.reject(f.lit.pos, noBackslash)
			return false
		case '#':
			f.p.reject(f.lit.pos, "f-string expression part cannot include '#'")
			return false
		case '\'', '"':
			if !f.skipString(c) {
				return false
			}
			continue
		case '(', '[', '{':
			if len(open) == MaxNesting {
				f.fail("too many nested parenthesis")
				return false
			}
			open = append(open, c)
		case ')', ']', '}':
			if len(open) == 0 {
				if c == '}' {
					return true
				}
				f.fail("unmatched '" + string(c) + "'")
				return false
			}
			if o := open[len(open)-1]; c != o+1 && c != o+2 { // the distances of the brackets in ASCII
				f.fail("closing parenthesis '" + string(c) + "' does not match opening parenthesis '" + string(o) + "'")
				return false
			}
			open = open[:len(open)-1]
		case '!', ':', '=', '<', '>':
			if len(open) > 0 {
				break
			}
			if c != ':' && f.pos+1 < f.end && f.lit.body[f.pos+1] == '=' {
				f.pos++
			} else if c != '<' && c != '>' {
				return true
			}
		}
		f.pos++
	}
	if len(open) > 0 {
		f.fail("unmatched '" + string(open[len(open)-1]) + "'")
	} else {
		f.fail("expecting '}'")
	}
	return false
}

// skipString moves behind a string inside an expression.
func (f *fstring) skipString(quote byte) bool {
	body := f.lit.body[:f.end]
	mark := body[f.pos : f.pos+1]
	if strings.HasPrefix(body[f.pos:], strings.Repeat(mark, 3)) {
		mark = body[f.pos : f.pos+3]
	}
	n := strings.Index(body[f.pos+len(mark):], mark)
	inside := body[f.pos+len(mark):]
	if n >= 0 {
		inside = inside[:n]
	}
	switch {
	case strings.IndexByte(inside, '\\') >= 0:
		f.p.reject(f.lit.pos, noBackslash)
		return false
	case n < 0:
		f.fail("unterminated string")
		return false
	}
	f.pos += 2*len(mark) + n
	return true
}

// expression parses the expression between start and the current place, as if it stood in round brackets.
func (f *fstring) expression(start int) Expr {
	if strings.Trim(f.lit.body[start:f.pos], " \t\n\f\r") == "" {
		f.fail("empty expression not allowed")
	}
	sub := parser{depth: f.p.depth}
	sub.init(f.p.src[:f.lit.bodyPos+f.pos])
	sub.pos = f.lit.bodyPos + start
	sub.lineStart = false
	sub.open = append(sub.open, int32(sub.pos-1))
	sub.next()
	e := sub.inRound(sub.start, tEOF)
	if sub.err != nil {
		msg := sub.err.Msg
		if sub.err.Offset == f.lit.bodyPos+start-1 { // the brace of the field, which is not a bracket of the expression
			msg = "invalid syntax"
		}
		f.p.fail(sub.err.Offset, sub.err.Class, "f-string: "+msg)
	}
	return e
}
