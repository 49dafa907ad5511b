package tape

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Recorder is the one writer of a tape.
type Recorder struct{}

// RecorderOptions are choices a recorder leaves to its caller. The zero value is ready for use.
type RecorderOptions struct {
	// MaxWait is how long a call may wait for the disk before its exchange is given up; 2 s when zero.
	MaxWait time.Duration
	// MaxSize limits the tape to so many bytes; more fails as on a full disk. There is no limit when zero.
	MaxSize int64
	// Now is the clock that names sessions; [time.Now] when nil.
	Now func() time.Time
}

// Stats counts what a recorder has done since it was opened.
type Stats struct {
	Committed   int64 // exchanges on the tape, whole
	InFlight    int64 // exchanges begun and not ended
	Unrecorded  int64 // exchanges that took place and are not on the tape whole
	Queued      int64 // exchanges with something that waits to be written
	QueuedBytes int64 // body bytes that wait to be written
	BodyBytes   int64 // body bytes recorded, as they went over the wire
	StoredBytes int64 // bytes they took on the tape, each body once
	LastError   error // the most recent failure, nil when there was none
}

// OpenRecorder opens the tape at path for writing and creates it when there is none.
func OpenRecorder(ctx context.Context, path string, o RecorderOptions) (*Recorder, error) {
	return nil, errors.ErrUnsupported
}

// StartSession starts a session. Name and Started are filled in when empty.
func (r *Recorder) StartSession(ctx context.Context, s Session) (*SessionRecorder, error) {
	return nil, errors.ErrUnsupported
}

// Sync waits until all that was handed in so far is on the tape.
func (r *Recorder) Sync(ctx context.Context) error { return errors.ErrUnsupported }

// Stats returns the counters of the recorder.
func (r *Recorder) Stats() Stats { return Stats{} }

// Close writes what is left, ends the sessions and closes the tape.
func (r *Recorder) Close() error { return errors.ErrUnsupported }

// SessionRecorder records exchanges into one session.
type SessionRecorder struct{}

// Session returns the session as it was started.
func (s *SessionRecorder) Session() Session { return Session{} }

// Begin starts an exchange.
func (s *SessionRecorder) Begin(start Start) *Recording { return nil }

// Start is what is known of an exchange when its request head has been read.
type Start struct {
	Started                            time.Time
	Upstream, Method, URL, Host, Proto string
	Header                             http.Header
	Labels                             map[string]string
}

// Recording is one exchange while it takes place.
type Recording struct{}

// Ref names the exchange.
func (x *Recording) Ref() Ref { return Ref{} }

// RequestBody adds the next bytes of the request body; p is copied.
func (x *Recording) RequestBody(p []byte) {}

// RequestEnd says that the request has arrived whole.
func (x *Recording) RequestEnd(trailer http.Header) {}

// ResponseHead keeps the head of the response.
func (x *Recording) ResponseHead(status int, reason string, noReason bool, proto string, h http.Header, at time.Duration) {
}

// ResponseBody adds the next bytes of the response body as one piece; p is copied.
func (x *Recording) ResponseBody(p []byte, at time.Duration) {}

// End says how the exchange ended.
func (x *Recording) End(e Ended, cause string, trailer http.Header, at time.Duration) {}

// Wait waits until End is on the tape.
func (x *Recording) Wait(ctx context.Context) error { return errors.ErrUnsupported }
