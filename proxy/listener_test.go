package proxy

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestClientThatSpeaksTLS: who has written https where http was meant is told so at once, on both sides.
func TestClientThatSpeaksTLS(t *testing.T) {
	var log strings.Builder
	d := newDeck(t, http.NotFoundHandler(), func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	conn := d.dial(t)
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	err := tls.Client(conn, &tls.Config{ServerName: "exo.local"}).Handshake()
	if header, ok := err.(tls.RecordHeaderError); !ok || !strings.HasPrefix(string(header.RecordHeader[:]), "HTTP/") {
		t.Errorf("the client got %v", err)
	}
	d.stop(t)
	if !strings.Contains(log.String(), "begins with http://") {
		t.Errorf("logged %q", log.String())
	}
	if all := d.exchanges(t); len(all) != 0 {
		t.Errorf("%d exchanges recorded", len(all))
	}
}

// TestHandshakeByteInsideRequests: only the first byte of a connection tells.
func TestHandshakeByteInsideRequests(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }), nil)
	conn := d.dial(t)
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	io.WriteString(conn, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nConnection: close\r\n\r\n")
	time.Sleep(20 * time.Millisecond) // so that the body comes in a packet of its own
	io.WriteString(conn, "\x16\x03\x01\x02")
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(answer), "\r\n\r\n\x16\x03\x01\x02") {
		t.Errorf("%q, %v", answer, err)
	}
}
