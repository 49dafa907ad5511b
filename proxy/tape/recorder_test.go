package tape

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
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
	want := Stats{Committed: 1, BodyBytes: 16, StoredBytes: 16, FileBytes: fileBytes(path)}
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
	if _, err := Prune(t.Context(), path, PruneOptions{Session: "gone"}); !errors.Is(err, ErrBusy) {
		t.Errorf("pruning under a recorder: %v", err)
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

// TestUpgraded sends bytes over an exchange whose request has arrived without a body, as an upgraded connection does: few and many, at once and
// later. A request that came with a body takes no more.
func TestUpgraded(t *testing.T) {
	for _, size := range []int{0, 10, 3*maxPart + 5} {
		for _, sync := range []bool{false, true} {
			path, r, s := openTest(t, RecorderOptions{})
			sent := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
			x := s.Begin(post("upgraded"))
			x.RequestEnd(nil)
			full := s.Begin(post("full"))
			full.RequestBody([]byte("all"))
			full.RequestEnd(nil)
			if sync {
				if err := r.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			x.ResponseHead(101, "Switching Protocols", false, "HTTP/1.1", nil, time.Millisecond)
			for chunk := range chunks(sent, 50_000) {
				x.RequestBody(chunk)
				x.ResponseBody([]byte("got it"), time.Millisecond)
				full.RequestBody([]byte("of it"))
			}
			for _, x := range []*Recording{x, full} {
				x.End(Complete, "", nil, time.Second)
				if err := x.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			checkTape(t, path)
			tp := openTape(t, path)
			found := all(t, tp, Query{})
			if got := readBody(t, tp, found[0].Request.Body); !bytes.Equal(got, sent) {
				t.Errorf("%d bytes were sent, %d are recorded", len(sent), len(got))
			}
			if got := readBody(t, tp, found[1].Request.Body); string(got) != "all" {
				t.Errorf("a request that came whole has the body %q", got)
			}
		}
	}
}

// TestUpgradedFull has no room for what an upgraded connection sends: what was there stays.
func TestUpgradedFull(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{MaxSize: 2 << 20})
	noise := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	x := s.Begin(post("upgraded"))
	x.RequestEnd(nil)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for chunk := range chunks(noise, 32<<10) {
		x.RequestBody(chunk)
	}
	x.End(Complete, "", nil, time.Second)
	if err := x.Wait(t.Context()); !errors.Is(err, ErrFull) {
		t.Errorf("Wait: %v", err)
	}
	if err := r.Close(); !errors.Is(err, ErrFull) {
		t.Errorf("Close: %v", err)
	}
	checkTape(t, path)
	tp := openTape(t, path)
	found := all(t, tp, Query{})
	if len(found) != 1 || found[0].Ended != RecorderError {
		t.Fatalf("on the tape: %+v", found)
	}
	if b := readBody(t, tp, found[0].Request.Body); len(b) < maxPart || !bytes.Equal(b, noise[:len(b)]) {
		t.Errorf("the partial body has %d bytes that are not the first of what came", len(b))
	}
}
