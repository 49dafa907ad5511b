package wire

import (
	"errors"
	"io"

	"github.com/exodeck/exodeck/proxy/tape"
)

// ErrAPI means that an API family carries no model calls, so there is nothing to read.
var ErrAPI = errors.New("no model API")

// ParseResponse reads a response body of the given API: an event stream or NDJSON when stream is set, else a whole body. The
// error is that of r, or ErrAPI; whatever the server got wrong is in the Answer.
func ParseResponse(api tape.API, stream bool, r io.Reader) (*Answer, error) {
	return nil, ErrAPI
}

// ParseRequest reads a request body of the given API. It fails when the body is not a JSON object.
func ParseRequest(api tape.API, body []byte) (*Request, error) {
	return nil, ErrAPI
}

// Normalized returns the answer as `exodeck parse` prints it.
func (a *Answer) Normalized() []byte { return nil }

// Meaning returns canonical bytes that are equal for two requests that ask the same: same API family, system text, messages and
// tools, and the same model if includeModel is set.
func (r *Request) Meaning(includeModel bool) []byte { return nil }

// Outline returns the request as text with one line per fact, for a person and for text diffs.
func (r *Request) Outline() string { return "" }
