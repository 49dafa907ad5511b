package match

import "github.com/exodeck/exodeck/proxy/tape"

// Rule says why an exchange answers a request. The package comment describes the rules.
type Rule string

const (
	Label    Rule = "label"
	Exact    Rule = "exact"
	Meaning  Rule = "meaning"
	AnyModel Rule = "any-model"
)

// Rules lists the rules in the order in which they are tried.
var Rules = []Rule{Label, Exact, Meaning, AnyModel}

// Options choose what may answer. The zero value is a good one.
type Options struct {
	// Query chooses the exchanges that take part, for example those of one session; its zero value takes all.
	Query tape.Query
	// AnyModel lets the answer of one model stand for another's.
	AnyModel bool
	// Reuse lets an exchange answer more than one request, also of model calls.
	Reuse bool
	// SameMode has a stream answer only requests for a stream, and a whole answer only those for a whole one: a server's client reads
	// what it has asked for. Without it a request may get either by rule 3, and is to look at the response's Content-Type.
	SameMode bool
}

// Default returns the options of a faithful replay: nothing is forgiven but what cannot change an answer.
func Default() Options { return Options{} }
