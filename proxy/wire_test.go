package proxy

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// wire is an upstream that keeps all bytes it is sent, connection by connection, and answers every request it can read with "ok".
type wire struct {
	ln      net.Listener
	serving sync.WaitGroup

	mu    sync.Mutex
	conns []*bytes.Buffer
}

func newWire(t *testing.T) *wire {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{ln: ln}
	w.serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			sent := new(bytes.Buffer)
			w.mu.Lock()
			w.conns = append(w.conns, sent)
			w.mu.Unlock()
			w.serving.Go(func() { w.serve(conn, sent) })
		}
	})
	t.Cleanup(func() { ln.Close() })
	return w
}

func (w *wire) serve(conn net.Conn, sent *bytes.Buffer) {
	defer conn.Close()
	br := bufio.NewReader(io.TeeReader(conn, lockedWriter{w, sent}))
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
			return
		}
	}
}

type lockedWriter struct {
	w    *wire
	sent *bytes.Buffer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.sent.Write(p)
}

// sent returns what came in on each connection, once all are closed.
func (w *wire) sent() []string {
	w.ln.Close()
	w.serving.Wait()
	var all []string
	for _, c := range w.conns {
		if c.Len() > 0 {
			all = append(all, c.String())
		}
	}
	return all
}

func (w *wire) url() string { return "http://" + w.ln.Addr().String() }

// send writes bytes to the proxy and returns all that comes back until it closes the connection.
func send(t *testing.T, d *deck, request string) string {
	t.Helper()
	conn := d.dial(t)
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	written := make(chan struct{})
	go func() {
		defer close(written)
		io.WriteString(conn, request) // the proxy may have closed the connection by then
	}()
	answer, err := io.ReadAll(conn)
	conn.Close()
	<-written
	if err != nil && len(answer) == 0 {
		t.Fatalf("%v, and no answer", err)
	}
	return string(answer)
}
