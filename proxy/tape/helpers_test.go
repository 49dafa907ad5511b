package tape

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// sameExchange compares exchanges but for the rows their bodies have on a tape.
var sameExchange = cmp.Options{cmpopts.IgnoreUnexported(Body{}), cmpopts.EquateEmpty()}

var day = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)

// openTest opens a recorder on a new tape and starts a session.
func openTest(t testing.TB, o RecorderOptions) (path string, r *Recorder, s *SessionRecorder) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.tape")
	r, err := OpenRecorder(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	s, err = r.StartSession(t.Context(), Session{Upstream: "http://exo.local:52415", Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return path, r, s
}

func openTape(t testing.TB, path string) *Tape {
	t.Helper()
	tp, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tp.Close() })
	return tp
}

func readBody(t testing.TB, tp *Tape, b Body) []byte {
	t.Helper()
	body, err := tp.Body(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func all(t testing.TB, tp *Tape, q Query) []*Exchange {
	t.Helper()
	var found []*Exchange
	for x, err := range tp.Exchanges(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, x)
	}
	return found
}

func post(model string) Start {
	return Start{
		Started: day, Upstream: "http://exo.local:52415", Method: "POST", URL: "/v1/chat/completions", Host: "127.0.0.1:52416",
		Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}}, Labels: map[string]string{"sample": model},
	}
}

// known returns what the writer knows of bodies.
func (r *Recorder) known() (k *knownBodies) {
	_ = r.call(context.Background(), func(w *writer) error {
		k = w.packer.known
		return nil
	})
	return k
}

// forget has the writer forget which bodies it knows.
func (r *Recorder) forget() {
	k := r.known()
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.young)
}

// chunks yields data in pieces of n bytes.
func chunks(data []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			k := min(n, len(data))
			if !yield(data[:k]) {
				return
			}
			data = data[k:]
		}
	}
}

// rawDB opens the file for looking at it past the package, and for meddling with it.
func rawDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, map[string][]string{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)"}, "_txlock": {"immediate"}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func column(t testing.TB, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var values []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}

func execute(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func bodyOf(s string) Body { return Body{Size: int64(len(s)), SHA256: sha256.Sum256([]byte(s))} }
