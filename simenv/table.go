package simenv

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// classes lists the simulated APIs. A new one is a file like message.go and its name here.
var classes = []*class{baseClass, messageClass, reminderClass, foodClass, travelClass}

// class describes one simulated API.
type class struct {
	name    string
	parent  *class   // whose methods it has too, or nil
	graded  []string // the attributes of a snapshot, in the order in which the reference holds them
	shape   record   // what the world must hold for it
	build   func(w *World, t tables) api
	methods []*Method
}

// api is one instance of a class, in the hands of one environment.
type api interface {
	// load applies a scenario's configuration, as often as it is called. What the configuration leaves out gets its default.
	load(config pyvalue.Value) error
	// attribute returns a graded attribute, not a copy.
	attribute(name string) pyvalue.Value
}

// define gives the methods of a class its name.
func define(c *class) *class {
	for _, m := range c.methods {
		m.Class = c.name
	}
	return c
}

// method finds a method by the name in a call, or returns nil.
func (c *class) method(name, language string) *Method {
	for ; c != nil; c = c.parent {
		for _, m := range c.methods {
			if m.Name == name && (m.Only == "" || m.Only == language) {
				return m
			}
		}
	}
	return nil
}

// Method is one row of the method tables.
type Method struct {
	Class   string  // the class that defines it
	Name    string  // as calls write it
	Params  []Param // in the order of the signature
	Needs   string  // what must hold for it to take effect; empty when nothing must
	Changes string  // the attributes it changes; empty when it only looks
	Only    string  // the one language that has it; empty when both do

	run func(self api, a args) (pyvalue.Value, error)
}

// Param is one parameter of a method. Its type is what the reference's signature says; it is never enforced.
type Param struct {
	Name    string
	Type    string
	Default pyvalue.Value // nil for a required parameter
}

// Signature returns the method as Python would declare it, without self: "cancel_reservation(user_id: str, …)".
func (m *Method) Signature() string {
	params := make([]string, len(m.Params))
	for i, p := range m.Params {
		params[i] = p.Name + ": " + p.Type
		if p.Default != nil {
			params[i] += " = " + pyvalue.Repr(p.Default)
		}
	}
	return m.Name + "(" + strings.Join(params, ", ") + ")"
}

// Methods returns the method tables of all classes. BaseApi's methods are there once, although every class but Travel has them.
func Methods() []Method {
	var all []Method
	for _, c := range classes {
		for _, m := range c.methods {
			all = append(all, *m)
		}
	}
	return all
}

func str(name string) Param     { return Param{Name: name, Type: "str"} }
func integer(name string) Param { return Param{Name: name, Type: "int"} }

func optional(p Param, value pyvalue.Value) Param {
	p.Default = value
	return p
}

// args are the bound arguments of a call, in the order of the method's parameters.
type args []pyvalue.Value

// on makes a method of a Go type callable from a table.
func on[T api](run func(T, args) (pyvalue.Value, error)) func(api, args) (pyvalue.Value, error) {
	return func(self api, a args) (pyvalue.Value, error) { return run(self.(T), a) }
}
