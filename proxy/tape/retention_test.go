package tape

import (
	crand "crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fill records n exchanges that differ, from several goroutines, the first one at the time from and each a second later.
func fill(t testing.TB, s *SessionRecorder, from time.Time, n, size int) {
	t.Helper()
	var wg sync.WaitGroup
	const callers = 8
	for c := range callers {
		wg.Go(func() {
			noise := make([]byte, size)
			rng := rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%v %d", from, c)))
			for i := c; i < n; i += callers {
				rng.Read(noise)
				start := post("fill")
				start.Started = from.Add(time.Duration(i) * time.Second)
				recordBodies(s, start, noise[:size/3], noise[size/3:])
			}
		})
	}
	wg.Wait()
}

// recordBodies records an exchange with these bodies.
func recordBodies(s *SessionRecorder, start Start, request, response []byte) *Recording {
	x := s.Begin(start)
	x.RequestBody(request)
	x.RequestEnd(nil)
	x.ResponseHead(200, "OK", false, "HTTP/1.1", nil, time.Millisecond)
	x.ResponseBody(response, time.Millisecond)
	x.End(Complete, "", nil, time.Second)
	return x
}

// checkTape makes sure that the file is sound, that bodies are there for what refers to them and for nothing else, and that all
// exchanges can be read back whole. Of a tape that is closed.
func checkTape(t testing.TB, path string) {
	t.Helper()
	db := rawDB(t, path)
	defer db.Close()
	for what, query := range map[string]string{
		"soundness": `SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
		"references": `WITH used AS (SELECT id, count(*) AS n FROM (SELECT request_body AS id FROM exchanges UNION ALL SELECT response_body FROM exchanges) GROUP BY id)
			SELECT 'body ' || bodies.id || ' has ' || refs || ' references instead of ' || coalesce(n, 0) FROM bodies LEFT JOIN used ON used.id = bodies.id
			WHERE refs <> coalesce(n, 0) OR n IS NULL OR prefix IS NULL`,
		"parts": `SELECT 'part ' || id FROM parts WHERE id / 1048576 NOT IN (SELECT id FROM bodies WHERE codec IS NULL)`,
		"facts": `SELECT 'facts of ' || exchange FROM facts WHERE exchange NOT IN (SELECT id FROM exchanges)
			UNION ALL SELECT 'no facts of ' || id FROM exchanges WHERE id NOT IN (SELECT exchange FROM facts)`,
	} {
		if wrong := column(t, db, query); len(wrong) > 0 {
			t.Errorf("%s: %s", what, strings.Join(wrong, "; "))
		}
	}
	tp := openTape(t, path)
	defer tp.Close()
	for _, x := range all(t, tp, Query{}) {
		readBody(t, tp, x.Request.Body) // which checks the digest
		readBody(t, tp, x.Response.Body)
	}
}

// passOver waits for a pass that begins now.
func passOver(t testing.TB, r *Recorder) {
	t.Helper()
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	var begun time.Time
	for done := false; !done; time.Sleep(time.Millisecond) {
		if err := r.call(t.Context(), func(*writer) error {
			p := r.pruner
			switch {
			case p.pass != passed:
			case begun.IsZero():
				begun, p.ended = time.Now(), time.Time{}
			default:
				done = p.ended.After(begun)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestKeepSize records far more than a tape may hold.
func TestKeepSize(t *testing.T) {
	const limit = 16 << 20
	path, r, s := openTest(t, RecorderOptions{Keep: Retention{MaxBytes: limit}, Warn: func(err error) { t.Error(err) }})
	inFlight := s.Begin(post("in flight"))
	inFlight.RequestEnd(nil)
	for i := range 8 {
		fill(t, s, day.Add(time.Duration(i)*time.Hour), 200, 20000)
		passOver(t, r)
		waitFor(t, "the tape to be small enough", func() bool { return r.Stats().FileBytes <= limit })
	}
	inFlight.End(Complete, "", nil, time.Second)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	st := r.Stats()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	checkTape(t, path)
	tp := openTape(t, path)
	left := all(t, tp, Query{})
	if int64(len(left))+st.Pruned != st.Committed || st.Committed != 1601 || len(left) < 100 {
		t.Errorf("%d exchanges left, %d pruned, %d recorded", len(left), st.Pruned, st.Committed)
	}
	if st.PrunedBytes < st.Pruned*19000 || st.PrunedBytes > st.Pruned*21000 {
		t.Errorf("%d bytes of %d exchanges", st.PrunedBytes, st.Pruned)
	}
	if !slices.ContainsFunc(left, func(x *Exchange) bool { return x.Ref == inFlight.Ref() }) {
		t.Error("an exchange in flight was pruned")
	}
	oldest := left[len(left)-1].Started
	for _, x := range left {
		if x.Ref != inFlight.Ref() && x.Started.Before(oldest) {
			oldest = x.Started
		}
	}
	if want := day.Add(7*time.Hour + 200*time.Second).Add(-time.Duration(len(left)/200+1) * time.Hour); oldest.Before(want) {
		t.Errorf("what started at %v is left, though younger exchanges were pruned", oldest)
	}
}

// TestKeepBodyInUse prunes the only exchange that has a body just when another one with that body is on its way to the tape.
func TestKeepBodyInUse(t *testing.T) {
	body := []byte("the same again")
	var between atomic.Pointer[func()]
	clock := func() time.Time {
		if f := between.Swap(nil); f != nil {
			(*f)()
		}
		return day.Add(time.Hour)
	}
	path, r, s := openTest(t, RecorderOptions{Keep: Retention{MaxAge: time.Minute}, Now: clock})
	start := post("old")
	start.Started = day.Add(2 * time.Hour)
	if err := recordBodies(s, start, body, body).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	// It grows old in a moment at which the next one has been prepared and not been written.
	execute(t, rawDB(t, path), `UPDATE exchanges SET started = ?`, day.UnixNano())
	known := r.known()
	prepared := make(chan bool, 1)
	f := func() {
		recordBodies(s, start, body, nil)
		signal(r.hurry)
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			known.mu.Lock()
			n := len(known.inUse)
			known.mu.Unlock()
			if n > 0 {
				prepared <- true
				return
			}
		}
		prepared <- false
	}
	between.Store(&f)
	if !<-prepared {
		t.Error("the next exchange was not prepared")
	}
	for range 2 {
		passOver(t, r)
	}
	if n := r.Stats().Pruned; n != 1 {
		t.Errorf("%d exchanges were pruned", n)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	checkTape(t, path)
	tp := openTape(t, path)
	left := all(t, tp, Query{})
	if len(left) != 1 || string(readBody(t, tp, left[0].Request.Body)) != string(body) {
		t.Errorf("left are %+v", left)
	}
	if n := len(known.inUse); n != 0 {
		t.Errorf("%d bodies are in use for ever", n)
	}
}

// oldTape makes a tape with n exchanges of some KB that started long before now, and returns its path.
func oldTape(t testing.TB, n int) string {
	t.Helper()
	path, r, s := openTest(t, RecorderOptions{MaxWait: time.Minute})
	fill(t, s, day, n, 6000)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordUntil records exchanges from several goroutines, each of which waits until one is on the tape before it begins the next, until
// enough says so. It returns how long each took to get on the tape, sorted.
func recordUntil(t testing.TB, r *Recorder, enough func() bool) []time.Duration {
	t.Helper()
	s, err := r.StartSession(t.Context(), Session{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			noise := make([]byte, 6000)
			for {
				if _, err := crand.Read(noise); err != nil {
					t.Error(err)
				}
				start := post("young")
				start.Started = time.Now()
				x := recordBodies(s, start, noise[:2000], noise[2000:])
				ended := time.Now()
				if err := x.Wait(t.Context()); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(ended))
				mu.Unlock()
				if enough() {
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took
}

// TestKeepAge prunes a tape that is too old while it is being recorded. Nobody has to wait longer than 100 ms for that, beyond what the
// machine lets everybody wait for its disk. What else it does can only make it longer, so that of several attempts one has to do.
func TestKeepAge(t *testing.T) {
	var held, longer, stall, late time.Duration
	const limit = 100 * time.Millisecond
	quiet := false // a machine on which even a timer comes late tells nothing
	for range 10 {
		held, longer, stall, late = keepAge(t)
		if raceDetector || max(held, longer) <= limit+min(stall, 4*limit) {
			return
		}
		quiet = quiet || late <= limit/2
	}
	if !quiet {
		t.Skipf("other programs keep the machine from being measured: a timer came %v late", late)
	}
	t.Errorf("pruning held recording up for %v, one exchange of ten took %v longer, while the disk stood still for up to %v", held, longer, stall)
}

// watchDisk writes a little to a file of its own, again and again, until stop is called. That returns the longest it took, and how late the
// timer between the writes came at most.
func watchDisk(t *testing.T) (stop func() (stall, late time.Duration)) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "beats"))
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	longest := make(chan [2]time.Duration)
	go func() {
		const pause = 5 * time.Millisecond
		var most, late time.Duration
		for block := make([]byte, 4<<10); ; {
			start := time.Now()
			_, err := f.WriteAt(block, 0)
			if err := errors.Join(err, f.Sync()); err != nil {
				t.Error(err)
			}
			most = max(most, time.Since(start))
			start = time.Now()
			select {
			case <-stopped:
				longest <- [2]time.Duration{most, late}
				return
			case <-time.After(pause):
				late = max(late, time.Since(start)-pause)
			}
		}
	}()
	return func() (stall, late time.Duration) {
		close(stopped)
		most := <-longest
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		return most[0], most[1]
	}
}

// keepAge returns the longest that recording waited for pruning, how much longer than without it the slowest tenth of the exchanges took,
// the longest that the disk stood still meanwhile, and how late a timer came at most.
func keepAge(t *testing.T) (held, longer, stall, late time.Duration) {
	old := 5_000
	if raceDetector {
		old = 1_000
	}
	path := oldTape(t, old)
	before := fileBytes(path)
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{
		Keep: Retention{MaxAge: time.Hour}, Warn: func(err error) { t.Error(err) }, MaxWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stop := watchDisk(t)
	pruning := recordUntil(t, r, func() bool { return r.Stats().Pruned >= int64(old) })
	passOver(t, r)
	stall, late = stop()
	end := time.Now().Add(time.Second)
	calm := recordUntil(t, r, func() bool { return time.Now().After(end) })
	passOver(t, r)
	n := len(pruning) + len(calm)
	waitFor(t, "space to come back", func() bool { return fileBytes(path) <= before/4+int64(n)*8000 })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	held, longer = r.Stats().PruneHeld, pruning[len(pruning)*9/10]-calm[len(calm)*9/10]
	t.Logf("%d exchanges took at most %v while %d were pruned, one of ten %v longer than later, held up for %v, the disk stood still for %v; then %d at most %v",
		len(pruning), pruning[len(pruning)-1], old, longer, held, stall, len(calm), calm[len(calm)-1])
	checkTape(t, path)
	tp := openTape(t, path)
	if left := all(t, tp, Query{}); len(left) != n {
		t.Errorf("%d exchanges left, %d were recorded last", len(left), n)
	}
	sessions, err := tp.Sessions(t.Context())
	if err != nil || len(sessions) != 2 {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	return held, longer, stall, late
}

// BenchmarkPruneWhileRecording prunes 100,000 exchanges of a tape that is being recorded.
func BenchmarkPruneWhileRecording(b *testing.B) {
	const old = 100_000
	for b.Loop() {
		b.StopTimer()
		path := oldTape(b, old)
		b.StartTimer()
		start := time.Now()
		r, err := OpenRecorder(b.Context(), path, RecorderOptions{Keep: Retention{MaxAge: time.Hour}})
		if err != nil {
			b.Fatal(err)
		}
		took := recordUntil(b, r, func() bool { return r.Stats().Pruned >= old })
		b.ReportMetric(old/time.Since(start).Seconds(), "pruned/s")
		b.ReportMetric(float64(len(took))/time.Since(start).Seconds(), "recorded/s")
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		b.ReportMetric(float64(r.Stats().PruneHeld.Microseconds())/1000, "held-ms")
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
