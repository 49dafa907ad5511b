package replaytest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/exodeck/exodeck/proxy/apierror"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// defaultUpstream is where exo listens by default.
const defaultUpstream = "http://localhost:52415"

// recordTo forwards what the test asks to the upstream, and makes a cassette of it when the test has passed.
func recordTo(t testing.TB, path string, o options) *Player {
	t.Helper()
	upstream, err := upstreamURL(os.Getenv("EXODECK_UPSTREAM"))
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	ctx := context.WithoutCancel(t.Context()) // which ends before the cleanups
	tapePath := filepath.Join(t.TempDir(), "recording.tape")
	recorder, err := tape.OpenRecorder(ctx, tapePath, tape.RecorderOptions{})
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	session, err := recorder.StartSession(ctx, tape.Session{Upstream: upstream.String()})
	if err != nil {
		recorder.Close()
		t.Fatalf("replaytest: %v", err)
	}
	forward := newForward(upstream, session)
	srv := httptest.NewServer(forward)
	t.Cleanup(func() {
		srv.CloseClientConnections() // of answers that nobody reads any more
		srv.Close()
		forward.transport.CloseIdleConnections()
		if err := recorder.Close(); err != nil {
			t.Errorf("replaytest: recording %s: %v", path, err)
		}
		for _, err := range forward.failures {
			t.Errorf("replaytest: recording %s: %s gave no answer: %v; start exo there, or name another with EXODECK_UPSTREAM", path, upstream, err)
		}
		if t.Failed() {
			t.Logf("replaytest: %s is left as it was, since the test failed", path)
			return
		}
		if err := export(ctx, tapePath, path, o); err != nil {
			t.Errorf("replaytest: recording %s: %v", path, err)
		}
	})
	return newPlayer(t, srv.URL)
}

func upstreamURL(s string) (*url.URL, error) {
	if s == "" {
		s = defaultUpstream
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		// The text is not quoted: it may hold a password.
		return nil, errors.New("EXODECK_UPSTREAM is no base URL; write it like " + defaultUpstream)
	}
	return u, nil
}

// forward forwards requests to the upstream and records them.
type forward struct {
	proxy     httputil.ReverseProxy
	transport *http.Transport

	mu       sync.Mutex
	failures []error // of exchanges without a response
}

func newForward(upstream *url.URL, session record.Session) *forward {
	key := make([]byte, 32) // fingerprints do not outlive the tape
	rand.Read(key)
	f := &forward{transport: &http.Transport{DisableCompression: true}}
	f.proxy = httputil.ReverseProxy{
		// The host is that of the upstream, so that a cassette does not change with the test's port.
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		Transport: &record.Transport{
			Base:     f.transport,
			Session:  session,
			Upstream: upstream.String(),
			BasePath: strings.TrimSuffix(upstream.EscapedPath(), "/"),
			Redactor: &record.Redactor{Key: key},
		},
		FlushInterval: -1,
		ErrorHandler:  f.failed,
	}
	return f
}

// ServeHTTP implements [http.Handler]. It reads the request first: an upstream that answers early would have its answer cut off
// (golang/go#40747).
func (f *forward) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.proxy.ServeHTTP(w, r)
}

// failed answers when the upstream does not.
func (f *forward) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the test did not wait
	}
	f.mu.Lock()
	f.failures = append(f.failures, err)
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	e := apierror.Error{Status: http.StatusBadGateway, Kind: apierror.Unreachable, Message: "exodeck got no answer from the upstream: " + err.Error()}
	// A client that is gone by now has no use for the message.
	_, _ = w.Write(e.Body(r.Method, r.URL.Path))
}

// export makes a cassette of a tape, whole or not at all.
func export(ctx context.Context, tapePath, path string, o options) (err error) {
	src, err := tape.Open(ctx, tapePath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var text bytes.Buffer
	_, err = cassette.Export(ctx, &text, src, cassette.ExportOptions{Name: nameOf(path), Generator: "exodeck replaytest", Redact: &o.redact})
	if errors.Is(err, cassette.ErrNothing) {
		return errors.New("the test asked for nothing")
	}
	if err != nil {
		return err
	}
	return write(path, text.Bytes())
}

// write writes a file whole or not at all, and makes the folder for it.
func write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// nameOf is the name of a cassette by its file.
func nameOf(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".jsonl"), ".cassette")
}
