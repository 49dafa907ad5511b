package simenv

import (
	"errors"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Env is the environment of one rollout: an instance of each API that the sample involves. Its methods must not be called
// concurrently; different environments never touch each other.
type Env struct {
	language  string
	instances []instance
}

type instance struct {
	class *class
	api   api
}

// NewEnv makes an environment with the named classes and loads a sample's configuration, an object from class name to settings.
//
// Every class loads its own settings first and then BaseApi's, which replace them, with the defaults where BaseApi has none: the
// reference does so, and so a class's own settings never survive. A class named twice is there once, in its first place.
//
// The error is an [*pyvalue.Exception] with the reference's text when the reference fails too.
func (w *World) NewEnv(classNames []string, config pyvalue.Value) (*Env, error) {
	if config == nil || !pyvalue.Truth(config) {
		config = pyvalue.NewDict()
	}
	env := &Env{language: w.Language}
	for _, name := range classNames {
		c := classNamed(name)
		if c == nil {
			return nil, pyvalue.Raise("ValueError", "Unknown ACEBench scenario class: %s", name)
		}
		tables, found := w.tables[name]
		if !found {
			return nil, pyvalue.Raise("ValueError", "the world tables have no class %s", name)
		}
		settings, ok := config.(*pyvalue.Dict)
		if !ok {
			return nil, noAttribute(config, "get")
		}
		self := c.build(w, tables)
		for _, from := range []string{name, baseClass.name} {
			if err := self.load(pyvalue.DeepCopy(getOr(settings, from, pyvalue.NewDict()))); err != nil {
				return nil, err
			}
		}
		env.put(c, self)
	}
	return env, nil
}

func classNamed(name string) *class {
	for _, c := range classes {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (e *Env) put(c *class, self api) {
	for i := range e.instances {
		if e.instances[i].class == c {
			e.instances[i].api = self
			return
		}
	}
	e.instances = append(e.instances, instance{c, self})
}

// Call is one decoded call: a name and keyword arguments in source order, keyed by text. Args may be nil when there are none.
type Call struct {
	Name string
	Args *pyvalue.Dict
}

// Execute runs the calls of one agent message in order and returns what the agent is told, one observation a call. A call that fails
// does not stop the next.
//
// Results are rendered after the last call has run: a method may return a part of the world itself, and the agent then sees what later
// calls of the same message made of it. The environment keeps the arguments, so the caller must not change them afterwards.
func (e *Env) Execute(calls []Call) *pyvalue.List {
	results := make([]pyvalue.Value, len(calls))
	for i, c := range calls {
		results[i] = e.dispatch(c)
	}
	for i, result := range results {
		results[i] = observe(result)
	}
	return pyvalue.NewList(results...)
}

// dispatch runs one call on every instance that has the method. The last result counts.
func (e *Env) dispatch(c Call) pyvalue.Value {
	var result pyvalue.Value
	keywords := c.Args
	if keywords == nil {
		keywords = pyvalue.NewDict()
	}
	for _, in := range e.instances {
		m := in.class.method(c.Name, e.language)
		if m == nil {
			continue
		}
		a, err := m.bind(keywords)
		if err == nil {
			result, err = m.run(in.api, a)
		}
		if err != nil {
			return failure(err)
		}
	}
	if result == nil {
		return failure(pyvalue.Raise("NameError", "name '%s' is not defined", c.Name))
	}
	return result
}

func failure(err error) pyvalue.Value {
	text := err.Error()
	if e, ok := errors.AsType[*pyvalue.Exception](err); ok {
		text = e.Text
	}
	return pyvalue.Str("Error during execution: " + text)
}

// observe turns a result into text and the text into a value again: the reference hands results over as text, and reads as JSON what
// is JSON. An object survives with text keys, a list comes back as the text of its repr.
func observe(result pyvalue.Value) pyvalue.Value {
	text := pyvalue.String(result)
	if d, ok := result.(*pyvalue.Dict); ok {
		if data, err := pyjson.Encode(d, pyjson.Default); err == nil {
			text = string(data)
		}
	}
	if v, err := pyjson.DecodeString(text); err == nil {
		return v
	}
	return pyvalue.Str(text)
}

// Snapshot returns the graded state: a list with one object {class name: {attribute: value}} for each class in play, as it reads after a round
// trip through JSON. The error is Python's TypeError for an object key that JSON cannot write.
func (e *Env) Snapshot() (*pyvalue.List, error) {
	states := pyvalue.NewList()
	for _, in := range e.instances {
		attributes := pyvalue.NewDict()
		for _, name := range in.class.graded {
			attributes.SetStr(name, in.api.attribute(name))
		}
		states.Append(pyvalue.DictOf(in.class.name, attributes))
	}
	data, err := pyjson.Encode(writable(states), pyjson.Default)
	if err != nil {
		return nil, err
	}
	v, err := pyjson.Decode(data)
	if err != nil {
		return nil, err
	}
	return v.(*pyvalue.List), nil
}

// writable replaces what JSON has no form for, such as a set, by its text.
func writable(v pyvalue.Value) pyvalue.Value {
	switch v := v.(type) {
	case *pyvalue.List:
		return pyvalue.NewList(writableItems(v.Items)...)
	case pyvalue.Tuple:
		return pyvalue.Tuple(writableItems(v))
	case *pyvalue.Dict:
		c := v.Copy()
		for key, value := range v.All() {
			_ = c.Set(key, writable(value)) // the key is one of a dict
		}
		return c
	case *pyvalue.Set, pyvalue.Bytes, pyvalue.Complex, pyvalue.Ellipsis:
		return pyvalue.Str(pyvalue.String(v))
	}
	return v
}

func writableItems(vs []pyvalue.Value) []pyvalue.Value {
	kept := make([]pyvalue.Value, len(vs))
	for i, v := range vs {
		kept[i] = writable(v)
	}
	return kept
}
