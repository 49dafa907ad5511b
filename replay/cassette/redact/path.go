package redact

import (
	"fmt"
	"strconv"
	"strings"
)

// Path is a JSON path with wildcards: $.user, $.messages[*].content, $.metadata.*, $["a key"], $..token.
type Path struct {
	text  string
	steps []step
}

// step is one step down from a value. any takes every member or element; deep goes down any number of steps before it.
type step struct {
	name      string
	index     int // -1 for a name
	any, deep bool
}

// ParsePath reads a path.
func ParsePath(s string) (Path, error) {
	p := Path{text: s}
	rest, ok := strings.CutPrefix(s, "$")
	if !ok || rest == "" {
		return p, fmt.Errorf("JSON path %q: write a $ and what is below it, such as $.user, $.messages[*].name or $..token", s)
	}
	for rest != "" {
		st := step{index: -1}
		var err error
		switch {
		case strings.HasPrefix(rest, "["):
			st, rest, err = bracket(rest)
		case strings.HasPrefix(rest, ".."):
			rest = rest[2:]
			if strings.HasPrefix(rest, "[") {
				st, rest, err = bracket(rest)
			} else {
				st.name, rest = word(rest)
			}
			st.deep = true
		case strings.HasPrefix(rest, "."):
			st.name, rest = word(rest[1:])
		default:
			err = fmt.Errorf("a step begins with . or [, not with %.10q", rest)
		}
		if err == nil && st.index < 0 && !st.any && st.name == "" {
			err = fmt.Errorf("a name is missing")
		}
		if err != nil {
			return p, fmt.Errorf("JSON path %q: %w", s, err)
		}
		if st.name == "*" {
			st.any = true
		}
		p.steps = append(p.steps, st)
	}
	return p, nil
}

func word(s string) (word, rest string) {
	i := strings.IndexAny(s, ".[")
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

func bracket(s string) (st step, rest string, err error) {
	inside, rest, ok := strings.Cut(s[1:], "]")
	if !ok {
		return st, "", fmt.Errorf("a ] is missing")
	}
	st.index = -1
	switch {
	case inside == "*":
		st.any = true
	case len(inside) >= 2 && (inside[0] == '"' || inside[0] == '\'') && inside[len(inside)-1] == inside[0]:
		st.name = inside[1 : len(inside)-1]
	default:
		if st.index, err = strconv.Atoi(inside); err != nil || st.index < 0 {
			return st, rest, fmt.Errorf("[%s] is neither a number, a quoted name nor *", inside)
		}
	}
	return st, rest, nil
}

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// place is where a value stands: its name in an object, or its index in an array.
type place struct {
	name  string
	index int // -1 in an object
}

// matches reports whether the path leads to the value at the given places, from the outermost on.
func (p Path) matches(at []place) bool { return leads(p.steps, at) }

func leads(steps []step, at []place) bool {
	if len(steps) == 0 {
		return len(at) == 0
	}
	for skip := 0; skip < len(at); skip++ {
		if steps[0].takes(at[skip]) && leads(steps[1:], at[skip+1:]) {
			return true
		}
		if !steps[0].deep {
			return false
		}
	}
	return false
}

func (s step) takes(p place) bool {
	if s.any {
		return true
	}
	return s.index == p.index && (s.index >= 0 || s.name == p.name)
}
