package check

import (
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Key is the ground truth of a normal sample with the schemas it refers to, made ready to check answers under one rule set.
type Key struct {
	rules      rules.Rules
	dialogue   bool // the sample is a step of a dialogue
	exact      bool // texts must be equal, as in agent categories
	candidates []candidate
}

// A candidate is one alternative of the ground truth: the calls an answer must hold.
type candidate struct {
	truth  pyvalue.Value
	length int   // how many calls are expected
	err    error // what the reference raises when it asks for that number
	calls  []expectedCall
}

// An expectedCall is one entry of a candidate.
type expectedCall struct {
	key    string // as the ground truth has it
	name   string // without the number that tells repeated calls apart
	count  int    // how many calls of the name are expected
	args   expected
	params []*param // by field of args, nil for one that the schema does not have
	schema *schema
	// isProperties marks arguments that equal the schema's properties, which both references take for a pass.
	isProperties bool
	isNamed      bool  // the schema has the name of the call
	err          error // what the reference raises when it looks for the schema
}

// NewKey prepares a ground truth. It never fails: what is wrong with the data shows when an answer is checked, as it does in the
// reference programs.
func NewKey(r rules.Rules, c dataset.Category, functions, truth pyvalue.Value) *Key {
	k := &Key{rules: r, dialogue: c.Dialogues(), exact: c.Family() == dataset.Agent}
	if r != rules.Official && !pyvalue.Truth(functions) {
		functions = pyvalue.NewList() // evalscope takes whatever is empty for an empty list
	}
	schemas := map[*pyvalue.Dict]*schema{}
	for _, a := range dataset.Alternatives(truth) {
		k.candidates = append(k.candidates, newCandidate(r, functions, a, schemas))
	}
	return k
}

func newCandidate(r rules.Rules, functions, truth pyvalue.Value, schemas map[*pyvalue.Dict]*schema) candidate {
	c := candidate{truth: truth}
	c.length, c.err = length(truth)
	calls, ok := truth.(*pyvalue.Dict)
	if !ok {
		return c
	}
	find := findContained
	if r == rules.Strict {
		find = findExact
	}
	c.calls = make([]expectedCall, 0, calls.Len())
	for key, args := range calls.All() {
		e := expectedCall{key: pyvalue.String(key), args: newExpected(args)}
		e.name = dataset.CutNumber(e.key)
		var description pyvalue.Value
		description, e.err = find(functions, &e)
		e.schema = schemaOf(description, schemas)
		if properties := e.schema.properties.value; properties != nil {
			e.isProperties = pyvalue.Equal(args, properties)
		}
		name, ok := e.schema.name.value.(pyvalue.Str)
		e.isNamed = ok && string(name) == e.name
		for i := range e.args.fields {
			e.params = append(e.params, e.schema.params[e.args.fields[i].name])
		}
		c.calls = append(c.calls, e)
	}
	for i := range c.calls {
		for j := range c.calls {
			if c.calls[i].name == c.calls[j].name {
				c.calls[i].count++
			}
		}
	}
	return c
}

// schemaOf takes a description apart, once for each. Without a description the reference works on None.
func schemaOf(description pyvalue.Value, known map[*pyvalue.Dict]*schema) *schema {
	if description == nil {
		return newSchema(pyvalue.None{})
	}
	d, ok := description.(*pyvalue.Dict)
	if !ok {
		return newSchema(description)
	}
	if known[d] == nil {
		known[d] = newSchema(d)
	}
	return known[d]
}

// findContained returns the first description whose name is contained in the key of the ground truth. Something that is not a list
// of descriptions is taken for the description itself.
func findContained(functions pyvalue.Value, e *expectedCall) (pyvalue.Value, error) {
	list, ok := functions.(*pyvalue.List)
	if !ok {
		return functions, nil
	}
	for _, description := range list.Items {
		name, err := at(description, "name")
		if err != nil {
			return nil, err
		}
		contained, err := pyvalue.Contains(pyvalue.Str(e.key), name)
		if err != nil {
			return nil, err
		}
		if contained {
			return description, nil
		}
	}
	return nil, nil
}

// findExact returns the description with exactly the name: the whole key when there is such a function, else the key without its
// number. It sets the name of the expected call.
func findExact(functions pyvalue.Value, e *expectedCall) (pyvalue.Value, error) {
	name, description := dataset.FunctionNamed(functions, e.key)
	if description == nil {
		return nil, nil
	}
	e.name = name
	return description, nil
}

// Check judges decoded calls. It is valid when one alternative of the ground truth is met; otherwise the failure is that of the
// first.
func (k *Key) Check(calls []decode.Call) (Verdict, error) {
	var first *failure
	for i := range k.candidates {
		c := &k.candidates[i]
		f, err := k.candidate(c, calls)
		if err != nil {
			return Verdict{}, err
		}
		if f == nil {
			return pass, nil
		}
		if first == nil {
			first = f
		}
	}
	if first == nil {
		return k.noAnswer()
	}
	return first.verdict(), nil
}

// noAnswer is the outcome of a ground truth without an alternative.
func (k *Key) noAnswer() (Verdict, error) {
	switch {
	case k.rules != rules.Official:
		return Wrong(MissingAnswer, "No ground truth answer."), nil
	case k.dialogue:
		return Verdict{}, pyvalue.Raise("UnboundLocalError", "cannot access local variable 'checker_result' where it is not associated with a value")
	}
	return Verdict{}, pyvalue.Raise("IndexError", "list index out of range")
}

func (k *Key) candidate(c *candidate, calls []decode.Call) (*failure, error) {
	if c.err != nil {
		return nil, c.err
	}
	if len(calls) != c.length {
		return failText(WrongCount, "The number of functions does not match the answer."), nil
	}
	if _, err := asDict(c.truth, "keys"); err != nil {
		return nil, err
	}
	if f := countNames(c.calls, calls); f != nil {
		return f, nil
	}
	if k.rules == rules.Strict {
		return matchStrict(c.calls, calls), nil
	}
	for i := range c.calls {
		f, err := k.expected(&c.calls[i], calls)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		if k.rules == rules.Evalscope && len(c.calls) > 1 {
			f.text = func() string { return parallelText(c, calls) }
		}
		return f, nil
	}
	return nil, nil
}

// expected looks for a call that meets one expected call. The failure is that of the last call looked at.
func (k *Key) expected(e *expectedCall, calls []decode.Call) (*failure, error) {
	if e.err != nil {
		return nil, e.err
	}
	var last *failure
	for i := range calls {
		if calls[i].Name != e.name {
			last = wrongFunction
			continue
		}
		f, err := k.call(e, &calls[i])
		if err != nil || f == nil {
			return nil, err
		}
		last = f
	}
	if last == wrongFunction {
		last = failText(wrongFunction.kind, "wrong_function") // its text may be replaced
	}
	return last, nil
}

var wrongFunction = failText(WrongFunction, "wrong_function")

// parallelText is what evalscope says of several calls, whatever was wrong with one of them.
func parallelText(c *candidate, calls []decode.Call) string {
	b := newBuffer()
	b.bytes = append(b.bytes, "Parallel function call failed; excepted ["...)
	for i, e := range c.calls {
		if i > 0 {
			b.bytes = append(b.bytes, ", "...)
		}
		b.bytes = append(b.bytes, '{')
		b.bytes = pyvalue.AppendRepr(b.bytes, pyvalue.Str(e.name))
		b.bytes = append(b.bytes, ": "...)
		b.bytes = pyvalue.AppendRepr(b.bytes, e.args.value)
		b.bytes = append(b.bytes, '}')
	}
	b.bytes = append(b.bytes, "], real: "...)
	b.bytes = decode.AppendRepr(b.bytes, calls)
	return b.text()
}

// countNames compares how often each name is called with how often it should be.
func countNames(expected []expectedCall, calls []decode.Call) *failure {
	if len(expected) == 1 && len(calls) == 1 && expected[0].name == calls[0].Name {
		return nil
	}
	for i := range calls {
		if wanted(expected, calls[i].Name) == 0 {
			return extra(calls[i].Name)
		}
	}
	for i := range expected {
		if called(calls, expected[i].name) == 0 {
			return extra(expected[i].name)
		}
	}
	for i := range calls {
		name := calls[i].Name
		if want, got := wanted(expected, name), called(calls, name); want != got {
			return fail(FunctionMismatch, func() string {
				return fmt.Sprintf("incorrect count for function %s: [expected: %d, actual: %d]", name, want, got)
			})
		}
	}
	return nil
}

func wanted(expected []expectedCall, name string) int {
	for i := range expected {
		if expected[i].name == name {
			return expected[i].count
		}
	}
	return 0
}

func called(calls []decode.Call, name string) int {
	n := 0
	for i := range calls {
		if calls[i].Name == name {
			n++
		}
	}
	return n
}

func extra(name string) *failure {
	return fail(FunctionMismatch, func() string { return "extra function detected: " + name + " is not in the ground truth" })
}
