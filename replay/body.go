package replay

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// body is the body of a replayed response.
type body struct {
	ctx      context.Context
	x        *tape.Exchange
	trailer  http.Header // of the response; gets its values at the end
	end      error       // what follows the last byte when the exchange did not end well
	recorded *recordedBytes

	mu  sync.Mutex    // a client may close while it reads
	r   io.ReadCloser // recorded, perhaps decoded
	err error         // what Read returns from now on
}

var _ record.Source = (*body)(nil)

// Exchange names the exchange that answers.
func (b *body) Exchange() tape.Ref { return b.x.Ref }

// Elapsed is how long the exchange took when it was recorded.
func (b *body) Elapsed() time.Duration { return b.x.Total }

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, b.err
	}
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if err != nil {
		b.err = b.last(err)
	}
	return n, b.err
}

// last tells what the end of the bytes means.
func (b *body) last(err error) error {
	switch {
	case b.ctx.Err() != nil:
		return b.ctx.Err()
	case b.recorded.err != nil:
		return fmt.Errorf("reading the response body of exchange %s/%d: %w", b.x.Session, b.x.Seq, b.recorded.err)
	case b.end != nil:
		return b.end // also in place of a decoder's complaint that its stream was cut
	case err == io.EOF:
		maps.Copy(b.trailer, b.x.Response.Trailer)
	}
	return err
}

// Close closes the body. Reading on gives an error, as for any response body.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
	}
	b.r.Close()
	return b.recorded.rc.Close()
}

// recordedBytes remembers the error of its tape, which a decoder above it may word anew.
type recordedBytes struct {
	rc  io.ReadCloser
	err error
}

func (r *recordedBytes) Read(p []byte) (int, error) {
	n, err := r.rc.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
