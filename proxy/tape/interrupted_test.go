package tape

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestInterrupted reads what a recorder that died had spooled of large bodies, before and after the next recorder has tidied up.
func TestInterrupted(t *testing.T) {
	noise := make([]byte, 3*maxPart+1000)
	rand.NewChaCha8([32]byte{2}).Read(noise)
	path := killedBy(t, func(s *SessionRecorder) {
		answer := s.Begin(post("answer"))
		answer.RequestBody([]byte(`{"model":"tiny"}`))
		answer.RequestEnd(nil)
		answer.ResponseHead(200, "OK", false, "HTTP/1.1", http.Header{"Content-Type": {"text/event-stream"}}, time.Millisecond)
		upload := s.Begin(post("upload"))
		early := s.Begin(post("early answer")) // before its request has arrived
		for chunk := range chunks(noise, 100_000) {
			answer.ResponseBody(chunk, time.Millisecond)
			upload.RequestBody(chunk)
			early.ResponseBody(chunk, time.Millisecond)
		}
		early.RequestEnd(nil)
	})
	check := func(when string) (digests [][32]byte) {
		t.Helper()
		tp := openTape(t, path)
		found := all(t, tp, Query{Ended: []Ended{Interrupted}})
		if len(found) != 2 || len(all(t, tp, Query{})) != 2 {
			t.Fatalf("%s: interrupted are %+v", when, found)
		}
		for i, x := range found {
			if body := readBody(t, tp, x.Response.Body); !bytes.Equal(body, noise[:3*maxPart]) {
				t.Errorf("%s: exchange %d has %d bytes, want the first %d", when, x.Seq, len(body), 3*maxPart)
			}
			if want := []int{200, 0}[i]; x.Response.Status != want {
				t.Errorf("%s: exchange %d has status %d, want %d", when, x.Seq, x.Response.Status, want)
			}
			digests = append(digests, x.Digest())
		}
		if err := tp.Close(); err != nil {
			t.Error(err)
		}
		return digests
	}
	before := check("left behind")
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if after := check("marked"); after[0] != before[0] || after[1] != before[1] {
		t.Error("marking an exchange changed its digest")
	}
	db := rawDB(t, path)
	if got := column(t, db, `SELECT count(*) FROM bodies WHERE prefix IS NULL OR id NOT IN (SELECT response_body FROM exchanges UNION SELECT request_body FROM exchanges WHERE request_body NOTNULL)`); got[0] != "0" {
		t.Errorf("%s bodies are left of a request that never arrived", got[0])
	}
	if got := column(t, db, `SELECT count(*) FROM parts`); got[0] != "6" {
		t.Errorf("%s parts are left, want those of two bodies", got[0])
	}
}

// TestReadWhileSpooled reads a body that is still coming in.
func TestReadWhileSpooled(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	noise := make([]byte, 2*maxPart+10)
	rand.NewChaCha8([32]byte{3}).Read(noise)
	x := s.Begin(post("tiny"))
	x.RequestEnd(nil)
	x.ResponseBody(noise, time.Millisecond)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	tp := openTape(t, path)
	got, err := tp.Exchange(t.Context(), x.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if body := readBody(t, tp, got.Response.Body); got.Ended != InFlight || !bytes.Equal(body, noise[:2*maxPart]) {
		t.Errorf("in flight: %q with %d bytes", got.Ended, len(body))
	}
	x.End(Complete, "", nil, time.Second)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The reference from before is good for as much as it said there was.
	if body := readBody(t, tp, got.Response.Body); len(body) != 2*maxPart {
		t.Errorf("by the old reference: %d bytes", len(body))
	}
}

// TestReadWhileRecording has several readers on a tape that fills.
func TestReadWhileRecording(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	tp := openTape(t, path)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				for x, err := range tp.Exchanges(t.Context(), Query{}) {
					if err != nil {
						t.Error(err)
						return
					}
					readBody(t, tp, x.Response.Body)
					if x.Ended == Interrupted {
						t.Errorf("exchange %d is interrupted while its recorder is alive", x.Seq)
					}
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 300 {
		recordOne(s, i)
		if i%50 == 0 {
			if err := r.Sync(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	close(done)
	wg.Wait()
	if n := len(all(t, tp, Query{})); n != 300 {
		t.Errorf("%d exchanges", n)
	}
}

// TestWaitIsQuick waits for each exchange, as a strict proxy does: that must not take the time in which a batch gathers. What else the
// machine does can only make it longer, so the best of several attempts counts.
func TestWaitIsQuick(t *testing.T) {
	_, _, s := openTest(t, RecorderOptions{})
	var each time.Duration
	for range 10 {
		start := time.Now()
		const n = 50
		for i := range n {
			if err := recordOne(s, i).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		each = time.Since(start) / n
		t.Logf("%v for each", each)
		if each <= batchDelay {
			break
		}
	}
	if each > batchDelay {
		t.Errorf("waiting takes %v for each exchange, longer than a batch gathers", each)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Begin(post("never ends")).Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled Wait: %v", err)
	}
}

// TestReadWhileStarting reads a tape at the moment at which a recorder starts on it: what it has in flight is not interrupted.
func TestReadWhileStarting(t *testing.T) {
	path := newTape(t, 1)
	tp := openTape(t, path)
	calls := 0
	var ended []Ended
	err := tp.whileAlive(func(alive bool) (bool, error) {
		calls++
		if calls == 1 {
			r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
			if err != nil {
				return false, err
			}
			t.Cleanup(func() { r.Close() })
			s, err := r.StartSession(t.Context(), Session{})
			if err != nil {
				return false, err
			}
			s.Begin(post("in flight")).RequestEnd(nil)
			if err := r.Sync(t.Context()); err != nil {
				return false, err
			}
		}
		rows, err := tp.rows(t.Context(), alive, "")
		ended = nil
		open := false
		for _, r := range rows {
			ended = append(ended, r.x.Ended)
			open = open || r.open
		}
		return open, err
	})
	if err != nil || calls != 2 || len(ended) != 2 || ended[1] != InFlight {
		t.Errorf("after %d looks the exchanges have ended %q, %v", calls, ended, err)
	}
}
