package tape

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTwoPhases(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	x := s.Begin(post("tiny"))
	x.RequestBody([]byte(`{"model":"tiny"}`))
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	tp := openTape(t, path)
	if got := all(t, tp, Query{}); len(got) != 0 {
		t.Errorf("%d exchanges are on the tape before the request has arrived", len(got))
	}
	x.RequestEnd(nil)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := all(t, tp, Query{Model: "tiny", Ended: []Ended{InFlight}})
	if len(got) != 1 || got[0].Ended != InFlight || got[0].Request.Body.Size != 16 {
		t.Fatalf("in flight: %+v", got)
	}
	if n := len(all(t, tp, Query{Ended: []Ended{Interrupted}})); n != 0 {
		t.Errorf("%d exchanges are taken for interrupted while their recorder is alive", n)
	}
	x.ResponseHead(200, "OK", false, "HTTP/1.1", http.Header{"Content-Type": {"application/x-ndjson"}}, time.Millisecond)
	x.End(Complete, "", nil, 2*time.Millisecond)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	done, err := tp.Exchange(t.Context(), x.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if done.Ended != Complete || done.Response.Status != 200 || !done.Facts.Stream || done.TTFB != time.Millisecond || done.Response.Reason != "" {
		t.Errorf("completed: %+v", done)
	}
	want := Stats{Committed: 1, BodyBytes: 16, StoredBytes: 16}
	if diff := cmp.Diff(want, r.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

// TestRequestCutOff ends an exchange whose request never arrived whole: what has come is kept.
func TestRequestCutOff(t *testing.T) {
	path, _, s := openTest(t, RecorderOptions{})
	x := s.Begin(post("tiny"))
	x.RequestBody([]byte(`{"model":"ti`))
	x.End(ClientGone, "unexpected EOF", nil, time.Second)
	x.RequestBody([]byte("late"))
	x.RequestEnd(nil)
	x.ResponseBody([]byte("late"), 2*time.Second)
	x.End(Complete, "", nil, 3*time.Second)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := all(t, openTape(t, path), Query{})
	if len(got) != 1 || got[0].Ended != ClientGone || got[0].Request.Body.Size != 12 || got[0].Response.Body.Size != 0 || got[0].Cause != "unexpected EOF" {
		t.Errorf("got %+v", got)
	}
}

// TestCloseInFlight closes the recorder under an exchange that has not ended.
func TestCloseInFlight(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	x := s.Begin(post("tiny"))
	x.RequestEnd(nil)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	x.ResponseBody([]byte("late"), time.Second)
	x.End(Complete, "", nil, time.Second)
	if err := x.Wait(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("an exchange that outlived its recorder: %v", err)
	}
	s.Begin(post("late")).End(Complete, "", nil, 0)
	if _, err := r.StartSession(t.Context(), Session{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a session of a closed recorder: %v", err)
	}
	if err := r.Sync(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Sync of a closed recorder: %v", err)
	}
	for _, suffix := range []string{".lock", "-wal", "-shm"} {
		if _, err := os.Stat(path + suffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the recorder left %s behind: %v", suffix, err)
		}
	}
	tp := openTape(t, path)
	got := all(t, tp, Query{})
	if len(got) != 1 || got[0].Ended != Interrupted || got[0].Cause == "" {
		t.Errorf("got %+v", got)
	}
	sessions, err := tp.Sessions(t.Context())
	if err != nil || len(sessions) != 1 || sessions[0].Ended.IsZero() || sessions[0].Exchanges != 1 {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the tape: %v, %v", info.Mode(), err)
	}
	if err := tp.Close(); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("a reader left files behind: %v, %v", names, err)
	}
}

func TestSecondRecorder(t *testing.T) {
	path, r, _ := openTest(t, RecorderOptions{})
	_, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	var e *Error
	if !errors.Is(err, ErrBusy) || !errors.As(err, &e) || e.Path != path || !strings.Contains(err.Error(), "stop the other recorder, or record on another tape") {
		t.Errorf("second recorder: %v", err)
	}
	if _, err := Rederive(t.Context(), path); !errors.Is(err, ErrBusy) {
		t.Errorf("deriving under a recorder: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatalf("recorder after the first: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestLockHandedOver has recorders open and close one tape as fast as they can: never are two at work at a time.
func TestLockHandedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.tape")
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
				if errors.Is(err, ErrBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !mu.TryLock() {
					t.Error("two recorders are at work")
					return
				}
				_ = recording(path)
				mu.Unlock()
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestSameBodies records bodies that are equal: each is stored once and counted as often as it is used.
func TestSameBodies(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	large := bytes.Repeat([]byte("a large body of more than one part. "), 3*maxPart/36)
	record := func(request, response []byte) {
		x := s.Begin(post("tiny"))
		x.RequestBody(request)
		x.RequestEnd(nil)
		for chunk := range chunks(response, 40000) {
			x.ResponseBody(chunk, time.Millisecond)
		}
		x.End(Complete, "", nil, time.Millisecond)
	}
	for range 3 {
		record([]byte("the same request"), large)
		record(large, []byte("the same request"))
		record([]byte("the same request"), nil)
		if err := r.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.forget() // so that the index is used
	}
	tp := openTape(t, path)
	for _, x := range all(t, tp, Query{}) {
		for _, b := range []Body{x.Request.Body, x.Response.Body} {
			if got := readBody(t, tp, b); len(got) > 100 && !bytes.Equal(got, large) || len(got) < 100 && len(got) > 0 && string(got) != "the same request" {
				t.Errorf("exchange %d: a body of %d bytes is not what was recorded", x.Seq, len(got))
			}
		}
	}
	db := rawDB(t, path)
	if diff := cmp.Diff([]string{"16 9", fmt.Sprint(len(large), " 6")}, column(t, db, `SELECT size || ' ' || refs FROM bodies ORDER BY size`)); diff != "" {
		t.Errorf("bodies and their references (-want +got):\n%s", diff)
	}
	wantParts := fmt.Sprint((len(large) + maxPart - 1) / maxPart)
	if got := column(t, db, `SELECT count(*) FROM parts`); got[0] != wantParts {
		t.Errorf("%s parts, want %s", got[0], wantParts)
	}
	if got := column(t, db, `PRAGMA integrity_check`); got[0] != "ok" {
		t.Errorf("integrity check: %v", got)
	}
	sum, err := tp.Summary(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Exchanges != 9 || sum.Bodies != 2 || sum.BodyBytes != int64(len(large)+16) || sum.StoredBytes >= sum.BodyBytes/10 {
		t.Errorf("summary %+v", sum)
	}
}

// forget has the writer forget which bodies it knows.
func (r *Recorder) forget() {
	_ = r.call(context.Background(), func(w *writer) error {
		w.packer.known.mu.Lock()
		defer w.packer.known.mu.Unlock()
		clear(w.packer.known.young)
		return nil
	})
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

// TestDiskFull fills the tape up to its limit, and makes room again.
func TestDiskFull(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{MaxSize: 512 << 10})
	rng := rand.New(rand.NewPCG(1, 1))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	inFlight := s.Begin(post("before"))
	inFlight.RequestEnd(nil)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	var failure error
	recorded := 0
	for range 100 {
		x := s.Begin(post("fill"))
		x.RequestBody(noise(20000))
		x.RequestEnd(nil)
		x.End(Complete, "", nil, time.Millisecond)
		if failure = x.Wait(t.Context()); failure != nil {
			break
		}
		recorded++
	}
	var e *Error
	if !errors.Is(failure, ErrFull) || !errors.As(failure, &e) || e.Path != path || !strings.Contains(e.Hint, "free some space") {
		t.Fatalf("on a full disk Wait returned %v", failure)
	}
	// What is in flight is given up when it cannot be completed, and so said on the tape when that fits.
	inFlight.ResponseBody(noise(100000), time.Millisecond)
	inFlight.End(Complete, "", nil, time.Millisecond)
	if err := inFlight.Wait(t.Context()); !errors.Is(err, ErrFull) {
		t.Errorf("an exchange that was in flight: %v", err)
	}
	if err := r.Sync(t.Context()); !errors.Is(err, ErrFull) {
		t.Errorf("Sync after a failure: %v", err)
	}
	if err := r.Sync(t.Context()); err != nil {
		t.Errorf("the next Sync: %v", err)
	}
	if st := r.Stats(); st.Unrecorded != 2 || st.Committed != int64(recorded) || st.QueuedBytes != 0 || st.InFlight != 0 || !errors.Is(st.LastError, ErrFull) {
		t.Errorf("stats %+v with %d recorded", st, recorded)
	}

	execute(t, rawDB(t, path), `DELETE FROM bodies WHERE id IN (SELECT request_body FROM exchanges WHERE seq < 10)`)
	x := s.Begin(post("after"))
	x.RequestBody(noise(20000))
	x.RequestEnd(nil)
	x.End(Complete, "", nil, time.Millisecond)
	if err := x.Wait(t.Context()); err != nil {
		t.Errorf("recording when there is room again: %v", err)
	}
	err := r.Close()
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), fmt.Sprintf("2 of %d exchanges are not on the tape whole", recorded+3)) {
		t.Errorf("Close returned %v", err)
	}
	tp := openTape(t, path)
	sessions, err := tp.Sessions(t.Context())
	if err != nil || sessions[0].Unrecorded != 2 {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	got, err := tp.Exchange(t.Context(), inFlight.Ref())
	if err != nil || got.Ended != RecorderError || !strings.Contains(got.Cause, "no space left") {
		t.Errorf("the exchange that was in flight: %+v, %v", got, err)
	}
}

// TestDiskFullSpooled breaks off a large body: the parts on the tape stay.
func TestDiskFullSpooled(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{MaxSize: 2 << 20})
	noise := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	x := s.Begin(post("tiny"))
	x.RequestEnd(nil)
	x.ResponseHead(200, "OK", false, "HTTP/1.1", nil, 0)
	upload := s.Begin(post("tiny"))
	for chunk := range chunks(noise, 32<<10) {
		x.ResponseBody(chunk, time.Millisecond)
		upload.RequestBody(chunk)
	}
	x.End(Complete, "", nil, time.Second)
	upload.RequestEnd(nil)
	upload.End(Complete, "", nil, time.Second)
	for _, x := range []*Recording{x, upload} {
		if err := x.Wait(t.Context()); !errors.Is(err, ErrFull) {
			t.Errorf("exchange %d: %v", x.Ref().Seq, err)
		}
	}
	if err := r.Close(); !errors.Is(err, ErrFull) {
		t.Errorf("Close returned %v", err)
	}
	tp := openTape(t, path)
	got := all(t, tp, Query{})
	if len(got) != 1 || got[0].Ended != RecorderError || got[0].Response.Status != 200 || got[0].Response.Body.Size < maxPart {
		t.Fatalf("on the tape: %+v", got)
	}
	b := readBody(t, tp, got[0].Response.Body)
	if len(b)%maxPart != 0 || !bytes.Equal(b, noise[:len(b)]) {
		t.Errorf("the partial body has %d bytes that are not the first of what came", len(b))
	}
	if left := column(t, rawDB(t, path), `SELECT count(*) FROM bodies`); left[0] != "1" {
		t.Errorf("%s bodies are left, of which one is used", left[0])
	}
}

// TestSlowDisk holds the tape's write lock, as a stuck disk would: callers wait a bounded time.
func TestSlowDisk(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{MaxWait: 50 * time.Millisecond})
	db := rawDB(t, path)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	noise := make([]byte, 36<<20)
	var recordings []*Recording
	for chunk := range chunks(noise, 200<<10) {
		x := s.Begin(post("tiny"))
		x.RequestEnd(nil)
		x.ResponseBody(chunk, 0)
		x.End(Complete, "", nil, 0)
		recordings = append(recordings, x)
	}
	large := s.Begin(post("tiny"))
	large.RequestEnd(nil)
	for chunk := range chunks(noise, 1<<20) {
		large.ResponseBody(chunk, 0)
	}
	large.End(Complete, "", nil, 0)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("traffic waited %v", d)
	}
	st := r.Stats()
	if st.Unrecorded == 0 || st.QueuedBytes > maxQueued || !errors.Is(st.LastError, ErrSlow) {
		t.Errorf("stats under a stuck disk: %+v", st)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	slow := 0
	for i, x := range append(recordings, large) {
		switch err := x.Wait(t.Context()); {
		case errors.Is(err, ErrSlow):
			slow++
		case err != nil:
			t.Errorf("exchange %d: %v", i, err)
		}
	}
	if st := r.Stats(); st.Unrecorded != int64(slow) || st.Committed != int64(len(recordings)+1-slow) || st.InFlight != 0 {
		t.Errorf("%d of %d given up, stats %+v", slow, len(recordings)+1, st)
	}
	if err := r.Close(); !errors.Is(err, ErrSlow) {
		t.Errorf("Close returned %v", err)
	}
}

var large = flag.Bool("tape.large", false, "use a body of 1 GiB where 64 MiB are used")

// TestMemory streams a large body in both directions and looks at the heap.
func TestMemory(t *testing.T) {
	size := 64 << 20
	if *large {
		size = 1 << 30
	}
	path, r, s := openTest(t, RecorderOptions{MaxWait: time.Minute})
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	chunk := make([]byte, 32<<10)
	rng := rand.NewChaCha8([32]byte{1})
	x := s.Begin(post("tiny"))
	for sent := 0; sent < size/4; sent += len(chunk) {
		rng.Read(chunk)
		x.RequestBody(chunk)
	}
	x.RequestEnd(nil)
	var peak uint64
	for sent := 0; sent < size; sent += len(chunk) {
		rng.Read(chunk)
		x.ResponseBody(chunk, time.Duration(sent)*time.Nanosecond)
		if sent%(4<<20) == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
	}
	x.End(Complete, "", nil, time.Minute)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("a body of %d MiB took %d KiB of heap", size>>20, grown>>10)
	} else {
		t.Logf("a body of %d MiB took %d KiB of heap", size>>20, grown>>10)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	tp := openTape(t, path)
	got, err := tp.Exchange(t.Context(), x.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if got.Response.Body.Size != int64(size) || got.Request.Body.Size != int64(size/4) {
		t.Errorf("bodies of %d and %d bytes", got.Request.Body.Size, got.Response.Body.Size)
	}
	body, err := tp.Body(t.Context(), got.Response.Body)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if _, err := digestOf(body); err != nil { // the reader checks the digest
		t.Error(err)
	}
}
