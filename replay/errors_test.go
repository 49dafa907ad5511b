package replay

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

func TestEndings(t *testing.T) {
	reset := "read tcp 127.0.0.1:5000->127.0.0.1:52415: read: connection reset by peer"
	tests := []struct {
		name    string
		ended   tape.Ended
		cause   string
		is      error  // what errors.Is finds; nil for nothing
		text    string // of the error
		timeout bool
	}{
		{"truncated", tape.UpstreamTruncated, "unexpected EOF", io.ErrUnexpectedEOF, "unexpected EOF", false},
		{"truncated, no cause", tape.UpstreamTruncated, "", io.ErrUnexpectedEOF, "unexpected EOF", false},
		{"truncated by a reset", tape.UpstreamTruncated, reset, syscall.ECONNRESET, reset, false},
		{"truncated in a way of its own", tape.UpstreamTruncated, "malformed chunked encoding", io.ErrUnexpectedEOF, "malformed chunked encoding", false},
		{"upstream error after the head", tape.UpstreamError, reset, syscall.ECONNRESET, reset, false},
		{"client gone", tape.ClientGone, "context canceled", context.Canceled,
			"exchange s1/7 is incomplete: its client went away before the response had ended: context canceled", false},
		{"client out of patience", tape.ClientGone, "context deadline exceeded", context.DeadlineExceeded,
			"exchange s1/7 is incomplete: its client went away before the response had ended: context deadline exceeded", true},
		{"a suite out of patience", tape.ClientGone, "timed out", os.ErrDeadlineExceeded,
			"exchange s1/7 is incomplete: its client went away before the response had ended: timed out", true},
		{"interrupted", tape.Interrupted, "", nil, "exchange s1/7 is incomplete: its recorder was stopped before the response had ended", false},
		{"recorder error", tape.RecorderError, "disk full", nil, "exchange s1/7 is incomplete: its recorder could not keep all of it: disk full", false},
		{"in flight", tape.InFlight, "", nil, "exchange s1/7 is incomplete: it is still being recorded", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := one(t, []byte("half of it"), func(x *tape.Exchange) { x.Ended, x.Cause = tt.ended, tt.cause })
			_, body, err := get(t, c, nil)
			if body != "half of it" {
				t.Errorf("body %q, want all recorded bytes", body)
			}
			if err == nil || err.Error() != tt.text {
				t.Errorf("error %v\nwant  %s", err, tt.text)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("errors.Is(%v, %v) is false", err, tt.is)
			}
			if got := os.IsTimeout(err); got != tt.timeout {
				t.Errorf("timeout %v, want %v", got, tt.timeout)
			}
			var incomplete *IncompleteError
			if errors.As(err, &incomplete) && (incomplete.Ended != tt.ended || incomplete.Exchange.Seq != 7) {
				t.Errorf("incomplete %+v", incomplete)
			}
		})
	}
}

func TestEndingsWithoutResponse(t *testing.T) {
	for _, ended := range []tape.Ended{tape.Complete, tape.ClientGone, tape.UpstreamError, tape.UpstreamTruncated, tape.Interrupted, tape.RecorderError, tape.InFlight} {
		c := one(t, nil, func(x *tape.Exchange) {
			x.Ended = ended
			x.Response = tape.Response{}
		})
		if _, _, err := get(t, c, nil); err == nil {
			t.Errorf("ended %q without a response: no error", ended)
		}
	}
}

