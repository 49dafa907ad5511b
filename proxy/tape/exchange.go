package tape

import (
	"net/http"
	"time"
)

// Ended says how an exchange ended. A scorer must say how it treats each.
type Ended string

const (
	// Complete: the whole response came from the upstream.
	Complete Ended = "complete"
	// ClientGone: the client went away first; the response holds what had come by then.
	ClientGone Ended = "client_gone"
	// UpstreamError: no response could be had (refused, timed out, not HTTP); Cause says why.
	UpstreamError Ended = "upstream_error"
	// UpstreamTruncated: the upstream broke off inside the response.
	UpstreamTruncated Ended = "upstream_truncated"
	// RecorderError: the exchange took place, but what is on the tape is not all of it; Cause says why.
	RecorderError Ended = "recorder_error"
	// Interrupted: the recorder died before the exchange ended.
	Interrupted Ended = "interrupted"
	// InFlight is what a reader sees of an exchange whose recorder is alive and has not ended it.
	InFlight Ended = ""
)

// Ref names one exchange on a tape.
type Ref struct {
	Session string
	Seq     int64
}

// Exchange is one HTTP request with its response, timings, and how it ended. It is what a [Tape] hands
// out; bodies are not in it but are opened through [Tape.Body].
type Exchange struct {
	Ref

	// Started is when the first byte of the request head had been read; UTC, nanoseconds.
	Started time.Time
	// Upstream is the base URL the request was sent to.
	Upstream string
	Request  Request
	// Response has Status 0 when none came.
	Response Response

	// TTFB is the time from Started to the first byte of the response body (to its head when the body is empty);
	// Total is the time to its end. Both have microsecond precision, so that text formats can carry them whole.
	TTFB, Total time.Duration
	// Pieces says when each part of the response body arrived, in order. A stream of more than some 60,000 pieces has them
	// joined evenly, two to one as often as it takes, to keep that bound.
	Pieces []Piece

	Ended Ended
	// Cause is the error behind an Ended other than Complete.
	Cause  string
	Labels map[string]string

	// Facts are derived from the rest and may be derived anew.
	Facts Facts
}

// Request is the part of an exchange that the client sent.
type Request struct {
	Method string
	// URL is the request target as sent (a path with its query, or an absolute URL), save for redacted query values.
	URL string
	// Host is the Host header as sent; Header does not repeat it.
	Host    string
	Proto   string
	Header  http.Header
	Body    Body
	Trailer http.Header
}

// Response is the part of an exchange that the upstream sent.
type Response struct {
	Status int
	// Reason is the reason phrase when it is not the standard one for Status; exo sends none, which is
	// kept as "" together with NoReason.
	Reason   string
	NoReason bool
	Proto    string
	Header   http.Header
	Body     Body
	Trailer  http.Header
}

// Body refers to the bytes of a request or response body on a tape; [Tape.Body] opens it. The zero Body is empty.
type Body struct {
	// Size is the number of bytes as they went over the wire, transfer coding removed, content coding not.
	Size int64
	// SHA256 is the digest of those bytes; the zero value when Size is 0, and while the body is still coming in.
	SHA256 [32]byte

	id int64 // row of the body on its tape; 0 when empty
}

// Piece is a run of body bytes that arrived in one read.
type Piece struct {
	// Offset of its first byte in the body.
	Offset int64
	// At is when it arrived, counted from the exchange's Started; microseconds.
	At time.Duration
}

// Session is what one start of the recorder recorded.
type Session struct {
	// Name is unique on its tape: UTC time and six letters.
	Name    string
	Started time.Time
	// Ended is zero when the recorder is still running or died.
	Ended time.Time
	// Upstream is the base URL recorded in front of.
	Upstream string
	// Version is that of the exodeck that recorded.
	Version string
	Labels  map[string]string
	// Unrecorded counts exchanges that took place but could not be put on the tape.
	Unrecorded int64
	// Exchanges is the number of exchanges on the tape; filled in by readers.
	Exchanges int64
}
