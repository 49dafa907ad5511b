package explain

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Class is the end state of one simulated class beside the expected one.
type Class struct {
	Expected string `json:"expected"` // its name in the ground truth; "" for a class that nothing expects
	Recorded string `json:"recorded"` // its name in the recorded state; "" when it is not there
	Equal    int    `json:"equal"`    // attributes, and keys of attributes, that every rule set takes for equal
	// Attributes are those that some rule set finds wrong, and those that differ although none does.
	Attributes []Attribute `json:"attributes"`
}

// An Attribute is an attribute of a class, or one key of an attribute that is an object.
type Attribute struct {
	Path     string            `json:"path"`
	Expected string            `json:"expected"` // as Python prints it; "" for none
	Recorded string            `json:"recorded"`
	Verdicts map[string]string `json:"verdicts"` // by rule set: "ok", "wrong", or what the reference raises
	// Inside lists the places where the two values differ, when both are lists or objects.
	Inside []Difference `json:"inside,omitempty"`
}

// A Difference is one place inside two values.
type Difference struct {
	Path     string `json:"path"`
	Expected string `json:"expected"`
	Recorded string `json:"recorded"`
}

// classes puts the recorded state beside the expected one. Classes pair by name, then by name without regard to case: under the
// reference rules the latter are never compared, and the verdicts on their attributes say so.
func classes(recorded, truth pyvalue.Value) []Class {
	states := namedStates(recorded)
	used := make([]bool, len(states))
	pairs := []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold}
	var all []Class
	for _, want := range namedStates(pyvalue.NewList(dataset.Alternatives(truth)...)) {
		found := -1
		for _, equal := range pairs {
			for i := range states {
				if found < 0 && !used[i] && equal(states[i].name, want.name) {
					found = i
				}
			}
		}
		if found < 0 {
			all = append(all, Class{Expected: want.name})
			continue
		}
		used[found] = true
		all = append(all, compareStates(want, states[found]))
	}
	for i, s := range states {
		if !used[i] {
			all = append(all, Class{Recorded: s.name})
		}
	}
	return all
}

// A state is one class with its attributes.
type state struct {
	name       string
	attributes *pyvalue.Dict
}

func namedStates(list pyvalue.Value) []state {
	var all []state
	for _, item := range elements(list) {
		entry, ok := item.(*pyvalue.Dict)
		if !ok || entry.Len() == 0 {
			continue
		}
		name, value := entry.At(0)
		attributes, ok := value.(*pyvalue.Dict)
		if !ok {
			attributes = pyvalue.NewDict()
		}
		all = append(all, state{pyvalue.String(name), attributes})
	}
	return all
}

func compareStates(want, got state) Class {
	c := Class{Expected: want.name, Recorded: got.name}
	for key, expected := range want.attributes.All() {
		name := pyvalue.String(key)
		recorded, _ := got.attributes.GetStr(name)
		object, isObject := expected.(*pyvalue.Dict)
		inner, both := recorded.(*pyvalue.Dict)
		if !isObject || !both || object.Len() == 0 {
			c.compare(want, got, name, nil, expected, recorded)
			continue
		}
		for key, expected := range object.All() {
			recorded, _, _ := inner.Get(key) // the key is one of an object
			c.compare(want, got, name, key, expected, recorded)
		}
		for key, recorded := range inner.All() {
			if _, ok, _ := object.Get(key); !ok {
				c.compare(want, got, name, key, nil, recorded)
			}
		}
	}
	for key, recorded := range got.attributes.All() {
		if name := pyvalue.String(key); !has(want.attributes, name) {
			c.compare(want, got, name, nil, nil, recorded)
		}
	}
	return c
}

func has(d *pyvalue.Dict, name string) bool {
	_, ok := d.GetStr(name)
	return ok
}

// compare adds one attribute, or one key of an attribute, unless it is equal.
func (c *Class) compare(want, got state, name string, key, expected, recorded pyvalue.Value) {
	a := Attribute{Path: name, Expected: printed(expected), Recorded: printed(recorded), Verdicts: map[string]string{}}
	if key != nil {
		a.Path += "." + pyvalue.String(key)
	}
	right := true
	for _, r := range rules.All() {
		verdict := judgeAttribute(r, part(want.name, name, key, expected), part(got.name, name, key, recorded))
		a.Verdicts[r.String()] = verdict
		right = right && verdict == passed
	}
	if right && expected != nil && recorded != nil && pyvalue.Equal(expected, recorded) {
		c.Equal++
		return
	}
	if expected != nil && recorded != nil {
		if a.Inside = differences("", expected, recorded, nil); len(a.Inside) == 1 && a.Inside[0].Path == "" {
			a.Inside = nil // the values themselves say it
		}
	}
	c.Attributes = append(c.Attributes, a)
}

// part is a state that holds one attribute only, or one key of it. Without a value it is left out.
func part(class, name string, key, value pyvalue.Value) pyvalue.Value {
	attributes := pyvalue.NewDict()
	switch {
	case key != nil:
		object := pyvalue.NewDict()
		if value != nil {
			_ = object.Set(key, value) // the key is one of an object
		}
		attributes.SetStr(name, object)
	case value != nil:
		attributes.SetStr(name, value)
	}
	return pyvalue.NewList(pyvalue.DictOf(class, attributes))
}

// judgeAttribute asks the checker of a rule set about states that hold one attribute.
func judgeAttribute(r rules.Rules, want, got pyvalue.Value) string {
	v, err := check.EndState(r, got, want)
	switch {
	case err != nil:
		return err.Error()
	case v.Valid:
		return passed
	}
	return "wrong"
}

// differences walks two values side by side and lists where they part.
func differences(path string, want, got pyvalue.Value, all []Difference) []Difference {
	if pyvalue.Equal(want, got) && pyvalue.TypeName(want) == pyvalue.TypeName(got) {
		return all
	}
	switch w := want.(type) {
	case *pyvalue.Dict:
		g, ok := got.(*pyvalue.Dict)
		if !ok {
			break
		}
		for key, value := range w.All() {
			at := path + "." + pyvalue.String(key)
			if other, found, _ := g.Get(key); found {
				all = differences(at, value, other, all)
			} else {
				all = append(all, Difference{at, pyvalue.Repr(value), ""})
			}
		}
		for key, value := range g.All() {
			if _, found, _ := w.Get(key); !found {
				all = append(all, Difference{path + "." + pyvalue.String(key), "", pyvalue.Repr(value)})
			}
		}
		return all
	case *pyvalue.List:
		g, ok := got.(*pyvalue.List)
		if !ok {
			break
		}
		for i := range max(w.Len(), g.Len()) {
			at := fmt.Sprintf("%s[%d]", path, i)
			switch {
			case i >= g.Len():
				all = append(all, Difference{at, pyvalue.Repr(w.Items[i]), ""})
			case i >= w.Len():
				all = append(all, Difference{at, "", pyvalue.Repr(g.Items[i])})
			default:
				all = differences(at, w.Items[i], g.Items[i], all)
			}
		}
		return all
	}
	return append(all, Difference{path, pyvalue.Repr(want), pyvalue.Repr(got)})
}