// An upstream that fails gives the same error offline as it gave live: the same text, the same kind.
func TestUpstreamErrorsReadAsLive(t *testing.T) {
	// A server that treats each connection as its test wants.
	serve := func(handle func(*net.TCPConn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				handle(c.(*net.TCPConn))
			}
		}()
		return "http://" + l.Addr().String()
	}
	readHead := func(c *net.TCPConn) { c.Read(make([]byte, 4096)) }
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)

	tests := []struct {
		name    string
		url     string
		client  *http.Client
		is      error
		timeout bool
	}{
		// Nothing listens there. A port that was just freed would be given to the next listener, and then be alive.
		{"refused", "http://127.0.0.1:1", &http.Client{}, syscall.ECONNREFUSED, false},
		{"closed without an answer", serve(func(c *net.TCPConn) { readHead(c); c.Close() }), &http.Client{}, io.EOF, false},
		{"reset", serve(func(c *net.TCPConn) { readHead(c); c.SetLinger(0); c.Close() }), &http.Client{}, syscall.ECONNRESET, false},
		{"slow head", slow.URL, &http.Client{Transport: &http.Transport{ResponseHeaderTimeout: 20 * time.Millisecond}}, nil, true},
		{"not HTTP", serve(func(c *net.TCPConn) { readHead(c); io.WriteString(c, "hello\r\n\r\n"); c.Close() }), &http.Client{}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, live := tt.client.Get(tt.url + "/models")
			var wrapped *url.Error
			if !errors.As(live, &wrapped) {
				t.Fatalf("live error %v", live)
			}
			c := one(t, nil, func(x *tape.Exchange) {
				x.Response = tape.Response{}
				x.Ended, x.Cause = tape.UpstreamError, wrapped.Err.Error()
			})
			_, offline := c.Get(tt.url + "/models")
			if offline == nil || offline.Error() != live.Error() {
				t.Errorf("offline %v\nlive    %v", offline, live)
			}
			if tt.is != nil && (!errors.Is(live, tt.is) || !errors.Is(offline, tt.is)) {
				t.Errorf("is %v: live %v, offline %v", tt.is, errors.Is(live, tt.is), errors.Is(offline, tt.is))
			}
			if os.IsTimeout(live) != tt.timeout || os.IsTimeout(offline) != tt.timeout {
				t.Errorf("timeout: live %v, offline %v, want %v", os.IsTimeout(live), os.IsTimeout(offline), tt.timeout)
			}
			var u *UpstreamError
			if !errors.As(offline, &u) || u.Exchange.Seq != 7 {
				t.Errorf("offline error %#v is no UpstreamError of exchange 7", offline)
			}
		})
	}
}

func TestUpstreamErrorKinds(t *testing.T) {
	tests := []struct {
		cause   string
		is      error
		timeout bool
	}{
		{"dial tcp [::1]:52415: connect: connection refused", syscall.ECONNREFUSED, false},
		{"dial tcp 127.0.0.1:52415: connectex: No connection could be made because the target machine actively refused it.", syscall.ECONNREFUSED, false},
		{"dial tcp 10.0.0.9:52415: connect: no route to host", syscall.EHOSTUNREACH, false},
		{"dial tcp 10.0.0.9:52415: connect: network is unreachable", syscall.ENETUNREACH, false},
		{"dial tcp 10.0.0.9:52415: i/o timeout", os.ErrDeadlineExceeded, true},
		{"dial tcp 10.0.0.9:52415: connect: connection timed out", syscall.ETIMEDOUT, true},
		{"write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe", syscall.EPIPE, false},
		{"net/http: timeout awaiting response headers", nil, true},
		{"net/http: TLS handshake timeout", nil, true},
		{"http: server closed idle connection", io.EOF, false},
		{"unexpected EOF", io.ErrUnexpectedEOF, false},
		{"something new", nil, false},
		{"", nil, false},
	}
	for _, tt := range tests {
		err := &UpstreamError{Cause: tt.cause}
		if tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%q is not %v", tt.cause, tt.is)
		}
		if tt.is == nil && errors.Unwrap(err) != nil {
			t.Errorf("%q unwraps to %v, want nothing", tt.cause, errors.Unwrap(err))
		}
		if err.Timeout() != tt.timeout {
			t.Errorf("%q: timeout %v, want %v", tt.cause, err.Timeout(), tt.timeout)
		}
		if !strings.Contains(err.Error(), tt.cause) || err.Error() == "" {
			t.Errorf("%q reads %q", tt.cause, err.Error())
		}
	}
	var dns *net.DNSError
	if err := (&UpstreamError{Cause: "dial tcp: lookup exo.local: no such host"}); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("%v is no DNS error", err)
	}
}
