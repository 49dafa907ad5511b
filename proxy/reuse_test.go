package proxy

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
)

// closingServer is an upstream that keeps its connections alive, says so, and closes some of them all the same.
type closingServer struct {
	address string
	// closes is asked of every request, with its number on its connection, from 0: whether the connection is closed instead of an
	// answer, once the request has been read.
	closes func(path string, n int) bool
	// last is what it says before it closes a connection so.
	last string
	// idle is how long a connection is kept behind an answer; 0 for as long as the client keeps it.
	idle func() time.Duration
	// secure has it speak TLS.
	secure *tls.Config

	mu    sync.Mutex
	asked []string // the requests that were read, with their connection and their number on it
	conns []net.Conn
}

func newClosingServer(t *testing.T, s *closingServer) *closingServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = "http://" + ln.Addr().String()
	if s.secure != nil {
		ln, s.address = tls.NewListener(ln, s.secure), "https://"+ln.Addr().String()
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for n := 0; ; n++ {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(conn, n) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		serving.Wait()
	})
	return s
}

func (s *closingServer) serve(conn net.Conn, number int) {
	defer conn.Close()
	s.mu.Lock()
	s.conns = append(s.conns, conn)
	s.mu.Unlock()
	r := bufio.NewReader(conn)
	for n := 0; ; n++ {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.asked = append(s.asked, fmt.Sprintf("%s %s %.10s on %d.%d", req.Method, req.URL.Path, body, number, n))
		s.mu.Unlock()
		if s.closes != nil && s.closes(req.URL.Path, n) {
			io.WriteString(conn, s.last)
			return
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=5\r\n\r\nok")
		if s.idle != nil {
			conn.SetReadDeadline(time.Now().Add(s.idle()))
		}
	}
}

// close closes all connections, as a server does that finds them idle. It still reads what comes.
func (s *closingServer) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.(interface{ CloseWrite() error }).CloseWrite()
	}
}

