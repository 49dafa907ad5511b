package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/match"
)

// Source is where recorded exchanges come from. [tape.Tape] is one.
type Source = match.Source

// Transport is an [http.RoundTripper] that answers from recorded exchanges. It may be used by several goroutines at a time; see
// package match for when the answers depend on the order of asking.
type Transport struct {
	src   Source
	index *match.Index
}

var _ http.RoundTripper = (*Transport)(nil)

// NewTransport makes a transport over the exchanges of src. It reads their heads; bodies are read when they are needed, so src must
// stay open as long as the transport and the bodies of its responses are used.
func NewTransport(ctx context.Context, src Source, o match.Options) (*Transport, error) {
	index, err := match.NewIndex(ctx, src, o)
	if err != nil {
		return nil, err
	}
	return &Transport{src: src, index: index}, nil
}

// Report tells which exchanges answered by which rule, which were never asked for, and what was missed.
func (t *Transport) Report() match.Report { return t.index.Report() }

// RoundTrip implements [http.RoundTripper]: it returns the recorded response to req. The error is a [*match.Miss] when none is
// recorded, a [*record.Failure] with the recorded error when the exchange failed before a response came. The response's body implements record.Source; after
// the recorded bytes it returns io.EOF, or the error with which the exchange ended.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		closeBody(req)
		return nil, err
	}
	sent, err := readBody(req)
	if err != nil {
		return nil, fmt.Errorf("reading the request body: %w", err)
	}
	hit, err := t.index.Find(ctx, match.Request{
		Method: req.Method,
		URL:    req.URL.RequestURI(),
		Header: req.Header,
		Body:   sent,
	})
	if err != nil {
		return nil, err
	}
	x := hit.Exchange
	if x.Response.Status == 0 {
		if err := ending(x); err != nil {
			return nil, &record.Failure{Ref: x.Ref, Err: err}
		}
		return nil, fmt.Errorf("exchange %s/%d is marked complete, but the tape holds no response of it: check the tape", x.Session, x.Seq)
	}
	resp := response(req, x)
	b := &body{ctx: ctx, x: x, end: ending(x), trailer: resp.Trailer}
	if err := t.open(ctx, req, resp, b); err != nil {
		return nil, fmt.Errorf("opening the response body of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	resp.Body = b
	return resp, nil
}

// open gives b the recorded bytes, decoded when the client did not ask for the coding.
func (t *Transport) open(ctx context.Context, req *http.Request, resp *http.Response, b *body) error {
	var recorded io.ReadCloser = http.NoBody
	if b.x.Response.Body.Size > 0 && req.Method != http.MethodHead {
		rc, err := t.src.Body(ctx, b.x.Response.Body)
		if err != nil {
			return err
		}
		recorded = rc
	}
	b.recorded = &recordedBytes{rc: recorded}
	b.r = io.NopCloser(b.recorded)
	codings := coding.Of(resp.Header)
	if len(codings) == 0 || recorded == http.NoBody || !coding.Known(codings) || asked(req, codings) {
		return nil
	}
	plain, err := coding.NewReader(b.recorded, codings)
	if err != nil {
		recorded.Close()
		return err
	}
	b.r = plain
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	return nil
}

// asked reports whether the client undoes the codings itself.
func asked(req *http.Request, codings []string) bool {
	return len(req.Header["Accept-Encoding"]) > 0 && coding.Accepted(req.Header, codings)
}

// response makes the head of the response.
func response(req *http.Request, x *tape.Exchange) *http.Response {
	r := x.Response
	resp := &http.Response{
		Status:        strconv.Itoa(r.Status) + " " + reason(r),
		StatusCode:    r.Status,
		Proto:         r.Proto,
		Header:        r.Header.Clone(),
		ContentLength: -1,
		Request:       req,
	}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	if resp.Header.Get("Connection") == "close" {
		// As net/http has it.
		resp.Header.Del("Connection")
		resp.Close = true
	}
	var ok bool
	if resp.ProtoMajor, resp.ProtoMinor, ok = http.ParseHTTPVersion(r.Proto); !ok {
		resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/1.1", 1, 1
	}
	if n, err := strconv.ParseInt(resp.Header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		resp.ContentLength = n
	} else if r.Status/100 == 1 || r.Status == http.StatusNoContent || r.Status == http.StatusNotModified {
		resp.ContentLength = 0
	}
	if len(r.Trailer) > 0 {
		resp.Trailer = make(http.Header, len(r.Trailer))
		for name := range r.Trailer {
			resp.Trailer[name] = nil // the values come at the end of the body, as they did live
		}
	}
	return resp
}

func reason(r tape.Response) string {
	switch {
	case r.NoReason:
		return ""
	case r.Reason != "":
		return r.Reason
	}
	return http.StatusText(r.Status)
}

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	b, err := io.ReadAll(req.Body)
	return b, errors.Join(err, req.Body.Close())
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
