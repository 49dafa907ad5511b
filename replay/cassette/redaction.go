package cassette

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/match"
)

// redactionKey is the member of the head that says how a cassette was redacted, so that requests can be redacted the same way when
// they look for their answers: {"headers":[…],"json":["$.user"],"pii":true}, each left out when there is none.
const redactionKey = "redaction"

// RedactionOf returns the rules that the exchanges of src were redacted by, of a tape those it was imported with. It is nil when
// they were not redacted.
func RedactionOf(ctx context.Context, src Source) (*redact.Rules, error) {
	r, err := readRecorded(ctx, src)
	if err != nil {
		return nil, err
	}
	return r.head.redaction()
}

// Matching returns o with what a redacted recording needs to answer requests that hold the real values: both are compared in the
// form that [redact.Rules.Canonical] gives, in which a secret that nothing in the request itself tells to be one still stands: there
// placeholders are filled in. For a recording that was not redacted it returns o as it is.
func Matching(ctx context.Context, src Source, o match.Options) (match.Options, error) {
	rules, err := RedactionOf(ctx, src)
	if err != nil || rules == nil {
		return o, err
	}
	o.Canonical = func(q match.Request) match.Request {
		c := rules.Canonical(redact.Request{URL: q.URL, Header: q.Header, Body: q.Body})
		return match.Request{Method: q.Method, URL: c.URL, Header: c.Header, Body: c.Body}
	}
	return o, nil
}

func (h *Head) redaction() (*redact.Rules, error) {
	v := h.unknown.valueOf(redactionKey)
	if v == nil {
		return nil, nil
	}
	rules := &redact.Rules{}
	d := lineDecoder{newDecoder(v)}
	err := d.object(func(name string) error {
		switch name {
		case "headers":
			return d.array(func(int) error {
				var s string
				err := d.text(&s)
				rules.Headers = append(rules.Headers, s)
				return err
			})
		case "json":
			return d.array(func(int) error {
				var s string
				if err := d.text(&s); err != nil {
					return err
				}
				path, err := redact.ParsePath(s)
				rules.JSON = append(rules.JSON, path)
				return err
			})
		case "pii":
			t, err := d.ReadToken()
			if err == nil && t.Kind() != 't' && t.Kind() != 'f' {
				err = errors.New("true or false is needed")
			}
			rules.PII = err == nil && t.Kind() == 't'
			return err
		}
		return d.SkipValue()
	})
	return rules, in(redactionKey, err)
}

// setRedaction says in the head by which rules the cassette was redacted.
func (h *Head) setRedaction(rules redact.Rules) {
	w := &builder{}
	list := func(name string, texts []string) {
		if len(texts) == 0 {
			return
		}
		w.key(name)
		w.b = append(w.b, '[')
		for i, s := range texts {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.value(s)
		}
		w.b = append(w.b, ']')
	}
	w.open()
	list("headers", rules.Headers)
	var paths []string
	for _, p := range rules.JSON {
		paths = append(paths, p.String())
	}
	list("json", paths)
	if rules.PII {
		w.key("pii")
		w.b = append(w.b, "true"...)
	}
	w.close()
	h.unknown = slices.Clone(h.unknown)
	for i := range h.unknown {
		if h.unknown[i].name == redactionKey {
			h.unknown[i].value = w.b
			return
		}
	}
	h.unknown = append(h.unknown, member{redactionKey, w.b})
}

// join returns rules that ask for what either asks for.
func join(a, b redact.Rules) redact.Rules {
	joined := redact.Rules{PII: a.PII || b.PII}
	for _, s := range append(slices.Clone(a.Headers), b.Headers...) {
		if s = strings.ToLower(s); !slices.Contains(joined.Headers, s) {
			joined.Headers = append(joined.Headers, s)
		}
	}
	for _, p := range append(slices.Clone(a.JSON), b.JSON...) {
		if !slices.ContainsFunc(joined.JSON, func(q redact.Path) bool { return q.String() == p.String() }) {
			joined.JSON = append(joined.JSON, p)
		}
	}
	return joined
}

// redactor takes the secrets out of what a cassette holds.
type redactor struct{ *redact.Redactor }

func (r redactor) head(h *Head) {
	h.Name = r.String(h.Name)
	h.unknown = r.members(h.unknown)
}

func (r redactor) session(s *sessionLine) {
	s.Upstream = r.URL(s.Upstream)
	s.Labels = r.labels(s.Labels)
	s.unknown = r.members(s.unknown)
}

func (r redactor) labels(labels map[string]string) map[string]string {
	if labels == nil {
		return nil
	}
	out := make(map[string]string, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		out[r.String(name)] = r.Label(name, labels[name])
	}
	return out
}

func (r redactor) members(list members) members {
	out := slices.Clone(list)
	for i, m := range list {
		if m.name != redactionKey {
			out[i] = member{r.String(m.name), r.Text(m.value)}
		}
	}
	return out
}

func (r redactor) entry(x *Entry) {
	x.Upstream = r.URL(x.Upstream)
	q := &x.Request
	q.Method, q.URL, q.Proto = r.String(q.Method), r.URL(q.URL), r.String(q.Proto)
	q.Host = r.String(q.Host)
	q.Header = r.Header(q.Header)
	q.Header, x.RequestBody = r.body(q.Header, x.RequestBody, nil)
	q.Trailer = r.Header(q.Trailer)
	p := &x.Response
	p.Reason, p.Proto = r.Said(p.Reason), r.String(p.Proto)
	p.Header = r.Header(p.Header)
	p.Header, x.ResponseBody = r.body(p.Header, x.ResponseBody, &x.Pieces)
	p.Trailer = r.Header(p.Trailer)
	x.Cause = r.Said(x.Cause)
	x.Labels = r.labels(x.Labels)
	u := &x.unknown
	u.line, u.request, u.response, u.timing = r.members(u.line), r.members(u.request), r.members(u.response), r.members(u.timing)
}

// body redacts a body, and its header where that tells its length. A body that is still coded could not be decoded, so nobody knows
// what is in it. A request's has no pieces: nil.
func (r redactor) body(h http.Header, body []byte, pieces *[]tape.Piece) (http.Header, []byte) {
	if len(body) == 0 {
		return h, body
	}
	was := body
	if len(coding.Of(h)) > 0 {
		body = r.Value("coded-body", body)
		h.Del("Content-Encoding")
		if pieces != nil && len(*pieces) > 0 {
			*pieces = (*pieces)[:1]
		}
	} else if pieces == nil {
		body = r.RequestBody(body, h.Get("Content-Type"))
	} else {
		var offsets []int64
		for _, p := range *pieces {
			offsets = append(offsets, p.Offset)
		}
		body = r.Body(body, h.Get("Content-Type"), offsets)
		if !bytes.Equal(body, was) {
			*pieces = moved(*pieces, offsets, int64(len(body)))
		}
	}
	fitLength(h, len(was), len(body))
	return h, body
}

// moved returns the pieces at their new offsets in a body of size bytes, without those of which nothing is left.
func moved(pieces []tape.Piece, offsets []int64, size int64) []tape.Piece {
	var out []tape.Piece
	for i, offset := range offsets {
		end := size
		if i+1 < len(offsets) {
			end = offsets[i+1]
		}
		if offset < end {
			out = append(out, tape.Piece{Offset: offset, At: pieces[i].At})
		}
	}
	return out
}
