package dataset

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// An Expected is one call of a ground truth, under the name of the function that is on offer.
type Expected struct {
	Key      string        // in the ground truth; repeated calls have a number at its end
	Name     string        // of the function that the key means, by which a model names it
	Function *pyvalue.Dict // its description, empty when it is not on offer
	Args     *pyvalue.Dict
}

// Alternatives returns the alternatives of a ground truth: the elements of a list, else the value itself.
func Alternatives(truth pyvalue.Value) []pyvalue.Value {
	if list, ok := truth.(*pyvalue.List); ok {
		return list.Items
	}
	return []pyvalue.Value{truth}
}

// Expected returns the calls of one alternative of the ground truth of a normal sample.
func (s *Sample) Expected(alternative pyvalue.Value) []Expected {
	calls, ok := alternative.(*pyvalue.Dict)
	if !ok {
		return nil
	}
	var all []Expected
	for key, value := range calls.All() {
		e := Expected{Key: pyvalue.String(key), Args: pyvalue.NewDict()}
		if args, ok := value.(*pyvalue.Dict); ok {
			e.Args = args
		}
		if e.Name, e.Function = FunctionNamed(s.Function, e.Key); e.Function == nil {
			e.Function = pyvalue.NewDict()
		}
		all = append(all, e)
	}
	return all
}

// FunctionNamed finds the description of the function that a key of a ground truth means, among those on offer: the one with exactly
// that name, else the one with the key without its number. Without either the name is the latter, and the description nil.
func FunctionNamed(functions pyvalue.Value, key string) (name string, description *pyvalue.Dict) {
	list, _ := functions.(*pyvalue.List)
	if list == nil {
		return CutNumber(key), nil
	}
	for _, name := range []string{key, CutNumber(key)} {
		for _, f := range list.Items {
			d, ok := f.(*pyvalue.Dict)
			if !ok {
				continue
			}
			if got, ok := d.GetStr("name"); ok && pyvalue.Equal(got, pyvalue.Str(name)) {
				return name, d
			}
		}
	}
	return CutNumber(key), nil
}

// Properties returns the parameters that the description of a function declares; empty when there are none.
func Properties(function *pyvalue.Dict) *pyvalue.Dict {
	return object(object(function, "parameters"), "properties")
}

// Required returns the names of the parameters that the description of a function requires.
func Required(function *pyvalue.Dict) []string {
	required, _ := object(function, "parameters").GetStr("required")
	list, ok := required.(*pyvalue.List)
	if !ok {
		return nil
	}
	names := make([]string, len(list.Items))
	for i, name := range list.Items {
		names[i] = pyvalue.String(name)
	}
	return names
}

// object returns an object inside another, empty when it is not there.
func object(in *pyvalue.Dict, name string) *pyvalue.Dict {
	v, _ := in.GetStr(name)
	if d, ok := v.(*pyvalue.Dict); ok {
		return d
	}
	return pyvalue.NewDict()
}

// AnswerOf writes calls down as a model would answer them, with the values as value writes them: [pyvalue.Repr], mostly.
func AnswerOf(calls []Expected, value func(pyvalue.Value) string) string {
	texts := make([]string, len(calls))
	for i, c := range calls {
		var args []string
		for name, v := range c.Args.All() {
			args = append(args, pyvalue.String(name)+"="+value(v))
		}
		texts[i] = c.Name + "(" + strings.Join(args, ", ") + ")"
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
