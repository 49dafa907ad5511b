package proxy

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
	"github.com/exodeck/exodeck/proxy/tape"
)

// TestBugReports holds the proxy to the cases about recording that were made after reports of what other proxies do wrong. Each is played
// by an upstream, over sockets, through the proxy, to a client.
//
// How an exchange ended is on the tape as the connection shows it. Whether the answer in it is whole is told by whoever reads it: a stream
// without its last event that ended well (110) is complete here, and truncated to package score/conformance.
//
// Without the shared vectors the same ground is covered by TestPieceArrivesBeforeTheNextIsSent (105, 111, 112, 113), TestCompressedBodyIsNotDecoded
// (106, 120), TestClientGone (108, 109), TestUpstreamTruncated (110), TestLargeBodies (121), TestCredentialsStayOffTheTape (114),
// TestBytesPassUnchanged (all), and TestOddBytes below.
func TestBugReports(t *testing.T) {
	bugreports.Run(t, "proxy", bugreports.Tests{
		"105": testNotHeldBack,
		"106": testCodedBody,
		"108": testClientLeaves,
		"109": testClientLeaves,
		"110": testEndOfConnection,
		"111": testNoReplacement,
		"112": testPassesUnchanged,
		"113": testPassesUnchanged,
		"114": testCredentials,
		"120": testEmptyCodedBody,
		"121": testUpstreamClosesAtOnce,
		"122": testPassesUnchanged,
	})
}

// passed is a case that went through the proxy.
type passed struct {
	taken
	took []time.Duration
}

// pass plays a case through the proxy. All pieces must reach the client one by one, and must be on the tape as they are.
func pass(t *testing.T, c *bugreports.Case) passed {
	t.Helper()
	player := bugreports.NewPlayer(c)
	d := newDeck(t, player, nil)
	_, took := player.Ask(t, d.client.Transport, d.url) // which compares the bytes
	d.stop(t)
	p := passed{d.only(t), took}
	if want := string(c.Response.Bytes()); p.response != want {
		t.Errorf("recorded %d bytes, want %d: %.200q", len(p.response), len(want), p.response)
	}
	if p.request != string(c.Request) {
		t.Errorf("recorded the request %q", p.request)
	}
	var offsets, want []int64
	end := int64(0)
	for _, piece := range c.Response.Pieces() {
		want = append(want, end)
		end += int64(len(piece))
	}
	for _, piece := range p.Pieces {
		offsets = append(offsets, piece.Offset)
	}
	if diff := cmp.Diff(want, offsets); diff != "" {
		t.Errorf("recorded pieces (-want +got):\n%s", diff)
	}
	if c.Response.End != "client-closed" && p.Ended != tape.Complete {
		t.Errorf("recorded as %q (%s)", p.Ended, p.Cause)
	}
	return p
}

// testPassesUnchanged: the bytes that came are those that were sent, to the client and on the tape.
func testPassesUnchanged(t *testing.T, c *bugreports.Case) {
	var want struct {
		Recorded string `json:"recorded_bytes_sha256"`
		Exact    bool   `json:"raw_exact"`
	}
	if c.Expect.Record != nil { // 113 expects nothing beside its problems
		c.Record(t, &want)
	}
	p := pass(t, c)
	checkSum(t, "recorded", want.Recorded, p.response)
}

// checkSum compares bytes with the digest a case gives of them, if it gives one.
func checkSum(t *testing.T, what, want, got string) {
	t.Helper()
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(got))); want != "" && sum != want {
		t.Errorf("%s bytes have the digest %s, want %s", what, sum, want)
	}
}

