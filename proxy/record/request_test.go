package record_test

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestLabels(t *testing.T) {
	d := newDeck(t)
	heard := make(chan http.Header, 1)
	url, base := serve(t, func(w http.ResponseWriter, r *http.Request) { heard <- r.Header.Clone() })
	tr := d.transport(base)
	tr.Labels = map[string]string{"run": "7", "sample": "none"}
	req := newRequest(t, t.Context(), "GET", url+"/models", nil)
	req.Header[record.LabelHeader] = []string{"sample=tide", " note = a=b ", "nonsense", "=x"}
	req.Header.Set("X-Other", "stays")
	sent := maps.Clone(req.Header)
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if diff := cmp.Diff(sent, req.Header); diff != "" {
		t.Errorf("the transport changed the request it was given (-was +is)\n%s", diff)
	}
	if got := <-heard; got[record.LabelHeader] != nil || got.Get("X-Other") != "stays" {
		t.Errorf("the upstream heard %v", got)
	}
	want := map[string]string{"run": "7", "sample": "tide", "note": "a=b"}
	x := d.only(t)
	if diff := cmp.Diff(want, x.Labels); diff != "" {
		t.Errorf("labels on the tape (-want +got)\n%s", diff)
	}
	if x.Request.Header[record.LabelHeader] != nil || x.Request.Header.Get("X-Other") != "stays" {
		t.Errorf("header on the tape: %v", x.Request.Header)
	}
	if diff := cmp.Diff(want, d.event(t).Labels); diff != "" {
		t.Errorf("labels of the event (-want +got)\n%s", diff)
	}
}

// TestRequestIsRecordedBeforeItIsSent looks at the tape while the upstream is being asked.
func TestRequestIsRecordedBeforeItIsSent(t *testing.T) {
	for _, tt := range []struct {
		name string
		body io.Reader
		want string // on the tape before the base has read anything; "-" when the exchange is not there yet
	}{
		{"no body", nil, ""},
		{"bytes that can be had again", strings.NewReader("tide?"), "tide?"},
		{"a stream", iotest.OneByteReader(strings.NewReader("tide?")), "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			got := "-"
			tr := d.transport(roundTripper(func(r *http.Request) (*http.Response, error) {
				if err := d.Recorder.Sync(t.Context()); err != nil {
					t.Error(err)
				}
				for _, x := range d.committed(t) {
					got = x.request
				}
				if r.Body != nil {
					io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
				return answer(http.NoBody, 0)(r)
			}))
			if _, err := tr.RoundTrip(newRequest(t, t.Context(), "POST", "http://up/v1/messages", tt.body)); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("before it was sent the tape had %q, want %q", got, tt.want)
			}
			want := tt.want
			if want == "-" {
				want = "tide?"
			}
			if x := d.only(t); x.request != want || x.Ended != tape.Complete {
				t.Errorf("in the end the tape had %q, %s", x.request, x.Ended)
			}
		})
	}
}

func TestRequestBodies(t *testing.T) {
	large := strings.Repeat("0123456789abcde\n", 20<<10)
	again := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	for _, tt := range []struct {
		name   string
		body   string
		adjust func(*http.Request)
	}{
		{"small", "tide?", func(*http.Request) {}},
		{"large", large, func(*http.Request) {}},
		{"no GetBody", "tide?", func(r *http.Request) { r.GetBody = nil }},
		{"unknown length", "tide?", func(r *http.Request) { r.ContentLength = -1 }},
		{"GetBody fails", "tide?", func(r *http.Request) { r.GetBody = func() (io.ReadCloser, error) { return nil, io.ErrClosedPipe } }},
		{"GetBody breaks off", "tide?", func(r *http.Request) {
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(io.ErrClosedPipe)), nil }
		}},
		{"GetBody has less", "tide?", func(r *http.Request) { r.GetBody = again("ti") }},
		{"GetBody has more", "tide?", func(r *http.Request) { r.GetBody = again("tide? gale?") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			heard := make(chan string, 1)
			url, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				data, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				heard <- string(data)
			})
			req := newRequest(t, t.Context(), "POST", url+"/v1/messages", strings.NewReader(tt.body))
			tt.adjust(req)
			resp, err := d.transport(base).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			x := d.only(t)
			if heard := <-heard; heard != tt.body || x.request != tt.body {
				t.Errorf("sent %d bytes, %d arrived, %d are on the tape", len(tt.body), len(heard), len(x.request))
			}
			if n := d.event(t).RequestBytes; n != int64(len(tt.body)) {
				t.Errorf("the event tells of %d bytes", n)
			}
		})
	}
}

