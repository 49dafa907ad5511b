package replay

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func TestStatusLine(t *testing.T) {
	tests := []struct {
		name     string
		response tape.Response
		want     string
	}{
		{"standard", tape.Response{Status: 404, Proto: "HTTP/1.1"}, "HTTP/1.1 404 Not Found"},
		{"none, as exo sends", tape.Response{Status: 404, NoReason: true, Proto: "HTTP/1.1"}, "HTTP/1.1 404 "},
		{"its own", tape.Response{Status: 404, Reason: "No Such Model", Proto: "HTTP/1.0"}, "HTTP/1.0 404 No Such Model"},
		{"a status nobody knows", tape.Response{Status: 299, NoReason: true, Proto: "HTTP/1.1"}, "HTTP/1.1 299 "},
		{"HTTP/2", tape.Response{Status: 200, Proto: "HTTP/2.0"}, "HTTP/2.0 200 OK"},
		{"no protocol kept", tape.Response{Status: 200}, "HTTP/1.1 200 OK"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp, _, err := get(t, one(t, nil, func(x *tape.Exchange) { x.Response = tt.response }), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Proto + " " + resp.Status; got != tt.want {
				t.Errorf("status line %q, want %q", got, tt.want)
			}
			if major, minor, _ := http.ParseHTTPVersion(resp.Proto); resp.ProtoMajor != major || resp.ProtoMinor != minor {
				t.Errorf("version %d.%d beside %s", resp.ProtoMajor, resp.ProtoMinor, resp.Proto)
			}
		})
	}
}

func TestResponseIsAsRecorded(t *testing.T) {
	const events = "data: {\"a\":1}\n\n: keep-alive\n\ndata: [DONE]\n\n"
	c := one(t, []byte(events), func(x *tape.Exchange) {
		x.Response.Header = http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}, "X-Two": {"a", "b"}}
		x.Response.Trailer = http.Header{"X-Sum": {"42"}}
		x.Total = 1234567 * time.Microsecond
	})
	req, err := http.NewRequest("GET", target, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if diff := cmp.Diff(http.Header{"X-Sum": nil}, resp.Trailer); diff != "" {
		t.Errorf("trailers before the end (-want +got)\n%s", diff)
	}
	if err := iotest.TestReader(resp.Body, []byte(events)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(http.Header{"X-Sum": {"42"}}, resp.Trailer); diff != "" {
		t.Errorf("trailers at the end (-want +got)\n%s", diff)
	}
	want := http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}, "X-Two": {"a", "b"}}
	if diff := cmp.Diff(want, resp.Header); diff != "" {
		t.Errorf("headers (-want +got)\n%s", diff)
	}
	if resp.ContentLength != -1 || resp.Request != req {
		t.Errorf("ContentLength %d, Request %p; want -1 and the request itself", resp.ContentLength, resp.Request)
	}
	src, ok := record.SourceOf(resp)
	if !ok {
		t.Fatal("the body does not tell its source")
	}
	if src.Exchange() != (tape.Ref{Session: "s1", Seq: 7}) || src.Elapsed() != 1234567*time.Microsecond {
		t.Errorf("source %v after %v", src.Exchange(), src.Elapsed())
	}
}

func TestHeadHasNoBody(t *testing.T) {
	f := &fakeTape{exchanges: []*tape.Exchange{{
		Request:  tape.Request{Method: "HEAD", URL: "/ollama/"},
		Response: tape.Response{Status: 200, Header: http.Header{"Content-Length": {"9"}, "Content-Encoding": {"gzip"}}},
		Ended:    tape.Complete,
	}}}
	resp, err := client(t, f, match.Default()).Head("http://localhost/ollama/")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if len(body) != 0 || err != nil || resp.ContentLength != 9 || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("body %q, error %v, length %d, headers %v", body, err, resp.ContentLength, resp.Header)
	}
}

