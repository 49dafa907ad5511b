package scenario

import "strings"

// keyLines tells on which line each key of a TOML document stands: table headers and the keys of key/value pairs,
// inline tables included, in the order of the file. That is the order of toml.MetaData.Keys, which knows no lines.
//
// The document must have been accepted by the TOML decoder; of anything else the result means nothing.
func keyLines(doc string) []int {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\ufeff"} {
		// The decoder passes over one byte order mark, also over one of an encoding it does not read.
		if rest, ok := strings.CutPrefix(doc, mark); ok {
			doc = rest
			break
		}
	}
	s := keyScanner{doc: doc, line: 1}
	for s.skipBlank(); s.pos < len(s.doc); s.skipBlank() {
		if s.doc[s.pos] == '[' {
			s.header()
			continue
		}
		s.pair()
	}
	return s.lines
}

// keyScanner walks over a valid TOML document and notes where keys begin.
type keyScanner struct {
	doc   string
	pos   int
	line  int
	lines []int
}

// peek returns the byte at the position, 0 at the end.
func (s *keyScanner) peek() byte {
	if s.pos < len(s.doc) {
		return s.doc[s.pos]
	}
	return 0
}

// advance moves on by n bytes and counts the lines passed.
func (s *keyScanner) advance(n int) {
	end := min(s.pos+n, len(s.doc))
	s.line += strings.Count(s.doc[s.pos:end], "\n")
	s.pos = end
}

// skipBlank passes over white space, line ends and comments.
func (s *keyScanner) skipBlank() {
	for s.pos < len(s.doc) {
		switch s.doc[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.advance(1)
		case '#':
			s.skipUntil("\n")
		default:
			return
		}
	}
}

// skipUntil passes over everything before the first byte that is one of stop.
func (s *keyScanner) skipUntil(stop string) {
	n := strings.IndexAny(s.doc[s.pos:], stop)
	if n < 0 {
		n = len(s.doc) - s.pos
	}
	s.advance(n)
}

// header passes over `[a.b]` or `[[a.b]]`.
func (s *keyScanner) header() {
	s.lines = append(s.lines, s.line)
	for s.peek() == '[' {
		s.advance(1)
	}
	s.key("]")
	for s.peek() == ']' {
		s.advance(1)
	}
}

// pair passes over `a.b = value`.
func (s *keyScanner) pair() {
	s.lines = append(s.lines, s.line)
	s.key("=")
	s.advance(1)
	s.value()
}

// key passes over a key, its parts quoted or not, up to the byte that ends it.
func (s *keyScanner) key(end string) {
	for s.pos < len(s.doc) {
		s.skipUntil(end + `"'`)
		if c := s.peek(); c != '"' && c != '\'' {
			return
		}
		s.text()
	}
}

// value passes over a value of any kind.
func (s *keyScanner) value() {
	s.skipBlank()
	switch s.peek() {
	case '"', '\'':
		s.text()
	case '[':
		s.items(']', s.value)
	case '{':
		s.items('}', s.pair)
	default:
		s.skipUntil(",]}#\n")
	}
}

// items passes over what stands between brackets.
func (s *keyScanner) items(end byte, item func()) {
	s.advance(1)
	for s.pos < len(s.doc) {
		s.skipBlank()
		switch s.peek() {
		case end:
			s.advance(1)
			return
		case ',':
			s.advance(1)
		default:
			before := s.pos
			item()
			if s.pos == before {
				s.advance(1)
			}
		}
	}
}

// text passes over a string of one of TOML's four kinds.
func (s *keyScanner) text() {
	quote := s.doc[s.pos : s.pos+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.doc[s.pos:], long) {
		quote = long
	}
	s.advance(len(quote))
	for s.pos < len(s.doc) {
		switch {
		case quote[0] == '"' && s.doc[s.pos] == '\\':
			s.advance(2)
		case strings.HasPrefix(s.doc[s.pos:], quote):
			s.advance(len(quote))
			// A long string may end in up to two quotes of its own.
			for len(quote) == 3 && s.peek() == quote[0] {
				s.advance(1)
			}
			return
		default:
			s.advance(1)
		}
	}
}