// TestSentAgain has the upstream close a kept-alive connection just when a second request has been sent over it. net/http then
// sends that request again, and it must be on the tape once.
func TestSentAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   string
		length int64
	}{
		{"recorded before it is sent", "tide?", 5},
		{"recorded while it is sent", "tide?", -1},
		{"large", strings.Repeat("0123456789abcdef", 16<<10), 256 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			heard := make(chan string, 3)
			go func() {
				for first := true; ; first = false {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					br := bufio.NewReader(conn)
					for n := 1; ; n++ {
						req, err := http.ReadRequest(br)
						if err != nil {
							break
						}
						data, err := io.ReadAll(req.Body)
						if err != nil {
							break
						}
						heard <- string(data)
						if first && n == 2 {
							break
						}
						io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
					}
					conn.Close()
				}
			}()
			base := &http.Transport{}
			defer base.CloseIdleConnections()
			url := "http://" + ln.Addr().String() + "/v1/messages"
			ask := func(tr http.RoundTripper) {
				t.Helper()
				req := newRequest(t, t.Context(), "POST", url, strings.NewReader(tt.body))
				req.ContentLength = tt.length
				req.Header.Set("Idempotency-Key", "1")
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if data, err := io.ReadAll(resp.Body); string(data) != "ok" || err != nil {
					t.Fatalf("%q, %v", data, err)
				}
			}
			ask(base)
			d := newDeck(t)
			ask(d.transport(base))
			for i := range 3 {
				if got := <-heard; got != tt.body {
					t.Errorf("request %d: %d bytes arrived", i+1, len(got))
				}
			}
			if x := d.only(t); x.request != tt.body || x.response != "ok" || x.Ended != tape.Complete {
				t.Errorf("%d bytes on the tape, %q, %s", len(x.request), x.response, x.Ended)
			}
		})
	}
}

func TestRequestTrailers(t *testing.T) {
	d := newDeck(t)
	heard := make(chan http.Header, 1)
	url, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		heard <- r.Trailer
	})
	req := newRequest(t, t.Context(), "POST", url+"/x", nil)
	trailer := http.Header{"X-Sum": nil, "X-Api-Key": nil}
	req.Trailer = trailer
	req.Body = io.NopCloser(io.MultiReader(strings.NewReader("tide?"), readFunc(func([]byte) (int, error) {
		trailer.Set("X-Sum", "5")
		trailer.Set("X-Api-Key", "s3cret-value")
		return 0, io.EOF
	})))
	req.ContentLength = -1
	resp, err := d.transport(base).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := <-heard; got.Get("X-Sum") != "5" || got.Get("X-Api-Key") != "s3cret-value" {
		t.Errorf("the upstream heard the trailers %v", got)
	}
	want := http.Header{"X-Sum": {"5"}, "X-Api-Key": {(&record.Redactor{Key: []byte("test")}).Fingerprint("s3cret-value")}}
	if diff := cmp.Diff(want, d.only(t).Request.Trailer); diff != "" {
		t.Errorf("trailers on the tape (-want +got)\n%s", diff)
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestUploadCut has the client's side break off inside the request body, which the upstream is not to be blamed for.
func TestUploadCut(t *testing.T) {
	d := newDeck(t)
	url, base := serve(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	broken := errors.New("the disk is gone")
	body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	_, err := d.transport(base).RoundTrip(newRequest(t, t.Context(), "POST", url+"/v1/messages", body))
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	x := d.only(t)
	if x.Ended != tape.ClientGone || x.Cause != "reading the request body: the disk is gone" || x.request != "half" {
		t.Errorf("recorded %s (%s), %q", x.Ended, x.Cause, x.request)
	}
}

// TestUploadNotWanted has the transport close the request body, and a reader of it come too late: the failure stays the upstream's.
func TestUploadNotWanted(t *testing.T) {
	d := newDeck(t)
	r, w := io.Pipe()
	defer w.Close()
	tr := d.transport(roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Body.Close()
		if _, err := req.Body.Read(make([]byte, 1)); err == nil {
			t.Error("a closed body can be read")
		}
		return nil, errors.New("connection reset")
	}))
	if _, err := tr.RoundTrip(newRequest(t, t.Context(), "POST", "http://up/x", r)); err == nil {
		t.Error("no error")
	}
	if x := d.only(t); x.Ended != tape.UpstreamError || x.Cause != "connection reset" {
		t.Errorf("recorded %s (%s)", x.Ended, x.Cause)
	}
}

