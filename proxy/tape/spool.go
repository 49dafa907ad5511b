package tape

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"sync"
)

// maxPart is the most bytes that are held, compressed and stored as one. Smaller bodies are one part.
const maxPart = 256 << 10

// spool takes a body in. It belongs to three parties that never hold the same field: the caller, the gathering stage and the writer.
type spool struct {
	mu   sync.Mutex    // held through each call of a caller
	buf  []byte        // what has not been handed over
	size int64         // of the body so far
	turn chan struct{} // holds a token while a part is on its way to the tape

	// The gathering stage's.
	sum   hash.Hash
	model *modelScanner // nil for a response

	// The writer's.
	row bodyRow
}

// bodyRow is what is on the tape of a spooled body.
type bodyRow struct {
	id     int64 // 0 while no part is on the tape
	parts  int64
	stored int64
}

// waitTurn waits until the part before is on the tape, so that a body never holds more than two. The caller holds s.mu.
func (s *spool) waitTurn(x *Recording) error {
	if s.turn == nil {
		s.turn = make(chan struct{}, 1)
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeout(x.rec.ctx, x.rec.maxWait)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		if x.rec.ctx.Err() != nil {
			return ErrClosed
		}
		return fmt.Errorf("%w: a part of a body was not written within %v", ErrSlow, x.rec.maxWait)
	}
}

// digest notes the next bytes of the body. The gathering stage calls it for each part, in order.
func (s *spool) digest(p []byte) {
	if s.sum == nil {
		s.sum = sha256.New()
	}
	s.sum.Write(p)
	if s.model != nil {
		s.model.Write(p)
	}
}

// part is bytes of a body on their way to the tape.
type part struct {
	of   *spool
	raw  []byte // nil when the packer has no use for it any more
	size int64  // of raw
	blob
}

// bodyEnd completes a body.
type bodyEnd struct {
	part        // all of its bytes, or the last part of a spooled body
	whole int64 // size of the body
	sum   [sha256.Size]byte
	row   int64 // of a body on the tape that has these bytes, when one is known
}

// end returns what completes the body. The caller holds s.mu.
func (s *spool) end() *bodyEnd {
	raw := s.buf
	s.buf = nil
	return &bodyEnd{part: part{of: s, raw: raw, size: int64(len(raw))}, whole: s.size}
}

// blob is bytes as they are stored.
type blob struct {
	codec int64
	data  []byte
}

// Codecs of stored bytes.
const (
	codecRaw  = 0
	codecZstd = 1
	codecS2   = 2 // one block
)
