package cassette

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// Entry is an exchange with its bodies, as a cassette shows them.
type Entry struct {
	tape.Exchange
	// RequestBody and ResponseBody are the bytes that the Body fields of the exchange are the digests of.
	RequestBody, ResponseBody []byte
	// RequestEncoding and ResponseEncoding are the content codings that were undone, such as "gzip"; "" mostly.
	RequestEncoding, ResponseEncoding string

	unknown unknown
}

// unknown are the members of an exchange line that this version does not know.
type unknown struct{ line, request, response, timing members }

// members are members of a JSON object, as they stand in the file.
type members []member

type member struct {
	name  string
	value jsontext.Value
}

// Settle brings the entry into the form in which a tape holds it, so that both have one digest: bodies have their digests, facts
// are derived, times are whole microseconds, a response without a status is none, and a body without pieces came in one.
func (x *Entry) Settle() {
	x.shape()
	x.Request.Body = bodyOf(x.RequestBody)
	x.Response.Body = bodyOf(x.ResponseBody)
	x.Facts = tape.Facts{
		API:    tape.FamilyOf(x.Request.Method, x.Request.URL),
		Model:  modelOf(x.RequestBody),
		Stream: streams(x.Response.Header),
	}
}

// shape is what Settle does without looking at the bodies, which is all that a line of a cassette tells.
func (x *Entry) shape() {
	r := &x.Response
	if r.Status == 0 {
		*r = tape.Response{}
		x.ResponseBody, x.ResponseEncoding, x.unknown.response = nil, "", nil
		x.TTFB = 0
	}
	if r.Reason == http.StatusText(r.Status) {
		r.Reason = ""
	}
	r.NoReason = r.NoReason && r.Reason == ""
	x.Started = x.Started.UTC().Round(0)
	x.TTFB, x.Total = x.TTFB.Truncate(time.Microsecond), x.Total.Truncate(time.Microsecond)
	switch {
	case len(x.ResponseBody) == 0:
		x.Pieces = nil
	case len(x.Pieces) == 0:
		x.Pieces = []tape.Piece{{At: x.TTFB}}
	default:
		x.TTFB = x.Pieces[0].At
	}
}

// nameHeaders gives headers and trailers the names that [http.Header] looks them up by.
func (x *Entry) nameHeaders() error {
	for _, part := range []struct {
		field  string
		header *http.Header
	}{
		{"request.headers", &x.Request.Header}, {"request.trailers", &x.Request.Trailer},
		{"response.headers", &x.Response.Header}, {"response.trailers", &x.Response.Trailer},
	} {
		var err error
		if *part.header, err = canonicalNames(*part.header); err != nil {
			return in(part.field, err)
		}
	}
	return nil
}

func canonicalNames(h http.Header) (http.Header, error) {
	if len(h) == 0 {
		return h, nil
	}
	out := make(http.Header, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		canonical := http.CanonicalHeaderKey(name)
		if _, ok := out[canonical]; ok {
			return nil, in(name, fmt.Errorf("the header %s comes twice, in different cases; write its values in one list", canonical))
		}
		out[canonical] = h[name]
	}
	return out, nil
}

func bodyOf(data []byte) tape.Body {
	if len(data) == 0 {
		return tape.Body{}
	}
	return tape.Body{Size: int64(len(data)), SHA256: sha256.Sum256(data)}
}

// maxModel bounds the name of a model, as on a tape.
const maxModel = 1024

// modelOf returns the string that a JSON object has under "model", the first when there are several. Of a text that is not JSON,
// what stands before the mistake counts.
func modelOf(body []byte) string {
	dec := newDecoder(body)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for {
		name, err := dec.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if name.String() != "model" {
			if dec.SkipValue() != nil {
				return ""
			}
			continue
		}
		if value, err := dec.ReadToken(); err == nil && value.Kind() == '"' && len(value.String()) <= maxModel {
			return value.String()
		}
		return ""
	}
}

// streams reports whether a response with header h is an event stream or NDJSON.
func streams(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (kind == "text/event-stream" || kind == "application/x-ndjson" || kind == "application/ndjson")
}
