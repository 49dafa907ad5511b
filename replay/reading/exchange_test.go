package reading_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// bodies is a tape of nothing but bodies, by their digest.
type bodies map[[32]byte]string

func (b bodies) put(text string) tape.Body {
	digest := [32]byte{byte(len(b) + 1)}
	b[digest] = text
	return tape.Body{Size: int64(len(text)), SHA256: digest}
}

func (b bodies) Body(_ context.Context, body tape.Body) (io.ReadCloser, error) {
	text, ok := b[body.SHA256]
	if body.Size > 0 && !ok {
		return nil, tape.ErrNoBody
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func zipped(t testing.TB, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	asked    = `{"model":"m","messages":[{"role":"user","content":"Is it high tide?"}]}`
	answered = `{"choices":[{"message":{"content":"At noon."},"finish_reason":"stop"}]}`
	streamed = "data: {\"choices\":[{\"delta\":{\"content\":\"At \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"noon.\"}}]}\n\ndata: [DONE]\n\n"
)

func TestOf(t *testing.T) {
	coded := zipped(t, strings.Repeat(streamed[:49], 200)+streamed)
	for _, tt := range []struct {
		name     string
		method   string
		response string
		header   http.Header
		text     string // of the answer; "none" when there is none
		body     string // how the body begins
	}{
		{name: "whole", response: answered, text: "At noon.", body: `{"choices"`},
		{name: "streamed", response: streamed, header: http.Header{"Content-Type": {"text/event-stream"}}, text: "At noon.", body: "data: "},
		{name: "a stream under another name", response: streamed, header: http.Header{"Content-Type": {"application/json"}}, text: "At noon.", body: "data: "},
		{name: "gzip", response: zipped(t, answered), header: http.Header{"Content-Encoding": {"gzip"}}, text: "At noon.", body: `{"choices"`},
		{name: "gzip that breaks off", response: coded[:len(coded)-9], header: http.Header{"Content-Encoding": {"gzip"}}, text: "At", body: "data: "},
		{name: "gzip that is none", response: answered, header: http.Header{"Content-Encoding": {"gzip"}}, text: "At noon.", body: `{"choices"`},
		{name: "a coding nobody knows", response: answered, header: http.Header{"Content-Encoding": {"pack200"}}, text: "At noon.", body: `{"choices"`},
		{name: "no model call", method: "GET", response: `{"data":[]}`, text: "none", body: `{"data":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := bodies{}
			x := &tape.Exchange{
				Request:  tape.Request{Method: "POST", URL: "/v1/chat/completions", Body: src.put(asked)},
				Response: tape.Response{Status: 200, Header: tt.header, Body: src.put(tt.response)},
				Ended:    tape.Complete,
			}
			if tt.method != "" {
				x.Request.Method = tt.method
			}
			x.Facts.API = tape.FamilyOf(x.Request.Method, x.Request.URL)
			r, err := reading.Of(t.Context(), src, x)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(r.ResponseBody), tt.body) {
				t.Errorf("the body begins with %.20q, want %q", r.ResponseBody, tt.body)
			}
			if tt.text == "none" {
				if r.Request != nil || r.Answer != nil {
					t.Errorf("read as a model call: %v %v", r.Request, r.Answer)
				}
				return
			}
			if r.Request == nil || r.Request.Model != "m" {
				t.Errorf("request %+v", r.Request)
			}
			if r.Answer == nil || !strings.HasPrefix(r.Answer.Text, tt.text) {
				t.Errorf("answer %+v, want the text %q", r.Answer, tt.text)
			}
		})
	}
}

func TestOfFails(t *testing.T) {
	x := &tape.Exchange{Ref: tape.Ref{Session: "s", Seq: 3}, Response: tape.Response{Status: 200, Body: tape.Body{Size: 5, SHA256: [32]byte{9}}}}
	_, err := reading.Of(t.Context(), bodies{}, x)
	if !errors.Is(err, tape.ErrNoBody) || !strings.Contains(err.Error(), "the response of exchange s/3") {
		t.Errorf("error %v, want one that names the exchange", err)
	}
}

func TestOfNoResponse(t *testing.T) {
	x := &tape.Exchange{Facts: tape.Facts{API: tape.OpenAI}, Ended: tape.UpstreamError}
	r, err := reading.Of(t.Context(), bodies{}, x)
	if err != nil {
		t.Fatal(err)
	}
	if r.Answer != nil || r.Request != nil {
		t.Errorf("answer %v, request %v of an exchange without either", r.Answer, r.Request)
	}
}

// A large body is cut, and is then neither a request nor an answer.
func TestOfLarge(t *testing.T) {
	src := bodies{}
	large := src.put(asked + strings.Repeat(" ", reading.MaxBody))
	x := &tape.Exchange{Facts: tape.Facts{API: tape.OpenAI}, Request: tape.Request{Body: large}, Response: tape.Response{Status: 200, Body: large}}
	r, err := reading.Of(t.Context(), src, x)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.RequestBody) != reading.MaxBody || r.Request != nil || r.Answer != nil {
		t.Errorf("%d bytes, request %v, answer %v", len(r.RequestBody), r.Request, r.Answer)
	}
}

func ExampleOf() {
	tape := bodies{}
	x := exampleExchange(tape)
	r, err := reading.Of(context.Background(), tape, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Request.Messages[0].Text())
	fmt.Println(r.Answer.Text)
	// Output:
	// Is it high tide?
	// At noon.
}

func exampleExchange(b bodies) *tape.Exchange {
	return &tape.Exchange{
		Request:  tape.Request{Method: "POST", URL: "/v1/chat/completions", Body: b.put(asked)},
		Response: tape.Response{Status: 200, Body: b.put(answered)},
		Facts:    tape.Facts{API: tape.OpenAI},
	}
}
