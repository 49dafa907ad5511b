package decode

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// plainCalls reads a list of calls written in the plain way nearly every answer is: keyword arguments, values that are simple
// strings, decimal numbers, True, False, None, bare names, lists, tuples, and objects with text keys. What it reads means the same under
// every rule set that takes names for text. It gives up, with ok false, on anything else; the full grammar decides then.
//
// It exists for speed only: it needs no tree. A test holds it against the full grammar.
func (r *Reader) plainCalls(text string) (calls []Call, ok bool) {
	p := plain{text: text, memory: r}
	r.used = 0
	r.calls = r.calls[:0]
	r.stack = r.stack[:0]
	r.arena.Reset()
	if !p.next('[') {
		return nil, false
	}
	for {
		p.space()
		if p.next(']') {
			break
		}
		c, ok := p.call()
		if !ok {
			return nil, false
		}
		r.calls = append(r.calls, c)
		if !p.separator(']') {
			return nil, false
		}
	}
	return r.calls, p.pos == len(text) && utf8.ValidString(text)
}

// maxPlainDepth is how deep values are nested at most; the full grammar allows more.
const maxPlainDepth = 50

type plain struct {
	text   string
	pos    int
	depth  int
	comma  bool // the last separator was one
	memory *Reader
}

func (p *plain) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// next moves behind c when it stands here.
func (p *plain) next(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// space passes over what may stand between tokens inside brackets, but for comments.
func (p *plain) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\n', '\t', '\r', '\f':
		case '\\':
			if p.pos+1 == len(p.text) || p.text[p.pos+1] != '\n' {
				return
			}
		default:
			return
		}
		p.pos++
	}
}

// separator reads what may follow an element: a comma, or the closing bracket, which stays.
func (p *plain) separator(closing byte) bool {
	p.space()
	p.comma = p.next(',')
	return p.comma || p.peek() == closing
}

// name reads an identifier that is not a keyword.
func (p *plain) name() (string, bool) {
	start := p.pos
	for p.pos < len(p.text) && nameBytes[p.text[p.pos]] {
		p.pos++
	}
	name := p.text[start:p.pos]
	return name, name != "" && !('0' <= name[0] && name[0] <= '9') && !isKeyword(name)
}

// nameBytes holds the bytes of names that are all ASCII.
var nameBytes = func() (in [256]bool) {
	for c := range in {
		in[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
	}
	return in
}()

func isKeyword(name string) bool {
	switch name {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
		"except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
		"return", "try", "while", "with", "yield":
		return true
	}
	return false
}

func (p *plain) call() (c Call, ok bool) {
	start := p.pos
	for {
		if _, ok := p.name(); !ok {
			return c, false
		}
		if !p.next('.') {
			break
		}
	}
	c.Name = p.text[start:p.pos]
	if !p.next('(') {
		return c, false
	}
	args := arguments{list: p.memory.someArgs()}
	for {
		p.space()
		if p.next(')') {
			c.Args = args.list
			p.memory.used += len(args.list)
			return c, true
		}
		name, ok := p.name()
		if !ok {
			return c, false
		}
		p.space()
		if !p.next('=') {
			return c, false
		}
		p.space()
		value, ok := p.value()
		if !ok || !p.separator(')') {
			return c, false
		}
		args.put(Arg{Name: name, Value: value})
	}
}

func (p *plain) value() (v pyvalue.Value, ok bool) {
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		s, ok := p.string(c)
		return pyvalue.Str(s), ok
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case c == '[':
		return p.nested((*plain).list)
	case c == '(':
		return p.nested((*plain).round)
	case c == '{':
		return p.nested((*plain).dict)
	}
	start := p.pos
	name, ok := p.name()
	if ok {
		return pyvalue.Str(name), true
	}
	switch p.text[start:p.pos] {
	case "True":
		return pyvalue.Bool(true), true
	case "False":
		return pyvalue.Bool(false), true
	case "None":
		return pyvalue.None{}, true
	}
	return nil, false
}