func testNotHeldBack(t *testing.T, c *bugreports.Case) {
	var want struct {
		Client   string  `json:"client_bytes_sha256"`
		Recorded string  `json:"recorded_bytes_sha256"`
		Delay    float64 `json:"max_added_delay_ms"`
		Fault    string  `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	p := pass(t, c) // no piece is sent before the client has the one before it, nor the first before it has the head
	checkSum(t, "recorded", want.Recorded, p.response)
	checkSum(t, "client's", want.Client, string(c.Response.Bytes()))
	// The median, since a machine that is busy may hold up any one of them.
	slices.Sort(p.took)
	if median := p.took[len(p.took)/2]; median > time.Duration(want.Delay)*time.Millisecond {
		t.Errorf("a piece takes %v", median)
	}
}

// testCodedBody: the coded bytes are kept together with the header that says so. (The client may also do without a coding: package server.)
func testCodedBody(t *testing.T, c *bugreports.Case) {
	var want struct {
		Gzip    bool   `json:"raw_is_gzip"`
		Decoded string `json:"decoded_equals"`
		Fault   string `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	p := pass(t, c)
	if got := p.Response.Header.Get("Content-Encoding"); want.Gzip != (got == "gzip") {
		t.Errorf("recorded Content-Encoding %q", got)
	}
	z, err := gzip.NewReader(strings.NewReader(p.response))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(jsonOf(t, c.Response.Body), jsonOf(t, plain)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", want.Decoded, diff)
	}
}

func jsonOf(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// testClientLeaves: what had come is kept, with who left and when; the upstream learns of it, which pass waits for.
func testClientLeaves(t *testing.T, c *bugreports.Case) {
	var want struct {
		Recorded string `json:"recorded_bytes_sha256"`
		Complete bool
		By       string `json:"closed_by"`
		Cancel   bool   `json:"must_cancel_upstream"`
	}
	c.Record(t, &want)
	p := pass(t, c)
	checkSum(t, "recorded", want.Recorded, p.response)
	by := map[tape.Ended]string{tape.ClientGone: "client", tape.UpstreamTruncated: "upstream"}[p.Ended]
	if complete := p.Ended == tape.Complete; by != want.By || complete != want.Complete || p.Cause == "" {
		t.Errorf("recorded as %q (%s)", p.Ended, p.Cause)
	}
	if last := p.Pieces[len(p.Pieces)-1].At; p.Total < last {
		t.Errorf("the client left after %v, before the last piece came after %v", p.Total, last)
	}
}

// testEndOfConnection: the upstream ends the response well, so that is what is recorded and what the client sees. When it breaks off behind
// the same bytes, that is recorded and seen too.
func testEndOfConnection(t *testing.T, c *bugreports.Case) {
	var want struct {
		Complete bool
		By       string `json:"closed_by"`
	}
	c.Record(t, &want)
	if want.Complete || want.By != "upstream" {
		t.Errorf("the case expects %+v", want)
	}
	pass(t, c)
	body := string(c.Response.Bytes())
	up := newRawUpstream(t, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body))
	d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
	resp, err := d.client.Do(c.NewRequest(t, d.url))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); string(got) != body || err != io.ErrUnexpectedEOF {
		t.Errorf("the client got %q, %v", got, err)
	}
	if x := d.only(t); x.Ended != tape.UpstreamTruncated || x.response != body || x.Cause == "" {
		t.Errorf("recorded as %q (%s) with %d bytes", x.Ended, x.Cause, len(x.response))
	}
}