func (s *closingServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// keptClient asks everything on one connection, as a client does that keeps it, and never asks twice.
type keptClient struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func newKeptClient(t *testing.T, url string) *keptClient {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &keptClient{t, conn, bufio.NewReader(conn)}
}

// ask returns the status of the answer and its body, or 0 when the connection was closed without a byte of an answer.
func (c *keptClient) ask(method, path, header, body string) (int, string) {
	c.t.Helper()
	if body != "" {
		header += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	if _, err := fmt.Fprintf(c.conn, "%s %s HTTP/1.1\r\nHost: h\r\n%s\r\n%s", method, path, header, body); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.r.Peek(1); err != nil {
		return 0, ""
	}
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// warm asks until a connection to the upstream has been kept.
func (c *keptClient) warm() {
	c.t.Helper()
	for range 2 {
		if status, _ := c.ask("GET", "/warm", "", ""); status != http.StatusOK {
			c.t.Fatalf("status %d", status)
		}
	}
}

// TestUnansweredOnKeptConnection makes sure that a request which was read by the upstream, and may have been processed, is not sent
// twice, and that the client meets what it would have met without the proxy: a connection that ends without an answer.
func TestUnansweredOnKeptConnection(t *testing.T) {
	large := strings.Repeat("x", wholeRequest+1)
	for _, tt := range []struct {
		name, method, header, body string
		status                     int
		asked                      []string
	}{
		{"POST", "POST", "", "tide", 0, []string{"POST /x tide on 1.1"}},
		{"POST without a body", "POST", "", "", 0, []string{"POST /x  on 1.1"}},
		{"POST with a key", "POST", "Idempotency-Key: 1\r\n", "tide", 0, []string{"POST /x tide on 1.1"}},
		{"DELETE", "DELETE", "", "", 0, []string{"DELETE /x  on 1.1"}},
		{"GET is safe to repeat", "GET", "", "", 200, []string{"GET /x  on 1.1", "GET /x  on 2.0"}},
		{"large body", "POST", "", large, 200, []string{"POST /x xxxxxxxxxx on 2.0"}},
		{"chunked", "POST", "Transfer-Encoding: chunked\r\n", "", 200, []string{"POST /x tide on 2.0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newClosingServer(t, &closingServer{closes: func(path string, n int) bool { return path == "/x" && n > 0 }})
			d := newDeckAt(t, up.address, nil)
			c := newKeptClient(t, d.url)
			c.warm()
			var status int
			if strings.Contains(tt.header, "chunked") {
				status, _ = c.ask(tt.method, "/x", tt.header+"\r\n4\r\ntide\r\n0\r\n", "")
			} else {
				status, _ = c.ask(tt.method, "/x", tt.header, tt.body)
			}
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			asked := up.requests()[2:]
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("what the upstream was asked (-want +got):\n%s", diff)
			}
			all := d.exchanges(t)
			if len(all) != 3 {
				t.Fatalf("%d exchanges on the tape, want 3", len(all))
			}
			x := all[2]
			switch {
			case status != 0 && x.Ended != tape.Complete,
				status == 0 && (x.Ended != tape.UpstreamError || !strings.Contains(x.Cause, "EOF") || !strings.Contains(x.Cause, "not sent again")):
				t.Errorf("ended %s with the cause %q", x.Ended, x.Cause)
			}
			if status == 0 && (x.request != tt.body || x.Response.Status != 0 || x.response != "") {
				t.Errorf("the tape has the request %q and the response %d %q", x.request, x.Response.Status, x.response)
			}
		})
	}
}

// TestAnsweredInPart: an upstream that has begun to answer on a kept connection had not closed it, but failed, and the client is told so.
func TestAnsweredInPart(t *testing.T) {
	up := newClosingServer(t, &closingServer{closes: func(path string, n int) bool { return path == "/x" }, last: "HTTP/1.1 200 OK\r\nX: "})
	d := newDeckAt(t, up.address, nil)
	c := newKeptClient(t, d.url)
	c.warm()
	if status, body := c.ask("POST", "/x", "", "tide"); status != http.StatusBadGateway || !strings.Contains(body, "unexpected EOF") {
		t.Errorf("status %d, body %s", status, body)
	}
	if diff := cmp.Diff([]string{"POST /x tide on 1.1"}, up.requests()[2:]); diff != "" {
		t.Errorf("what the upstream was asked (-want +got):\n%s", diff)
	}
	if x := d.exchanges(t)[2]; x.Ended != tape.UpstreamError || !strings.HasSuffix(x.Cause, "connection broken: unexpected EOF") {
		t.Errorf("ended %s with the cause %q", x.Ended, x.Cause)
	}
}

// TestFirstRequestIsNotOnKeptConnection makes sure that the first request of a client's connection, which no client expects to meet a
// closed connection, is sent on a new one.
func TestFirstRequestIsNotOnKeptConnection(t *testing.T) {
	up := newClosingServer(t, &closingServer{closes: func(path string, n int) bool { return path == "/x" && n > 0 }})
	d := newDeckAt(t, up.address, nil)
	newKeptClient(t, d.url).warm()
	if status, body := newKeptClient(t, d.url).ask("POST", "/x", "", "tide"); status != http.StatusOK || body != "ok" {
		t.Errorf("status %d, body %q", status, body)
	}
	if got := up.requests(); got[len(got)-1] != "POST /x tide on 2.0" {
		t.Errorf("the upstream was asked %q", got)
	}
}

// TestConnectionsOfAnotherServer: under a server other than its own, nothing tells which requests are first, so all are taken as such.
func TestConnectionsOfAnotherServer(t *testing.T) {
	up := newClosingServer(t, &closingServer{})
	d := newDeckAt(t, up.address, nil)
	srv := httptest.NewServer(d.server)
	t.Cleanup(srv.Close)
	newKeptClient(t, srv.URL).warm()
	if diff := cmp.Diff([]string{"GET /warm  on 0.0", "GET /warm  on 1.0"}, up.requests()); diff != "" {
		t.Errorf("what the upstream was asked (-want +got):\n%s", diff)
	}
}

// TestUnansweredOnNewConnection: an upstream that takes a request on a connection of its own and says nothing has failed, and the
// client is told so.
func TestUnansweredOnNewConnection(t *testing.T) {
	up := newClosingServer(t, &closingServer{closes: func(string, int) bool { return true }})
	d := newDeckAt(t, up.address, nil)
	status, body := newKeptClient(t, d.url).ask("POST", "/v1/chat/completions", "", "{}")
	if status != http.StatusBadGateway || !strings.Contains(body, "EOF") {
		t.Errorf("status %d, body %s", status, body)
	}
	if got := up.requests(); len(got) != 1 {
		t.Errorf("the upstream was asked %q", got)
	}
}

// TestSecureConnections: connections are kept to an https upstream too, and a new one takes up the session of an earlier one.
func TestSecureConnections(t *testing.T) {
	var mu sync.Mutex
	from, resumed := make(map[string]int), 0
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if from[r.RemoteAddr]++; from[r.RemoteAddr] == 1 && r.TLS.DidResume {
			resumed++
		}
		io.WriteString(w, "ok")
	}))
	t.Cleanup(srv.Close)
	d := newDeckAt(t, srv.URL, nil)
	d.server.sender.trust(srv)
	for range 3 {
		c := newKeptClient(t, d.url)
		for range 4 {
			if status, body := c.ask("POST", "/", "", "tide"); status != http.StatusOK || body != "ok" {
				t.Errorf("status %d, body %q", status, body)
			}
		}
	}
	if len(from) != 4 {
		t.Errorf("the requests came from %v, want four connections: one for each client's first, one for all others", from)
	}
	if resumed != 3 {
		t.Errorf("%d connections took up a session, want all but the first", resumed)
	}
}

