package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
)

// listener accepts the connections of clients, and answers those that speak TLS: net/http would wait for the end of a line that never
// comes, and so would they.
type listener struct {
	net.Listener
	log *slog.Logger
}

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &clientConn{Conn: conn, log: l.log}, nil
}

// clientConn is a connection of a client.
type clientConn struct {
	net.Conn
	log   *slog.Logger
	begun bool        // something was read
	asked atomic.Bool // a request has come
}

// clientKey is the key of the client's connection in the context of its requests.
type clientKey struct{}

// connContext is an [http.Server.ConnContext].
func connContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, clientKey{}, conn)
}

// clientOf returns the connection that a request came on, nil when it came to another server than our own.
func clientOf(r *http.Request) *clientConn {
	conn, _ := r.Context().Value(clientKey{}).(*clientConn)
	return conn
}

// first reports whether a request is the first one on the connection, and counts it.
func (c *clientConn) first() bool { return c == nil || !c.asked.Swap(true) }

// reset has the connection end with a reset when it is closed. What is on its way to the client then may not arrive.
func (c *clientConn) reset() {
	if c == nil {
		return
	}
	if conn, ok := c.Conn.(interface{ SetLinger(int) error }); ok {
		_ = conn.SetLinger(0) // of a connection that is closed already, nothing can be told any more
	}
}

// handshakeRecord is the first byte of all that TLS clients send first. No HTTP request begins with it.
const handshakeRecord = 0x16

var errTLS = errors.New("the client speaks TLS")

// Read implements [net.Conn]. It is called by one goroutine at a time.
func (c *clientConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.begun || n == 0 {
		return n, err
	}
	c.begun = true
	if p[0] != handshakeRecord {
		return n, err
	}
	c.log.Warn("a client speaks TLS; give it a base URL that begins with http://, not https://", "client", c.RemoteAddr())
	return 0, errTLS // net/http answers 400, which ends a handshake at once
}

// CloseWrite lets net/http say its last word before it closes the connection.
func (c *clientConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}
