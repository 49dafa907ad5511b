package tape

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// SessionRecorder records exchanges into one session. Its methods may be called from several goroutines.
type SessionRecorder struct {
	rec     *Recorder
	session Session
	id      int64 // row of the session
	seq     atomic.Int64

	unrecorded atomic.Int64
	written    int64 // of unrecorded, what the tape says; the writer's
}

// Session returns the session as it was started.
func (s *SessionRecorder) Session() Session { return s.session }

// Start is what is known of an exchange when its request head has been read.
type Start struct {
	Started                            time.Time
	Upstream, Method, URL, Host, Proto string
	Header                             http.Header
	Labels                             map[string]string
}

// Begin starts an exchange. It keeps copies of the header and the labels.
func (s *SessionRecorder) Begin(start Start) *Recording {
	start.Header = start.Header.Clone()
	start.Labels = validLabels(start.Labels)
	x := &Recording{rec: s.rec, session: s, seq: s.seq.Add(1), start: start, done: make(chan struct{})}
	x.request.model = new(modelScanner)
	s.rec.inFlight.Add(1)
	return x
}

// Recording is one exchange while it takes place.
//
// Calls for the request may come at the same time as calls for the response; among themselves the calls for each come one after
// another. After End, and once the exchange has been given up, all calls are without effect. A call waits only when
// the disk does not keep up, and then no longer than [RecorderOptions.MaxWait]; the exchange is then given up.
//
// A recording holds at most 256 KiB of each body: of larger ones, parts go to the tape as they arrive.
type Recording struct {
	rec     *Recorder
	session *SessionRecorder
	seq     int64
	start   Start
	done    chan struct{} // closed when End is on the tape or the exchange has been given up

	request, response spool

	whole bool // the request body is complete; guarded by request.mu

	// Of the response, guarded by response.mu.
	pieces  piecePacker
	ttfb    time.Duration
	started bool // a byte of the body has come

	over atomic.Bool // has ended or has been given up; set under mu

	mu       sync.Mutex
	head     *responseHead
	pending  job  // what the next batch takes
	arrived  bool // the request is whole
	ended    bool
	queued   bool
	err      error  // why the exchange has been given up
	cause    string // the same for the tape
	finished bool   // done is closed

	row int64 // on the tape; the writer's
}

// responseHead is what ResponseHead was called with.
type responseHead struct {
	status   int
	reason   string
	noReason bool
	proto    string
	header   http.Header
}

// ending is what End was called with, and what is known by then.
type ending struct {
	ended   Ended
	cause   string
	trailer http.Header
	ttfb    time.Duration
	total   time.Duration
	pieces  []byte
}

// Ref names the exchange.
func (x *Recording) Ref() Ref { return Ref{Session: x.session.session.Name, Seq: x.seq} }

// RequestBody adds the next bytes of the request body; p is copied. After RequestEnd it is without effect, unless the request came without a
// body: then it adds what is sent over an upgraded connection, which is on the tape once the exchange has ended.
func (x *Recording) RequestBody(p []byte) {
	x.request.mu.Lock()
	defer x.request.mu.Unlock()
	if !x.whole {
		x.add(&x.request, p)
	}
}

