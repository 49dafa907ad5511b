package match

import (
	"maps"
	"net/http"
	"regexp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

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
	// Canonical, when set, brings a request into the form in which requests are compared, before any rule looks at it: so a
	// redacted recording, whose placeholders stand for secrets, answers the request with the real ones. It puts [redacted] in the
	// place of placeholders and of secrets. It is called for recorded requests as well as for those that are asked, its body
	// decoded, by several goroutines at a time. URL, Body and, of Header, the labels of its result count. Placeholders are filled in
	// only with it.
	Canonical func(Request) Request
}

// fingerprint is what a tape holds of a credential.
var fingerprint = regexp.MustCompile(`\[fingerprint:[0-9a-f]{16}\]`)

// noKey makes fingerprints that are equal for equal credentials of one request. Nothing else is asked of them here.
var noKey record.Redactor

// head returns the request target of r and labels as they are compared.
func (o Options) head(r Request, labels map[string]string) (string, map[string]string) {
	labels = masked(labels, r)
	if o.Canonical == nil {
		return endpoint(r.URL), labels
	}
	header := make(http.Header, len(r.Header)+1)
	maps.Copy(header, r.Header)
	delete(header, record.LabelHeader)
	for name, value := range labels {
		header.Add(record.LabelHeader, name+"="+value)
	}
	r.Header, r.Body = header, nil
	r = o.Canonical(r)
	return endpoint(r.URL), record.LabelsOf(r.Header, nil)
}

// masked returns labels without the credentials of r. A label that held one when it was recorded holds its fingerprint or a placeholder;
// so does one that is asked for, and what it was makes no difference.
func masked(labels map[string]string, r Request) map[string]string {
	out := noKey.Labels(labels, r.Header, r.URL)
	for name, value := range out {
		if fingerprint.MatchString(value) {
			out = maps.Clone(out)
			out[name] = fingerprint.ReplaceAllLiteralString(value, redacted)
		}
	}
	return out
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
