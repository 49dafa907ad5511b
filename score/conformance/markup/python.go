package markup

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// pythonCalls reads calls written in Python: one, a list of them, or one a line, with keywords only whose values are literals. It returns
// nil unless all of it is calls.
func pythonCalls(source string) []named {
	source = strings.TrimSpace(source)
	if !strings.HasSuffix(source, ")") && !strings.HasSuffix(source, "]") {
		return nil
	}
	var all []named
	for _, s := range statements(source) {
		calls := listedCalls(s)
		if calls == nil {
			return nil
		}
		all = append(all, calls...)
	}
	return all
}

// statements splits Python at the ends of lines that are outside of brackets. Empty lines are left out.
func statements(source string) []string {
	var all []string
	start, depth := 0, 0
	end := func(at int) {
		if s := strings.TrimSpace(source[start:at]); s != "" {
			all = append(all, s)
		}
		start = at + 1
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '"' || c == '\'':
			i = quotedEnd(source, i)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == '\n' && depth == 0:
			end(i)
		}
	}
	end(len(source))
	return all
}

// quotedEnd returns where the last quote of the text in quotes is that begins at a place of a source.
func quotedEnd(source string, at int) int {
	mark := source[at : at+1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(source[at:], triple) {
		mark = triple
	}
	for i := at + len(mark); i < len(source); i++ {
		if source[i] == '\\' {
			i++
		} else if strings.HasPrefix(source[i:], mark) {
			return i + len(mark) - 1
		}
	}
	return len(source)
}

// listedCalls reads a call, or a list of calls.
func listedCalls(source string) []named {
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
		value, err := pycall.Literal(withJSONWords(k.Value))
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

// jsonWords are literals of JSON that are names in Python. Models whose tools are declared in JSON write them, too.
var jsonWords = map[string]pyvalue.Value{"true": pyvalue.Bool(true), "false": pyvalue.Bool(false), "null": pyvalue.None{}}

// withJSONWords returns an expression with JSON's words as the literals they mean.
func withJSONWords(e pycall.Expr) pycall.Expr {
	switch n := e.(type) {
	case *pycall.Name:
		if value, ok := jsonWords[n.ID]; ok {
			return &pycall.Constant{Value: value}
		}
	case *pycall.List:
		for i := range n.Elts {
			n.Elts[i] = withJSONWords(n.Elts[i])
		}
	case *pycall.Dict:
		for i := range n.Items {
			n.Items[i].Value = withJSONWords(n.Items[i].Value)
		}
	}
	return e
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
