package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/exodeck/exodeck/proxy/tape"
)

// rawUpstream is an upstream of one canned answer, byte for byte, which keeps what it was sent.
type rawUpstream struct {
	ln     net.Listener
	answer string
	asked  chan string
}

func newRawUpstream(t *testing.T, answer string) *rawUpstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &rawUpstream{ln: ln, answer: answer, asked: make(chan string, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var head bytes.Buffer
		req, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &head)))
		if err != nil {
			u.asked <- "unreadable request: " + err.Error()
			return
		}
		io.Copy(io.Discard, req.Body)
		u.asked <- head.String()
		io.WriteString(conn, u.answer)
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return u
}

// rawExchange sends bytes and returns all that comes back until the peer closes.
func rawExchange(t *testing.T, address, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("%v after %q", err, answer)
	}
	return string(answer)
}

// TestBytesPassUnchanged compares raw bytes on both sides: what the upstream is sent with what the client sent, and what the client
// gets with what the upstream answered.
func TestBytesPassUnchanged(t *testing.T) {
	tests := []struct {
		name               string
		request, wantAsked string
		answer, wantAnswer string
		method, url        string // as recorded
		body, response     string
		reason             string
		noReason           bool
		trailer            http.Header
	}{
		{
			name:      "post with length",
			request:   "POST /v1/chat/completions HTTP/1.1\r\nHost: exo.local:52415\r\nX-B: 1\r\nX-B: 2\r\nContent-Type: application/json\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{\"a\": 1 }",
			wantAsked: "POST /v1/chat/completions HTTP/1.1\r\nHost: exo.local:52415\r\nContent-Length: 9\r\nContent-Type: application/json\r\nX-B: 1\r\nX-B: 2\r\n\r\n{\"a\": 1 }",
			answer:    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: application/json\r\nX-Y: a\r\nX-Y: b\r\nDate: Mon, 30 Nov 2026 13:00:00 GMT\r\n\r\n{\"b\"}",
			method:    "POST", url: "/v1/chat/completions", body: `{"a": 1 }`, response: `{"b"}`,
			wantAnswer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: application/json\r\nDate: Mon, 30 Nov 2026 13:00:00 GMT\r\nX-Y: a\r\nX-Y: b\r\nConnection: close\r\n\r\n{\"b\"}",
		},
		{
			name:       "nothing is made up: no date, no type, no reason, no user agent",
			request:    "GET /node_id HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /node_id HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 404 \r\nContent-Length: 2\r\n\r\nno",
			wantAnswer: "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno",
			method:     "GET", url: "/node_id", response: "no", noReason: true,
		},
		{
			name:       "a reason phrase of its own",
			request:    "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /x HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n",
			wantAnswer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "/x", reason: "Fine",
		},
		{
			name:       "request target as sent",
			request:    "GET //a%2fb/../c%7e/%e4;x='?q=1;2&k=%zz&&k HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET //a%2fb/../c%7e/%e4;x='?q=1;2&k=%zz&&k HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 204 No Content\r\n\r\n",
			wantAnswer: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "//a%2fb/../c%7e/%e4;x='?q=1;2&k=%zz&&k",
		},
		{
			name:       "empty query is kept",
			request:    "GET /models? HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /models? HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 204 No Content\r\n\r\n",
			wantAnswer: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "/models?",
		},
		{
			name:       "options for the server",
			request:    "OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 204 No Content\r\n\r\n",
			wantAnswer: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
			method:     "OPTIONS", url: "*",
		},
		{
			name:       "hop-by-hop headers end here",
			request:    "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nTE: trailers, deflate\r\nProxy-Connection: x\r\nUpgrade: h2c\r\nX-End: 1\r\n\r\n",
			wantAsked:  "GET /x HTTP/1.1\r\nHost: h\r\nTe: trailers\r\nX-End: 1\r\n\r\n",
			answer:     "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nX-End: 1\r\nContent-Length: 0\r\n\r\n",
			wantAnswer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-End: 1\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "/x",
		},
		{
			name:       "chunked both ways",
			request:    "POST /v1/messages HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
			wantAsked:  "POST /v1/messages HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
			answer:     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n",
			wantAnswer: "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n",
			method:     "POST", url: "/v1/messages", body: "abcde", response: "xyz",
		},
		{
			name:       "trailers",
			request:    "GET /t HTTP/1.1\r\nHost: h\r\nTE: trailers\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /t HTTP/1.1\r\nHost: h\r\nTe: trailers\r\n\r\n",
			answer:     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nxyz\r\n0\r\nX-Sum: 9\r\n\r\n",
			wantAnswer: "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\nX-Sum: 9\r\n\r\n",
			method:     "GET", url: "/t", response: "xyz", trailer: http.Header{"X-Sum": {"9"}},
		},
		{
			name:       "head keeps the length of what it does not send",
			request:    "HEAD /ollama/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "HEAD /ollama/ HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 200 OK\r\nContent-Length: 21\r\nContent-Type: application/json\r\n\r\n",
			wantAnswer: "HTTP/1.1 200 OK\r\nContent-Length: 21\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
			method:     "HEAD", url: "/ollama/",
		},
		{
			name:       "not modified: the tape has what a Go server leaves out",
			request:    "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /x HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\nContent-Type: text/css\r\nEtag: \"a\"\r\n\r\n",
			wantAnswer: "HTTP/1.1 304 Not Modified\r\nEtag: \"a\"\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "/x",
		},
		{
			name:       "absolute form that names the proxy itself",
			request:    "GET http://PROXY/state HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /state HTTP/1.1\r\nHost: PROXY\r\n\r\n",
			answer:     "HTTP/1.1 204 No Content\r\n\r\n",
			wantAnswer: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "/state",
		},
		{
			name:       "informational responses pass",
			request:    "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			wantAsked:  "GET /x HTTP/1.1\r\nHost: h\r\n\r\n",
			answer:     "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n",
			wantAnswer: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: 1\r\nConnection: close\r\n\r\n",
			method:     "GET", url: "/x",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newRawUpstream(t, tt.answer)
			d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
			address := strings.TrimPrefix(d.url, "http://")
			named := strings.NewReplacer("PROXY", address)
			got := rawExchange(t, address, named.Replace(tt.request))
			asked := "nothing"
			select {
			case asked = <-up.asked:
			default:
			}
			if want := named.Replace(tt.wantAsked); want != cutTo(asked, len(want)) {
				t.Errorf("the upstream was asked (-want +got):\n%s", cmp.Diff(want, asked))
			}
			if diff := cmp.Diff(tt.wantAnswer, got); diff != "" {
				t.Errorf("the client got (-want +got):\n%s", diff)
			}
			x := d.only(t)
			if x.Request.Method != tt.method || x.Request.URL != tt.url || x.request != tt.body || x.response != tt.response {
				t.Errorf("recorded %s %s %q → %q", x.Request.Method, x.Request.URL, x.request, x.response)
			}
			if x.Ended != tape.Complete || x.Response.Reason != tt.reason || x.Response.NoReason != tt.noReason {
				t.Errorf("recorded ended %q (%s), reason %q, none %v", x.Ended, x.Cause, x.Response.Reason, x.Response.NoReason)
			}
			if diff := cmp.Diff(headersOf(t, tt.answer), x.Response.Header, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("recorded headers (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.trailer, x.Response.Trailer); diff != "" {
				t.Errorf("recorded trailers (-want +got):\n%s", diff)
			}
		})
	}
}

// headersOf are the headers of the final response of an answer, without those of its chunked coding.
func headersOf(t *testing.T, answer string) http.Header {
	t.Helper()
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(answer)))
	for {
		status, err := r.ReadLine()
		if err != nil {
			t.Fatal(err)
		}
		h, err := r.ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(status, "HTTP/1.1 1") {
			delete(h, "Transfer-Encoding")
			delete(h, "Trailer")
			return http.Header(h)
		}
	}
}

