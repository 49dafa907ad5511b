package proxy

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// TestHostileResponses has an upstream answer what is not HTTP, what nobody asked for, or more than it says. What can be understood in
// one way passes, all else is the upstream's failure and never taken for a whole response; and the tape says which it was.
func TestHostileResponses(t *testing.T) {
	const (
		get     = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
		old     = "GET /a HTTP/1.0\r\n\r\n"
		head    = "HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
		socket  = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n"
		ok      = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
		chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		passed  = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" // the head of chunked, as the client gets it
	)
	tests := []struct {
		name, request, answer string
		want                  string // what the client gets; "502" stands for the proxy's own answer
		ended                 tape.Ended
		cause                 string // a part of it
	}{
		// Heads.
		{"two lengths", get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", "502", tape.UpstreamError, "Content-Length"},
		{"negative length", get, "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", "502", tape.UpstreamError, "Content-Length"},
		{"unknown coding", get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok", "502", tape.UpstreamError, "transfer encoding"},
		{"length beside chunked", get, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", passed + "2\r\nok\r\n0\r\n\r\n", tape.Complete, ""},
		{"NUL in a value", get, "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\nok", "502", tape.UpstreamError, "malformed"},
		{"folded line", get, "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: a b\r\nConnection: close\r\n\r\nok", tape.Complete, ""},
		{"endless head", get, "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 11<<20), "502", tape.UpstreamError, "exceeded"},
		{"no status line", get, "ok", "502", tape.UpstreamError, "malformed"},
		{"no status", get, "HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nok", "502", tape.UpstreamError, `status "000 Odd"`},
		{"a status below all", get, "HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok", "502", tape.UpstreamError, `status "099 Odd"`},
		{"a status above all", get, "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 999 status code 999\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", tape.Complete, ""},

		// Responses that are not final.
		{"early hints", get, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok,
			"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", tape.Complete, ""},
		{"early hints for HTTP/1.0", old, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok, "HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", tape.Complete, ""},
		{"nothing behind early hints", get, "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n502", tape.UpstreamError, "EOF"},
		{"protocols switched unasked", get, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nraw", "502", tape.UpstreamError, "nobody asked for"},
		{"protocols switched, to none", get, "HTTP/1.1 101 Switching Protocols\r\n\r\nraw", "502", tape.UpstreamError, "nobody asked for"},
		{"another protocol than asked for", socket, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tide\r\n\r\nraw", "502", tape.UpstreamError, `switched to "tide"`},
		{"a protocol that is not the connection's", socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nraw", "502", tape.UpstreamError, "was asked for"},
		{"the protocol asked for", socket, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\nraw",
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\nraw", tape.Complete, ""},

		// Bodies.
		{"more than the length", get, ok + ok, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", tape.Complete, ""},
		{"a body for HEAD", head, ok, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n", tape.Complete, ""},
		{"a body behind 204", get, "HTTP/1.1 204 No Content\r\n\r\nok", "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", tape.Complete, ""},
		{"a body behind 304", get, "HTTP/1.1 304 Not Modified\r\nEtag: 1\r\n\r\nok", "HTTP/1.1 304 Not Modified\r\nEtag: 1\r\nConnection: close\r\n\r\n", tape.Complete, ""},
		{"chunk extensions", get, chunked + "2;a=b\r\nok\r\n0;c\r\n\r\n", passed + "2\r\nok\r\n0\r\n\r\n", tape.Complete, ""},
		{"no number where a chunk begins", get, chunked + "2\r\nok\r\nzz\r\n", passed + "2\r\nok\r\n", tape.UpstreamTruncated, "chunk"},
		{"a chunk beyond 64 bits", get, chunked + "10000000000000002\r\nok\r\n0\r\n\r\n", passed, tape.UpstreamTruncated, "chunk"},
		{"endless extensions", get, chunked + strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\na\r\n", 8), passed + strings.Repeat("1\r\na\r\n", 4), tape.UpstreamTruncated, "non-data"},
		{"an endless trailer", get, chunked + "2\r\nok\r\n0\r\nX: " + strings.Repeat("x", 100_000), passed + "2\r\nok\r\n", tape.UpstreamTruncated, "trailer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newRawUpstream(t, tt.answer)
			d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
			got := send(t, d, tt.request)
			if at := strings.Index(got, "HTTP/1.1 502"); at >= 0 && strings.Contains(got[at:], "got no answer from the upstream") {
				got = got[:at] + "502"
			}
			if got != tt.want {
				t.Errorf("the client got\n%q, want\n%q", got, tt.want)
			}
			d.stop(t)
			if x := d.only(t); x.Ended != tt.ended || !strings.Contains(x.Cause, tt.cause) {
				t.Errorf("recorded %q (%s)", x.Ended, x.Cause)
			}
		})
	}
}

// TestUnfitResponseIsGivenUp: the connection of a response that cannot be passed on is closed, whatever else its upstream would say.
func TestUnfitResponseIsGivenUp(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	given := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			given <- err
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(5 * time.Second))
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tide\r\n\r\n")
		_, err = io.Copy(io.Discard, conn)
		given <- err
	}()
	d := newDeckAt(t, "http://"+ln.Addr().String(), nil)
	resp, err := d.client.Get(d.url + "/a")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadGateway {
		t.Errorf("status %d", resp.StatusCode)
	}
	if err := <-given; err != nil {
		t.Errorf("the connection was kept: %v", err)
	}
}
