package cassette

import (
	"bytes"
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// timeFormat is RFC 3339 with nanoseconds.
const timeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// builder writes one line. Its methods write members of the object that is open.
type builder struct {
	b     []byte
	comma bool
}

func (w *builder) open() { w.b, w.comma = append(w.b, '{'), false }

func (w *builder) close() { w.b, w.comma = append(w.b, '}'), true }

func (w *builder) key(name string) {
	if w.comma {
		w.b = append(w.b, ',')
	}
	w.b = append(quote(w.b, name), ':')
	w.comma = true
}

// quote appends s as a JSON string. Bytes that are not UTF-8 become the replacement character.
func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the error only says that something was replaced
	return b
}

// text writes a string, or {"base64": "..."} when it is not UTF-8.
func (w *builder) text(name, s string) {
	w.key(name)
	w.value(s)
}

func (w *builder) value(s string) {
	if utf8.ValidString(s) {
		w.b = quote(w.b, s)
		return
	}
	w.b = append(w.b, `{"base64":"`...)
	w.b = base64.StdEncoding.AppendEncode(w.b, []byte(s))
	w.b = append(w.b, `"}`...)
}

// optional writes a string that is left out when it is empty.
func (w *builder) optional(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *builder) number(name string, n int64) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *builder) time(name string, t time.Time) {
	w.key(name)
	w.b = append(w.b, '"')
	w.b = t.UTC().AppendFormat(w.b, timeFormat)
	w.b = append(w.b, '"')
}

// millis appends a time in milliseconds with three decimals.
func millis(b []byte, d time.Duration) []byte {
	micros := max(0, d.Microseconds())
	b = strconv.AppendInt(b, micros/1000, 10)
	rest := micros % 1000
	return append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

func (w *builder) header(name string, h http.Header) {
	if len(h) == 0 {
		return
	}
	w.key(name)
	w.open()
	for _, k := range slices.Sorted(maps.Keys(h)) {
		w.key(k)
		w.b = append(w.b, '[')
		for i, v := range h[k] {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.value(v)
		}
		w.b = append(w.b, ']')
	}
	w.close()
}

func (w *builder) labels(labels map[string]string) {
	if len(labels) == 0 {
		return
	}
	w.key("labels")
	w.open()
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		w.text(k, labels[k])
	}
	w.close()
}

func (w *builder) body(data []byte) {
	switch {
	case len(data) == 0:
	case embeddable(data):
		w.key("body")
		w.b = append(w.b, data...)
	case utf8.Valid(data):
		w.key("text")
		w.b, _ = jsontext.AppendQuote(w.b, data) // which is UTF-8
	default:
		w.key("base64")
		w.b = append(w.b, '"')
		w.b = base64.StdEncoding.AppendEncode(w.b, data)
		w.b = append(w.b, '"')
	}
}

func (w *builder) members(m members) {
	for _, m := range m {
		w.key(m.name)
		w.b = append(w.b, m.value...)
	}
}

// maxDepth is how deep objects and arrays of an embedded body may be nested. JSON readers give up somewhere beyond.
const maxDepth = 500

// embeddable reports whether a body can stand in a line as a JSON value, its bytes unchanged.
func embeddable(data []byte) bool {
	first, last := data[0], data[len(data)-1]
	if first <= ' ' || last <= ' ' || bytes.ContainsAny(data, "\r\n") || depth(data) > maxDepth {
		return false
	}
	return jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true))
}

// depth is how deep a JSON text is nested; what it is for other texts does not matter.
func depth(data []byte) (deepest int) {
	open, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case '{', '[':
			if !quoted {
				open++
				deepest = max(deepest, open)
			}
		case '}', ']':
			if !quoted {
				open--
			}
		}
	}
	return deepest
}

// appendEntry appends the line of an exchange, with its line end. upstream is that of its session.
func appendEntry(b []byte, x *Entry, upstream string) []byte {
	w := &builder{b: b}
	w.open()
	w.number("seq", x.Seq)
	w.text("session", x.Session)
	w.time("started", x.Started)
	if x.Upstream != upstream {
		w.text("upstream", x.Upstream)
	}
	w.request(x)
	w.response(x)
	w.timing(x)
	w.text("ended", string(x.Ended))
	w.optional("cause", x.Cause)
	w.labels(x.Labels)
	w.members(x.unknown.line)
	w.close()
	return append(w.b, '\n')
}

func (w *builder) request(x *Entry) {
	w.key("request")
	w.open()
	w.text("method", x.Request.Method)
	w.text("url", x.Request.URL)
	w.optional("host", x.Request.Host)
	w.text("proto", x.Request.Proto)
	w.header("headers", x.Request.Header)
	w.optional("encoding", x.RequestEncoding)
	w.body(x.RequestBody)
	w.header("trailers", x.Request.Trailer)
	w.members(x.unknown.request)
	w.close()
}

func (w *builder) response(x *Entry) {
	r := &x.Response
	if r.Status == 0 {
		return
	}
	w.key("response")
	w.open()
	w.number("status", int64(r.Status))
	if r.Reason != "" || r.NoReason {
		w.text("reason", r.Reason)
	}
	if r.Proto != x.Request.Proto {
		w.text("proto", r.Proto)
	}
	w.header("headers", r.Header)
	w.optional("encoding", x.ResponseEncoding)
	w.body(x.ResponseBody)
	w.header("trailers", r.Trailer)
	w.members(x.unknown.response)
	w.close()
}

func (w *builder) timing(x *Entry) {
	w.key("timing")
	w.open()
	w.key("ttfb_ms")
	w.b = millis(w.b, x.TTFB)
	w.key("total_ms")
	w.b = millis(w.b, x.Total)
	if len(x.Pieces) > 0 {
		w.key("pieces")
		w.b = append(w.b, '[')
		for i, p := range x.Pieces {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.b = append(w.b, '[')
			w.b = strconv.AppendInt(w.b, p.Offset, 10)
			w.b = append(w.b, ',')
			w.b = append(millis(w.b, p.At), ']')
		}
		w.b = append(w.b, ']')
	}
	w.members(x.unknown.timing)
	w.close()
}

// appendSession appends the line of a session, with its line end.
func appendSession(b []byte, s tape.Session, unknown members) []byte {
	w := &builder{b: b}
	w.open()
	w.text("session", s.Name)
	w.text("upstream", s.Upstream)
	w.labels(s.Labels)
	w.members(unknown)
	w.close()
	return append(w.b, '\n')
}

// Head is the first line of a cassette.
type Head struct {
	Name string
	// Created is the start of the earliest exchange.
	Created time.Time
	// Generator is the program that wrote the cassette, such as "exodeck v1.0.0".
	Generator string
	Exchanges int
	// SHA256 is the digest of all following lines in hex; "" in a cassette that was written by hand.
	SHA256 string

	unknown members
}

// appendHead appends the first line, with its line end.
func appendHead(b []byte, h Head) []byte {
	w := &builder{b: b}
	w.open()
	w.number("cassette", Version)
	w.text("name", h.Name)
	w.time("created", h.Created)
	w.text("generator", h.Generator)
	w.number("exchanges", int64(h.Exchanges))
	w.text("sha256", h.SHA256)
	w.members(h.unknown)
	w.close()
	return append(w.b, '\n')
}
