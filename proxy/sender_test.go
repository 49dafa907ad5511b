package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// trust has a sender trust the certificate of a test server.
func (s *sender) trust(srv *httptest.Server) {
	roots := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	s.kept.TLSClientConfig.RootCAs = roots // which is fresh's too
}

// TestNothingWritten makes sure that a request is sent on a new connection when the kept one ended before its first byte was
// written. net/http has the request in its buffers by then, and would give up. Over TLS, the end is a message of its own, and so is
// what closing the connection sends.
func TestNothingWritten(t *testing.T) {
	srv := httptest.NewTLSServer(nil)
	t.Cleanup(srv.Close)
	for _, tt := range []struct {
		name, method, body string
		secure             *tls.Config
	}{
		{"POST", "POST", "tide", nil},
		{"POST without a body", "POST", "", nil},
		{"GET", "GET", "", nil},
		{"GET with a body", "GET", "tide", nil},
		{"DELETE", "DELETE", "", nil},
		{"POST over TLS", "POST", "tide", srv.TLS},
		{"POST without a body over TLS", "POST", "", srv.TLS},
		{"GET over TLS", "GET", "", srv.TLS},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newClosingServer(t, &closingServer{secure: tt.secure})
			var log strings.Builder
			s := newSender(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
			defer s.close()
			s.trust(srv)
			send := func(before func(*keptConn)) {
				t.Helper()
				conn, trace := new(connection), new(httptrace.ClientTrace)
				conn.trace(trace)
				// Now the head of the request is in a buffer of net/http.
				trace.WroteHeaders = func() { before(conn.kept) }
				r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), tt.method, up.address+"/n", strings.NewReader(tt.body))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := s.send(r, conn)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			send(func(*keptConn) {})
			attempted := false
			send(func(kept *keptConn) {
				if kept == nil {
					return // the second attempt
				}
				attempted = true
				up.close()
				for start := time.Now(); !kept.ended.Load(); time.Sleep(time.Millisecond) {
					if time.Since(start) > 5*time.Second {
						t.Error("the end of the kept connection was not noticed")
						return
					}
				}
			})
			if !attempted {
				t.Error("no attempt was made on the kept connection")
			}
			asked := tt.method + " /n " + tt.body
			if diff := cmp.Diff([]string{asked + " on 0.0", asked + " on 1.0"}, up.requests()); diff != "" {
				t.Errorf("what the upstream was asked (-want +got):\n%s", diff)
			}
			if tt.body == "" {
				return // net/http repeats what has no body itself, when it has noticed the end itself
			}
			if !strings.Contains(log.String(), "on a new connection") {
				t.Errorf("the second attempt is not in the log: %s", log.String())
			}
			send(func(kept *keptConn) {
				if kept != nil {
					t.Error("the second attempt was made on a connection of those that are kept")
				}
			})
		})
	}
}

// TestLeavingIsNoLoss: a client that leaves while its request waits on a kept connection has not lost the request to the upstream.
func TestLeavingIsNoLoss(t *testing.T) {
	asked := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			close(asked)
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)
	s := newSender(slog.New(slog.DiscardHandler))
	defer s.close()
	send := func(ctx context.Context, path string) (*connection, error) {
		conn, trace := new(connection), new(httptrace.ClientTrace)
		conn.trace(trace)
		r, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), "POST", srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.send(r, conn)
		if err == nil {
			resp.Body.Close()
		}
		return conn, err
	}
	if _, err := send(t.Context(), "/"); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-asked
		leave()
	}()
	conn, err := send(ctx, "/wait")
	if conn.kept == nil {
		t.Error("the request was not sent on the kept connection")
	}
	if _, lost := errors.AsType[*lostError](err); lost || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestKeptConn: the connection is not written to when its end came before a request, and still is when the end came inside of one: an
// upstream may say its last word first, and read on.
func TestKeptConn(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := &keptConn{Conn: ours}
	written := make(chan string, 2)
	go func() {
		for p := make([]byte, 8); ; {
			n, err := theirs.Read(p)
			if err != nil {
				close(written)
				return
			}
			written <- string(p[:n])
		}
	}()
	c.unused.Store(true)
	c.ended.Store(true)
	if n, err := c.Write([]byte("a")); n != 0 || err != errEnded || !c.unused.Load() {
		t.Errorf("behind the end, %d bytes and %v; unused %v", n, err, c.unused.Load())
	}
	c.ended.Store(false)
	if n, err := c.Write([]byte("b")); n != 1 || err != nil || c.unused.Load() || <-written != "b" {
		t.Errorf("before the end, %d bytes and %v; unused %v", n, err, c.unused.Load())
	}
	c.ended.Store(true)
	if n, err := c.Write([]byte("c")); n != 1 || err != nil || <-written != "c" {
		t.Errorf("inside of a request, %d bytes and %v", n, err)
	}
	c.unused.Store(true)
	c.ended.Store(false)
	ours.Close()
	if n, err := c.Write([]byte("d")); n != 0 || err == nil || !c.unused.Load() {
		t.Errorf("to a closed connection, %d bytes and %v; unused %v", n, err, c.unused.Load())
	}
	if _, err := c.Read(make([]byte, 1)); err == nil || !c.ended.Load() {
		t.Errorf("the end was not noticed: %v", err)
	}
	if _, more := <-written; more {
		t.Error("more was written than that")
	}
}

