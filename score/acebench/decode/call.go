package decode

import "github.com/exodeck/exodeck/simenv/pyvalue"

// Unpacked is the name of an argument that is a **mapping. The official scorer keeps it under no name, and then finds that nothing of
// that name is expected.
const Unpacked = "**"

// An Arg is one keyword argument of a call.
type Arg struct {
	Name  string // or [Unpacked]
	Value pyvalue.Value
}

// Key returns the name as a key of the Python dict that the reference decoders make of the arguments.
func (a Arg) Key() pyvalue.Value {
	if a.Name == Unpacked {
		return pyvalue.None{}
	}
	return pyvalue.Str(a.Name)
}

// A Call is one decoded call. Its arguments have each name once, in the order in which the names first came.
type Call struct {
	Name string
	Args []Arg
}

// Value returns the call as the Python dict {name: {argument: value}} that the reference decoders make of it.
func (c Call) Value() pyvalue.Value {
	args := pyvalue.NewDictCap(len(c.Args))
	for _, a := range c.Args {
		_ = args.Set(a.Key(), a.Value) // text and None can be hashed
	}
	return pyvalue.DictOf(c.Name, args)
}

// AppendRepr appends the calls as Python prints the list of them.
func AppendRepr(dst []byte, calls []Call) []byte {
	dst = append(dst, '[')
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, '{')
		dst = pyvalue.AppendRepr(dst, pyvalue.Str(c.Name))
		dst = append(dst, ": {"...)
		for j, a := range c.Args {
			if j > 0 {
				dst = append(dst, ", "...)
			}
			dst = pyvalue.AppendRepr(dst, a.Key())
			dst = append(dst, ": "...)
			dst = pyvalue.AppendRepr(dst, a.Value)
		}
		dst = append(dst, "}}"...)
	}
	return append(dst, ']')
}

// indexFrom is the number of arguments from which a repeated name is found through a map.
const indexFrom = 16

// An arguments gathers the arguments of a call: a name that comes again keeps its place and gets the new value.
type arguments struct {
	list  []Arg
	index map[string]int // nil while there are few
}

func (a *arguments) put(arg Arg) {
	if i := a.find(arg.Name); i >= 0 {
		a.list[i].Value = arg.Value
		return
	}
	a.list = append(a.list, arg)
	switch {
	case a.index != nil:
		a.index[arg.Name] = len(a.list) - 1
	case len(a.list) == indexFrom:
		a.index = make(map[string]int, 2*indexFrom)
		for i, other := range a.list {
			a.index[other.Name] = i
		}
	}
}

// find returns the place of an argument, -1 when it is not there.
func (a *arguments) find(name string) int {
	if a.index != nil {
		if i, ok := a.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range a.list {
		if a.list[i].Name == name {
			return i
		}
	}
	return -1
}
