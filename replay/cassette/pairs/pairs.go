// Package pairs reads JSON Lines of requests and responses of OpenAI's APIs, as scripts and services log them.
//
// A line is {"request": …, "response": …}: the body of a request, and the body of its answer. An answer that was streamed is a list
// of its chunks, or the text of the stream. Other members are optional: "url" ("/v1/chat/completions", or "/v1/responses" for a
// request with "input"), "status" (200), and "id" or "custom_id", which becomes the label sample.
package pairs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// line is one line. Bodies stay as they are written.
type line struct {
	Request  jsontext.Value `json:"request"`
	Response jsontext.Value `json:"response"`
	URL      string         `json:"url"`
	Status   int            `json:"status"`
	ID       string         `json:"id"`
	CustomID string         `json:"custom_id"`
}

// Read reads pairs. name is what errors call them.
func Read(r io.Reader, name string) (*cassette.Cassette, error) {
	c, err := cassette.Build(name, entries(r))
	if err != nil {
		return nil, fmt.Errorf("reading pairs of requests and responses from %s: %w", name, err)
	}
	return c, nil
}

func entries(r io.Reader) iter.Seq2[*cassette.Entry, error] {
	return func(yield func(*cassette.Entry, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 64<<10), cassette.MaxLine)
		n := 0
		for lines.Scan() {
			n++
			text := bytes.TrimSpace(lines.Bytes())
			if n == 1 {
				text = bytes.TrimPrefix(text, []byte("\ufeff")) // which some editors put in front
			}
			if len(text) == 0 {
				continue
			}
			x, err := entry(text, n)
			if err != nil {
				err = fmt.Errorf("line %d: %w", n, err)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("%w: the line is longer than %d MiB", cassette.ErrTooLarge, cassette.MaxLine>>20)
			}
			yield(nil, fmt.Errorf("line %d: %w", n+1, err))
		}
	}
}

func entry(text []byte, n int) (*cassette.Entry, error) {
	var l line
	if err := json.Unmarshal(text, &l, jsontext.AllowDuplicateNames(false)); err != nil {
		return nil, err
	}
	switch {
	case l.Request.Kind() != '{':
		return nil, errors.New(`"request" is no object`)
	case l.Response == nil:
		return nil, errors.New(`"response" is missing`)
	case l.Status < 0 || l.Status > 999:
		return nil, fmt.Errorf(`"status": %d is no status`, l.Status)
	}
	x := &cassette.Entry{RequestBody: bytes.Clone(l.Request)}
	x.Ended = tape.Complete
	x.Started = time.Unix(int64(n-1), 0)
	x.Request = tape.Request{Method: http.MethodPost, URL: l.URL, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}}}
	if x.Request.URL == "" {
		x.Request.URL = endpoint(l.Request)
	}
	x.Response = tape.Response{Status: l.Status, Proto: "HTTP/1.1"}
	if l.Status == 0 {
		x.Response.Status = http.StatusOK
	}
	kind, body, err := answer(l.Response)
	if err != nil {
		return nil, err
	}
	x.Response.Header, x.ResponseBody = http.Header{"Content-Type": {kind}}, body
	for _, id := range []string{l.CustomID, l.ID} {
		if id != "" {
			x.Labels = map[string]string{"sample": id}
			break
		}
	}
	return x, nil
}

// endpoint tells by a request where it went.
func endpoint(request jsontext.Value) string {
	var r struct {
		Messages jsontext.Value `json:"messages"`
		Input    jsontext.Value `json:"input"`
	}
	if err := json.Unmarshal(request, &r, jsontext.AllowDuplicateNames(true)); err == nil && r.Messages == nil && r.Input != nil {
		return "/v1/responses"
	}
	return "/v1/chat/completions"
}

const eventStream = "text/event-stream"

// answer returns the body of a response and its type.
func answer(v jsontext.Value) (kind string, body []byte, err error) {
	switch v.Kind() {
	case '{':
		return "application/json", bytes.Clone(v), nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		return eventStream, text, err
	case '[':
		return eventStream, stream(v), nil
	}
	return "", nil, errors.New(`"response" is neither an object, a list of chunks, nor the text of a stream`)
}

// stream writes chunks as a server sends them. Events of the Responses API have names; chunks of Chat Completions end with [DONE].
func stream(list jsontext.Value) []byte {
	var chunks []jsontext.Value
	if json.Unmarshal(list, &chunks, jsontext.AllowDuplicateNames(true)) != nil {
		return nil // it was read before, so it is a list
	}
	var b bytes.Buffer
	named := false
	for _, chunk := range chunks {
		var event struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(chunk, &event, jsontext.AllowDuplicateNames(true)) == nil && event.Type != "" {
			named = true
			fmt.Fprintf(&b, "event: %s\n", event.Type)
		}
		// One line, whatever the chunk looked like.
		if chunk.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)) != nil {
			return nil
		}
		fmt.Fprintf(&b, "data: %s\n\n", chunk)
	}
	if !named {
		b.WriteString("data: [DONE]\n\n")
	}
	return b.Bytes()
}
