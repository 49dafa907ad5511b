package proxy

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// deck is a proxy that records to a tape of its own, in front of a handler.
type deck struct {
	url      string // of the proxy
	upstream string
	path     string // of the tape
	server   *Server
	tape     *decktest.Deck // nil when it is closed
	cancel   context.CancelFunc
	served   chan error
	client   *http.Client
}

// newDeck starts a deck. adjust may change its configuration; a nil upstream is one that nothing listens at.
func newDeck(t testing.TB, upstream http.Handler, adjust func(*Config)) *deck {
	t.Helper()
	d := &deck{path: filepath.Join(t.TempDir(), "test.tape"), served: make(chan error, 1)}
	if upstream != nil {
		srv := httptest.NewServer(upstream)
		t.Cleanup(srv.Close)
		d.upstream = srv.URL
	} else {
		d.upstream = "http://" + deadAddress
	}
	d.start(t, adjust)
	return d
}

// newDeckWithBase starts a deck whose upstream has a base path.
func newDeckWithBase(t testing.TB, base string, upstream http.Handler) *deck {
	t.Helper()
	srv := httptest.NewServer(upstream)
	t.Cleanup(srv.Close)
	return newDeckAt(t, srv.URL+base, nil)
}

// newDeckAt starts a deck in front of an address.
func newDeckAt(t testing.TB, upstream string, adjust func(*Config)) *deck {
	t.Helper()
	d := &deck{path: filepath.Join(t.TempDir(), "test.tape"), served: make(chan error, 1), upstream: upstream}
	d.start(t, adjust)
	return d
}

func (d *deck) start(t testing.TB, adjust func(*Config)) {
	t.Helper()
	d.tape = decktest.New(t, d.path, tape.Session{Upstream: d.upstream})
	u, err := url.Parse(d.upstream)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Upstream: u, Session: d.tape.Session, Redactor: decktest.Redactor(), Log: slog.New(slog.DiscardHandler)}
	if adjust != nil {
		adjust(&cfg)
	}
	server, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving, cancel := context.WithCancel(context.Background())
	go func() { d.served <- server.Serve(serving, ln) }()
	d.url, d.server, d.cancel = "http://"+ln.Addr().String(), server, cancel
	transport := &http.Transport{DisableCompression: true}
	d.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		d.stop(t)
	})
}

// stop ends the proxy as a first SIGINT does and closes the tape. It may be called again.
func (d *deck) stop(t testing.TB) {
	t.Helper()
	if d.tape == nil {
		return
	}
	d.client.CloseIdleConnections()
	d.cancel()
	if err := <-d.served; err != nil {
		t.Errorf("serving: %v", err)
	}
	d.server.Close()
	d.tape.Close(t)
	d.tape = nil
}

// dial opens a connection to the proxy, until the test ends.
func (d *deck) dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// taken is an exchange with its bodies.
type taken struct {
	*tape.Exchange
	request, response string
}

// exchanges returns what is on the tape, which may still be recorded.
func (d *deck) exchanges(t testing.TB) []taken {
	t.Helper()
	ctx := context.Background()
	if d.tape != nil {
		if err := d.tape.Recorder.Sync(ctx); err != nil {
			t.Fatal(err)
		}
	}
	tp, err := tape.Open(ctx, d.path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	var all []taken
	for x, err := range tp.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, taken{x, decktest.Body(t, tp, x.Request.Body), decktest.Body(t, tp, x.Response.Body)})
	}
	return all
}

// only returns the one exchange of the tape.
func (d *deck) only(t testing.TB) taken {
	t.Helper()
	all := d.exchanges(t)
	if len(all) != 1 {
		t.Fatalf("%d exchanges on the tape, want 1", len(all))
	}
	return all[0]
}

// deadAddress is one that nothing listens on. A port that was just freed would be given to the next listener, and then be alive.
const deadAddress = "127.0.0.1:1"

// residentMemory is the memory of this process that is in RAM, in bytes; 0 where the system does not tell, or where most of it is the
// race detector's.
func residentMemory() int64 {
	if raceDetector {
		return 0
	}
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}

// tapeFiles are the files of a tape: itself and what SQLite keeps beside it.
func tapeFiles(t testing.TB, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files at %s: %v", path, err)
	}
	return names
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// nowhere is a session for servers that are never asked.
type nowhere struct{}

func (nowhere) Begin(tape.Start) *tape.Recording { panic("nothing was to be recorded") }
