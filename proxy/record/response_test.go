package record_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// TestEndings checks how an exchange is said to have ended, on the tape, in the event and in the error.
func TestEndings(t *testing.T) {
	reset := errors.New("connection reset by peer")
	readAll := func(body io.ReadCloser, _ context.CancelCauseFunc) error {
		_, err := io.ReadAll(body)
		return err
	}
	leave := func(cause error) func(io.ReadCloser, context.CancelCauseFunc) error {
		return func(body io.ReadCloser, cancel context.CancelCauseFunc) error {
			io.ReadFull(body, make([]byte, 7))
			cancel(cause)
			_, err := io.ReadAll(body)
			return err
		}
	}
	for _, tt := range []struct {
		name      string
		length    int64
		err       error // of the upstream, after "low wa" and "ter"
		with      bool  // err comes beside the last bytes
		read      func(io.ReadCloser, context.CancelCauseFunc) error
		want      tape.Ended
		wantCause string
		wantBody  string
		wantErr   error
	}{
		{"whole", 9, io.EOF, true, readAll, tape.Complete, "", "low water", nil},
		{"whole, its end apart", 9, io.EOF, false, readAll, tape.Complete, "", "low water", nil},
		{"stream", -1, io.EOF, false, readAll, tape.Complete, "", "low water", nil},
		{"truncated", 20, io.ErrUnexpectedEOF, false, readAll, tape.UpstreamTruncated, "unexpected EOF", "low water", io.ErrUnexpectedEOF},
		{"truncated beside the last bytes", -1, reset, true, readAll, tape.UpstreamTruncated, reset.Error(), "low water", reset},
		{"broken after all has come", 9, reset, false, readAll, tape.UpstreamTruncated, reset.Error(), "low water", reset},
		{"closed unread", -1, io.EOF, false, func(body io.ReadCloser, _ context.CancelCauseFunc) error { return nil },
			tape.ClientGone, "the response was closed before its end", "", nil},
		{"closed early", 9, io.EOF, false, func(body io.ReadCloser, _ context.CancelCauseFunc) error {
			_, err := io.ReadFull(body, make([]byte, 6))
			return err
		}, tape.ClientGone, "the response was closed before its end", "low wa", nil},
		{"closed when its length has come", 9, io.EOF, false, func(body io.ReadCloser, _ context.CancelCauseFunc) error {
			_, err := io.ReadFull(body, make([]byte, 9))
			return err
		}, tape.Complete, "", "low water", nil},
		{"closed when a stream has come", -1, io.EOF, false, func(body io.ReadCloser, _ context.CancelCauseFunc) error {
			_, err := io.ReadFull(body, make([]byte, 9))
			return err
		}, tape.ClientGone, "the response was closed before its end", "low water", nil},
		{"cancelled", -1, context.Canceled, false, leave(nil), tape.ClientGone, "the client closed the connection", "low water", context.Canceled},
		{"cancelled with a cause", -1, context.Canceled, false, leave(errors.New("it took too long")), tape.ClientGone, "it took too long", "low water", context.Canceled},
		{"past its deadline", -1, context.DeadlineExceeded, false, leave(context.DeadlineExceeded), tape.ClientGone, "context deadline exceeded", "low water", context.DeadlineExceeded},
		{"stopped", -1, context.Canceled, false, leave(record.ErrStopped), tape.Interrupted, "the recorder was stopped", "low water", context.Canceled},
		{"stopped for a reason", -1, context.Canceled, false, leave(fmt.Errorf("second signal: %w", record.ErrStopped)),
			tape.Interrupted, "second signal: the recorder was stopped", "low water", context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			upstream := &pieces{texts: []string{"low wa", "ter"}, err: tt.err, errWithLast: tt.with}
			resp, err := d.transport(answer(upstream, tt.length)).RoundTrip(newRequest(t, ctx, "POST", "http://up/v1/messages", strings.NewReader("tide?")))
			if err != nil {
				t.Fatal(err)
			}
			source, ok := record.SourceOf(resp)
			if !ok {
				t.Fatal("a recorded response has no source")
			}
			if err := tt.read(resp.Body, cancel); !errors.Is(err, tt.wantErr) || err == nil != (tt.wantErr == nil) {
				t.Errorf("reading gave %v, want %v", err, tt.wantErr)
			}
			// Closing once more, and reading on, tells nothing new.
			resp.Body.Close()
			resp.Body.Close()
			if n, err := resp.Body.Read(make([]byte, 1)); n > 0 || err == nil {
				t.Errorf("reading on gave %d bytes, %v", n, err)
			}
			if upstream.closed != 2 {
				t.Errorf("the upstream's body was closed %d times", upstream.closed)
			}
			x, e := d.only(t), d.event(t)
			if x.Ended != tt.want || x.Cause != tt.wantCause || x.response != tt.wantBody {
				t.Errorf("recorded %s (%s), %q; want %s (%s), %q", x.Ended, x.Cause, x.response, tt.want, tt.wantCause, tt.wantBody)
			}
			if source.Exchange() != x.Ref || source.Elapsed() != x.Total {
				t.Errorf("the source tells of %v after %v, the tape of %v after %v", source.Exchange(), source.Elapsed(), x.Ref, x.Total)
			}
			want := record.Event{
				Ref: x.Ref, Started: x.Started, Method: "POST", URL: "/v1/messages", API: tape.Claude, Status: 200,
				Ended: tt.want, Cause: tt.wantCause, RequestBytes: 5, ResponseBytes: int64(len(tt.wantBody)), TTFB: x.TTFB, Total: x.Total,
			}
			if diff := cmp.Diff(want, e); diff != "" {
				t.Errorf("event (-tape +event)\n%s", diff)
			}
		})
	}
}

