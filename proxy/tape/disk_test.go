package tape

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

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
	before := liveHeap()
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
			peak = max(peak, liveHeap())
		}
	}
	x.End(Complete, "", nil, time.Minute)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if grown := int64(peak) - int64(before); grown > 8<<20 {
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
