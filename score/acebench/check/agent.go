package check

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// EndState judges the recorded end state of an agent, a list of objects with one class each, against the expected one.
//
// Classes pair by name. Under the reference rules an expected class that was not recorded keeps the verdict of the class before
// it, so a misspelt class in the ground truth is never compared.
func EndState(r rules.Rules, recorded, truth pyvalue.Value) (Verdict, error) {
	expected := []pyvalue.Value{truth}
	if list, ok := truth.(*pyvalue.List); ok {
		expected = list.Items
	}
	n, err := length(recorded)
	if err != nil {
		return Verdict{}, err
	}
	if n != len(expected) {
		return Wrong(WrongClassCount, ""), nil
	}
	states, err := pyvalue.Elements(recorded)
	if err != nil {
		return Verdict{}, err
	}
	if r == rules.Strict {
		return strictEndState(states, expected), nil
	}
	var all, last []pyvalue.Value // the errors of all entries, and those of the last class that was compared
	for _, e := range expected {
		entry, err := asDict(e, "keys")
		if err != nil {
			return Verdict{}, err
		}
		state, err := pair(states, entry)
		if err != nil {
			return Verdict{}, err
		}
		if state != nil && (r != rules.Official || state.Len() > 0) {
			if last, err = compareClass(r, state, entry); err != nil {
				return Verdict{}, err
			}
		}
		if len(last) > 0 {
			all = append(all, pyvalue.NewList(last...))
		}
	}
	if len(all) == 0 {
		return pass, nil
	}
	return Wrong(WrongAttributes, pyvalue.Repr(all[0])), nil
}

// pair returns the first recorded entry with the same keys, nil without one.
func pair(states []pyvalue.Value, entry *pyvalue.Dict) (*pyvalue.Dict, error) {
	for _, s := range states {
		state, err := asDict(s, "keys")
		if err != nil {
			return nil, err
		}
		if sameKeys(state, entry) {
			return state, nil
		}
	}
	return nil, nil
}

func sameKeys(a, b *pyvalue.Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	for key := range a.All() {
		if _, ok, err := b.Get(key); !ok || err != nil {
			return false
		}
	}
	return true
}

// compareClass compares the recorded attributes of one class with the expected ones. Attributes that were not recorded are not
// missed; of an attribute that is an object, the keys that are expected are compared.
func compareClass(r rules.Rules, state, entry *pyvalue.Dict) ([]pyvalue.Value, error) {
	if entry.Len() == 0 {
		return nil, pyvalue.Raise("IndexError", "list index out of range")
	}
	name, expected := entry.At(0)
	_, recorded := state.At(0)
	attributes, err := asDict(recorded, "items")
	if err != nil {
		return nil, err
	}
	c := comparison{official: r == rules.Official, class: pyvalue.String(name)}
	for attribute, got := range attributes.All() {
		ok, err := pyvalue.Contains(expected, attribute)
		if err != nil {
			return nil, err
		}
		if !ok {
			c.say("attributes("+pyvalue.String(attribute)+") missing in possible_answer.", nil, nil)
			continue
		}
		want, err := pyvalue.Index(expected, attribute)
		if err != nil {
			return nil, err
		}
		if err := c.attribute(pyvalue.String(attribute), got, want); err != nil {
			return nil, err
		}
	}
	return c.errors, nil
}

// A comparison collects the differences of one class.
type comparison struct {
	official bool
	class    string
	errors   []pyvalue.Value
}

func (c *comparison) say(what string, want, got pyvalue.Value) {
	text := "class(" + c.class + ") " + what
	if want != nil {
		text += " wrong, [expected: " + pyvalue.String(want) + ", real: " + pyvalue.String(got) + "]"
	}
	c.errors = append(c.errors, pyvalue.Str(text))
}

// word is how the two programs call an attribute in their messages.
func (c *comparison) word() string {
	if c.official {
		return "attributes"
	}
	return "attribute"
}

