package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"
)

// sender sends requests to the upstreams, and decides what becomes of those that meet a closed connection.
//
// Servers close connections that are idle: hypercorn, which serves exo, and llama.cpp after 5 s. When that crosses a request on its
// way, its sender cannot tell whether it was processed. Clients are prepared for this on connections that they keep, and on no
// others, and each has a rule of its own for it. The proxy neither adds to the risk nor decides for them:
//
//   - The first request of a client's connection goes out on a new connection, as it would without the proxy. So does a request
//     whose body cannot be had again.
//   - Other requests may go out on a kept connection, which is given up before servers do so; see idleConnTimeout.
//   - A request of which not one byte was written is sent once more, on a new connection. For that, a kept connection whose end has
//     arrived is not written to.
//   - A request of which something was written, and that met the end of the connection before a byte of an answer, may have been
//     processed. It is not sent again, and the client's connection is closed without an answer; see [lostError]. The exception is
//     net/http's: a GET, HEAD, OPTIONS or TRACE without a body may be repeated, and so may a request without a body that has an
//     Idempotency-Key.
//   - A new connection that ends without an answer is a failure of the upstream, and the client is told so.
//   - An answer counts although its upstream would not read the request to its end.
type sender struct {
	// kept uses connections again, fresh a new one for each request.
	kept, fresh *http.Transport
	log         *slog.Logger
}

func newSender(log *slog.Logger) *sender {
	s := &sender{kept: NewTransport(), fresh: NewTransport(), log: log}
	for _, t := range []*http.Transport{s.kept, s.fresh} {
		dial := t.DialContext
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &keptConn{Conn: conn}, nil
		}
		t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			secure, err := handshake(ctx, conn, address, t)
			if err != nil {
				conn.Close()
				return nil, err
			}
			return &keptConn{Conn: secure}, nil
		}
	}
	// Unlike DisableKeepAlives, this adds no "Connection: close" to requests.
	s.fresh.MaxIdleConnsPerHost = -1
	// Clients that keep no connection cost a handshake for each request. With the session of an earlier one it takes half as long.
	resuming := &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	s.kept.TLSClientConfig, s.fresh.TLSClientConfig = resuming, resuming
	return s
}

// handshake puts TLS on a connection, as a transport would that was not told how.
func handshake(ctx context.Context, conn net.Conn, address string, t *http.Transport) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	config := t.TLSClientConfig.Clone()
	config.ServerName = host
	ctx, cancel := context.WithTimeoutCause(ctx, t.TLSHandshakeTimeout, errHandshake)
	defer cancel()
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return secure, nil
}

// errHandshake says what takes too long in the words of net/http, which first requests meet.
var errHandshake = errors.New("TLS handshake timeout")

func (s *sender) close() { s.kept.CloseIdleConnections() }

// RoundTrip implements [http.RoundTripper] for requests of a [passage].
func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	p := passageOf(r)
	resp, err := s.send(r, &p.conn)
	if err != nil {
		return nil, err
	}
	if err := unfit(r, resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// unfit says why a response is none that can be passed on, although net/http takes it for one.
func unfit(r *http.Request, resp *http.Response) error {
	if resp.StatusCode < 100 {
		return fmt.Errorf("the response has the status %q", resp.Status)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil
	}
	asked, to := r.Header.Get("Upgrade"), resp.Header.Get("Upgrade")
	switch {
	case asked == "":
		return errors.New("the upstream switched protocols, which nobody asked for")
	case !strings.EqualFold(to, asked) || !headerHas(resp.Header, "Connection", "upgrade"):
		return fmt.Errorf("the upstream was asked for the protocol %q and switched to %q", asked, to)
	}
	return nil
}

// send sends a request whose context has conn's trace.
func (s *sender) send(r *http.Request, conn *connection) (*http.Response, error) {
	body := r.Body != nil && r.Body != http.NoBody
	if conn.first || body && r.GetBody == nil {
		return s.fresh.RoundTrip(r)
	}
	attempt := r
	if body {
		// Without GetBody net/http leaves it to us what is sent twice.
		attempt = new(http.Request)
		*attempt = *r
		attempt.GetBody = nil
	}
	resp, err := s.kept.RoundTrip(attempt)
	switch {
	case err == nil:
		return resp, nil
	case conn.kept == nil || conn.answered.Load() || r.Context().Err() != nil:
		return nil, err
	case !conn.kept.unused.Load():
		return nil, &lostError{err}
	}
	again := new(http.Request)
	*again = *r
	if body {
		var bodyErr error
		if again.Body, bodyErr = r.GetBody(); bodyErr != nil {
			return nil, fmt.Errorf("reading the request body again: %w", bodyErr)
		}
	}
	s.log.Debug("sending a request on a new connection, since the kept one had ended", "method", r.Method, "path", r.URL.Path, "error", err)
	return s.fresh.RoundTrip(again)
}

// connection is the connection to an upstream that a request is sent on, as far as it matters for sending the request again.
type connection struct {
	// first is set when nothing else was asked on the client's connection before.
	first bool
	// kept is the connection when it has served a request before, else nil.
	kept *keptConn
	// answered is set once a byte of a response has come.
	answered atomic.Bool
}

// trace has c filled in by requests with a context that has the trace.
func (c *connection) trace(t *httptrace.ClientTrace) {
	t.GotConn = func(info httptrace.GotConnInfo) {
		c.kept = nil
		if !info.Reused {
			return
		}
		c.kept = info.Conn.(*keptConn)
		c.kept.unused.Store(true)
	}
	t.GotFirstResponseByte = func() { c.answered.Store(true) }
}

// keptConn is a connection that can tell whether anything was written for the request that uses it. It stands around TLS, not below:
// there, the end comes as bytes like others, and closing writes some that are no request's.
//
// It also keeps from net/http that the upstream reads no more of a request: it may have answered already, as servers do to bodies that
// are too large, and net/http would close the connection before that is read.
type keptConn struct {
	net.Conn
	ended   atomic.Bool           // it has been read to its end
	unused  atomic.Bool           // a request has taken it over and nothing was written since
	refused atomic.Pointer[error] // why the upstream takes no more, when it does not
}

// errEnded is why nothing is written to a connection whose end has been read.
var errEnded = errors.New("the upstream has closed the idle connection")

func (c *keptConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.ended.Store(true)
		if refused := c.refused.Load(); refused != nil {
			err = *refused // which is what the end comes from
		}
	}
	return n, err
}

func (c *keptConn) Write(p []byte) (int, error) {
	if c.unused.Load() && (c.ended.Load() || c.refused.Load() != nil) {
		return 0, errEnded
	}
	n, err := c.Conn.Write(p)
	if n > 0 {
		c.unused.Store(false)
	}
	if (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) && !c.unused.Load() {
		c.refused.Store(&err)
		return len(p), nil
	}
	return n, err
}

// lostError is why a request that may have been processed got no answer. Its client is told by a closed connection, and does what it
// always does when one that it kept is closed.
type lostError struct{ err error }

func (e *lostError) Error() string {
	return "the upstream closed a kept connection without an answer, and the request was not sent again since it may have been processed: " + e.err.Error()
}

func (e *lostError) Unwrap() error { return e.err }
