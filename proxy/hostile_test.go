package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
)

// next is a request that follows another on the same connection, and nextSent what an upstream is sent of it. Where both sides
// agree on where the first one ends, it is answered; where they may not, it must never be read.
const (
	next     = "GET /next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
	nextSent = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"
)

var statusLine = regexp.MustCompile(`HTTP/1\.[01] (\d{3})`)

// statuses are the statuses of all responses on a connection, in order.
func statuses(answer string) string {
	var all []string
	for _, m := range statusLine.FindAllStringSubmatch(answer, -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, " ")
}

// TestHostileRequests sends what is not HTTP, or what two readers may take for different things, and compares the bytes that reach
// the upstream: each request is refused or put into the one form of it that RFC 9112 allows. Afterwards the recorder lives on.
func TestHostileRequests(t *testing.T) {
	const (
		post    = "POST /a HTTP/1.1\r\nHost: h\r\n"
		chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
	)
	tests := []struct {
		name    string
		request string // followed by next
		want    string // statuses of the responses
		sent    string // what reaches the upstream
	}{
		// Both framings: chunked coding wins, and the connection ends (RFC 9112, 6.1 and 6.3).
		{"length, then chunked", post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "200", chunked + "0\r\n\r\n"},
		{"chunked, then length", post + "Transfer-Encoding: chunked\r\nContent-Length: 90\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200", chunked + "3\r\nabc\r\n0\r\n\r\n"},
		{"chunked in a folded line, and length", post + "Transfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200", chunked + "3\r\nabc\r\n0\r\n\r\n"},
		{"chunked in HTTP/1.0", "POST /a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200", post + "Content-Length: 0\r\n\r\n"},
		{"chunked and length in HTTP/1.0", "POST /a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200", post + "Content-Length: 3\r\n\r\n3\r\n"},

		// Content-Length.
		{"two lengths", post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "400", ""},
		{"the same length twice", post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "200 200", post + "Content-Length: 3\r\n\r\nabc" + nextSent},
		{"a list of lengths", post + "Content-Length: 3, 3\r\n\r\nabc", "400", ""},
		{"length with a sign", post + "Content-Length: +3\r\n\r\nabc", "400", ""},
		{"negative length", post + "Content-Length: -3\r\n\r\nabc", "400", ""},
		{"hexadecimal length", post + "Content-Length: 0x3\r\n\r\nabc", "400", ""},
		{"length beyond 64 bits", post + "Content-Length: 18446744073709551619\r\n\r\nabc", "400", ""},
		{"empty length", post + "Content-Length:\r\n\r\nabc", "400", ""},
		{"length named as hop-by-hop", post + "Content-Length: 3\r\nConnection: Content-Length\r\n\r\nabc", "200 200", post + "Content-Length: 3\r\n\r\nabc" + nextSent},
		{"a request as the body of another", post + "Content-Length: 35\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n", "200 200",
			post + "Content-Length: 35\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n" + nextSent},

		// Transfer-Encoding.
		{"unknown coding", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "501", ""},
		{"chunked is not the last coding", post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "501", ""},
		{"a coding below chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501", ""},
		{"two codings", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "501", ""},
		{"vertical tab before the coding", post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", "400", ""},

		// Lines.
		{"space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "400", ""},
		{"folded line", post + "X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", "200 200",
			post + "Content-Length: 3\r\nX: y Transfer-Encoding: chunked\r\n\r\nabc" + nextSent},
		{"space before the first field", "GET /a HTTP/1.1\r\n Host: h\r\nX: y\r\n\r\n", "400", ""},
		{"bare CR in a value", "GET /a HTTP/1.1\r\nHost: h\r\nX: a\rContent-Length: 3\r\n\r\n", "400", ""},
		{"bare CR in the target", "GET /a\r HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"bare CR behind the request line", "GET /a HTTP/1.1\rHost: h\r\n\r\n", "400", ""},
		{"bare LF between lines", "GET /a HTTP/1.1\nHost: h\nX: y\n\n", "200 200", "GET /a HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n" + nextSent},
		{"NUL in a value", "GET /a HTTP/1.1\r\nHost: h\r\nX: a\x00b\r\n\r\n", "400", ""},
		{"space in a name", "GET /a HTTP/1.1\r\nHost: h\r\nX Y: 1\r\n\r\n", "400", ""},
		{"no name", "GET /a HTTP/1.1\r\nHost: h\r\n: 1\r\n\r\n", "400", ""},
		{"no colon", "GET /a HTTP/1.1\r\nHost: h\r\nnothing\r\n\r\n", "400", ""},
		{"no host", "GET /a HTTP/1.1\r\n\r\n", "400", ""},
		{"two hosts", "GET /a HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", "400", ""},
		{"a path in the host", "GET /a HTTP/1.1\r\nHost: h/../i\r\n\r\n", "400", ""},

		// Chunks.
		{"chunk extensions", chunked + "3;a=b\r\nabc\r\n0;c\r\n\r\n", "200", chunked + "3\r\nabc\r\n0\r\n\r\n"},
		{"framing in the trailers", post + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: i\r\n\r\n", "200",
			post + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"},
		{"framing announced as a trailer", post + "Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n0\r\nContent-Length: 9\r\n\r\n", "400", ""},

		// Request targets.
		{"fragment", "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"two spaces before the target", "GET  /a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"space behind the version", "GET /a HTTP/1.1 \r\nHost: h\r\n\r\n", "400", ""},
		{"asterisk for another method", "GET * HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"neither path nor URL", "GET a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"opaque URL", "GET http:a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"URL without a host", "GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"URL of another scheme", "GET ftp://PROXY/a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"https URL of the proxy itself", "GET https://PROXY/a HTTP/1.1\r\nHost: h\r\n\r\n", "403", ""},
		{"URL with a user", "GET http://u@PROXY/a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"another host behind the proxy's name", "GET http://PROXY@elsewhere.test/a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"another host behind a backslash", "GET http://PROXY\\@elsewhere.test/a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"another host, the Host header names the proxy", "GET http://elsewhere.test/a HTTP/1.1\r\nHost: PROXY\r\n\r\n", "403", ""},
		{"the proxy, the Host header names another", "GET http://PROXY HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n", "200 200", "GET / HTTP/1.1\r\nHost: PROXY\r\n\r\n" + nextSent},
		{"two slashes are a path", "GET //elsewhere.test/a HTTP/1.1\r\nHost: h\r\n\r\n", "200 200", "GET //elsewhere.test/a HTTP/1.1\r\nHost: h\r\n\r\n" + nextSent},
		{"a URL as a path", "GET /http://elsewhere.test/a HTTP/1.1\r\nHost: h\r\n\r\n", "200 200", "GET /http://elsewhere.test/a HTTP/1.1\r\nHost: h\r\n\r\n" + nextSent},
		{"encoded line ends stay encoded", "GET /a%0d%0aX:%20y HTTP/1.1\r\nHost: h\r\n\r\n", "200 200", "GET /a%0d%0aX:%20y HTTP/1.1\r\nHost: h\r\n\r\n" + nextSent},
		{"tunnel", "CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: elsewhere.test:443\r\n\r\n", "403", ""},
		{"tunnel to the proxy itself", "CONNECT PROXY HTTP/1.1\r\nHost: PROXY\r\n\r\n", "403", ""},
		{"tunnel to a path", "CONNECT /a HTTP/1.1\r\nHost: h\r\n\r\n", "403", ""},
		{"tunnel in small letters", "connect elsewhere.test:80 HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},

		// Versions and methods.
		{"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505", ""},
		{"HTTP/2 in text", "GET /a HTTP/2.0\r\nHost: h\r\n\r\n", "505", ""},
		{"upgrade to HTTP/2", "GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n", "200 200",
			"GET /a HTTP/1.1\r\nHost: h\r\n\r\n" + nextSent},
		{"no version", "GET /a\r\n\r\n", "400", ""},
		{"a later version", "GET /a HTTP/1.2\r\nHost: h\r\n\r\n", "200 200", "GET /a HTTP/1.1\r\nHost: h\r\n\r\n" + nextSent},
		{"space in the method", "G ET /a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"NUL in the method", "G\x00T /a HTTP/1.1\r\nHost: h\r\n\r\n", "400", ""},
		{"unknown expectation", post + "Expect: 200-ok\r\nContent-Length: 3\r\n\r\nabc", "417", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := newWire(t)
			d := newDeckAt(t, up.url(), nil)
			named := strings.NewReplacer("PROXY", strings.TrimPrefix(d.url, "http://"))
			answer := send(t, d, named.Replace(tt.request)+next)
			if got := statuses(answer); got != tt.want {
				t.Errorf("answered %s, want %s:\n%s", got, tt.want, answer)
			}
			recorded := len(d.exchanges(t))
			if want := strings.Count(tt.want, "200"); recorded != want {
				t.Errorf("%d exchanges recorded, want %d", recorded, want)
			}
			alive(t, d, recorded)
			d.stop(t)
			sent := strings.TrimSuffix(strings.Join(up.sent(), ""), aliveSent)
			if diff := cmp.Diff(named.Replace(tt.sent), sent); diff != "" {
				t.Errorf("the upstream was sent (-want +got):\n%s", diff)
			}
		})
	}
}

const aliveSent = "GET /alive HTTP/1.1\r\nHost: h\r\n\r\n"

// alive proves that a request passes and is recorded, beside as many as there were before.
func alive(t *testing.T, d *deck, before int) {
	t.Helper()
	if got := statuses(send(t, d, "GET /alive HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")); got != "200" {
		t.Errorf("the next client got %s", got)
	}
	all := d.exchanges(t)
	if len(all) != before+1 || all[before].Ended != tape.Complete || all[before].Request.URL != "/alive" {
		t.Errorf("the recorder does not live on: %d exchanges, want %d", len(all), before+1)
	}
}

// TestBrokenChunks sends bodies whose chunked coding is broken. What was sent on of them has no end, so no upstream can take it for
// a whole request, and the client is told.
func TestBrokenChunks(t *testing.T) {
	const head = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct{ name, body, sent string }{
		{"bare LF in an extension", "3;a\nb\r\nabc\r\n0\r\n\r\n", ""},
		{"bare LF behind a size", "3\nabc\n0\n\n", ""},
		{"no number", "xyz\r\nabc\r\n0\r\n\r\n", ""},
		{"hexadecimal prefix", "0x3\r\nabc\r\n0\r\n\r\n", ""},
		{"negative size", "-3\r\nabc\r\n0\r\n\r\n", ""},
		{"size beyond 64 bits", "10000000000000003\r\nabc\r\n0\r\n\r\n", ""},
		{"chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n", "2\r\nab\r\n"},
		{"chunk shorter than its size", "4\r\nabc\r\n0\r\n\r\n", "4\r\nabc\r\r\n"},
		{"endless extension", "3;" + strings.Repeat("x", 8<<10) + "\r\nabc\r\n0\r\n\r\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newWire(t)
			d := newDeckAt(t, up.url(), nil)
			answer := send(t, d, head+tt.body+next)
			if got := statuses(answer); got != "400" || !strings.Contains(answer, "the client broke off inside its request") {
				t.Errorf("answered %s", answer)
			}
			if x := d.only(t); x.Ended != tape.ClientGone || x.Cause == "" {
				t.Errorf("recorded %q (%s)", x.Ended, x.Cause)
			}
			alive(t, d, 1)
			d.stop(t)
			for _, sent := range up.sent() {
				if sent = strings.TrimSuffix(sent, aliveSent); !strings.HasPrefix(head+tt.sent, sent) {
					t.Errorf("the upstream was sent %q", sent)
				}
			}
		})
	}
}

// TestHugeHeads sends heads that would go on for 64 MB and measures what the proxy allocates for them.
func TestHugeHeads(t *testing.T) {
	const size = 64 << 20
	for _, tt := range []struct{ name, start, repeated string }{
		{"one value", "X: ", strings.Repeat("x", 64<<10)},
		{"many fields", "", strings.Repeat("X-Field: value\r\n", 4<<10)},
		{"one name", "", strings.Repeat("x", 64<<10)},
		{"one target", "?", strings.Repeat("x", 64<<10)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newWire(t)
			d := newDeckAt(t, up.url(), nil)
			conn := d.dial(t)
			conn.SetDeadline(time.Now().Add(20 * time.Second))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			go func() {
				if tt.start == "?" {
					io.WriteString(conn, "GET /a?")
				} else {
					io.WriteString(conn, "GET /a HTTP/1.1\r\nHost: h\r\n"+tt.start)
				}
				for n := 0; n < size; n += len(tt.repeated) {
					if _, err := io.WriteString(conn, tt.repeated); err != nil {
						return // refused by now
					}
				}
			}()
			answer := make([]byte, 1<<10)
			n, err := conn.Read(answer)
			runtime.ReadMemStats(&after)
			if got := statuses(string(answer[:n])); got != "431" {
				t.Errorf("answered %q, %v", answer[:n], err)
			}
			conn.Close()
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("%d KiB allocated for a head that is refused", used>>10)
			}
			alive(t, d, 0)
		})
	}
}

// TestSlowHeads lets many clients send their heads byte by byte. They are cut off, others are served meanwhile, and a body may take as
// long as it likes.
func TestSlowHeads(t *testing.T) {
	const limit = time.Second // within which the head of the slow body must be there, however busy the machine is
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%d", n)
	}), func(c *Config) { c.headTimeout = limit })
	dial := func() net.Conn {
		conn := d.dial(t)
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		return conn
	}
	const clients = 50
	cut := make(chan time.Duration, clients)
	for range clients {
		conn := dial()
		go func() {
			defer conn.Close()
			start := time.Now()
			for _, b := range []byte("GET /slow HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 1000)) {
				if _, err := conn.Write([]byte{b}); err != nil {
					break
				}
				time.Sleep(limit / 10)
			}
			cut <- time.Since(start)
		}()
	}
	conn := dial()
	fmt.Fprint(conn, "POST /body HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\nConnection: close\r\n\r\n")
	for range 8 {
		time.Sleep(limit / 4)
		fmt.Fprint(conn, "x")
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(answer), "\r\n\r\n8") {
		t.Errorf("a slow body was answered %q, %v", answer, err)
	}
	for range clients {
		if took := <-cut; took > 20*limit {
			t.Errorf("a slow head was borne for %v", took)
		}
	}
	if x := d.only(t); x.request != "xxxxxxxx" || x.Ended != tape.Complete {
		t.Errorf("recorded %q, %s", x.request, x.Ended)
	}
}
