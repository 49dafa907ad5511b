package proxy

import (
	"bufio"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

var large = flag.Int64("large", 100<<20, "size of the large bodies in bytes; 1073741824 is the full test")

func TestExpectContinue(t *testing.T) {
	for _, tt := range []struct {
		name string
		take bool
	}{{"taken", true}, {"refused", false}} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !tt.take {
					w.WriteHeader(http.StatusExpectationFailed)
					return
				}
				body, _ := io.ReadAll(r.Body)
				w.Write(body)
			}), nil)
			conn := d.dial(t)
			br := bufio.NewReader(conn)
			fmt.Fprint(conn, "POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
			line, err := br.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if !tt.take {
				if !strings.HasPrefix(line, "HTTP/1.1 417") {
					t.Errorf("got %q", line)
				}
				return
			}
			if line != "HTTP/1.1 100 Continue\r\n" {
				t.Fatalf("got %q", line)
			}
			br.ReadString('\n')
			fmt.Fprint(conn, "body")
			resp, err := http.ReadResponse(br, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "body" {
				t.Errorf("%q, %v", body, err)
			}
			if x := d.only(t); x.request != "body" || x.response != "body" {
				t.Errorf("recorded %q → %q", x.request, x.response)
			}
		})
	}
}

// TestExpectContinueIgnored asks an upstream that knows nothing of the expectation: the body has to reach it all the same, and soon.
func TestExpectContinueIgnored(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			io.Copy(io.Discard, r.Body)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		}
	}()
	d := newDeckAt(t, "http://"+ln.Addr().String(), nil)
	r, err := http.NewRequest("POST", d.url+"/v1/messages", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Expect", "100-continue")
	began := time.Now()
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "hi" {
		t.Errorf("%q, %v", body, err)
	}
	if took := time.Since(began); took > continueTimeout+3*time.Second {
		t.Errorf("the body was held back for %v", took)
	}
}

func TestWebSocketUpgrade(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Sec-WebSocket-Key") != "abc" {
			http.Error(w, "no upgrade", http.StatusBadRequest)
			return
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: def\r\n\r\n")
		rw.Flush()
		for {
			line, err := rw.ReadString('\n')
			if err != nil || line == "end\n" {
				return
			}
			fmt.Fprint(rw, "echo "+line)
			rw.Flush()
		}
	}), nil)
	conn := d.dial(t)
	br := bufio.NewReader(conn)
	fmt.Fprint(conn, "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: abc\r\n\r\nfirst\n")
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-WebSocket-Accept") != "def" {
		t.Fatalf("status %d, %v", resp.StatusCode, resp.Header)
	}
	if line, err := br.ReadString('\n'); err != nil || line != "echo first\n" {
		t.Fatalf("%q, %v", line, err)
	}
	fmt.Fprint(conn, "second\n")
	if line, err := br.ReadString('\n'); err != nil || line != "echo second\n" {
		t.Fatalf("%q, %v", line, err)
	}
	fmt.Fprint(conn, "end\n")
	if rest, err := io.ReadAll(br); err != nil || len(rest) > 0 {
		t.Errorf("the upstream's end did not reach the client: %q, %v", rest, err)
	}
	d.stop(t)
	if x := d.only(t); x.Response.Status != 101 || x.response != "echo first\necho second\n" || x.request != "first\nsecond\nend\n" || x.Ended != tape.Complete {
		t.Errorf("recorded status %d, %q → %q, %s (%s)", x.Response.Status, x.request, x.response, x.Ended, x.Cause)
	}
}

// TestStopEndsUpgrades makes sure that an idle relay does not keep a stopped server.
func TestStopEndsUpgrades(t *testing.T) {
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		rw.Flush()
		rw.ReadByte()
	}), nil)
	conn := d.dial(t)
	fmt.Fprint(conn, "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
	br := bufio.NewReader(conn)
	if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != 101 {
		t.Fatal(resp, err)
	}
	d.cancel()
	d.server.Stop()
	if _, err := br.ReadByte(); err == nil {
		t.Error("the relay goes on")
	}
	d.stop(t)
}

// repeat yields n bytes without holding them.
type repeat struct {
	left int64
	seed byte
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.left)]
	for i := range p {
		r.seed = r.seed*167 + 13
		p[i] = r.seed
	}
	r.left -= int64(len(p))
	return len(p), nil
}

