package tape

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordOn records on the tape at path, which is made when it is not there. What f leaves in flight is interrupted.
func recordOn(t testing.TB, path string, session Session, f func(s *SessionRecorder)) {
	t.Helper()
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.StartSession(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	f(s)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t testing.TB, from string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy.tape")
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// everything is what can be read of a tape: of each session its exchanges by their digests, in order.
func everything(t testing.TB, path string) (sessions []Session, digests map[string][][32]byte) {
	t.Helper()
	tp := openTape(t, path)
	defer tp.Close()
	sessions, err := tp.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	digests = make(map[string][][32]byte)
	for _, x := range all(t, tp, Query{}) {
		digests[x.Session] = append(digests[x.Session], x.Digest())
	}
	return sessions, digests
}

// TestMerge merges two tapes that have bodies in common, large ones, an interrupted exchange and what else an exchange can have.
func TestMerge(t *testing.T) {
	noise := make([]byte, 3*maxPart+5)
	rand.NewChaCha8([32]byte{6}).Read(noise)
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a.tape"), filepath.Join(dir, "b.tape"), filepath.Join(dir, "out.tape")
	recordOn(t, a, Session{Name: "late", Started: day.Add(time.Hour), Upstream: "http://exo.local:52415", Labels: map[string]string{"run": "1"}}, func(s *SessionRecorder) {
		for i := range 100 {
			recordOne(s, i)
		}
		recordBodies(s, post("large"), noise, noise[:1000])
	})
	recordOn(t, b, Session{Name: "early", Started: day, Version: "v9"}, func(s *SessionRecorder) {
		recordOne(s, 7)
		recordOne(s, 200)
		recordBodies(s, post("large"), []byte("{}"), noise)
		x := s.Begin(post("never ends"))
		x.RequestBody([]byte("whole"))
		x.RequestEnd(map[string][]string{"X-Sum": {"1"}})
		x.ResponseHead(200, "Fine", false, "HTTP/1.0", map[string][]string{"X": {"\xff"}}, time.Millisecond)
		for chunk := range chunks(noise, 50_000) {
			x.ResponseBody(chunk, time.Millisecond)
		}
		s.Begin(post("nothing came")).RequestEnd(nil)
	})
	files := make(map[string][]byte)
	for _, path := range []string{a, b} {
		files[path], _ = os.ReadFile(path)
	}
	merged, err := Merge(t.Context(), out, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Merged{Sessions: 2, Exchanges: 106}, merged); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	checkTape(t, out)
	var wantSessions []Session
	want := make(map[string][][32]byte)
	for _, path := range []string{b, a} {
		sessions, digests := everything(t, path)
		wantSessions = append(wantSessions, sessions...)
		for name, list := range digests {
			want[name] = list
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, files[path]) {
			t.Errorf("merging changed %s (%v)", path, err)
		}
	}
	sessions, got := everything(t, out)
	if diff := cmp.Diff(wantSessions, sessions); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the digests differ from those on the merged tapes")
	}
	// All that a reader is told is the same, facts included.
	ta, to := openTape(t, a), openTape(t, out)
	if diff := cmp.Diff(all(t, ta, Query{}), all(t, to, Query{Session: "late"}), sameExchange); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
	if n := column(t, rawDB(t, out), `SELECT count(*) - count(DISTINCT sha256) FROM bodies`); n[0] != "0" {
		t.Errorf("%s bodies are there twice", n[0])
	}
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left beside it: %q, %v", left, err)
	}
	// A merged tape is one like any other.
	recordOn(t, out, Session{Name: "later"}, func(s *SessionRecorder) { recordOne(s, 1) })
	checkTape(t, out)
}

// TestMergeSame merges tapes that share a session: one is a copy that was made earlier, when an exchange was in flight.
func TestMergeSame(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{})
	name := s.Session().Name
	for i := range 10 {
		recordOne(s, i)
	}
	x := s.Begin(post("in flight"))
	x.RequestEnd(nil)
	x.ResponseBody(bytes.Repeat([]byte("never twice the same "), 50_000), time.Millisecond)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	earlier := filepath.Join(t.TempDir(), "earlier.tape")
	if merged, err := Merge(t.Context(), earlier, path); err != nil || merged.Exchanges != 11 {
		t.Fatalf("merging while it is recorded: %+v, %v", merged, err)
	}
	checkTape(t, earlier)
	tp := openTape(t, earlier)
	if x, err := tp.Exchange(t.Context(), x.Ref()); err != nil || x.Ended != Interrupted || x.Response.Body.Size < maxPart {
		t.Errorf("what was in flight is %+v, %v", x, err)
	}
	x.End(Complete, "", nil, time.Second)
	recordOne(s, 11)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	sessions, want := everything(t, path)
	for _, in := range [][]string{{path, earlier}, {earlier, path}, {path, path}, {earlier, earlier, path, earlier}} {
		out := filepath.Join(t.TempDir(), "out.tape")
		merged, err := Merge(t.Context(), out, in...)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Exchanges != 12 || merged.Sessions != 1 || len(merged.Renamed) != 0 || merged.Doubled == 0 {
			t.Errorf("%q: merged %+v", in, merged)
		}
		checkTape(t, out)
		gotSessions, got := everything(t, out)
		if diff := cmp.Diff(sessions, gotSessions); diff != "" {
			t.Errorf("%q: sessions (-want +got):\n%s", in, diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: other digests", in)
		}
	}

	// Another exchange with a number that is taken gets the next free one, once.
	other := copyFile(t, path)
	execute(t, rawDB(t, other), `UPDATE exchanges SET started = started + 1 WHERE seq IN (3, 4)`)
	first, out := filepath.Join(t.TempDir(), "first.tape"), filepath.Join(t.TempDir(), "out.tape")
	if _, err := Merge(t.Context(), first, path, other); err != nil {
		t.Fatal(err)
	}
	merged, err := Merge(t.Context(), out, first, other)
	if err != nil || merged.Exchanges != 14 || merged.Doubled != 12 {
		t.Errorf("merged %+v, %v", merged, err)
	}
	checkTape(t, out)
	if _, digests := everything(t, out); len(digests[name]) != 14 {
		t.Errorf("%d exchanges", len(digests[name]))
	}
}

