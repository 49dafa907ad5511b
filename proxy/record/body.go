package record

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// requestBody records a request body while it is sent.
type requestBody struct {
	x      *exchange
	rc     io.ReadCloser
	req    *http.Request // its trailers are known once the body has been read
	offset int64
	closed atomic.Bool
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.rc.Read(p)
	if n > 0 {
		b.x.requestBody(b.offset, p[:n])
		b.offset += int64(n)
	}
	switch {
	case err == io.EOF:
		b.x.requestEnd(b.x.redactor.Header(b.req.Trailer))
	case err != nil && !b.closed.Load():
		b.x.requestBroken(err)
	}
	return n, err
}

// Close is what a transport calls when it has read all, or when it wants no more: reading on is then no failure of the client.
func (b *requestBody) Close() error {
	b.closed.Store(true)
	return b.rc.Close()
}

// body records a response body while it is read.
type body struct {
	x    *exchange
	rc   io.ReadCloser
	resp *http.Response
	// left is how much of the Content-Length is still to come; negative when the length is not known.
	left int64

	mu  sync.Mutex
	err error // what Read returns from now on; guarded by mu, because Close may be called to end a Read that waits

	// held is the last byte of a body of known length while strict mode waits for the tape.
	held    [1]byte
	holding bool
}

var (
	_ Source      = (*body)(nil)
	_ io.WriterTo = (*body)(nil)
)

func (b *body) Exchange() tape.Ref { return b.x.event.Ref }

func (b *body) Elapsed() time.Duration {
	b.x.mu.Lock()
	defer b.x.mu.Unlock()
	return b.x.event.Total
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.state(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if b.holding {
		return b.release(p)
	}
	n, err := b.rc.Read(p)
	if n > 0 {
		b.x.piece(p[:n])
		if b.left >= 0 {
			b.left -= int64(n)
		}
	}
	if err != nil && err != io.EOF {
		b.x.fail(err, tape.UpstreamTruncated)
		return n, b.finish(err)
	}
	if b.x.strict && n > 0 && b.left == 0 {
		b.held[0], b.holding = p[n-1], true
		if n--; n > 0 {
			return n, nil
		}
		return b.release(p)
	}
	if err == io.EOF {
		if err := b.x.complete(b.resp.Trailer); err != nil {
			return n, b.finish(err)
		}
		return n, b.finish(io.EOF)
	}
	return n, nil
}

// release gives out the byte that was held back, once the tape has the exchange.
func (b *body) release(p []byte) (int, error) {
	b.holding = false
	// The byte that was kept may not be all: trailers come behind it, and so may an error.
	if _, err := b.rc.Read(make([]byte, 1)); err != nil && err != io.EOF {
		b.x.fail(err, tape.UpstreamTruncated)
		return 0, b.finish(err)
	}
	if err := b.x.complete(b.resp.Trailer); err != nil {
		return 0, b.finish(err)
	}
	p[0] = b.held[0]
	return 1, b.finish(io.EOF)
}

func (b *body) state() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// finish has Read return err from now on, unless it ended already, and returns what it ended with.
func (b *body) finish(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	return b.err
}

// pieceBuffers are as large as the largest piece; one is in use for each response that is being passed on.
var pieceBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// WriteTo passes the body on piece by piece, as it is read.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	buf := pieceBuffers.Get().(*[32 << 10]byte)
	defer pieceBuffers.Put(buf)
	var total int64
	for {
		n, err := b.Read(buf[:])
		if n > 0 {
			m, werr := w.Write(buf[:n])
			total += int64(m)
			if werr != nil {
				return total, werr
			}
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// Err is the error that reading the body ended with, nil when it ended well or has not ended.
func (b *body) Err() error {
	if err := b.state(); err != io.EOF {
		return err
	}
	return nil
}

// Close ends an exchange whose body was not read to its end: whoever asked has lost interest. The exchange ends before the
// connection does, so that a Read which this cuts off is not taken for a failure of the upstream.
func (b *body) Close() error {
	if b.finish(errClosed) == errClosed {
		b.x.abandon(b.resp.ContentLength)
	}
	return b.rc.Close()
}

var errClosed = errors.New("the response was closed before its end")

// upgraded is the connection behind a 101 response. What the client sends from here on is recorded as the request body, what the
// upstream sends as the response body. Either side may end it, and both are a proper end.
type upgraded struct {
	*body
	conn io.ReadWriteCloser
	sent int64 // used by the one goroutine that writes
}

var _ io.ReadWriteCloser = (*upgraded)(nil)

func (u *upgraded) Write(p []byte) (int, error) {
	// Recorded first: once it is sent the upstream may end the exchange.
	u.x.requestBody(u.sent, p)
	u.sent += int64(len(p))
	return u.conn.Write(p)
}

func (u *upgraded) Close() error {
	ended, cause := tape.Complete, ""
	if err := context.Cause(u.x.ctx); errors.Is(err, ErrStopped) {
		ended, cause = tape.Interrupted, err.Error()
	}
	u.x.end(ended, cause, nil)
	return u.conn.Close()
}
