package show

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

func TestRaw(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    taped
		want string
	}{
		{"no bodies", recorded("/models", "", 204, "", "", func(x *taped) { x.Response.Header = nil }),
			"GET /models HTTP/1.1\r\nHost: localhost:52415\r\n\r\n" +
				"HTTP/1.1 204 \r\n\r\n"},
		{"bodies", recorded("/instance", "{\"a\":\x00\xff}\n", 200, asJSON, "{}", nil),
			"POST /instance HTTP/1.1\r\nHost: localhost:52415\r\nContent-Type: application/json\r\n\r\n{\"a\":\x00\xff}\n" +
				"\r\n\r\nHTTP/1.1 200 \r\nContent-Type: application/json\r\n\r\n{}"},
		{"no response", recorded("/instance", "{}", 0, "", "", nil),
			"POST /instance HTTP/1.1\r\nHost: localhost:52415\r\nContent-Type: application/json\r\n\r\n{}"},
		{"headers and trailers", recorded("/x", "", 200, "", "b", func(x *taped) {
			x.Request.Header = http.Header{"X-B": {"2", "1"}, "X-A": {"ä"}}
			x.Request.Trailer = http.Header{"X-T": {"1"}}
			x.Response.Header = http.Header{"Set-Cookie": {"[fingerprint:0123456789abcdef]"}}
			x.Response.Trailer = http.Header{"X-U": {"2"}}
			x.Response.Proto, x.Response.NoReason = "HTTP/1.0", false
		}), "GET /x HTTP/1.1\r\nHost: localhost:52415\r\nX-A: ä\r\nX-B: 2\r\nX-B: 1\r\n\r\n\r\nX-T: 1\r\n" +
			"HTTP/1.0 200 OK\r\nSet-Cookie: [fingerprint:0123456789abcdef]\r\n\r\nb\r\nX-U: 2\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Raw(t.Context(), &b, tt.x, tt.x.Exchange); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestPhrase(t *testing.T) {
	for _, tt := range []struct {
		response tape.Response
		want     string
	}{
		{tape.Response{Status: 404}, "Not Found"},
		{tape.Response{Status: 404, NoReason: true}, ""},
		{tape.Response{Status: 404, Reason: "Gone Fishing"}, "Gone Fishing"},
		{tape.Response{Status: 799}, ""},
	} {
		if got := Phrase(tt.response); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.response, got, tt.want)
		}
	}
}

// zeros hands out every body as zeros of its size.
type zeros struct{}

func (zeros) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(io.LimitReader(zeros{}, b.Size)), nil
}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// counter counts what is written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// TestLargeBodies prints bodies of which only a part is read into memory elsewhere: bytes are never left out in silence.
func TestLargeBodies(t *testing.T) {
	const size = reading.MaxBody + 1
	x := recorded("/upload", "{}", 200, asJSON, "{}", nil).Exchange
	x.Request.Body.Size, x.Response.Body.Size = size, size
	var raw, curl counter
	if err := Raw(t.Context(), &raw, zeros{}, x); err != nil || raw < 2*size || raw > 2*size+1000 {
		t.Errorf("Raw printed %d bytes of two bodies of %d, %v", raw, size, err)
	}
	if err := Curl(t.Context(), &curl, zeros{}, x); err != nil || curl < size/3*4 || curl > size/3*4+1000 {
		t.Errorf("Curl printed %d bytes for a body of %d, %v", curl, size, err)
	}
	read, err := reading.Of(t.Context(), zeros{}, x)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Conversation(&b, read); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"request body: 67108865 bytes of application/json; --raw prints them", "and 67104769 bytes more; --raw prints all"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%.500s", want, b.String())
		}
	}
}