// nested reads a list or an object, whose bracket stands here.
func (p *plain) nested(read func(*plain) (pyvalue.Value, bool)) (pyvalue.Value, bool) {
	if p.depth == maxPlainDepth {
		return nil, false
	}
	p.depth++
	p.pos++
	v, ok := read(p)
	p.depth--
	return v, ok
}

func (p *plain) list() (pyvalue.Value, bool) {
	start := len(p.memory.stack)
	if ok := p.items(']'); !ok {
		return nil, false
	}
	return p.memory.arena.List(p.memory.pop(start)), true
}

// round reads a tuple, or one value in brackets.
func (p *plain) round() (pyvalue.Value, bool) {
	start := len(p.memory.stack)
	if ok := p.items(')'); !ok {
		return nil, false
	}
	items := p.memory.pop(start)
	if len(items) == 1 && !p.comma {
		return items[0], true
	}
	return pyvalue.Tuple(slices.Clone(items)), true
}

// items reads values up to the closing bracket onto the stack.
func (p *plain) items(closing byte) bool {
	for {
		p.space()
		if p.next(closing) {
			return true
		}
		v, ok := p.value()
		if !ok || !p.separator(closing) {
			return false
		}
		p.memory.stack = append(p.memory.stack, v)
	}
}

func (p *plain) dict() (pyvalue.Value, bool) {
	m := p.memory
	start := len(m.stack)
	for {
		p.space()
		if p.next('}') {
			return m.arena.Dict(m.pop(start)), true
		}
		quote := p.peek()
		if quote != '\'' && quote != '"' {
			return nil, false
		}
		key, ok := p.string(quote)
		p.space()
		if !ok || !p.next(':') {
			return nil, false
		}
		p.space()
		v, ok := p.value()
		if !ok || !p.separator('}') {
			return nil, false
		}
		m.stack = append(m.stack, pyvalue.Str(key), v)
	}
}

// string reads a string in single quotation marks, with the escapes of quotes, backslash, newline and tab.
func (p *plain) string(quote byte) (string, bool) {
	p.pos++
	start := p.pos
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; c {
		case quote:
			s := p.text[start:p.pos]
			p.pos++
			return s, s != "" || p.peek() != quote // three marks open a long string
		case '\\':
			return p.escaped(quote, start)
		case '\n', '\r', 0:
			return "", false
		}
		p.pos++
	}
	return "", false
}

// escaped reads on at the first backslash of a string that began at start.
func (p *plain) escaped(quote byte, start int) (string, bool) {
	var b strings.Builder
	b.WriteString(p.text[start:p.pos])
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch c {
		case quote:
			return b.String(), true
		case '\n', '\r', 0:
			return "", false
		case '\\':
			switch c := p.peek(); c {
			case '\'', '"', '\\':
				b.WriteByte(c)
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				return "", false
			}
			p.pos++
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// number reads a decimal integer of up to 18 digits, or a float without an exponent.
func (p *plain) number() (pyvalue.Value, bool) {
	start := p.pos
	p.next('-')
	digits := p.pos
	p.digits()
	n := p.pos - digits
	if n == 0 || n > 18 || n > 1 && p.text[digits] == '0' {
		return nil, false
	}
	whole := p.pos
	if p.next('.') {
		p.digits()
	}
	if c := p.peek(); nameBytes[c] || c == '.' || c >= utf8.RuneSelf {
		return nil, false
	}
	if p.pos == whole {
		i, err := strconv.ParseInt(p.text[start:p.pos], 10, 64)
		if 0 <= i && i < int64(len(smallInts)) {
			return smallInts[i], err == nil
		}
		return pyvalue.NewInt(i), err == nil
	}
	f, err := strconv.ParseFloat(p.text[start:p.pos], 64)
	return pyvalue.Float(f), err == nil
}

// smallInts are the integers that most answers hold, ready as values.
var smallInts = func() (all [1024]pyvalue.Value) {
	for i := range all {
		all[i] = pyvalue.NewInt(int64(i))
	}
	return all
}()

func (p *plain) digits() {
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
}
