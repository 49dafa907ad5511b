package check

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A schema is a function's description, taken apart once. A part that cannot be had keeps the exception that asking for it raises,
// so that it comes up at the moment the reference would ask.
type schema struct {
	name       part[pyvalue.Value]
	parameters part[pyvalue.Value]
	properties part[pyvalue.Value]
	required   part[[]pyvalue.Value]
	params     map[string]*param // by name, where properties is an object
	names      []string          // what is required, where that is a list of texts
}

type part[T any] struct {
	value T
	err   error
}

// A param is one property of a schema: what Python type its values must have, and what type those inside them.
type param struct {
	name         string
	declared     string
	want, nested string        // names of Python types; nested is "" where the reference does not look inside
	fallback     pyvalue.Value // the schema's default, nil without one
	err          error
}

// pythonTypes says what Python type the values of a declared type must have. Nothing is an enumerate, so a declared enum never fits.
var pythonTypes = map[string]string{
	"string": "str", "any": "str",
	"integer": "int", "int": "int", "number": "int",
	"float": "float", "boolean": "bool",
	"array": "list", "tuple": "list", "list": "list", "objectArray": "list", "list(string)": "list", "list(enum)": "list",
	"dict": "dict", "object": "dict",
	"enum": "enumerate",
}

// nestedTypes are the declared types inside which values are looked at.
var nestedTypes = map[string]bool{
	"array": true, "tuple": true, "list(string)": true, "list(enum)": true, "object": true, "objectArray": true,
}

func newSchema(description pyvalue.Value) *schema {
	s := &schema{}
	s.name.value, s.name.err = at(description, "name")
	s.parameters.value, s.parameters.err = at(description, "parameters")
	if s.parameters.err != nil {
		return s
	}
	s.properties.value, s.properties.err = at(s.parameters.value, "properties")
	required, err := at(s.parameters.value, "required")
	if err == nil {
		s.required.value, err = pyvalue.Elements(required)
	}
	s.required.err = err
	s.names = textsOf(s.required.value)
	if properties, ok := s.properties.value.(*pyvalue.Dict); ok {
		s.params = make(map[string]*param, properties.Len())
		for name, detail := range properties.All() {
			s.params[pyvalue.String(name)] = newParam(pyvalue.String(name), detail)
		}
	}
	return s
}

// textsOf returns values that are all texts, nil when one is not.
func textsOf(values []pyvalue.Value) []string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		s, ok := v.(pyvalue.Str)
		if !ok {
			return nil
		}
		texts = append(texts, string(s))
	}
	return texts
}

func newParam(name string, detail pyvalue.Value) *param {
	p := &param{name: name}
	declared, err := at(detail, "type")
	if err == nil {
		p.want, err = pythonType(declared)
	}
	if err != nil {
		p.err = err
		return p
	}
	p.declared = pyvalue.String(declared)
	if nestedTypes[p.declared] {
		p.nested, p.err = pythonType(innerType(p.declared, detail))
	}
	if d, ok := detail.(*pyvalue.Dict); ok {
		p.fallback, _ = d.GetStr("default")
	}
	return p
}

func pythonType(declared pyvalue.Value) (string, error) {
	if s, ok := declared.(pyvalue.Str); ok {
		if t, ok := pythonTypes[string(s)]; ok {
			return t, nil
		}
	}
	if err := pyvalue.Hashable(declared); err != nil {
		return "", err
	}
	return "", pyvalue.Raise("KeyError", "%s", pyvalue.Repr(declared))
}

// innerType is the declared type of what is inside a container.
func innerType(declared string, detail pyvalue.Value) pyvalue.Value {
	if items, err := at(detail, "items"); err == nil {
		if inner, err := at(items, "type"); err == nil {
			return inner
		}
	}
	switch {
	case strings.Contains(declared, "string"):
		return pyvalue.Str("string")
	case strings.Contains(declared, "enum"):
		return pyvalue.Str("enum")
	}
	return pyvalue.Str("dict")
}
