// Package pysource reads constants out of Python source files without running them: texts at the top of a module, and the
// attributes that the constructor of a class sets.
//
// It is made for the files of the ACEBench repository, which keep prompts and tables in code. It understands statements of the forms
// named at [Constants] and [ReadClass], passes over all others, and fails where a statement of these forms holds something that is
// not a constant.
package pysource

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var assignment = regexp.MustCompile(`(?s)^([A-Za-z_]\w*)\s*=\s*([^=].*)$`)

// Constants returns the texts that are assigned to names at the top of a module, as in NAME = """text""". Names that are assigned
// anything else are left out; of a name that is assigned twice the last text counts.
func Constants(source string) (map[string]string, error) {
	all, err := statements(source)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, s := range all {
		m := assignment.FindStringSubmatch(s.text)
		if s.indent != 0 || m == nil || !strings.ContainsAny(m[2][:1], `'"rRuU(`) {
			continue
		}
		if text, ok := evaluate(m[2]).(pyvalue.Str); ok {
			texts[m[1]] = string(text)
		}
	}
	return texts, nil
}

// An Assignment is one attribute with the value it gets.
type Assignment struct {
	Name  string
	Value pyvalue.Value
}

// A Class is what the source says about the attributes of a class.
type Class struct {
	Name      string
	Base      string       // the first base class, "" without one
	CallsBase bool         // whether the constructor calls super().__init__()
	Init      []Assignment // self.name = constant, in the constructor
	Load      []Assignment // self.name = scenario.get("name", constant), in _load_scenario
}

var (
	classLine  = regexp.MustCompile(`^class\s+(\w+)\s*(?:\(\s*([\w.]*)[^)]*\))?\s*:$`)
	methodLine = regexp.MustCompile(`(?s)^def\s+(\w+)\s*\(.*:$`)
	selfLine   = regexp.MustCompile(`(?s)^self\.(\w+)\s*(?::[^=]*)?=\s*([^=].*)$`)
	getCall    = regexp.MustCompile(`(?s)^\w+\.get\(\s*(['"])(\w+)['"]\s*,(.*)\)$`)
)

// ReadClass reads the class with the given name.
func ReadClass(source, name string) (*Class, error) {
	all, err := statements(source)
	if err != nil {
		return nil, err
	}
	c := &Class{Name: name}
	found := false
	inside, method := false, ""
	bodyIndent := 0
	for _, s := range all {
		if m := classLine.FindStringSubmatch(s.text); m != nil && s.indent == 0 {
			inside = m[1] == name
			if inside {
				found, c.Base, bodyIndent, method = true, m[2], 0, ""
			}
			continue
		}
		if s.indent == 0 || !inside {
			inside = inside && s.indent > 0
			continue
		}
		if bodyIndent == 0 {
			bodyIndent = s.indent
		}
		if m := methodLine.FindStringSubmatch(s.text); m != nil && s.indent == bodyIndent {
			method = m[1]
			continue
		}
		if err := c.statement(method, s); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	if !found {
		return nil, fmt.Errorf("the file has no class %s", name)
	}
	return c, nil
}

// statement takes in one statement of a method.
func (c *Class) statement(method string, s statement) error {
	m := selfLine.FindStringSubmatch(s.text)
	switch {
	case method == "__init__" && strings.HasPrefix(s.text, "super().__init__("):
		c.CallsBase = true
	case method == "__init__" && m != nil:
		v := evaluate(m[2])
		if v == nil {
			return fmt.Errorf("the attribute %s of %s is set to something that is not a constant", m[1], c.Name)
		}
		c.Init = append(c.Init, Assignment{m[1], v})
	case method == "_load_scenario" && m != nil:
		get := getCall.FindStringSubmatch(m[2])
		if get == nil {
			return fmt.Errorf("the attribute %s of %s is loaded in an unknown way", m[1], c.Name)
		}
		v := evaluate(get[3])
		if v == nil {
			return fmt.Errorf("the attribute %s of %s is loaded with something that is not a constant", m[1], c.Name)
		}
		c.Load = append(c.Load, Assignment{m[1], v})
	}
	return nil
}
