package markup

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// pythonCalls reads calls written in Python: one, or a list of them, with keywords only whose values are literals. It returns nil unless
// all of it is calls.
func pythonCalls(source string) []named {
	source = strings.TrimSpace(source)
	if !strings.HasSuffix(source, ")") && !strings.HasSuffix(source, "]") {
		return nil
	}
	tree, err := pycall.Parse(source)
	if err != nil {
		return nil
	}
	list := []pycall.Expr{tree}
	switch tree := tree.(type) {
	case *pycall.List:
		list = tree.Elts
	case *pycall.Tuple:
		list = tree.Elts
	}
	var all []named
	for _, e := range list {
		c, ok := pythonCall(e)
		if !ok {
			return nil
		}
		all = append(all, c)
	}
	return all
}

func pythonCall(e pycall.Expr) (named, bool) {
	call, ok := e.(*pycall.Call)
	if !ok {
		return named{}, false
	}
	name, ok := dotted(call.Func)
	if name == "print" && len(call.Args) == 1 && len(call.Keywords) == 0 { // Gemma prints the result
		return pythonCall(call.Args[0])
	}
	if !ok || len(call.Args) > 0 {
		return named{}, false
	}
	arguments := pyvalue.NewDict()
	for _, k := range call.Keywords {
		value, err := pycall.Literal(k.Value)
		if err != nil || k.Name == "" {
			return named{}, false
		}
		arguments.SetStr(k.Name, value)
	}
	text, err := pyjson.Encode(arguments, pyjson.Options{ItemSep: ",", KeySep: ":"})
	if err != nil {
		return named{}, false
	}
	return named{strings.TrimPrefix(name, "default_api."), string(text)}, true
}

// dotted returns a name with its dots.
func dotted(e pycall.Expr) (string, bool) {
	var parts []string
	for {
		switch n := e.(type) {
		case *pycall.Name:
			parts = append(parts, n.ID)
			slices.Reverse(parts)
			return strings.Join(parts, "."), true
		case *pycall.Attribute:
			parts = append(parts, n.Attr)
			e = n.Value
		default:
			return "", false
		}
	}
}
