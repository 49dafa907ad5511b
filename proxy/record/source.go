package record

import (
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Source tells which exchange a response body comes from. Bodies of recorded and of replayed responses implement it, so
// that a suite reads the same latency and the same reference live and offline.
type Source interface {
	// Exchange names the exchange.
	Exchange() tape.Ref
	// Elapsed is the exchange's Total as the tape has it. It is valid once the body has been read to its end.
	Elapsed() time.Duration
}

// SourceOf returns the source of a response, if it was recorded or replayed.
func SourceOf(resp *http.Response) (Source, bool) {
	s, ok := resp.Body.(Source)
	return s, ok
}

// Failure is the error of an exchange that got no response. It reads as the error it wraps, and names the exchange on the tape. The
// recording transport and the replay transport both return it.
type Failure struct {
	tape.Ref
	Err error
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// Timeout is part of net.Error, which http.Client asks its errors for.
func (f *Failure) Timeout() bool {
	err, ok := errors.AsType[net.Error](f.Err)
	return ok && err.Timeout()
}

// Temporary is part of net.Error and tells nothing.
func (f *Failure) Temporary() bool { return false }

var _ net.Error = (*Failure)(nil)