// TestMergeNames merges sessions that are called the same and are not.
func TestMergeNames(t *testing.T) {
	dir := t.TempDir()
	var in []string
	for i, name := range []string{"run", "run", "run-2", "run"} {
		path := filepath.Join(dir, string('a'+rune(i)))
		recordOn(t, path, Session{Name: name, Started: day.Add(time.Duration(i) * time.Second)}, func(s *SessionRecorder) { recordOne(s, i) })
		in = append(in, path)
	}
	out := filepath.Join(dir, "out.tape")
	merged, err := Merge(t.Context(), out, in...)
	if err != nil {
		t.Fatal(err)
	}
	want := Merged{Sessions: 4, Exchanges: 4, Renamed: []Renamed{
		{Tape: in[1], Old: "run", New: "run-2"}, {Tape: in[2], Old: "run-2", New: "run-2-2"}, {Tape: in[3], Old: "run", New: "run-3"}}}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if got := strings.Join(refs(t, out), " "); got != "run/1 run-2/1 run-2-2/1 run-3/1" {
		t.Errorf("exchanges %s", got)
	}
	checkTape(t, out)
}

func TestMergeErrors(t *testing.T) {
	dir := t.TempDir()
	a := newTape(t, 3)
	out := filepath.Join(dir, "out.tape")
	check := func(name string, err, is error, says string) {
		t.Helper()
		var e *Error
		if !errors.Is(err, is) || !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left are %v, %v", name, left, err)
		}
	}
	_, err := Merge(t.Context(), a, a)
	check("onto a file", err, fs.ErrExist, "name a file that is not there yet")
	_, err = Merge(t.Context(), out, a, filepath.Join(dir, "gone.tape"))
	check("of a tape that is not there", err, fs.ErrNotExist, "check the path")
	_, err = Merge(t.Context(), filepath.Join(dir, "none", "out.tape"), a)
	check("into a folder that is not there", err, fs.ErrNotExist, "(make the folder "+filepath.Join(dir, "none")+" first, or name a file in one that is there)")

	damaged := copyFile(t, prunable(t))
	execute(t, rawDB(t, damaged), `DELETE FROM parts WHERE id IN (SELECT max(id) FROM parts)`)
	_, err = Merge(t.Context(), out, a, damaged)
	check("of a damaged tape", err, ErrDamaged, damaged)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Merge(ctx, out, a); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled merge: %v", err)
	}
}

// TestMergeMemory merges a tape whose bodies are larger than what a merge may hold. What is allocated while a collection is going on counts
// as held, however short it is, so the best of several attempts counts.
func TestMergeMemory(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{MaxWait: time.Minute})
	rng := rand.NewChaCha8([32]byte{7})
	chunk := make([]byte, 1<<20)
	x := s.Begin(post("large"))
	x.RequestEnd(nil)
	for range 48 {
		rng.Read(chunk)
		x.ResponseBody(chunk, time.Millisecond)
	}
	x.End(Complete, "", nil, time.Second)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var out string
	var peak uint64
	for range 4 {
		out = filepath.Join(t.TempDir(), "out.tape")
		peak = peakHeap(t, func() {
			if _, err := Merge(t.Context(), out, path); err != nil {
				t.Error(err)
			}
		})
		t.Logf("merging took %d MiB of heap", peak>>20)
		if peak <= 24<<20 {
			break
		}
	}
	if peak > 24<<20 {
		t.Errorf("merging took %d MiB of heap", peak>>20)
	}
	checkTape(t, out)
}

// peakHeap returns by how much what the heap holds grew while f ran.
func peakHeap(t testing.TB, f func()) uint64 {
	t.Helper()
	before := liveHeap()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	var most uint64
	for {
		select {
		case <-done:
			return most
		case <-time.After(5 * time.Millisecond):
			if now := liveHeap(); now > before {
				most = max(most, now-before)
			}
		}
	}
}

// liveHeap returns how many bytes of the heap are held now. What others allocate behind the collection does not count.
func liveHeap() uint64 {
	runtime.GC()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}
