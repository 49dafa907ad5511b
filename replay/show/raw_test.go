package show

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
)

func TestRaw(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    Exchange
		want string
	}{
		{"no bodies", recorded("/models", "", 204, "", "", func(x *Exchange) { x.Response.Header = nil }),
			"GET /models HTTP/1.1\r\nHost: localhost:52415\r\n\r\n" +
				"HTTP/1.1 204 \r\n\r\n"},
		{"bodies", recorded("/instance", "{\"a\":\x00\xff}\n", 200, asJSON, "{}", nil),
			"POST /instance HTTP/1.1\r\nHost: localhost:52415\r\nContent-Type: application/json\r\n\r\n{\"a\":\x00\xff}\n" +
				"\r\n\r\nHTTP/1.1 200 \r\nContent-Type: application/json\r\n\r\n{}"},
		{"no response", recorded("/instance", "{}", 0, "", "", nil),
			"POST /instance HTTP/1.1\r\nHost: localhost:52415\r\nContent-Type: application/json\r\n\r\n{}"},
		{"headers and trailers", recorded("/x", "", 200, "", "b", func(x *Exchange) {
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
			if err := Raw(&b, tt.x); err != nil {
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
