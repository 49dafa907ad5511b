// Package pyformat fills in templates as Python's str.format does, as far as prompts use it: {name} is a field, and {{ and }} are single
// braces. Positions, conversions and format specifications are no part of that, and are refused.
package pyformat

import (
	"fmt"
	"slices"
	"strings"
)

// Template is a text with fields in it. The zero value is the empty text.
type Template struct {
	parts []string // texts at even places, names of fields at odd ones
}

// Parse reads a template that has these fields at most. An error says what is wrong, and at which byte.
func Parse(text string, fields ...string) (Template, error) {
	var t Template
	var literal strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c != '{' && c != '}':
			literal.WriteByte(c)
		case i+1 < len(text) && text[i+1] == c:
			literal.WriteByte(c)
			i++
		case c == '}':
			return Template{}, fmt.Errorf("a } without its { at byte %d; write it twice where it is meant as text", i)
		default:
			name, _, ok := strings.Cut(text[i+1:], "}")
			if !ok {
				return Template{}, fmt.Errorf("a { without its } at byte %d; write it twice where it is meant as text", i)
			}
			if !slices.Contains(fields, name) {
				return Template{}, fmt.Errorf("the field {%.40s} at byte %d is not one of %s", name, i, strings.Join(fields, ", "))
			}
			t.parts = append(t.parts, literal.String(), name)
			literal.Reset()
			i += len(name) + 1
		}
	}
	t.parts = append(t.parts, literal.String())
	return t, nil
}

// Fill returns the text with values in place of the fields, nothing where there is none. What is put in is not looked at again.
func (t Template) Fill(values map[string]string) string {
	var b strings.Builder
	for i, part := range t.parts {
		if i%2 == 1 {
			part = values[part]
		}
		b.WriteString(part)
	}
	return b.String()
}
