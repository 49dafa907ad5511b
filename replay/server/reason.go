package server

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/exodeck/exodeck/proxy/tape"
)

// reasonListener hands out connections that can send other reason phrases than the standard ones, and none, as exo does. net/http
// always writes the standard one, and taking the connection over would lose keep-alive, so it is replaced on its way.
type reasonListener struct{ net.Listener }

// Accept implements [net.Listener].
func (l reasonListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &reasonConn{Conn: c}, nil
}

// reasonConn replaces the reason phrase of the first final status line that is written after expect. net/http writes what it has buffered
// of a response before the next request of the connection is handled, so that line starts a write.
type reasonConn struct {
	net.Conn
	reason atomic.Pointer[string]
}

// connKey is the key of a request's reasonConn in its context.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// expectReason has the response to a request sent with the reason phrase of a recorded one, as far as its listener allows it.
func expectReason(ctx context.Context, r tape.Response) {
	c, ok := ctx.Value(connKey{}).(*reasonConn)
	standard := r.Reason == "" && !r.NoReason
	if !ok || standard || strings.ContainsFunc(r.Reason, unicode.IsControl) {
		return
	}
	c.reason.Store(&r.Reason)
}

// Write implements [net.Conn].
func (c *reasonConn) Write(p []byte) (int, error) {
	const prefix = len("HTTP/1.1 200 ")
	reason := c.reason.Load()
	if reason == nil || len(p) < prefix || !bytes.HasPrefix(p, []byte("HTTP/1.")) {
		return c.Conn.Write(p)
	}
	end := bytes.IndexByte(p, '\r')
	if end < prefix || p[len("HTTP/1.1 ")] == '1' { // after an interim response the final one is still to come
		return c.Conn.Write(p)
	}
	c.reason.Store(nil)
	line := append(append(make([]byte, 0, len(p)+len(*reason)), p[:prefix]...), *reason...)
	n, err := c.Conn.Write(append(line, p[end:]...))
	if err == nil {
		return len(p), nil
	}
	return min(n, len(p)), err
}
