package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// wholeRequest is the size up to which a request body is put on the tape before the request is sent: bodies that can be
// had again (http.Request.GetBody) and are not larger. Others are recorded while they are sent.
const wholeRequest = 128 << 10

// ErrStopped is the cause of a context that ends because the recorder itself stops at once. Exchanges that it cuts off are
// marked [tape.Interrupted], not [tape.ClientGone].
var ErrStopped = errors.New("the recorder was stopped")

// ErrUnrecorded wraps the reason why a response is broken off in strict mode.
var ErrUnrecorded = errors.New("the exchange could not be recorded")

// Session takes exchanges. [tape.SessionRecorder] is one.
type Session interface {
	Begin(tape.Start) *tape.Recording
}

var _ Session = (*tape.SessionRecorder)(nil)

// Transport records what passes through another RoundTripper. Session is needed; everything else has a working zero value.
type Transport struct {
	// Base sends the requests; nil means http.DefaultTransport. It should neither decode bodies nor follow redirects.
	Base    http.RoundTripper
	Session Session
	// Upstream is kept with every exchange; "" means scheme and host of the request.
	Upstream string
	// BasePath is the path of Upstream. It is taken off the recorded request targets, so that they read as the client sent them.
	BasePath string
	// Redactor takes the credentials out of what is kept; nil means one with an empty key.
	Redactor *Redactor
	// Labels are kept with every exchange, beside those of the request's [LabelHeader].
	Labels map[string]string
	// Strict holds back the end of each response until its exchange is committed to the tape, and breaks the response off with
	// an error that wraps [ErrUnrecorded] when it cannot be.
	Strict bool
	// OnEnd, when set, is told of every exchange that has ended. It is called on the exchange's own goroutine and must not block.
	OnEnd func(Event)
}

// Event is what is told of an exchange that has ended.
type Event struct {
	tape.Ref
	Started       time.Time
	Method, URL   string
	API           tape.API
	Status        int
	Ended         tape.Ended
	Cause         string
	Labels        map[string]string
	RequestBytes  int64
	ResponseBytes int64
	TTFB, Total   time.Duration
}

var noRedaction = &Redactor{}

// RoundTrip implements [http.RoundTripper]. The response's body implements [Source]; reading it to its end, or closing it, ends the
// exchange. An error is a [*Failure].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x := t.begin(req)
	out := x.request(req)
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(out)
	if err != nil {
		x.fail(err, tape.UpstreamError)
		return nil, &Failure{Ref: x.event.Ref, Err: err}
	}
	x.head(resp)
	b := &body{x: x, rc: resp.Body, resp: resp, left: resp.ContentLength}
	if conn, ok := resp.Body.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = &upgraded{body: b, conn: conn}
		return resp, nil
	}
	if resp.Body == http.NoBody {
		if err := x.complete(resp.Trailer); err != nil {
			return nil, &Failure{Ref: x.event.Ref, Err: err}
		}
		b.err = io.EOF
	}
	resp.Body = b
	return resp, nil
}

func (t *Transport) begin(req *http.Request) *exchange {
	redactor := t.Redactor
	if redactor == nil {
		redactor = noRedaction
	}
	target := req.URL.RequestURI()
	if rest, ok := strings.CutPrefix(target, t.BasePath); ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
		target = rest
	}
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	upstream := t.Upstream
	if upstream == "" {
		upstream = req.URL.Scheme + "://" + req.URL.Host
	}
	start := tape.Start{
		Started:  time.Now(),
		Upstream: upstream,
		Method:   req.Method,
		URL:      redactor.URL(target),
		Host:     host,
		Proto:    req.Proto,
		Header:   redactor.Header(req.Header),
		Labels:   redactor.Labels(LabelsOf(req.Header, t.Labels), req.Header, target),
	}
	if start.Method == "" {
		start.Method = http.MethodGet
	}
	x := &exchange{
		ctx:      req.Context(),
		started:  start.Started,
		redactor: redactor,
		strict:   t.Strict,
		onEnd:    t.OnEnd,
		rec:      t.Session.Begin(start),
	}
	x.event = Event{
		Ref:     x.rec.Ref(),
		Started: start.Started,
		Method:  start.Method,
		URL:     start.URL,
		API:     tape.FamilyOf(start.Method, start.URL),
		Labels:  start.Labels,
	}
	return x
}

// exchange is one RoundTrip on its way to the tape. The request body is read on another goroutine than the response body,
// so everything is guarded.
type exchange struct {
	ctx      context.Context
	started  time.Time
	redactor *Redactor
	strict   bool
	onEnd    func(Event)

	mu       sync.Mutex
	rec      *tape.Recording
	event    Event
	arrived  bool // the request is on the tape whole
	whole    bool // and so is its body; without one, an upgraded connection may send some yet
	ended    bool
	received int64 // bytes of the request body recorded so far
	broken   error // why the request body could not be read
}

// since is the time from the start of the exchange, in the precision of a tape.
func (x *exchange) since() time.Duration {
	return time.Since(x.started).Truncate(time.Microsecond)
}

