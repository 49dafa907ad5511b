package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/wire"
)

// MaxBody is how many bytes of a body are read. Of a larger one the rest is left out, and it has no normal form.
const MaxBody = 64 << 20

// Source hands out recorded bodies. [tape.Tape] is one.
type Source interface {
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Reader is a [Source] that has more to do with each exchange than to hand out its bodies. [Of] leaves the reading to it.
type Reader interface {
	Read(ctx context.Context, x *tape.Exchange) (*Exchange, error)
}

// Exchange is a recorded exchange with what was said in it.
type Exchange struct {
	*tape.Exchange
	// RequestBody and ResponseBody have their content coding undone, as far as that can be done.
	RequestBody, ResponseBody []byte
	// Request is what was asked; nil when it is no model call, or none that can be read.
	Request *wire.Request
	// Answer is what came; nil when the exchange is no model call, or has no response to read.
	Answer *wire.Answer
}

// Of reads the bodies of x. The error is one of the tape; what is odd in the bodies is told by the result.
func Of(ctx context.Context, src Source, x *tape.Exchange) (*Exchange, error) {
	if r, ok := src.(Reader); ok {
		return r.Read(ctx, x)
	}
	request, err := Body(ctx, src, x.Request.Body, x.Request.Header)
	if err != nil {
		return nil, fmt.Errorf("reading the request of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	response, err := Body(ctx, src, x.Response.Body, x.Response.Header)
	if err != nil {
		return nil, fmt.Errorf("reading the response of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	return New(x, request, response), nil
}

// New reads an exchange from its bodies, whose content coding is undone.
func New(x *tape.Exchange, request, response []byte) *Exchange {
	r := &Exchange{Exchange: x}
	var whole bool
	if r.RequestBody, whole = limited(request); whole {
		// A request that is none has no normal form.
		r.Request, _ = wire.ParseRequest(x.Facts.API, r.RequestBody)
	}
	if r.ResponseBody, whole = limited(response); whole && x.Response.Status != 0 {
		head := response[:min(len(response), wire.SniffLen)]
		streamed := wire.Streamed(x.Facts.API, x.Response.Header.Get("Content-Type"), head)
		// Reading from memory does not fail; another API than one of model calls has no answer.
		r.Answer, _ = wire.ParseResponse(x.Facts.API, streamed, bytes.NewReader(response))
	}
	return r
}

func limited(body []byte) ([]byte, bool) {
	return body[:min(len(body), MaxBody)], len(body) <= MaxBody
}

// Body reads a body, with its content coding undone as far as that can be done, up to one byte more than [MaxBody].
func Body(ctx context.Context, src Source, b tape.Body, h http.Header) ([]byte, error) {
	rc, err := src.Body(ctx, b)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var buf bytes.Buffer
	buf.Grow(int(min(b.Size, MaxBody)) + bytes.MinRead)
	_, err = buf.ReadFrom(io.LimitReader(rc, MaxBody+1))
	data := buf.Bytes()
	if codings := coding.Of(h); err == nil && len(codings) > 0 && len(data) <= MaxBody {
		data = decoded(data, codings)
	}
	return data, err
}

// decoded undoes content codings. What breaks off is decoded as far as it goes, what is not coded as it says stays as it is.
func decoded(data []byte, codings []string) []byte {
	r, err := coding.NewReader(bytes.NewReader(data), codings)
	if err != nil {
		return data
	}
	defer r.Close()
	plain, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return data
	}
	return plain
}