// testNoReplacement: characters that arrive in two reads stay whole.
func testNoReplacement(t *testing.T, c *bugreports.Case) {
	var want struct {
		Recorded string `json:"recorded_bytes_sha256"`
		Client   string `json:"client_bytes_sha256"`
		Fault    string `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	p := pass(t, c)
	checkSum(t, "recorded", want.Recorded, p.response)
	checkSum(t, "client's", want.Client, string(c.Response.Bytes()))
	if strings.Contains(p.response, "\ufffd") || !strings.Contains(p.response, "潮汐 🌊 ok") {
		t.Errorf("recorded %q", p.response)
	}
}

// testCredentials: the credentials of headers and of the query are not on the tape, in any of its files, nor are cookies. Bodies are kept
// to the byte, so that a secret in one stays until the tape is exported: package replay has that half of the case.
func testCredentials(t *testing.T, c *bugreports.Case) {
	var want struct {
		Not   []string `json:"must_not_contain"`
		Fault string   `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	player := bugreports.NewPlayer(c)
	asked := make(chan *http.Request, 1)
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Clone(r.Context())
		player.ServeHTTP(w, r)
	}), nil)
	resp, _ := player.Ask(t, d.client.Transport, d.url)
	sent := <-asked
	// They do reach the upstream, and the client.
	for name, value := range c.HTTP.Headers {
		if got := sent.Header.Get(name); got != value {
			t.Errorf("the upstream got %s %q, want %q", name, got, value)
		}
	}
	if got := resp.Header.Get("Set-Cookie"); got != c.Response.Headers["set-cookie"] || sent.RequestURI != c.HTTP.URL {
		t.Errorf("the client got the cookie %q, the upstream %s", got, sent.RequestURI)
	}
	d.stop(t)
	x := d.only(t)
	inBody := 0
	for _, secret := range want.Not {
		if strings.Contains(x.request, secret) {
			inBody++
			continue
		}
		for _, name := range tapeFiles(t, d.path) {
			if strings.Contains(readFile(t, name), secret) {
				t.Errorf("%s is in %s", secret, name)
			}
		}
	}
	if inBody != 1 || len(want.Not) != 6 {
		t.Errorf("%d of %d secrets are in the body of the request", inBody, len(want.Not))
	}
}

// testEmptyCodedBody: no bytes are not coded bytes that are broken.
func testEmptyCodedBody(t *testing.T, c *bugreports.Case) {
	p := pass(t, c)
	if p.Response.Status != 503 || p.Response.Body.Size != 0 || p.Response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("recorded %d with %d bytes and %v", p.Response.Status, p.Response.Body.Size, p.Response.Header)
	}
}

// testUpstreamClosesAtOnce: the upstream closes its connection right behind the last byte, in every way in which a body may end.
func testUpstreamClosesAtOnce(t *testing.T, c *bugreports.Case) {
	body := string(c.Response.Bytes())
	if len(body) < len(bugreports.Large) {
		t.Fatalf("a body of %d bytes", len(body))
	}
	for name, framed := range map[string]string{
		"end of connection": "\r\n" + body,
		"length":            fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body),
		"chunked":           fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body),
	} {
		t.Run(name, func(t *testing.T) {
			up := newRawUpstream(t, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"+framed)
			d := newDeckAt(t, "http://"+up.ln.Addr().String(), nil)
			resp, err := d.client.Do(c.NewRequest(t, d.url))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil || string(got) != body {
				t.Errorf("the client got %d bytes of %d, %v", len(got), len(body), err)
			}
			if x := d.only(t); x.Ended != tape.Complete || x.response != body {
				t.Errorf("recorded as %q (%s) with %d bytes", x.Ended, x.Cause, len(x.response))
			}
		})
	}
}

// TestOddBytes sends what a recorder that decodes would change: characters cut between two reads, bytes that are no characters, an event
// without its blank line, and no bytes in a coding.
func TestOddBytes(t *testing.T) {
	tests := []struct {
		name   string
		header map[string]string
		pieces []string
	}{
		{"cut inside a character", map[string]string{"Content-Type": "text/event-stream"}, []string{"data: \xe6", "\xbd", "\xae \xf0\x9f", "\x8c\x8a\n", "\n"}},
		{"no UTF-8", map[string]string{"Content-Type": "text/event-stream; charset=utf-8"}, []string{"data: mar\xe9e\n\n"}},
		{"no blank line at the end", map[string]string{"Content-Type": "text/event-stream"}, []string{"data: 1\n\n", "data: [DONE]"}},
		{"nothing, coded", map[string]string{"Content-Encoding": "gzip"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &bugreports.Case{API: "chat", Request: json.RawMessage(`{"stream":true}`)}
			c.Response.Status, c.Response.Headers = 200, tt.header
			for _, piece := range tt.pieces {
				c.Response.Add(piece)
			}
			pass(t, c)
		})
	}
}
