package simenv

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// This file holds the few words that the methods of all APIs are written in.

// done is the answer of a method that did what it was asked.
func done(message string) (pyvalue.Value, error) { return answer(true, message) }

// fail is the answer of a method that refuses. It is no error: the agent reads the message.
func fail(message string) (pyvalue.Value, error) { return answer(false, message) }

func answer(status bool, message string) (pyvalue.Value, error) {
	return pyvalue.DictOf("status", pyvalue.Bool(status), "message", pyvalue.Str(message)), nil
}

// listing is the answer of a method that found something.
func listing(name string, found []pyvalue.Value) (pyvalue.Value, error) {
	return pyvalue.DictOf("status", pyvalue.Bool(true), name, pyvalue.NewList(found...)), nil
}

// noAttribute is what Python says when a method is called on a value of a type that lacks it.
func noAttribute(v pyvalue.Value, name string) error {
	return pyvalue.Raise("AttributeError", "'%s' object has no attribute '%s'", pyvalue.TypeName(v), name)
}

// keyError is what Python says when a dict lacks a key.
func keyError(key pyvalue.Value) error { return pyvalue.Raise("KeyError", "%s", pyvalue.Repr(key)) }

func number(n int) pyvalue.Int { return pyvalue.NewInt(int64(n)) }

// subscript is v[name] for a value of any type.
func subscript(v pyvalue.Value, name string) (pyvalue.Value, error) {
	return pyvalue.Index(v, pyvalue.Str(name))
}

// field is a field of an object of the world. Worlds are checked when they are read and methods store whole objects, so it is there;
// None stands for one that is not.
func field(v pyvalue.Value, name string) pyvalue.Value { return getOr(asDict(v), name, pyvalue.None{}) }

func setField(v pyvalue.Value, name string, value pyvalue.Value) { asDict(v).SetStr(name, value) }

// getOr is d.get(name, fallback).
func getOr(d *pyvalue.Dict, name string, fallback pyvalue.Value) pyvalue.Value {
	if v, found := d.GetStr(name); found {
		return v
	}
	return fallback
}

// asDict is an object of the world as a dict; an empty one stands for what is no object.
func asDict(v pyvalue.Value) *pyvalue.Dict {
	if d, ok := v.(*pyvalue.Dict); ok {
		return d
	}
	return pyvalue.NewDict()
}

// items are the elements of a list of the world.
func items(v pyvalue.Value) []pyvalue.Value {
	if l, ok := v.(*pyvalue.List); ok {
		return l.Items
	}
	return nil
}

// containsFold is keyword.lower() in text.lower(). Either may be of a type that has no lower; the keyword's is looked at first.
func containsFold(text, keyword pyvalue.Value) (bool, error) {
	k, ok := keyword.(pyvalue.Str)
	if !ok {
		return false, noAttribute(keyword, "lower")
	}
	t, ok := text.(pyvalue.Str)
	if !ok {
		return false, noAttribute(text, "lower")
	}
	return strings.Contains(pyvalue.Lower(string(t)), pyvalue.Lower(string(k))), nil
}
