package audit

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func (a *auditor) normal() {
	s := a.sample
	a.key = check.NewKey(a.rules, s.Category, s.Function, s.GroundTruth)
	for _, text := range []string{"", "[]"} {
		if a.judge(text).Valid {
			a.found(Empty, "the answer %q passes", text)
			break
		}
	}
	var first check.Verdict
	for i, truth := range alternatives(s.GroundTruth) {
		calls := a.calls(truth)
		v := a.judge(render(calls, plainValue, nil))
		if v.Valid {
			return
		}
		if i == 0 {
			first = v
		}
	}
	for _, truth := range alternatives(s.GroundTruth) {
		if a.variants(a.calls(truth), first) {
			return
		}
	}
	a.found(Impossible, "%s", a.whyImpossible(first))
}

// variants tries other forms of the same calls, and reports the first that passes.
func (a *auditor) variants(calls []call, plain check.Verdict) bool {
	optional := a.optional(calls)
	for _, one := range optional {
		if a.judge(render(calls, plainValue, []argument{one})).Valid {
			a.found(Partial, "the ground truth fails with %s; it passes without the optional argument %s", describe(plain), one)
			return true
		}
	}
	if all := emptyOnes(calls, optional); len(all) > 1 && a.judge(render(calls, plainValue, all)).Valid {
		a.found(Partial, "the ground truth fails with %s; it passes without the optional arguments that are empty", describe(plain))
		return true
	}
	if len(optional) > 1 && a.judge(render(calls, plainValue, optional)).Valid {
		a.found(Partial, "the ground truth fails with %s; it passes without its optional arguments", describe(plain))
		return true
	}
	if a.judge(render(calls, escapedValue, nil)).Valid {
		a.found(Contrived, "the ground truth fails with %s; it passes only when the blanks in its texts are written as \\x20", describe(plain))
		return true
	}
	for _, one := range optional {
		if a.judge(render(calls, escapedValue, []argument{one})).Valid {
			a.found(Contrived, "the ground truth fails with %s; it passes only without %s and with the blanks in its texts written as \\x20", describe(plain), one)
			return true
		}
	}
	return false
}

// whyImpossible names a cause that is known, or else the verdict on the ground truth.
func (a *auditor) whyImpossible(v check.Verdict) string {
	for _, truth := range alternatives(a.sample.GroundTruth) {
		for _, c := range a.calls(truth) {
			if schema := a.schema(c.key); schema != nil && dataset.CutNumber(c.key) != c.key && v.Type == check.FunctionMismatch {
				return "the name of the function " + c.key + " ends like the number of a repeated call, which is cut off the expected name"
			}
			for _, name := range a.required(c.name) {
				if _, ok := c.args.GetStr(name); !ok {
					return "the schema of " + c.name + " requires the argument " + name + ", which the ground truth does not have"
				}
			}
		}
	}
	return "the ground truth itself fails with " + describe(v)
}

// A call is one expected call, under the name of the function that is on offer.
type call struct {
	key, name string
	args      *pyvalue.Dict
}

// An argument names one argument of one call.
type argument struct{ call, name string }

func (a argument) String() string { return a.name + " of " + a.call }

func alternatives(truth pyvalue.Value) []pyvalue.Value {
	if list, ok := truth.(*pyvalue.List); ok {
		return list.Items
	}
	return []pyvalue.Value{truth}
}

// calls returns the calls of one alternative. A model names a function as it is offered: by the whole key when there is such a
// function, and else by the key without its number.
func (a *auditor) calls(truth pyvalue.Value) []call {
	object, ok := truth.(*pyvalue.Dict)
	if !ok {
		return nil
	}
	var calls []call
	for key, value := range object.All() {
		c := call{key: pyvalue.String(key), args: pyvalue.NewDict()}
		if args, ok := value.(*pyvalue.Dict); ok {
			c.args = args
		}
		c.name = c.key
		if a.schema(c.key) == nil {
			c.name = dataset.CutNumber(c.key)
		}
		calls = append(calls, c)
	}
	return calls
}

// schema returns the description of a function, nil when it is not on offer.
func (a *auditor) schema(name string) *pyvalue.Dict {
	functions, _ := a.sample.Function.(*pyvalue.List)
	if functions == nil {
		return nil
	}
	for _, f := range functions.Items {
		d, ok := f.(*pyvalue.Dict)
		if !ok {
			continue
		}
		if got, _ := d.GetStr("name"); got != nil && pyvalue.Equal(got, pyvalue.Str(name)) {
			return d
		}
	}
	return nil
}

// required returns the names of the arguments that the schema of a function requires.
func (a *auditor) required(function string) []string {
	schema := a.schema(function)
	if schema == nil {
		return nil
	}
	parameters, _ := schema.GetStr("parameters")
	object, ok := parameters.(*pyvalue.Dict)
	if !ok {
		return nil
	}
	required, _ := object.GetStr("required")
	list, ok := required.(*pyvalue.List)
	if !ok {
		return nil
	}
	var names []string
	for _, name := range list.Items {
		names = append(names, pyvalue.String(name))
	}
	return names
}

// optional lists the arguments of the ground truth that the schemas do not require.
func (a *auditor) optional(calls []call) []argument {
	var all []argument
	for _, c := range calls {
		required := map[string]bool{}
		for _, name := range a.required(c.name) {
			required[name] = true
		}
		for key := range c.args.All() {
			if name := pyvalue.String(key); !required[name] {
				all = append(all, argument{c.key, name})
			}
		}
	}
	return all
}

// emptyOnes picks the arguments whose value is an empty list, object or text.
func emptyOnes(calls []call, from []argument) []argument {
	var all []argument
	for _, a := range from {
		for _, c := range calls {
			if v, ok := c.args.GetStr(a.name); ok && c.key == a.call && !pyvalue.Truth(v) {
				all = append(all, a)
			}
		}
	}
	return all
}

// render writes calls as an answer, without some of their arguments.
func render(calls []call, value func(pyvalue.Value) string, without []argument) string {
	out := map[argument]bool{}
	for _, w := range without {
		out[w] = true
	}
	var texts []string
	for _, c := range calls {
		var args []string
		for key, v := range c.args.All() {
			if name := pyvalue.String(key); !out[argument{c.key, name}] {
				args = append(args, name+"="+value(v))
			}
		}
		texts = append(texts, c.name+"("+strings.Join(args, ", ")+")")
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func plainValue(v pyvalue.Value) string { return pyvalue.Repr(v) }

// escapedValue is repr(v) with an escape for every blank in a text, so that the blanks survive the removal of white space.
func escapedValue(v pyvalue.Value) string {
	switch v := v.(type) {
	case pyvalue.Str:
		return strings.ReplaceAll(pyvalue.ReprStr(string(v)), " ", `\x20`)
	case *pyvalue.List:
		items := make([]string, 0, v.Len())
		for _, item := range v.Items {
			items = append(items, escapedValue(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *pyvalue.Dict:
		items := make([]string, 0, v.Len())
		for key, value := range v.All() {
			items = append(items, escapedValue(key)+": "+escapedValue(value))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return pyvalue.Repr(v)
}
