package server

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Timing says when the bytes of a response are sent: so many times as fast as they were recorded. The zero value sends them without
// waiting.
type Timing float64

const (
	// AtOnce sends every byte as soon as it can be sent.
	AtOnce Timing = 0
	// Recorded sends every piece as long after its request as it came when it was recorded.
	Recorded Timing = 1
)

// maxSpeed bounds how much faster or slower than recorded a replay may be.
const maxSpeed = 1e6

// ParseTiming reads recorded, none, or a speed: x2 is twice as fast as recorded, x0.5 half as fast.
func ParseTiming(s string) (Timing, error) {
	switch s {
	case "recorded":
		return Recorded, nil
	case "none":
		return AtOnce, nil
	}
	if number, ok := strings.CutPrefix(s, "x"); ok {
		speed, err := strconv.ParseFloat(number, 64)
		if err == nil && speed >= 1/maxSpeed && speed <= maxSpeed {
			return Timing(speed), nil
		}
	}
	return 0, fmt.Errorf("%q is no timing; write recorded, none, or a speed such as x2 (twice as fast) or x0.5", s)
}

// String is as [ParseTiming] reads it.
func (t Timing) String() string {
	switch t {
	case AtOnce:
		return "none"
	case Recorded:
		return "recorded"
	}
	return "x" + strconv.FormatFloat(float64(t), 'g', -1, 64)
}

// pace waits for the moments of one exchange. Moments are counted from its start, so that what comes late once does not make all that
// follows late.
type pace struct {
	timing Timing
	start  time.Time
}

// until waits for the moment at which something happened when it was recorded. It returns early, with an error, when ctx is done.
func (p pace) until(ctx context.Context, at time.Duration) error {
	if p.timing == AtOnce {
		return ctx.Err()
	}
	wait := time.Until(p.start.Add(time.Duration(float64(at) / float64(p.timing))))
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pacedReader gives the recorded bytes of a body piece by piece, each when its time has come.
type pacedReader struct {
	ctx    context.Context
	r      io.Reader
	pace   pace
	pieces []tape.Piece // that have not been begun
	offset int64
	end    int64 // of the piece that is being read
}

// noEnd is the end of the last piece: it goes on for as long as there are bytes.
const noEnd = 1<<63 - 1

func newPacedReader(ctx context.Context, r io.Reader, p pace, pieces []tape.Piece) *pacedReader {
	return &pacedReader{ctx: ctx, r: r, pace: p, pieces: pieces}
}

// Read reads from one piece at a time.
func (p *pacedReader) Read(b []byte) (int, error) {
	for p.offset >= p.end {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	if left := p.end - p.offset; int64(len(b)) > left {
		b = b[:left]
	}
	n, err := p.r.Read(b)
	p.offset += int64(n)
	return n, err
}

// next waits for the next piece.
func (p *pacedReader) next() error {
	var at time.Duration
	if len(p.pieces) > 0 {
		at = p.pieces[0].At
		p.pieces = p.pieces[1:]
	}
	p.end = noEnd
	if len(p.pieces) > 0 {
		p.end = p.pieces[0].Offset
	}
	return p.pace.until(p.ctx, at)
}