// request returns the request to send: without labels, and with a body that is recorded.
func (x *exchange) request(req *http.Request) *http.Request {
	out := new(http.Request)
	*out = *req
	if _, ok := req.Header[LabelHeader]; ok {
		out.Header = req.Header.Clone()
		out.Header.Del(LabelHeader)
	}
	if req.Body == nil || req.Body == http.NoBody {
		x.requestEnd(nil)
		return out
	}
	if req.GetBody != nil && req.ContentLength > 0 && req.ContentLength <= wholeRequest {
		if whole, err := readAgain(req); err == nil {
			x.requestBody(0, whole)
			x.requestEnd(nil)
			return out
		}
	}
	out.Body = &requestBody{x: x, rc: req.Body, req: req}
	if req.GetBody != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			rc, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			return &requestBody{x: x, rc: rc, req: req}, nil
		}
	}
	return out
}

func readAgain(req *http.Request) ([]byte, error) {
	rc, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var whole bytes.Buffer
	whole.Grow(int(req.ContentLength) + bytes.MinRead)
	if _, err := whole.ReadFrom(rc); err != nil {
		return nil, err
	}
	if int64(whole.Len()) != req.ContentLength {
		return nil, io.ErrUnexpectedEOF
	}
	return whole.Bytes(), nil
}

// requestBody takes the bytes at an offset of the request body. A request that is sent again (a kept-alive connection had
// gone) reads its body anew; what is on the tape already is skipped.
func (x *exchange) requestBody(offset int64, p []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	skip := x.received - offset
	if x.ended || x.whole || skip >= int64(len(p)) {
		return
	}
	p = p[skip:]
	x.received += int64(len(p))
	x.event.RequestBytes = x.received
	x.rec.RequestBody(p)
}

func (x *exchange) requestEnd(trailer http.Header) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended || x.arrived {
		return
	}
	x.arrived, x.whole = true, x.received > 0
	x.rec.RequestEnd(trailer)
}

// requestBroken says that the client's side broke off inside the request body. What the transport reports of it later is not the
// upstream's failure.
func (x *exchange) requestBroken(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.broken = err
}

func (x *exchange) head(resp *http.Response) {
	at := x.since()
	header := x.redactor.Header(resp.Header)
	if framed := resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0; resp.Close && framed && resp.ProtoAtLeast(1, 1) {
		// net/http takes this header away when it has understood it; exo sends it with every stream.
		header["Connection"] = []string{"close"}
	}
	reason, noReason := reasonOf(resp)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.event.Status = resp.StatusCode
	x.event.TTFB = at
	x.rec.ResponseHead(resp.StatusCode, reason, noReason, resp.Proto, header, at)
}

// reasonOf tells the reason phrase when it is not the standard one, and whether there was none.
func reasonOf(resp *http.Response) (reason string, none bool) {
	_, reason, _ = strings.Cut(resp.Status, " ")
	switch reason {
	case "":
		return "", true
	case http.StatusText(resp.StatusCode):
		return "", false
	}
	return reason, false
}

func (x *exchange) piece(p []byte) {
	at := x.since()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return
	}
	if x.event.ResponseBytes == 0 {
		x.event.TTFB = at
	}
	x.event.ResponseBytes += int64(len(p))
	x.rec.ResponseBody(p, at)
}

// complete ends the exchange well. In strict mode it returns only when the tape has it.
func (x *exchange) complete(trailer http.Header) error {
	x.end(tape.Complete, "", trailer)
	if !x.strict {
		return nil
	}
	if err := x.rec.Wait(x.ctx); err != nil {
		return errors.Join(ErrUnrecorded, err)
	}
	return nil
}

// fail ends the exchange with an error of its transport; otherwise is how it ended unless the client or the recorder went first.
func (x *exchange) fail(err error, otherwise tape.Ended) {
	cause := context.Cause(x.ctx)
	x.mu.Lock()
	broken := x.broken
	x.mu.Unlock()
	switch {
	case errors.Is(cause, ErrStopped):
		x.end(tape.Interrupted, cause.Error(), nil)
	case cause == context.Canceled:
		// A server cancels the context of a request whose connection was closed without a cause of its own.
		x.end(tape.ClientGone, "the client closed the connection", nil)
	case cause != nil:
		x.end(tape.ClientGone, cause.Error(), nil)
	case broken != nil:
		x.end(tape.ClientGone, "reading the request body: "+broken.Error(), nil)
	default:
		x.end(otherwise, err.Error(), nil)
	}
}

// abandon ends the exchange of a response that is closed before its end was read. When all of its Content-Length has come, nothing
// is missing.
func (x *exchange) abandon(length int64) {
	x.mu.Lock()
	whole := x.event.ResponseBytes == length
	x.mu.Unlock()
	if whole {
		x.end(tape.Complete, "", nil)
		return
	}
	x.fail(errClosed, tape.ClientGone)
}

func (x *exchange) end(ended tape.Ended, cause string, trailer http.Header) {
	at := x.since()
	x.mu.Lock()
	if x.ended {
		x.mu.Unlock()
		return
	}
	if !x.arrived {
		x.arrived = true
		x.rec.RequestEnd(nil)
	}
	x.ended = true
	cause = x.redactor.Said(cause)
	x.event.Ended, x.event.Cause, x.event.Total = ended, cause, at
	x.rec.End(ended, cause, x.redactor.Header(trailer), at)
	event := x.event
	x.mu.Unlock()
	if x.onEnd != nil {
		x.onEnd(event)
	}
}