// TestClosedAsRequestsArrive has an upstream close idle connections at about the moment at which the next request arrives. Whatever
// happens then, no status is made up, no request is processed twice, and the tape says how it ended.
func TestClosedAsRequestsArrive(t *testing.T) {
	var wait atomic.Int64
	up := newClosingServer(t, &closingServer{idle: func() time.Duration { return time.Duration(wait.Add(1)%20) * 10 * time.Microsecond }})
	d := newDeckAt(t, up.address, nil)
	c := newKeptClient(t, d.url)
	const total = 600
	answered, lost := 0, 0
	for n := range total {
		switch status, body := c.ask("POST", fmt.Sprintf("/%d", n), "", "tide"); {
		case status == http.StatusOK && body == "ok":
			answered++
		case status == 0:
			lost++
			c = newKeptClient(t, d.url)
		default:
			t.Fatalf("request %d: status %d, body %s", n, status, body)
		}
	}
	t.Logf("%d answered, %d lost", answered, lost)
	seen := make(map[string]bool)
	for _, asked := range up.requests() {
		what, _, _ := strings.Cut(asked, " on ")
		if seen[what] {
			t.Errorf("%s reached the upstream twice", what)
		}
		seen[what] = true
	}
	all := d.exchanges(t)
	if len(all) != total {
		t.Fatalf("%d exchanges on the tape, want %d", len(all), total)
	}
	for _, x := range all {
		switch {
		case x.Ended == tape.Complete && x.response == "ok" && seen["POST "+x.Request.URL+" tide"]:
			answered--
		case x.Ended == tape.UpstreamError && strings.Contains(x.Cause, "not sent again"):
			lost--
		default:
			t.Errorf("%s ended %s: %s", x.Request.URL, x.Ended, x.Cause)
		}
	}
	if answered != 0 || lost != 0 {
		t.Errorf("the tape disagrees with the client by %d answered and %d lost", answered, lost)
	}
}