func TestRecordedRequestHead(t *testing.T) {
	for _, tt := range []struct {
		name               string
		method, url, host  string
		upstream, basePath string

		wantMethod, wantURL, wantUpstream, wantHost string
		wantAPI                                     tape.API
	}{
		{"plain", "POST", "http://up:1/v1/messages", "", "", "", "POST", "/v1/messages", "http://up:1", "up:1", tape.Claude},
		{"no method", "", "http://up:1/models", "", "", "", "GET", "/models", "http://up:1", "up:1", tape.Control},
		{"no path", "GET", "http://up:1", "", "", "", "GET", "/", "http://up:1", "up:1", tape.Other},
		{"a host of its own", "GET", "http://up:1/state", "exo.local", "", "", "GET", "/state", "http://up:1", "exo.local", tape.Control},
		{"upstream named", "GET", "http://up:1/state", "", "http://exo", "", "GET", "/state", "http://exo", "up:1", tape.Control},
		{"base path", "POST", "http://up:1/base/api/chat?a=b", "", "", "/base", "POST", "/api/chat?a=b", "http://up:1", "up:1", tape.Ollama},
		{"base path alone", "GET", "http://up:1/base", "", "", "/base", "GET", "", "http://up:1", "up:1", tape.Other},
		{"base path and query", "GET", "http://up:1/base?x=1", "", "", "/base", "GET", "?x=1", "http://up:1", "up:1", tape.Other},
		{"base path of another", "GET", "http://up:1/basement/x", "", "", "/base", "GET", "/basement/x", "http://up:1", "up:1", tape.Other},
		{"escapes stay", "GET", "http://up:1/a%2Fb%7e?q=%c3%a4+x&&", "", "", "", "GET", "/a%2Fb%7e?q=%c3%a4+x&&", "http://up:1", "up:1", tape.Other},
		{"secrets", "GET", "http://u:p@up:1/x?key=abc&a=b", "", "", "", "GET", "/x?key=%5Bfingerprint%3Ad796579aed123e7b%5D&a=b", "http://up:1", "up:1", tape.Other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			tr := d.transport(answer(http.NoBody, 0))
			tr.Upstream, tr.BasePath = tt.upstream, tt.basePath
			req := newRequest(t, t.Context(), "GET", tt.url, nil)
			req.Method = tt.method
			if tt.host != "" {
				req.Host = tt.host
			}
			if _, err := tr.RoundTrip(req); err != nil {
				t.Fatal(err)
			}
			x, e := d.only(t), d.event(t)
			got := []string{x.Request.Method, x.Request.URL, x.Upstream, x.Request.Host, string(x.Facts.API)}
			want := []string{tt.wantMethod, tt.wantURL, tt.wantUpstream, tt.wantHost, string(tt.wantAPI)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("on the tape (-want +got)\n%s", diff)
			}
			if e.Method != tt.wantMethod || e.URL != tt.wantURL || e.API != tt.wantAPI {
				t.Errorf("the event tells of %s %s, %s", e.Method, e.URL, e.API)
			}
		})
	}
}

// TestNoBase makes sure that a transport without a base uses net/http's own.
func TestNoBase(t *testing.T) {
	d := newDeck(t)
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "low water") })
	tr := &record.Transport{Session: d.Session}
	resp, err := (&http.Client{Transport: tr}).Get(url + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	defer resp.Body.Close()
	if data, err := io.ReadAll(resp.Body); string(data) != "low water" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if x := d.only(t); x.response != "low water" || x.Ended != tape.Complete {
		t.Errorf("recorded %q, %s", x.response, x.Ended)
	}
}