// TestKeptConnThatIsReset: a reset inside of a request is no failure of writing yet, but one before its first byte is, and nothing is
// written behind it.
func TestKeptConnThatIsReset(t *testing.T) {
	c := &keptConn{Conn: &hastyConn{written: 1, refused: make(chan struct{})}} // which is written to no more
	c.unused.Store(true)
	if n, err := c.Write([]byte("a")); n != 0 || !errors.Is(err, syscall.ECONNRESET) || !c.unused.Load() {
		t.Errorf("before a request, %d bytes and %v; unused %v", n, err, c.unused.Load())
	}
	c.unused.Store(false)
	if n, err := c.Write([]byte("b")); n != 1 || err != nil {
		t.Errorf("inside of a request, %d bytes and %v", n, err)
	}
	c.unused.Store(true)
	if n, err := c.Write([]byte("c")); n != 0 || err != errEnded {
		t.Errorf("before the next one, %d bytes and %v", n, err)
	}
}

// hastyConn is a connection to a server that answers when it has read the head of a request, and then refuses to read on.
type hastyConn struct {
	net.Conn // nil
	answer   string
	written  int
	refused  chan struct{}
}

func (c *hastyConn) Write(p []byte) (int, error) {
	if c.written += len(p); c.written == len(p) {
		return len(p), nil
	}
	select {
	case <-c.refused:
	default:
		close(c.refused)
	}
	return 0, &net.OpError{Op: "write", Net: "tcp", Err: syscall.ECONNRESET}
}

func (c *hastyConn) Read(p []byte) (int, error) {
	<-c.refused
	time.Sleep(20 * time.Millisecond) // the answer is read when the request has failed to be written
	n := copy(p, c.answer)
	if c.answer = c.answer[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *hastyConn) Close() error { return nil }

// TestAnsweredBeforeTheRequestWasRead: a server that answers a request which is too large for it, and closes, is heard; one that only
// closes has failed.
func TestAnsweredBeforeTheRequestWasRead(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		status       int
	}{
		{"answered", "HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge", http.StatusRequestEntityTooLarge},
		{"closed", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSender(slog.New(slog.DiscardHandler))
			defer s.close()
			s.fresh.DialContext = func(context.Context, string, string) (net.Conn, error) {
				return &keptConn{Conn: &hastyConn{answer: tt.answer, refused: make(chan struct{})}}, nil
			}
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://up.test/", io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20))))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := s.send(r, &connection{first: true})
			if tt.status == 0 {
				if !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); resp.StatusCode != tt.status || string(body) != "large" || err != nil {
				t.Errorf("status %d, %q, %v", resp.StatusCode, body, err)
			}
		})
	}
}

// TestKeptForLessThanServersKeep: hypercorn and llama.cpp close connections that were idle for 5 s. By then they are given up here.
func TestKeptForLessThanServersKeep(t *testing.T) {
	for _, tt := range []struct {
		pause time.Duration
		kept  bool
	}{{3 * time.Second, true}, {4900 * time.Millisecond, false}} {
		t.Run(tt.pause.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, up := newSender(slog.New(slog.DiscardHandler)), new(closingServer)
				dialled := 0
				s.kept.DialContext = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go up.serve(theirs, dialled)
					dialled++
					return &keptConn{Conn: ours}, nil
				}
				for range 2 {
					conn, trace := new(connection), new(httptrace.ClientTrace)
					conn.trace(trace)
					r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "POST", "http://up.test/", nil)
					if err != nil {
						t.Fatal(err)
					}
					resp, err := s.send(r, conn)
					if err != nil {
						t.Fatal(err)
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					time.Sleep(tt.pause)
				}
				if kept := dialled == 1; kept != tt.kept {
					t.Errorf("%d connections behind a pause of %v", dialled, tt.pause)
				}
				s.close()
			})
		})
	}
}

// TestHandshake holds connections that are kept to what net/http does for others: the certificate is the host's, and neither a server
// that says nothing nor one whose client has left is waited for.
func TestHandshake(t *testing.T) {
	srv := httptest.NewTLSServer(nil)
	t.Cleanup(srv.Close)
	ask := func(t *testing.T, address string, adjust func(*sender)) error {
		s := newSender(slog.New(slog.DiscardHandler))
		defer s.close()
		adjust(s)
		r, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.send(r, new(connection))
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	up := newClosingServer(t, &closingServer{secure: srv.TLS})
	address := up.address[len("https://"):]
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("trusted", func(t *testing.T) {
		if err := ask(t, address, func(s *sender) { s.trust(srv) }); err != nil {
			t.Error(err)
		}
	})
	t.Run("unknown authority", func(t *testing.T) {
		err := ask(t, address, func(*sender) {})
		if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
			t.Errorf("%v", err)
		}
	})
	t.Run("another host's certificate", func(t *testing.T) {
		err := ask(t, "localhost:"+port, func(s *sender) { s.trust(srv) })
		if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
			t.Errorf("%v", err)
		}
	})
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	t.Run("a server that says nothing", func(t *testing.T) {
		err := ask(t, silent.Addr().String(), func(s *sender) { s.kept.TLSHandshakeTimeout = 20 * time.Millisecond })
		if !errors.Is(err, errHandshake) {
			t.Errorf("%v", err)
		}
		conn, err := silent.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("the connection was not closed: %v", err)
		}
	})
	t.Run("a client that leaves", func(t *testing.T) {
		conn, err := net.Dial("tcp", silent.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, leave)
		if _, err := handshake(ctx, conn, silent.Addr().String(), newSender(slog.New(slog.DiscardHandler)).kept); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}