// TestErr is what tells the proxy that a response must not look whole to its client.
func TestErr(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want error
	}{{io.EOF, nil}, {io.ErrUnexpectedEOF, io.ErrUnexpectedEOF}} {
		resp, err := newDeck(t).transport(answer(&pieces{texts: []string{"x"}, err: tt.err}, -1)).RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
		if err != nil {
			t.Fatal(err)
		}
		body := resp.Body.(interface{ Err() error })
		if err := body.Err(); err != nil {
			t.Errorf("before it ended: %v", err)
		}
		io.Copy(io.Discard, resp.Body)
		if err := body.Err(); err != tt.want {
			t.Errorf("after %v: %v", tt.err, err)
		}
		resp.Body.Close()
	}
}

// TestCloseEndsARead closes a body that another goroutine waits for. Whatever that one reports, it was the client that left.
func TestCloseEndsARead(t *testing.T) {
	for range 20 {
		d := newDeck(t)
		upstream, w := io.Pipe()
		resp, err := d.transport(answer(upstream, -1)).RoundTrip(newRequest(t, t.Context(), "GET", "http://up/events", nil))
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(w, "low ")
		if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		read := make(chan error)
		go func() {
			_, err := resp.Body.Read(make([]byte, 1))
			read <- err
		}()
		resp.Body.Close()
		if err := <-read; err == nil {
			t.Fatal("the reader took a closed body for a whole one")
		}
		if x := d.only(t); x.Ended != tape.ClientGone || x.response != "low " {
			t.Fatalf("recorded %s (%s), %q", x.Ended, x.Cause, x.response)
		}
	}
}

type timeout struct{}

