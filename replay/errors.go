package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/exodeck/exodeck/proxy/tape"
)

// UpstreamError is the error with which a recorded exchange failed at its upstream. It reads as the live error did and is, for
// [errors.Is] and [errors.As], what that error was: syscall.ECONNREFUSED, a *net.DNSError, a net.Error that timed out, and so on.
type UpstreamError struct {
	Exchange tape.Ref
	// Cause is the text of the live error.
	Cause string

	truncated bool // inside a response
}

var _ net.Error = (*UpstreamError)(nil)

func (e *UpstreamError) Error() string {
	if e.Cause == "" {
		return "the upstream could not be reached (the tape does not say why)"
	}
	return e.Cause
}

// Unwrap returns the well-known error that Cause tells of. When it tells of none, that is io.ErrUnexpectedEOF inside a response and
// nil before one.
func (e *UpstreamError) Unwrap() error {
	err := causeOf(e.Cause)
	if err == nil && e.truncated {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Timeout reports whether the live error was a timeout.
func (e *UpstreamError) Timeout() bool { return isTimeout(e.Cause) }

// Temporary is part of net.Error and tells nothing.
func (e *UpstreamError) Temporary() bool { return false }

// IncompleteError is the error at the end of what is on the tape of an exchange that ended otherwise than by its upstream: the
// client had gone, the recorder died or failed.
type IncompleteError struct {
	Exchange tape.Ref
	// Ended is [tape.ClientGone], [tape.Interrupted], [tape.RecorderError] or [tape.InFlight].
	Ended tape.Ended
	// Cause is why, when the tape says so. Of a client that gave up it is the error of its context.
	Cause string
}

var _ net.Error = (*IncompleteError)(nil)

func (e *IncompleteError) Error() string {
	why := "its recording is incomplete (" + string(e.Ended) + ")"
	switch e.Ended {
	case tape.ClientGone:
		why = "its client went away before the response had ended"
	case tape.Interrupted:
		why = "its recorder was stopped before the response had ended"
	case tape.RecorderError:
		why = "its recorder could not keep all of it"
	case tape.InFlight:
		why = "it is still being recorded"
	}
	text := fmt.Sprintf("exchange %s/%d is incomplete: %s", e.Exchange.Session, e.Exchange.Seq, why)
	if e.Cause != "" {
		text += ": " + e.Cause
	}
	return text
}

// Unwrap returns the well-known error that Cause tells of, such as context.DeadlineExceeded for a client that would not wait any
// longer.
func (e *IncompleteError) Unwrap() error { return causeOf(e.Cause) }

// Timeout reports whether the client went away because its time was up.
func (e *IncompleteError) Timeout() bool { return e.Ended == tape.ClientGone && isTimeout(e.Cause) }

// Temporary is part of net.Error and tells nothing.
func (e *IncompleteError) Temporary() bool { return false }

// causes maps what the texts of net/http's errors hold to the errors they come from. The first that fits counts.
var causes = []struct {
	text string
	err  error
}{
	{"connection refused", syscall.ECONNREFUSED},
	{"actively refused it", syscall.ECONNREFUSED}, // Windows
	{"connection reset by peer", syscall.ECONNRESET},
	{"forcibly closed by the remote host", syscall.ECONNRESET}, // Windows
	{"broken pipe", syscall.EPIPE},
	{"no such host", &net.DNSError{Err: "no such host", IsNotFound: true}},
	{"no route to host", syscall.EHOSTUNREACH},
	{"network is unreachable", syscall.ENETUNREACH},
	{"context deadline exceeded", context.DeadlineExceeded},
	{"context canceled", context.Canceled},
	{"i/o timeout", os.ErrDeadlineExceeded},
	{"connection timed out", syscall.ETIMEDOUT},
	{"timed out", os.ErrDeadlineExceeded},
	{"unexpected EOF", io.ErrUnexpectedEOF},
	{"server closed idle connection", io.EOF},
}

func causeOf(cause string) error {
	for _, c := range causes {
		if strings.Contains(cause, c.text) {
			return c.err
		}
	}
	if cause == "EOF" || strings.HasSuffix(cause, ": EOF") {
		return io.EOF
	}
	return nil
}

func isTimeout(cause string) bool {
	var t interface{ Timeout() bool }
	return errors.As(causeOf(cause), &t) && t.Timeout() || strings.Contains(cause, "timeout awaiting") ||
		strings.Contains(cause, "handshake timeout") || strings.Contains(cause, "Client.Timeout")
}

// ending returns the error that follows the last recorded byte of x; nil when the response ended well.
func ending(x *tape.Exchange) error {
	switch x.Ended {
	case tape.Complete:
		return nil
	case tape.UpstreamError:
		return &UpstreamError{Exchange: x.Ref, Cause: x.Cause}
	case tape.UpstreamTruncated:
		switch x.Cause {
		case "", "EOF", io.ErrUnexpectedEOF.Error():
			return io.ErrUnexpectedEOF
		}
		return &UpstreamError{Exchange: x.Ref, Cause: x.Cause, truncated: true}
	}
	return &IncompleteError{Exchange: x.Ref, Ended: x.Ended, Cause: x.Cause}
}
