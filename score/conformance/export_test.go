package conformance

import (
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/wire"
)

// Parts lists the checks, the notes and the rules of blame, by name.
func Parts() []string {
	var names []string
	for _, c := range checks {
		names = append(names, "check "+checkName(c))
	}
	for kind := range noteCodes {
		names = append(names, "note "+string(kind))
	}
	for code := range blames {
		names = append(names, "blame "+code)
	}
	slices.Sort(names)
	return names
}

func checkName(c check) string {
	name := runtime.FuncForPC(reflect.ValueOf(c.run).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Without takes a part out, and returns a function that puts it back.
func Without(name string) (restore func()) {
	kind, name, _ := strings.Cut(name, " ")
	switch kind {
	case "check":
		all := checks
		checks = slices.DeleteFunc(slices.Clone(checks), func(c check) bool { return checkName(c) == name })
		return func() { checks = all }
	case "note":
		code := noteCodes[wire.NoteKind(name)]
		delete(noteCodes, wire.NoteKind(name))
		return func() { noteCodes[wire.NoteKind(name)] = code }
	}
	rule := blames[name]
	delete(blames, name)
	return func() { blames[name] = rule }
}
