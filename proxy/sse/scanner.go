package sse

import (
	"errors"
	"io"
)

// Scanner reads the events of a body from a reader.
type Scanner struct {
	r    io.Reader
	dec  *Decoder
	buf  []byte
	ev   Event
	done bool
	err  error
}

// scanBuffer is the size of one read.
const scanBuffer = 32 << 10

// NewScanner returns a Scanner over a body in the given format, which must not be Whole.
func NewScanner(r io.Reader, f Format) *Scanner {
	return &Scanner{r: r, dec: NewDecoder(f), buf: make([]byte, scanBuffer)}
}

// Scan advances to the next event and reports whether there is one. When the reader fails, the events of the bytes that came
// are handed out first, the unfinished one included.
func (s *Scanner) Scan() bool {
	for !s.dec.Next(&s.ev) {
		if s.done {
			return false
		}
		n, err := s.r.Read(s.buf)
		s.dec.Feed(s.buf[:n])
		if err != nil {
			s.done = true
			s.dec.End()
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
		}
	}
	return true
}

// Event returns the event Scan advanced to. It is overwritten by the next call of Scan.
func (s *Scanner) Event() *Event { return &s.ev }

// Offset returns the number of bytes looked at so far; after Scan has returned false, the size of the body.
func (s *Scanner) Offset() int64 { return s.dec.Offset() }

// Err returns the error of the reader, nil at its regular end.
func (s *Scanner) Err() error { return s.err }