func TestContentCoding(t *testing.T) {
	const plain = `{"choices":[]}`
	encode := func(w io.WriteCloser, buf *bytes.Buffer) []byte {
		if _, err := io.WriteString(w, plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	var g, d, b, z bytes.Buffer
	zw, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	encoded := map[string][]byte{
		"gzip":    encode(gzip.NewWriter(&g), &g),
		"deflate": encode(zlib.NewWriter(&d), &d),
		"br":      encode(brotli.NewWriter(&b), &b),
		"zstd":    encode(zw, &z),
		"snappy":  []byte("unknown bytes"),
	}
	tests := []struct {
		name, coding, accept string
		decoded              bool
	}{
		{"gzip", "gzip", "", true},
		{"deflate", "deflate", "", true},
		{"br", "br", "", true},
		{"zstd", "zstd", "", true},
		{"a coding nobody knows stays", "snappy", "", false},
		{"a client that asked for it decodes itself", "gzip", "gzip, br", false},
		{"a client that asked for another cannot", "zstd", "gzip", true},
		{"a client that asked for none cannot", "gzip", "identity", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := one(t, encoded[tt.coding], func(x *tape.Exchange) {
				x.Response.Header = http.Header{"Content-Encoding": {tt.coding}, "Content-Length": {"77"}}
			})
			header := http.Header{}
			if tt.accept != "" {
				header.Set("Accept-Encoding", tt.accept)
			}
			resp, body, err := get(t, c, header)
			if err != nil {
				t.Fatal(err)
			}
			want, wantHeader, length := plain, http.Header{}, int64(-1)
			if !tt.decoded {
				want, wantHeader, length = string(encoded[tt.coding]), http.Header{"Content-Encoding": {tt.coding}, "Content-Length": {"77"}}, 77
			}
			if body != want {
				t.Errorf("body %q, want %q", body, want)
			}
			if diff := cmp.Diff(wantHeader, resp.Header); diff != "" {
				t.Errorf("headers (-want +got)\n%s", diff)
			}
			if resp.ContentLength != length || resp.Uncompressed != tt.decoded {
				t.Errorf("ContentLength %d, Uncompressed %v", resp.ContentLength, resp.Uncompressed)
			}
		})
	}
}

// A stream that was cut inside its gzip data ends with the reason why it was cut, not with a decoder's complaint.
func TestContentCodingCutShort(t *testing.T) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	io.WriteString(w, "data: one\n\n")
	w.Flush()
	whole := buf.Len()
	io.WriteString(w, "data: two\n\n")
	w.Close()
	c := one(t, buf.Bytes()[:whole+3], func(x *tape.Exchange) {
		x.Response.Header = http.Header{"Content-Encoding": {"gzip"}}
		x.Ended = tape.ClientGone
	})
	_, body, err := get(t, c, nil)
	var incomplete *IncompleteError
	if !strings.HasPrefix(body, "data: one\n\n") || !errors.As(err, &incomplete) {
		t.Errorf("body %q, error %v; want the first event and an IncompleteError", body, err)
	}
}

func TestContext(t *testing.T) {
	c := one(t, []byte("0123456789"), nil)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", target, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := resp.Body.Read(make([]byte, 5)); !errors.Is(err, context.Canceled) {
		t.Errorf("reading on: %v, want %v", err, context.Canceled)
	}
	if _, err := c.Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("asking on: %v, want %v", err, context.Canceled)
	}
}

func TestReadAfterClose(t *testing.T) {
	c := one(t, []byte("0123456789"), nil)
	resp, err := c.Get(target)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 5)); err != http.ErrBodyReadAfterClose {
		t.Errorf("error %v, want %v", err, http.ErrBodyReadAfterClose)
	}
}

func TestRequestBodyIsClosed(t *testing.T) {
	for _, name := range []string{"asked", "cancelled", "broken"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var r io.Reader = strings.NewReader("{}")
			switch name {
			case "cancelled":
				cancel()
			case "broken":
				r = iotest.ErrReader(errors.New("cannot read"))
			}
			body := &closeNoting{Reader: r}
			req, err := http.NewRequestWithContext(ctx, "POST", target, body)
			if err != nil {
				t.Fatal(err)
			}
			transport, err := NewTransport(t.Context(), &fakeTape{}, match.Default())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := transport.RoundTrip(req); err == nil {
				t.Error("no error")
			}
			if !body.closed {
				t.Error("the request body was not closed")
			}
		})
	}
}

type closeNoting struct {
	io.Reader
	closed bool
}

func (c *closeNoting) Close() error {
	c.closed = true
	return nil
}

func TestMiss(t *testing.T) {
	c := one(t, nil, nil)
	_, err := c.Post("http://localhost:52415/v1/messages", "application/json", strings.NewReader(`{"model":"m","max_tokens":1,"messages":[]}`))
	var miss *match.Miss
	if !errors.As(err, &miss) || !miss.Missing() || miss.API != tape.Claude {
		t.Fatalf("error %v, want a miss of a Claude call", err)
	}
	var missing interface{ Missing() bool }
	if !errors.As(err, &missing) {
		t.Error("the miss is lost in http.Client's own error")
	}
	if r := c.Transport.(*Transport).Report(); len(r.Missed) != 1 || len(r.Unused) != 1 {
		t.Errorf("report: %s", r)
	}
}