// TestLargeBodies sends a body of -large bytes up and gets one back, both recorded, in bounded memory.
func TestLargeBodies(t *testing.T) {
	debug.FreeOSMemory()
	up := sha256.New()
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(up, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.Copy(w, &repeat{left: *large, seed: 7})
	}), nil)
	resp, err := d.client.Post(d.url+"/upload", "application/octet-stream", &repeat{left: *large, seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	down := sha256.New()
	var peak int64
	buf := make([]byte, 1<<20)
	for {
		n, err := io.ReadFull(resp.Body, buf)
		down.Write(buf[:n])
		peak = max(peak, residentMemory())
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	d.stop(t)
	t.Logf("peak resident memory %d MiB for two bodies of %d MiB", peak>>20, *large>>20)
	if peak > 200<<20 {
		t.Errorf("peak resident memory %d MiB, want under 200 MiB", peak>>20)
	}
	tp, err := tape.Open(t.Context(), d.path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	for x, err := range tp.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Ended != tape.Complete || x.Request.Body.Size != *large || x.Response.Body.Size != *large {
			t.Errorf("%s (%s): %d bytes up, %d down", x.Ended, x.Cause, x.Request.Body.Size, x.Response.Body.Size)
		}
		for _, b := range []struct {
			body tape.Body
			want []byte
		}{{x.Request.Body, up.Sum(nil)}, {x.Response.Body, down.Sum(nil)}} {
			rc, err := tp.Body(t.Context(), b.body)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.New()
			if _, err := io.Copy(sum, rc); err != nil {
				t.Error(err)
			}
			rc.Close()
			if diff := cmp.Diff(b.want, sum.Sum(nil)); diff != "" || !cmp.Equal(b.want, b.body.SHA256[:]) {
				t.Errorf("the body on the tape is another one")
			}
		}
	}
}

// TestCredentialsStayOffTheTape sends secrets in every place that is redacted.
func TestCredentialsStayOffTheTape(t *testing.T) {
	secrets := map[string]string{
		"Authorization":       "Bearer sk-canary-authorization",
		"X-Api-Key":           "canary-x-api-key",
		"Api-Key":             "canary-api-key",
		"Cookie":              "session=canary-cookie",
		"Proxy-Authorization": "Basic canary-proxy",
		"X-Mine":              "canary-mine",
	}
	var got http.Header
	var query string
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, query = r.Header, r.URL.RawQuery
		w.Header().Set("Set-Cookie", "canary-set-cookie")
	}), func(c *Config) { c.Redactor.Headers = []string{"x-mine"} })
	req, _ := http.NewRequest("GET", d.url+"/v1/models?key=canary-key&Token=canary-token&plain=kept", nil)
	for name, value := range secrets {
		req.Header.Set(name, value)
	}
	req.Header.Add(record.LabelHeader, "suite=exo")
	req.Header.Add(record.LabelHeader, "sample=a b=c")
	resp, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for name, value := range secrets {
		if got.Get(name) != value {
			t.Errorf("the upstream got %s %q", name, got.Get(name))
		}
	}
	if query != "key=canary-key&Token=canary-token&plain=kept" || resp.Header.Get("Set-Cookie") != "canary-set-cookie" {
		t.Errorf("passed on: %q, %v", query, resp.Header)
	}
	if got.Get(record.LabelHeader) != "" {
		t.Error("labels were passed on")
	}
	x := d.only(t)
	if diff := cmp.Diff(map[string]string{"suite": "exo", "sample": "a b=c"}, x.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if !strings.Contains(x.Request.URL, "plain=kept") {
		t.Errorf("recorded URL %q", x.Request.URL)
	}
	if v := x.Request.Header.Get("Authorization"); !strings.HasPrefix(v, "Bearer [fingerprint:") {
		t.Errorf("recorded Authorization %q", v)
	}
	d.stop(t)
	assertNowhere(t, d.path, "canary")
}

// assertNowhere looks for text in the bytes of a tape and the files beside it.
func assertNowhere(t *testing.T, path, text string) {
	t.Helper()
	for _, name := range tapeFiles(t, path) {
		if strings.Contains(readFile(t, name), text) {
			t.Errorf("%s holds %q", name, text)
		}
	}
}

// TestSlowReader lets a client read nothing for a while: the upstream has to wait for it, and nothing piles up in memory.
func TestSlowReader(t *testing.T) {
	const size = 64 << 20
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, &repeat{left: size}) }), nil)
	resp, err := d.client.Get(d.url + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if stats := d.tape.Recorder.Stats(); stats.BodyBytes > size/2 {
		t.Errorf("%d bytes were taken from the upstream although the client reads none", stats.BodyBytes)
	}
	if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != size-1000 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
