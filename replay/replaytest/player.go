package replaytest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/server"
)

// Player stands for a recorded exo while a test runs.
type Player struct {
	base   *url.URL
	client *http.Client
}

// Open replays the cassette (or tape) at path until the test and its subtests have ended. With EXODECK_RECORD=1 it records what is asked
// of the live server that EXODECK_UPSTREAM names, exo's default address when it is not set, and makes the cassette anew.
func Open(t testing.TB, path string, opts ...Option) *Player {
	t.Helper()
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if os.Getenv("EXODECK_RECORD") == "1" {
		return recordTo(t, path, o)
	}
	return replay(t, path, o)
}

// URL is the base URL, without a slash at its end. Paths are exo's: the base URL of an OpenAI client is URL()+"/v1".
func (p *Player) URL() string { return p.base.String() }

// Client is an HTTP client whose requests all go to the player, whatever host they name. Any other client with [Player.URL] as its base
// URL will do too.
func (p *Player) Client() *http.Client { return p.client }

func newPlayer(t testing.TB, base string) *Player {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &Player{base: u, client: &http.Client{Transport: redirected{u, transport}}}
}

// redirected sends requests to one server, whatever host they name.
type redirected struct {
	to   *url.URL
	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (r redirected) RoundTrip(req *http.Request) (*http.Response, error) {
	out, u := new(http.Request), *req.URL
	*out = *req
	if out.Host == "" {
		out.Host = u.Host
	}
	u.Scheme, u.Host = r.to.Scheme, r.to.Host
	out.URL = &u
	return r.base.RoundTrip(out)
}

// replay serves the cassette at path.
func replay(t testing.TB, path string, o options) *Player {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // which ends before the cleanups
	recordings, err := server.Open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("replaytest: %s is not there; record it against a live exo:\n\t%s", path, recordCommand(t))
	}
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	t.Cleanup(func() { recordings.Close() })
	matching, err := recordings.Matching(ctx, o.match)
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	s, err := server.New(ctx, server.Config{Source: recordings, Match: matching, Timing: o.timing, Log: logTo(t)})
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- s.Serve(serving, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("replaytest: %v", err)
		}
		report(t, path, s.Report(), o)
	})
	return newPlayer(t, "http://"+ln.Addr().String())
}

// report fails the test for what it asked in vain and, if that is asked for, for what it did not ask.
func report(t testing.TB, path string, r match.Report, o options) {
	for _, miss := range r.Missed {
		text := miss.Error()
		if strings.Contains(text, "--any-model") || strings.Contains(text, "--reuse") {
			text += "\n(in a test these are options of replaytest.Match: AnyModel and Reuse)"
		}
		t.Errorf("%s: %s", path, text)
	}
	if len(r.Missed) > 0 {
		t.Errorf("%s: to record it afresh against a live exo:\n\t%s", path, recordCommand(t))
	}
	if !o.allUsed {
		return
	}
	for _, x := range r.Unused {
		t.Errorf("%s: nothing asked for exchange %s/%d, %s %s", path, x.Session, x.Seq, x.Request.Method, x.Request.URL)
	}
}

// recordCommand is how the cassette of a test is recorded.
func recordCommand(t testing.TB) string {
	test, _, _ := strings.Cut(t.Name(), "/")
	return "EXODECK_RECORD=1 EXODECK_UPSTREAM=" + defaultUpstream + " go test -run '^" + test + "$'"
}

// logTo is a log of what goes wrong, in the output of the test.
func logTo(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}
