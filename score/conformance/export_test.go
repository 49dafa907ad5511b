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

// Limit lets pairs keep no more than n answers.
func (p *Pairs) Limit(n int) { p.limit = n }

// WordingOf is what problems are told apart by that have one code.
var WordingOf = wordingOf

// Folded is how many kinds of problems and how many texts are kept of reports that are folded.
func Folded(reports []*Report) (kinds, texts int) {
	f := newFold()
	for _, r := range reports {
		f.add(r)
	}
	for _, c := range f.codes {
		kinds += len(c.order)
	}
	return kinds, len(f.texts)
}