func (c *comparison) attribute(name string, got, want pyvalue.Value) error {
	object, ok := want.(*pyvalue.Dict)
	if !ok {
		if !pyvalue.Equal(want, got) {
			c.say(c.word()+"("+name+")", want, got)
		}
		return nil
	}
	for key, expected := range object.All() {
		in, err := pyvalue.Contains(got, key)
		if err != nil {
			return err
		}
		if !in {
			if c.official {
				c.say("attributes("+name+")", want, got)
				continue
			}
			// evalscope asks for the value with a default to print it.
			if _, err := asDict(got, "get"); err != nil {
				return err
			}
			c.say("attribute("+name+"."+pyvalue.String(key)+")", expected, pyvalue.None{})
			continue
		}
		real, err := pyvalue.Index(got, key)
		if err != nil {
			return err
		}
		if !pyvalue.Equal(expected, real) {
			c.say(c.word()+"("+name+"."+pyvalue.String(key)+")", expected, real)
		}
	}
	return nil
}

// strictEndState pairs classes without regard to case, and misses what was not recorded.
func strictEndState(states, expected []pyvalue.Value) Verdict {
	recorded := map[string]pyvalue.Value{}
	for _, s := range states {
		if d, ok := s.(*pyvalue.Dict); ok && d.Len() == 1 {
			name, attributes := d.At(0)
			recorded[strings.ToLower(pyvalue.String(name))] = attributes
		}
	}
	for _, e := range expected {
		entry, ok := e.(*pyvalue.Dict)
		if !ok || entry.Len() != 1 {
			return Wrong(WrongAttributes, "the ground truth has an entry that is not one class: "+pyvalue.Repr(e))
		}
		key, attributes := entry.At(0)
		name := pyvalue.String(key)
		got, ok := recorded[strings.ToLower(name)].(*pyvalue.Dict)
		if !ok {
			return Wrong(WrongAttributes, "class("+name+") was not recorded")
		}
		want, ok := attributes.(*pyvalue.Dict)
		if !ok {
			return Wrong(WrongAttributes, "class("+name+") has no attributes in the ground truth")
		}
		if text := strictClass(name, got, want); text != "" {
			return Wrong(WrongAttributes, text)
		}
	}
	return pass
}

func strictClass(class string, got, want *pyvalue.Dict) string {
	for key := range got.All() {
		if _, ok, _ := want.Get(key); !ok {
			return "class(" + class + ") attribute(" + pyvalue.String(key) + ") is not expected"
		}
	}
	for key, expected := range want.All() {
		attribute := "class(" + class + ") attribute(" + pyvalue.String(key)
		real, ok, _ := got.Get(key)
		if !ok {
			return attribute + ") was not recorded"
		}
		object, isObject := expected.(*pyvalue.Dict)
		if !isObject {
			if !sameValue(real, expected) {
				return attribute + ") wrong, [expected: " + pyvalue.String(expected) + ", real: " + pyvalue.String(real) + "]"
			}
			continue
		}
		for inner, value := range object.All() {
			at := attribute + "." + pyvalue.String(inner)
			real, err := pyvalue.Index(real, inner)
			if err != nil {
				return at + ") was not recorded"
			}
			if !sameValue(real, value) {
				return at + ") wrong, [expected: " + pyvalue.String(value) + ", real: " + pyvalue.String(real) + "]"
			}
		}
	}
	return ""
}

// sameValue is Python's ==, where besides a bool only equals a bool.
func sameValue(a, b pyvalue.Value) bool {
	switch x := a.(type) {
	case *pyvalue.List:
		y, ok := b.(*pyvalue.List)
		if !ok || x.Len() != y.Len() {
			return false
		}
		for i := range x.Items {
			if !sameValue(x.Items[i], y.Items[i]) {
				return false
			}
		}
		return true
	case *pyvalue.Dict:
		y, ok := b.(*pyvalue.Dict)
		if !ok || x.Len() != y.Len() {
			return false
		}
		for key, value := range x.All() {
			other, ok, _ := y.Get(key)
			if !ok || !sameValue(value, other) {
				return false
			}
		}
		return true
	}
	return (pyvalue.TypeName(a) == "bool") == (pyvalue.TypeName(b) == "bool") && pyvalue.Equal(a, b)
}
