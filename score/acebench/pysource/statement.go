package pysource

import (
	"fmt"
	"strings"
)

// A statement is one logical line of Python source: brackets and strings are closed in it, comments outside of brackets are cut.
type statement struct {
	line   int    // of its first character, from 1
	indent int    // columns of white space before it
	text   string // without the indentation
}

// statements splits source into its logical lines. Empty lines and lines of comments are left out.
func statements(src string) ([]statement, error) {
	s := splitter{src: strings.ReplaceAll(src, "\r\n", "\n"), line: 1}
	var all []statement
	for s.pos < len(s.src) {
		st, err := s.next()
		if err != nil {
			return nil, err
		}
		if st.text != "" {
			all = append(all, st)
		}
	}
	return all, nil
}

type splitter struct {
	src  string
	pos  int
	line int
}

// next reads one logical line, which may be empty.
func (s *splitter) next() (statement, error) {
	st := statement{line: s.line}
	for s.pos < len(s.src) && (s.src[s.pos] == ' ' || s.src[s.pos] == '\t') {
		s.pos++
		st.indent++
	}
	begin, end, depth := s.pos, -1, 0
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case '\n':
			s.line++
			s.pos++
			if depth > 0 {
				continue
			}
			if end < 0 {
				end = s.pos - 1
			}
			st.text = strings.TrimSpace(s.src[begin:end])
			return st, nil
		case '#':
			if depth == 0 && end < 0 {
				end = s.pos
			}
			if i := strings.IndexByte(s.src[s.pos:], '\n'); i >= 0 {
				s.pos += i
			} else {
				s.pos = len(s.src)
			}
		case '\'', '"':
			if err := s.skipString(c); err != nil {
				return st, err
			}
		case '\\':
			s.pos++
			if s.pos < len(s.src) {
				if s.src[s.pos] == '\n' {
					s.line++
				}
				s.pos++
			}
		case '(', '[', '{':
			depth++
			s.pos++
		case ')', ']', '}':
			depth--
			s.pos++
		default:
			s.pos++
		}
	}
	if depth > 0 {
		return st, fmt.Errorf("line %d: a bracket is not closed before the file ends", st.line)
	}
	if end < 0 {
		end = s.pos
	}
	st.text = strings.TrimSpace(s.src[begin:end])
	return st, nil
}

// skipString moves behind the string literal that begins with quote.
func (s *splitter) skipString(quote byte) error {
	first := s.line
	closing := s.src[s.pos : s.pos+1]
	if triple := strings.Repeat(closing, 3); strings.HasPrefix(s.src[s.pos:], triple) {
		closing = triple
	}
	for s.pos += len(closing); s.pos < len(s.src); s.pos++ {
		switch {
		case s.src[s.pos] == '\\':
			s.pos++
			if s.pos < len(s.src) && s.src[s.pos] == '\n' {
				s.line++
			}
		case strings.HasPrefix(s.src[s.pos:], closing):
			s.pos += len(closing)
			return nil
		case s.src[s.pos] == '\n':
			if len(closing) == 1 {
				return fmt.Errorf("line %d: a string that began with %c is not closed on its line", first, quote)
			}
			s.line++
		}
	}
	return fmt.Errorf("line %d: a string that began with %c is not closed before the file ends", first, quote)
}