func (timeout) Error() string   { return "dial tcp: i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestFailure(t *testing.T) {
	refused := errors.New("connection refused")
	for _, tt := range []struct {
		name        string
		err         error
		cancel      error // the cause the client leaves with; nil when it stays
		want        tape.Ended
		wantCause   string
		wantTimeout bool
	}{
		{"refused", refused, nil, tape.UpstreamError, "connection refused", false},
		{"timed out", timeout{}, nil, tape.UpstreamError, "dial tcp: i/o timeout", true},
		{"timed out, wrapped", fmt.Errorf("asking: %w", timeout{}), nil, tape.UpstreamError, "asking: dial tcp: i/o timeout", true},
		{"client gone", context.Canceled, context.Canceled, tape.ClientGone, "the client closed the connection", false},
		{"stopped", context.Canceled, record.ErrStopped, tape.Interrupted, "the recorder was stopped", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			client := &http.Client{Transport: d.transport(roundTripper(func(*http.Request) (*http.Response, error) {
				if tt.cancel != nil {
					cancel(tt.cancel)
				}
				return nil, tt.err
			}))}
			_, err := client.Do(newRequest(t, ctx, "GET", "http://up/state", nil))
			failure, ok := errors.AsType[*record.Failure](err)
			if !ok || !errors.Is(err, tt.err) || failure.Error() != tt.err.Error() || failure.Temporary() {
				t.Fatalf("error %#v", err)
			}
			var timer interface{ Timeout() bool }
			if !errors.As(err, &timer) || timer.Timeout() != tt.wantTimeout {
				t.Errorf("timeout: %v, want %v", !tt.wantTimeout, tt.wantTimeout)
			}
			x, e := d.only(t), d.event(t)
			if failure.Ref != x.Ref || x.Ended != tt.want || x.Cause != tt.wantCause || x.Response.Status != 0 {
				t.Errorf("%v failed; recorded %v: %s (%s), status %d", failure.Ref, x.Ref, x.Ended, x.Cause, x.Response.Status)
			}
			if e.Status != 0 || e.Ended != tt.want || e.Cause != tt.wantCause || e.Total != x.Total {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func TestSourceOfOthers(t *testing.T) {
	if s, ok := record.SourceOf(&http.Response{Body: http.NoBody}); ok {
		t.Errorf("a response that was not recorded has the source %v", s)
	}
}

// TestWriteTo passes pieces on as they come: one Write for each, and each on the tape with its offset.
func TestWriteTo(t *testing.T) {
	d := newDeck(t)
	upstream := &pieces{texts: []string{"data: 1\n\n", "data: 2\n", "\n", "data: [DONE]\n\n"}, err: io.EOF}
	resp, err := d.transport(answer(upstream, -1)).RoundTrip(newRequest(t, t.Context(), "GET", "http://up/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var writes []string
	n, err := io.Copy(writeFunc(func(p []byte) (int, error) {
		writes = append(writes, string(p))
		return len(p), nil
	}), resp.Body)
	if n != 32 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if diff := cmp.Diff([]string{"data: 1\n\n", "data: 2\n", "\n", "data: [DONE]\n\n"}, writes); diff != "" {
		t.Errorf("writes (-want +got)\n%s", diff)
	}
	x := d.only(t)
	var offsets []int64
	at := time.Duration(0)
	for _, p := range x.Pieces {
		if p.At < at || p.At > x.Total {
			t.Errorf("a piece after %v, the one before after %v, the end after %v", p.At, at, x.Total)
		}
		at = p.At
		offsets = append(offsets, p.Offset)
	}
	if diff := cmp.Diff([]int64{0, 9, 17, 18}, offsets); diff != "" {
		t.Errorf("offsets of the pieces (-want +got)\n%s", diff)
	}
	if x.TTFB != x.Pieces[0].At {
		t.Errorf("first byte after %v, first piece after %v", x.TTFB, x.Pieces[0].At)
	}
}

func TestWriteToFails(t *testing.T) {
	full := errors.New("the client's buffers are full")
	for _, tt := range []struct {
		name           string
		upstream, want error
		write          error
		wantN          int64
	}{
		{"reading", io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, nil, 5},
		{"writing", io.EOF, full, full, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			resp, err := d.transport(answer(&pieces{texts: []string{"12345"}, err: tt.upstream}, -1)).RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			n, err := io.Copy(writeFunc(func(p []byte) (int, error) {
				if tt.write != nil {
					return 2, tt.write
				}
				return len(p), nil
			}), resp.Body)
			if n != tt.wantN || err != tt.want {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

func TestResponseHead(t *testing.T) {
	red := &record.Redactor{Key: []byte("test")}
	for _, tt := range []struct {
		name       string
		resp       http.Response
		wantReason string
		wantNone   bool
		want       http.Header
	}{
		{"standard reason", http.Response{Status: "404 Not Found", StatusCode: 404, ContentLength: -1}, "", false, nil},
		{"no reason, as exo sends it", http.Response{Status: "200 ", StatusCode: 200, ContentLength: -1}, "", true, nil},
		{"no reason and no space", http.Response{Status: "200", StatusCode: 200, ContentLength: -1}, "", true, nil},
		{"another reason", http.Response{Status: "200 Low Water", StatusCode: 200, ContentLength: -1}, "Low Water", false, nil},
		{"a code of its own", http.Response{Status: "799 Gone Fishing", StatusCode: 799, ContentLength: -1}, "Gone Fishing", false, nil},
		{"headers", http.Response{Status: "200 OK", StatusCode: 200, ContentLength: -1, Header: http.Header{"Set-Cookie": {"a=b"}, "X-A": {"1", "2"}}}, "", false,
			http.Header{"Set-Cookie": {red.Fingerprint("a=b")}, "X-A": {"1", "2"}}},
		{"closes, with a length", http.Response{Status: "200 OK", StatusCode: 200, ContentLength: 4, Close: true}, "", false, http.Header{"Connection": {"close"}}},
		{"closes, chunked", http.Response{Status: "200 OK", StatusCode: 200, ContentLength: -1, TransferEncoding: []string{"chunked"}, Close: true}, "", false, http.Header{"Connection": {"close"}}},
		{"ends with its connection", http.Response{Status: "200 OK", StatusCode: 200, ContentLength: -1, Close: true}, "", false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			given := tt.resp
			given.Proto, given.ProtoMajor, given.ProtoMinor = "HTTP/1.1", 1, 1
			given.Body = io.NopCloser(strings.NewReader("tide"))
			given.Trailer = http.Header{"X-Sum": {"4"}, "Set-Cookie": {"c=d"}}
			header := given.Header.Clone()
			resp, err := d.transport(roundTripper(func(*http.Request) (*http.Response, error) { return &given, nil })).RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadAll(resp.Body); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(header, resp.Header); diff != "" {
				t.Errorf("what is passed on (-sent +got)\n%s", diff)
			}
			if resp.Trailer.Get("Set-Cookie") != "c=d" {
				t.Errorf("passed on the trailers %v", resp.Trailer)
			}
			x := d.only(t)
			if x.Response.Status != tt.resp.StatusCode || x.Response.Reason != tt.wantReason || x.Response.NoReason != tt.wantNone || x.Response.Proto != "HTTP/1.1" {
				t.Errorf("recorded %+v", x.Response)
			}
			if len(tt.want)+len(x.Response.Header) > 0 {
				if diff := cmp.Diff(tt.want, x.Response.Header); diff != "" {
					t.Errorf("header on the tape (-want +got)\n%s", diff)
				}
			}
			if diff := cmp.Diff(http.Header{"X-Sum": {"4"}, "Set-Cookie": {red.Fingerprint("c=d")}}, x.Response.Trailer); diff != "" {
				t.Errorf("trailers on the tape (-want +got)\n%s", diff)
			}
		})
	}
}

// TestHead has a response with a length but no body.
func TestHead(t *testing.T) {
	d := newDeck(t)
	url, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "123") })
	resp, err := d.transport(base).RoundTrip(newRequest(t, t.Context(), "HEAD", url+"/models", nil))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(resp.Body); len(data) > 0 || err != nil || resp.ContentLength != 123 {
		t.Errorf("%q, %v, length %d", data, err, resp.ContentLength)
	}
	resp.Body.Close()
	if x := d.only(t); x.Ended != tape.Complete || x.Response.Header.Get("Content-Length") != "123" || x.Total < x.TTFB {
		t.Errorf("recorded %s (%s), %v", x.Ended, x.Cause, x.Response.Header)
	}
}
