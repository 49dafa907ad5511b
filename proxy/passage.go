package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"

	"github.com/elazarl/goproxy"

	"github.com/exodeck/exodeck/proxy/apierror"
	"github.com/exodeck/exodeck/proxy/record"
)

// wholeRequest is the size up to which a request body is read before the request is sent. A body in memory can be sent again when a
// kept connection to the upstream turns out to be closed (see [sender]), and it is on the tape before the upstream sees it.
const wholeRequest = 128 << 10

// passage is one request on its way through the proxy: the server's handler runs it, goproxy drives it, and it has the destination's
// recorder send the request. It puts together what each of them knows only in part: whether the client is still there, what goproxy
// made of the response, and whether the response came whole.
type passage struct {
	server *Server
	to     *destination
	w      *responseWriter
	cancel context.CancelCauseFunc // of the request to the upstream
	conn   connection
	// body is that of the upstream's response, nil when there is none.
	body io.Reader
	// broken is set when the response must not look whole to the client.
	broken bool
}

func newPassage(s *Server, to *destination, w http.ResponseWriter) *passage {
	return &passage{server: s, to: to, w: newResponseWriter(w)}
}

type passageKey struct{}

func passageOf(r *http.Request) *passage { return r.Context().Value(passageKey{}).(*passage) }

// run passes a request and its response on. It panics with [http.ErrAbortHandler] when the response must not look whole.
func (p *passage) run(r *http.Request) {
	// Without full duplex the server closes the request body as soon as the response starts, and streams of an upstream that
	// answers early are cut (golang/go#40747).
	p.w.control.EnableFullDuplex()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	p.cancel = cancel
	informational := &informational{w: p.w}
	trace := new(httptrace.ClientTrace)
	if r.ProtoAtLeast(1, 1) { // HTTP/1.0 knows no responses but final ones (RFC 9110, 15.2)
		trace.Got1xxResponse = informational.pass
	}
	client := clientOf(r)
	p.conn.first = client.first()
	p.conn.trace(trace)
	ctx = httptrace.WithClientTrace(ctx, trace)
	p.w.last = lastOnConnection(r)
	out := outgoing(p.to, r).WithContext(context.WithValue(ctx, passageKey{}, p))
	p.readRequest(out)
	// A relay behind an upgrade has taken the client's connection from the server, which does not close it any more: neither when the
	// relay has ended, nor when the server is stopped.
	defer p.w.closeHijacked()
	defer context.AfterFunc(p.server.stopped, p.w.closeHijacked)()
	p.server.goproxy.ServeHTTP(p.w, out)
	informational.end()
	if p.broken || brokenOff(p.body) {
		// The only way to tell an HTTP/1.1 client that the response is not whole is to cut the connection. To an HTTP/1.0 client that
		// may be the end of the response, unless it is a reset.
		if !r.ProtoAtLeast(1, 1) {
			client.reset()
		}
		panic(http.ErrAbortHandler)
	}
}

// lastOnConnection reports whether the connection of a request is to be closed behind its response. Of a message in which chunked
// coding meets a Content-Length or HTTP/1.0, RFC 9112 (6.1) demands that, since somebody may have read it differently. net/http
// settles what such a message means and does not tell that it was one, so all that may be are taken as such.
func lastOnConnection(r *http.Request) bool {
	return len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1)
}

// brokenOff reports whether reading a response body ended with an error.
func brokenOff(body io.Reader) bool {
	b, ok := body.(interface{ Err() error })
	return ok && b.Err() != nil
}

// readRequest reads a small request body whole, and makes sure that a client which breaks off inside its request is noticed.
func (p *passage) readRequest(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	client := &clientBody{ReadCloser: r.Body, cancel: p.cancel, trailer: r.Trailer}
	r.Body = client
	if r.ContentLength <= 0 || r.ContentLength > wholeRequest || r.Header.Get("Expect") != "" {
		return
	}
	whole := make([]byte, r.ContentLength)
	if n, err := io.ReadFull(client, whole); err != nil {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(whole[:n]), client), client}
		return
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(whole)), nil }
	r.Body, _ = r.GetBody()
}

// RoundTrip implements goproxy's RoundTripper. What the client is answered when there is no response depends on whose fault that is.
func (p *passage) RoundTrip(r *http.Request, _ *goproxy.ProxyCtx) (*http.Response, error) {
	resp, err := p.to.recorder.RoundTrip(r)
	if err == nil {
		p.body = resp.Body
		if resp.StatusCode != http.StatusSwitchingProtocols {
			// The tape has the headers already.
			removeHopByHop(resp.Header)
		}
		return resp, nil
	}
	var bad *requestError
	var lost *lostError
	switch cause := context.Cause(r.Context()); {
	case errors.Is(err, record.ErrUnrecorded), errors.Is(cause, record.ErrStopped):
		return p.breakOff(err)
	case errors.As(cause, &bad):
		return errorResponse(r, badRequest("%v", bad)), nil
	case cause != nil:
		return p.breakOff(err)
	case errors.As(err, &lost):
		p.server.log.Info("a request got no answer; its client's connection is closed too", "upstream", p.to.origin(r), "error", err)
		return p.breakOff(err)
	}
	origin := p.to.origin(r)
	p.server.log.Warn("the upstream gave no answer", "upstream", origin, "error", err)
	return errorResponse(r, &refusal{http.StatusBadGateway, apierror.Unreachable, noAnswer(origin, err)}), nil
}

// breakOff leaves the client without a response: goproxy answers errors with a status 500, which nobody sent.
func (p *passage) breakOff(err error) (*http.Response, error) {
	p.broken, p.w.silent = true, true
	return nil, err
}

// noAnswer words why an upstream gave no answer.
func noAnswer(origin string, err error) string {
	message := fmt.Sprintf("exodeck got no answer from the upstream %s: %v", origin, err)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		message += "; if that certificate is to be trusted, start exodeck with SSL_CERT_FILE naming a file with its authority"
	}
	return message
}

// requestError is the reason why the body of a client's request could not be read.
type requestError struct{ err error }

func (e *requestError) Error() string {
	return "the client broke off inside its request: " + e.err.Error()
}
func (e *requestError) Unwrap() error { return e.err }

// clientBody is a request body that cancels the passage when it cannot be read: the client went away, or sent what is no body.
type clientBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
	// trailer is filled in when the body has been read to its end.
	trailer http.Header
}

func (b *clientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, http.ErrBodyReadAfterClose) {
		b.cancel(&requestError{err})
	}
	if err == io.EOF && len(b.trailer) > 0 {
		removeHopByHop(b.trailer)
		for _, name := range framing {
			delete(b.trailer, name)
		}
	}
	return n, err
}

// informational passes 1xx responses on. They arrive on the transport's goroutine, while the handler waits for the final response.
type informational struct {
	mu    sync.Mutex
	w     *responseWriter
	ended bool
}

func (i *informational) pass(code int, header textproto.MIMEHeader) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended || i.w.wroteHeader || code == http.StatusContinue || code == http.StatusSwitchingProtocols {
		return nil
	}
	h := i.w.ResponseWriter.Header()
	for name, values := range header {
		h[name] = values
	}
	i.w.ResponseWriter.WriteHeader(code)
	clear(h)
	return nil
}

func (i *informational) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = true
}