// cutTo leaves out what a chunked request body adds behind its head: its framing is one connection's own affair.
func cutTo(s string, n int) string {
	if strings.Contains(s, "Transfer-Encoding: chunked") && len(s) > n {
		return s[:n]
	}
	return s
}

// TestCompressedBodyIsNotDecoded covers goproxy's habit of dropping Accept-Encoding (mitmproxy and others record decoded bodies with
// headers that speak of encoded ones).
func TestCompressedBodyIsNotDecoded(t *testing.T) {
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	zw.Write([]byte("data: hello\n\n"))
	zw.Close()
	var accepted string
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(packed.Bytes())
	}), nil)
	req, _ := http.NewRequest("GET", d.url+"/x", nil)
	req.Header.Set("Accept-Encoding", "gzip, br")
	resp, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(body, packed.Bytes()) || resp.Header.Get("Content-Encoding") != "gzip" || accepted != "gzip, br" {
		t.Errorf("got %d bytes %q, the upstream was asked for %q", len(body), resp.Header, accepted)
	}
	if x := d.only(t); x.response != packed.String() {
		t.Errorf("recorded %q", x.response)
	}
}

func TestNoAcceptEncodingIsAdded(t *testing.T) {
	var header http.Header
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { header = r.Header }), nil)
	resp, err := d.client.Get(d.url + "/x")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if v, ok := header["Accept-Encoding"]; ok {
		t.Errorf("Accept-Encoding %q was added", v)
	}
}

func TestBasePath(t *testing.T) {
	var asked string
	d := newDeckWithBase(t, "/exo/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = r.RequestURI }))
	resp, err := d.client.Post(d.url+"/v1/messages?a=b", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	x := d.only(t)
	if asked != "/exo/v1/messages?a=b" || x.Request.URL != "/v1/messages?a=b" || x.Facts.API != tape.Claude {
		t.Errorf("asked %q, recorded %q as %q", asked, x.Request.URL, x.Facts.API)
	}
}

// TestBasePathAndTheServerItself: what is asked of the server as a whole has no path that the base could stand before.
func TestBasePathAndTheServerItself(t *testing.T) {
	up := newRawUpstream(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	d := newDeckAt(t, "http://"+up.ln.Addr().String()+"/exo/", nil)
	rawExchange(t, strings.TrimPrefix(d.url, "http://"), "OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if asked, want := <-up.asked, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"; asked != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if x := d.only(t); x.Request.URL != "*" {
		t.Errorf("recorded %q", x.Request.URL)
	}
}

func TestRefusesOtherHosts(t *testing.T) {
	for _, tt := range []struct{ name, request string }{
		{"connect", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n"},
		{"absolute form", "GET http://example.org/v1/models HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := false
			d := newDeck(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }), nil)
			conn := d.dial(t)
			fmt.Fprint(conn, tt.request)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusForbidden || !strings.Contains(string(body), "base URL") || asked {
				t.Errorf("status %d, %s, upstream asked: %v", resp.StatusCode, body, asked)
			}
			if all := d.exchanges(t); len(all) != 0 {
				t.Errorf("%d exchanges recorded", len(all))
			}
		})
	}
}
