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
	// Canonical, when set, brings a request into the form in which requests are compared, before any rule looks at it: so a redacted
	// recording, whose placeholders stand for secrets, answers the request with the real ones. It is called for recorded requests as well as for those that are
	// asked, its body decoded, by several goroutines at a time. URL and Body of its result count.
	Canonical func(Request) Request
}

// target returns the request target of r as it is compared.
func (o Options) target(r Request) string {
	if o.Canonical != nil {
		r.Body = nil
		r = o.Canonical(r)
	}
	return endpoint(r.URL)
}

// plain returns the body of r as it is compared, its codings undone.
func (o Options) plain(codings []string, r Request) []byte {
	r.Body = decoded(codings, r.Body)
	if o.Canonical != nil && len(r.Body) > 0 {
		r = o.Canonical(r)
	}
	return r.Body
}

// plainRecorded is as plain, for the body of a recorded request.
func (o Options) plainRecorded(e *entry, body []byte) []byte {
	x := &e.x.Request
	return o.plain(e.codings, Request{Method: x.Method, URL: x.URL, Header: x.Header, Body: body})
}

// Default returns the options of a faithful replay: nothing is forgiven but what cannot change an answer.
func Default() Options { return Options{} }
