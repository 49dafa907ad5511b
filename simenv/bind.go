package simenv

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// bind sorts keyword arguments into the order of the parameters, as Python does. The first keyword that does not belong is reported
// before parameters that are missing.
func (m *Method) bind(keywords *pyvalue.Dict) (args, error) {
	bound := make(args, len(m.Params))
	for key, value := range keywords.All() {
		name := pyvalue.String(key)
		i := m.param(name)
		switch {
		case name == "self":
			return nil, pyvalue.Raise("TypeError", "%s.%s() got multiple values for argument 'self'", m.Class, m.Name)
		case i < 0:
			return nil, pyvalue.Raise("TypeError", "%s.%s() got an unexpected keyword argument '%s'", m.Class, m.Name, name)
		}
		bound[i] = value
	}
	var missing []string
	for i, p := range m.Params {
		switch {
		case bound[i] != nil:
		case p.Default != nil:
			bound[i] = p.Default
		default:
			missing = append(missing, "'"+p.Name+"'")
		}
	}
	if len(missing) > 0 {
		return nil, m.missing(missing)
	}
	return bound, nil
}

func (m *Method) param(name string) int {
	for i, p := range m.Params {
		if p.Name == name {
			return i
		}
	}
	return -1
}

// missing lists the parameters as Python does: 'a'; 'a' and 'b'; 'a', 'b', and 'c'.
func (m *Method) missing(names []string) error {
	noun, last := "argument", len(names)-1
	listed := names[last]
	if last > 0 {
		noun = "arguments"
		comma := ""
		if last > 1 {
			comma = ","
		}
		listed = strings.Join(names[:last], ", ") + comma + " and " + names[last]
	}
	return pyvalue.Raise("TypeError", "%s.%s() missing %d required positional %s: %s", m.Class, m.Name, len(names), noun, listed)
}
