package redact

import (
	"net/http"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
)

// Request is what is compared of a request.
type Request struct {
	URL    string
	Header http.Header
	Body   []byte
}

// placeholders is the form of placeholders, which in the form for comparison are all one.
var placeholders = func() *Pattern {
	p := &Pattern{Kind: "placeholder", Starts: []string{"[redacted:"}, Regexp: placeholderForm.String(), Inside: true}
	p.compile()
	return p
}()

// labels returns h with the labels in it redacted.
func (r *Redactor) labels(h http.Header) http.Header {
	if len(h[record.LabelHeader]) == 0 {
		return h
	}
	h = h.Clone()
	for i, v := range h[record.LabelHeader] {
		if name, value, ok := record.ParseLabel(v); ok {
			h[record.LabelHeader][i] = name + "=" + r.Label(name, value)
		}
	}
	return h
}

// Canonical returns a request in the form in which requests are compared: [redacted] stands for every secret and for every
// placeholder. So a request and its redacted recording are equal, whatever numbers the placeholders got. Two requests that differ
// in nothing but a secret are equal too.
//
// It may be called by several goroutines at a time.
func (rules Rules) Canonical(q Request) Request {
	r := New(rules)
	r.mode = canonical
	for _, start := range placeholders.Starts {
		r.finder.add(literal{text: []byte(start), pattern: placeholders})
	}
	contentType := q.Header.Get("Content-Type")
	// Of headers only those count that the rules name. Recorders never put other credentials on a tape, so recordings are not
	// redacted by their values.
	for _, name := range sortedNames(q.Header) {
		if slices.ContainsFunc(rules.Headers, func(s string) bool { return strings.EqualFold(s, name) }) {
			for _, v := range q.Header[name] {
				r.parts(name, v)
				r.credential(v)
			}
		}
	}
	// First the secrets are learned, then found everywhere.
	r.URL(q.URL)
	r.RequestBody(q.Body, contentType)
	return Request{URL: r.URL(q.URL), Header: r.labels(q.Header), Body: r.RequestBody(q.Body, contentType)}
}
