package decode

import "github.com/exodeck/exodeck/simenv/pyvalue"

// An Arg is one keyword argument of a call. Star marks a **mapping, which has no name: the official scorer keeps it, and then finds
// that nothing of that name is expected.
type Arg struct {
	Name  string
	Star  bool
	Value pyvalue.Value
}

// Key returns the name as a key of the Python dict that the reference decoders make of the arguments.
func (a Arg) Key() pyvalue.Value {
	if a.Star {
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
	args := pyvalue.NewDict()
	for _, a := range c.Args {
		if a.Star {
			_ = args.Set(a.Key(), a.Value) // None is hashable
			continue
		}
		args.SetStr(a.Name, a.Value)
	}
	return pyvalue.DictOf(c.Name, args)
}

// Values returns all calls as one Python list.
func Values(calls []Call) *pyvalue.List {
	list := pyvalue.NewList()
	for _, c := range calls {
		list.Append(c.Value())
	}
	return list
}

// indexFrom is the number of arguments from which a repeated name is found through a map.
const indexFrom = 16

// An arguments gathers the arguments of a call: a name that comes again keeps its place and gets the new value.
type arguments struct {
	list  []Arg
	index map[Arg]int // by name and Star, without a value; nil while there are few
}

func (a *arguments) put(arg Arg) {
	key := Arg{Name: arg.Name, Star: arg.Star}
	if i := a.find(key); i >= 0 {
		a.list[i].Value = arg.Value
		return
	}
	a.list = append(a.list, arg)
	switch {
	case a.index != nil:
		a.index[key] = len(a.list) - 1
	case len(a.list) == indexFrom:
		a.index = make(map[Arg]int, 2*indexFrom)
		for i, other := range a.list {
			a.index[Arg{Name: other.Name, Star: other.Star}] = i
		}
	}
}

// find returns the place of an argument, -1 when it is not there.
func (a *arguments) find(key Arg) int {
	if a.index != nil {
		if i, ok := a.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range a.list {
		if a.list[i].Name == key.Name && a.list[i].Star == key.Star {
			return i
		}
	}
	return -1
}