// RequestEnd says that the request has arrived whole. From now on the exchange is on the tape, within milliseconds.
func (x *Recording) RequestEnd(trailer http.Header) {
	x.request.mu.Lock()
	defer x.request.mu.Unlock()
	if x.over.Load() {
		return
	}
	body := x.request.end()
	cost := body.size + queuedOverhead
	if err := x.rec.reserve(cost); err != nil {
		x.giveUp(err)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over.Load() || x.arrived {
		x.rec.release(cost)
		return
	}
	x.arrived = true
	x.whole = body.whole > 0
	x.pending.insert = true
	x.pending.requestTrailer = trailer.Clone()
	x.pending.request = body
	x.hand(cost, false)
}

// ResponseHead keeps the head of the response, which came at the time at after Started. A reason phrase that is the standard one of
// status is taken as no peculiarity and not kept.
func (x *Recording) ResponseHead(status int, reason string, noReason bool, proto string, h http.Header, at time.Duration) {
	x.response.mu.Lock()
	defer x.response.mu.Unlock()
	if x.over.Load() {
		return
	}
	x.ttfb = at
	if reason == http.StatusText(status) {
		reason = ""
	}
	head := &responseHead{status: status, reason: reason, noReason: noReason && reason == "", proto: proto, header: h.Clone()}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.head = head
}

// ResponseBody adds the next bytes of the response body, which arrived at the time at after Started; p is copied. One call is one piece.
func (x *Recording) ResponseBody(p []byte, at time.Duration) {
	x.response.mu.Lock()
	defer x.response.mu.Unlock()
	if len(p) == 0 || x.over.Load() {
		return
	}
	if !x.started {
		x.started, x.ttfb = true, at
	}
	x.pieces.add(x.response.size, at)
	x.add(&x.response, p)
}

// End says how the exchange ended, at the time at after Started. When the request has not arrived whole by then, what has come of it is kept.
func (x *Recording) End(e Ended, cause string, trailer http.Header, at time.Duration) {
	x.request.mu.Lock()
	defer x.request.mu.Unlock()
	x.response.mu.Lock()
	defer x.response.mu.Unlock()
	if x.over.Load() {
		return
	}
	request, response := x.request.end(), x.response.end()
	cost := request.size + response.size + int64(len(x.pieces.packed)) + queuedOverhead
	if err := x.rec.reserve(cost); err != nil {
		x.giveUp(err)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over.Load() {
		x.rec.release(cost)
		return
	}
	x.ended = true
	x.over.Store(true)
	if !x.arrived {
		x.pending.insert = true
	}
	if !x.whole {
		x.pending.request = request
	}
	x.pending.response = response
	x.pending.end = &ending{ended: e, cause: cause, trailer: trailer.Clone(), ttfb: x.ttfb, total: at, pieces: x.pieces.packed}
	x.rec.inFlight.Add(-1)
	x.hand(cost, false)
}

// Wait waits until End is on the tape. It returns an error when the exchange is not on the tape whole, with the reason.
func (x *Recording) Wait(ctx context.Context) error {
	signal(x.rec.hurry)
	select {
	case <-x.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// add appends p to a body. The caller holds s.mu.
func (x *Recording) add(s *spool, p []byte) {
	for len(p) > 0 {
		if x.over.Load() {
			s.buf = nil
			return
		}
		if len(s.buf) == maxPart {
			x.cut(s)
			continue
		}
		if s.buf == nil {
			s.buf = x.rec.free.get()
		}
		n := min(len(p), maxPart-len(s.buf))
		s.buf = append(s.buf, p[:n]...)
		s.size += int64(n)
		p = p[n:]
	}
}

// cut hands the full buffer of s to the writer, when the part before it has been written. The caller holds s.mu.
func (x *Recording) cut(s *spool) {
	raw := s.buf
	s.buf = make([]byte, 0, maxPart)
	err := s.waitTurn(x)
	cost := int64(len(raw)) + queuedOverhead
	if err == nil {
		err = x.rec.reserve(cost)
	}
	if err != nil {
		x.giveUp(err)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over.Load() {
		x.rec.release(cost)
		return
	}
	x.pending.parts = append(x.pending.parts, &part{of: s, raw: raw, size: int64(len(raw))})
	x.hand(cost, true)
}

// hand has what is pending written. The caller holds x.mu.
func (x *Recording) hand(cost int64, hurry bool) {
	x.pending.cost += cost
	if x.queued {
		if hurry {
			signal(x.rec.hurry)
		}
		return
	}
	x.queued = x.rec.enqueue(x, hurry)
	if !x.queued {
		x.rec.release(x.pending.cost)
		x.pending = job{}
		x.fail(ErrClosed)
	}
}

// takeJob returns what is to be written of x.
func (x *Recording) takeJob() *job {
	x.mu.Lock()
	defer x.mu.Unlock()
	j := x.pending
	j.x = x
	j.failed = x.err
	j.head = x.head
	x.pending = job{}
	x.queued = false
	return &j
}

// giveUp counts x as unrecorded, unless it is over already, and has the tape say so when it can.
func (x *Recording) giveUp(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over.Load() {
		x.fail(err)
		x.hand(0, false)
	}
}

// fail counts x as unrecorded. The caller holds x.mu.
func (x *Recording) fail(err error) {
	if x.err != nil {
		return
	}
	if !x.ended {
		x.rec.inFlight.Add(-1)
	}
	x.over.Store(true)
	x.err = failure(fmt.Sprintf("recording exchange %d of %s on", x.seq, x.session.session.Name), x.rec.path, err)
	if e := (*Error)(nil); errors.As(x.err, &e) {
		x.cause = e.Err.Error()
	}
	x.rec.unrecorded.Add(1)
	x.session.unrecorded.Add(1)
	x.rec.failed(x.err)
	x.finish()
}

// finish ends the waiting for x. The caller holds x.mu.
func (x *Recording) finish() {
	if !x.finished {
		x.finished = true
		close(x.done)
	}
}
