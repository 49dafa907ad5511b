package audit

import (
	"slices"
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
	for i, truth := range dataset.Alternatives(s.GroundTruth) {
		calls := a.sample.Expected(truth)
		v := a.judge(render(calls, pyvalue.Repr, nil))
		if v.Valid {
			return
		}
		if i == 0 {
			first = v
		}
	}
	for _, truth := range dataset.Alternatives(s.GroundTruth) {
		if a.variants(a.sample.Expected(truth), first) {
			return
		}
	}
	a.found(Impossible, "%s", a.whyImpossible(first))
}

// variants tries other forms of the same calls, and reports the first that passes.
func (a *auditor) variants(calls []dataset.Expected, plain check.Verdict) bool {
	optional := optionalOnes(calls)
	for _, one := range optional {
		if a.judge(render(calls, pyvalue.Repr, []argument{one})).Valid {
			a.found(Partial, "the ground truth fails with %s; it passes without the optional argument %s", describe(plain), one)
			return true
		}
	}
	if all := emptyOnes(calls, optional); len(all) > 1 && a.judge(render(calls, pyvalue.Repr, all)).Valid {
		a.found(Partial, "the ground truth fails with %s; it passes without the optional arguments that are empty", describe(plain))
		return true
	}
	if len(optional) > 1 && a.judge(render(calls, pyvalue.Repr, optional)).Valid {
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
	for _, truth := range dataset.Alternatives(a.sample.GroundTruth) {
		for _, c := range a.sample.Expected(truth) {
			if c.Name == c.Key && dataset.CutNumber(c.Key) != c.Key && v.Type == check.FunctionMismatch {
				return "the name of the function " + c.Key + " ends like the number of a repeated call, which is cut off the expected name"
			}
			for _, name := range dataset.Required(c.Function) {
				if _, ok := c.Args.GetStr(name); !ok {
					return "the schema of " + c.Name + " requires the argument " + name + ", which the ground truth does not have"
				}
			}
		}
	}
	return "the ground truth itself fails with " + describe(v)
}

// An argument names one argument of one call.
type argument struct{ call, name string }

func (a argument) String() string { return a.name + " of " + a.call }

// optionalOnes lists the arguments of the ground truth that the schemas do not require.
func optionalOnes(calls []dataset.Expected) []argument {
	var all []argument
	for _, c := range calls {
		required := map[string]bool{}
		for _, name := range dataset.Required(c.Function) {
			required[name] = true
		}
		for key := range c.Args.All() {
			if name := pyvalue.String(key); !required[name] {
				all = append(all, argument{c.Key, name})
			}
		}
	}
	return all
}

// emptyOnes picks the arguments whose value is an empty list, object or text.
func emptyOnes(calls []dataset.Expected, from []argument) []argument {
	var all []argument
	for _, a := range from {
		for _, c := range calls {
			if v, ok := c.Args.GetStr(a.name); ok && c.Key == a.call && !pyvalue.Truth(v) {
				all = append(all, a)
			}
		}
	}
	return all
}

// render writes calls as an answer, without some of their arguments.
func render(calls []dataset.Expected, value func(pyvalue.Value) string, without []argument) string {
	kept := make([]dataset.Expected, len(calls))
	for i, c := range calls {
		args := pyvalue.NewDict()
		for key, v := range c.Args.All() {
			if name := pyvalue.String(key); !slices.Contains(without, argument{c.Key, name}) {
				args.SetStr(name, v)
			}
		}
		kept[i] = c
		kept[i].Args = args
	}
	return dataset.AnswerOf(kept, value)
}

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
