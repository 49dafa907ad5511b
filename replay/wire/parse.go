package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
)

// ErrAPI means that an API family carries no model calls, so that there is nothing to read.
var ErrAPI = errors.New("the API carries no model calls")

// ParseResponse reads a response body of the given API: an event stream or NDJSON when stream is set, else a whole body. The
// error is that of r, and the Answer then holds what was read before it, or [ErrAPI] with no Answer; what the server got
// wrong is in the Answer.
func ParseResponse(api tape.API, stream bool, r io.Reader) (*Answer, error) {
	if !api.Model() {
		return nil, fmt.Errorf("reading a response of API %q: %w", api, ErrAPI)
	}
	answer := newReader(api, stream)
	if stream {
		if err := answer.stream(r); err != nil {
			return answer.a, fmt.Errorf("reading a streamed response: %w", err)
		}
		return answer.a, nil
	}
	var body bytes.Buffer
	if sized, ok := r.(interface{ Len() int }); ok {
		body.Grow(sized.Len() + bytes.MinRead) // room to see that there is no more
	}
	_, err := body.ReadFrom(r)
	if err == nil || body.Len() > 0 { // no bytes mean something only at a regular end
		answer.wholeBody(body.Bytes())
	}
	if err != nil {
		return answer.a, fmt.Errorf("reading a response: %w", err)
	}
	return answer.a, nil
}

// SniffLen is how many bytes from the beginning of a body [Streamed] looks at, at most.
const SniffLen = sse.SniffLen

// Streamed tells from the Content-Type and the first bytes of a response body whether it is to be read as a stream of the
// given API. The bytes decide where they can, as servers mislabel streams.
func Streamed(api tape.API, contentType string, head []byte) bool {
	return sse.FormatOf(contentType, head) == framing(api)
}

// framing returns how an API's streams are framed.
func framing(api tape.API) sse.Format {
	if api == tape.Ollama || api == tape.OllamaGenerate {
		return sse.NDJSON
	}
	return sse.EventStream
}

// ParseRequest reads a request body of the given API. It fails when the body is not a JSON object.
func ParseRequest(api tape.API, body []byte) (*Request, error) {
	return readRequest(api, body)
}
