package tape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// prunable makes a tape of two sessions, a day apart: "first" with exchanges 1 to 20, "second" with 1 to 10, a second apart. All requests of
// a session are equal; every fourth exchange was truncated; exchange 5 of the first session has an answer of 1 MiB.
func prunable(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.tape")
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.NewChaCha8([32]byte{8})
	for d, name := range []string{"first", "second"} {
		started := day.Add(time.Duration(d) * 24 * time.Hour)
		s, err := r.StartSession(t.Context(), Session{Name: name, Started: started})
		if err != nil {
			t.Fatal(err)
		}
		for i := range []int{20, 10}[d] {
			start := post(name)
			start.Started = started.Add(time.Duration(i) * time.Second)
			x := s.Begin(start)
			x.RequestBody(bytes.Repeat([]byte(name), 1000))
			x.RequestEnd(nil)
			size := 30_000
			if name == "first" && i == 4 {
				size = 1 << 20
			}
			noise := make([]byte, size)
			rng.Read(noise)
			x.ResponseBody(noise, time.Millisecond)
			ended := Complete
			if i%4 == 3 {
				ended = UpstreamTruncated
			}
			x.End(ended, "", nil, time.Second)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// refs lists the exchanges of a tape, such as "first/1".
func refs(t testing.TB, path string) (list []string) {
	t.Helper()
	tp := openTape(t, path)
	defer tp.Close()
	for _, x := range all(t, tp, Query{}) {
		list = append(list, fmt.Sprintf("%s/%d", x.Session, x.Seq))
	}
	return list
}

func TestPrune(t *testing.T) {
	now := func() time.Time { return day.Add(24*time.Hour + 5*time.Second) }
	for _, tt := range []struct {
		name     string
		o        PruneOptions
		want     int // exchanges left
		sessions int // removed
		has, not []string
	}{
		{"a session", PruneOptions{Session: "first"}, 10, 1, []string{"second/1"}, []string{"first/20"}},
		{"before a time", PruneOptions{Before: day.Add(10 * time.Second)}, 20, 0, []string{"first/11"}, []string{"first/10"}},
		{"an ending", PruneOptions{Ended: []Ended{UpstreamTruncated}}, 23, 0, []string{"first/3"}, []string{"first/4", "second/8"}},
		{"all three", PruneOptions{Session: "first", Before: day.Add(10 * time.Second), Ended: []Ended{UpstreamTruncated, Interrupted}}, 28, 0,
			[]string{"first/12", "second/4"}, []string{"first/4", "first/8"}},
		{"an age", PruneOptions{Keep: Retention{MaxAge: 24 * time.Hour}, Now: now}, 25, 0, []string{"first/6"}, []string{"first/5"}},
		{"an age and an ending", PruneOptions{Keep: Retention{MaxAge: time.Hour}, Ended: []Ended{UpstreamTruncated}, Now: now}, 25, 0,
			[]string{"first/1", "second/4"}, []string{"first/20"}},
		{"everything", PruneOptions{Keep: Retention{MaxAge: time.Second}}, 0, 2, nil, nil},
		{"nothing", PruneOptions{Session: "first", Before: day}, 30, 0, nil, nil},
		{"a size", PruneOptions{Keep: Retention{MaxBytes: 700_000}}, 15, 0, []string{"first/17"}, []string{"first/5"}},
		{"a size that it has", PruneOptions{Keep: Retention{MaxBytes: 3 << 20}}, 30, 0, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := prunable(t)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dry := tt.o
			dry.DryRun = true
			would, err := Prune(t.Context(), path, dry)
			if err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
				t.Errorf("a dry run changed the tape (%v)", err)
			}
			digests := digestsOf(t, path)
			did, err := Prune(t.Context(), path, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			checkTape(t, path)
			left := refs(t, path)
			if tt.name == "a size" {
				if did.After > tt.o.Keep.MaxBytes || did.After < tt.o.Keep.MaxBytes-100_000 || would.Exchanges < did.Exchanges-3 || would.Exchanges > did.Exchanges+3 {
					t.Errorf("%d bytes are left of a tape that may have %d; pruned were %+v, would be %+v", did.After, tt.o.Keep.MaxBytes, did, would)
				}
				would.Exchanges, would.StoredBytes, tt.want = did.Exchanges, did.StoredBytes, len(left)
			}
			if len(left) != tt.want || did.Exchanges != int64(30-tt.want) || did.Sessions != int64(tt.sessions) {
				t.Errorf("%d exchanges are left: %q; pruned were %+v", len(left), left, did)
			}
			for _, ref := range tt.has {
				if !slices.Contains(left, ref) {
					t.Errorf("%s is gone; left are %q", ref, left)
				}
			}
			for _, ref := range tt.not {
				if slices.Contains(left, ref) {
					t.Errorf("%s is left", ref)
				}
			}
			for ref, digest := range digestsOf(t, path) {
				if digests[ref] != digest {
					t.Errorf("pruning others changed the digest of %v", ref)
				}
			}
			info, err := os.Stat(path)
			if err != nil || did.Before != int64(len(before)) || did.After != info.Size() || (did.Exchanges > 0) != (did.After < did.Before) {
				t.Errorf("%d bytes before, %d after, of the file %v (%v)", did.Before, did.After, info.Size(), err)
			}
			if d := would.After - did.After; d > 150_000 || d < -150_000 {
				t.Errorf("%d bytes are left, %d would be", did.After, would.After)
			}
			would.Before, would.After, did.Before, did.After = 0, 0, 0, 0
			if diff := cmp.Diff(would, did); diff != "" {
				t.Errorf("what would be pruned and what was (-would +did):\n%s", diff)
			}
			if free := column(t, rawDB(t, path), `PRAGMA freelist_count`); free[0] != "0" {
				t.Errorf("%s pages were not given back", free[0])
			}
		})
	}
}

func digestsOf(t testing.TB, path string) map[Ref][32]byte {
	t.Helper()
	tp := openTape(t, path)
	defer tp.Close()
	digests := make(map[Ref][32]byte)
	for _, x := range all(t, tp, Query{}) {
		digests[x.Ref] = x.Digest()
	}
	return digests
}

func TestPruneErrors(t *testing.T) {
	path := prunable(t)
	check := func(name string, err, is error, says string) {
		t.Helper()
		var e *Error
		if !errors.Is(err, is) || !errors.As(err, &e) || e.Op != "pruning" || e.Hint == "" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Prune(t.Context(), path, PruneOptions{})
	check("without a limit", err, ErrPruneAll, "nothing says what to prune")
	_, err = Prune(t.Context(), path, PruneOptions{Session: "third"})
	check("of a session that is not there", err, ErrNoSession, "no such session: third (exodeck tape stats lists those it has)")
	gone := filepath.Join(t.TempDir(), "gone.tape")
	_, err = Prune(t.Context(), gone, PruneOptions{Session: "first"})
	check("of no tape", err, fs.ErrNotExist, "check the path")
	if left, err := filepath.Glob(gone + "*"); err != nil || len(left) > 0 {
		t.Errorf("a tape that is not there left %q, %v", left, err)
	}
	p, err := Prune(t.Context(), path, PruneOptions{Keep: Retention{MaxBytes: 10_000}})
	check("to a size below that of one exchange", err, ErrOverLimit, "the newest one always stay")
	if left := refs(t, path); p.Exchanges != 29 || len(left) != 1 || left[0] != "second/10" {
		t.Errorf("left are %q, pruned were %+v", left, p)
	}
	_, err = Prune(t.Context(), path, PruneOptions{Session: "second", Ended: []Ended{ClientGone}, Keep: Retention{MaxBytes: 10_000}})
	check("to a size, but only some", err, ErrOverLimit, "let exchanges of other kinds be removed too")

	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = Prune(t.Context(), path, PruneOptions{Session: "second"})
	check("while a recorder is at work", err, ErrBusy, "stop that recorder first")
	if p, err := Prune(t.Context(), path, PruneOptions{Session: "second", DryRun: true}); err != nil || p.Exchanges != 1 {
		t.Errorf("a dry run while a recorder is at work: %+v, %v", p, err)
	}
}

// TestPruneCanceled stops in the middle: the tape is whole, and what went stays gone.
func TestPruneCanceled(t *testing.T) {
	path := prunable(t)
	ctx, cancel := context.WithCancel(t.Context())
	now := func() time.Time {
		cancel()
		return time.Now()
	}
	if _, err := Prune(ctx, path, PruneOptions{Keep: Retention{MaxAge: time.Hour}, Now: now}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled Prune: %v", err)
	}
	checkTape(t, path)
	if n := len(refs(t, path)); n != 30 {
		t.Errorf("%d exchanges are left", n)
	}
}

// TestPrunedWhileRead reads a large body, and exchanges, that are pruned meanwhile.
func TestPrunedWhileRead(t *testing.T) {
	path := prunable(t)
	tp := openTape(t, path)
	x, err := tp.Exchange(t.Context(), Ref{"first", 5})
	if err != nil {
		t.Fatal(err)
	}
	body, err := tp.Body(t.Context(), x.Response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	for x, err := range tp.Exchanges(t.Context(), Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Ref == (Ref{"first", 1}) {
			if _, err := Prune(t.Context(), path, PruneOptions{Keep: Retention{MaxAge: time.Hour}}); err != nil {
				t.Fatal(err)
			}
		}
		if x.Session != "first" {
			t.Errorf("%v was yielded after it was pruned", x.Ref)
		}
	}
	if _, err := io.Copy(io.Discard, body); !errors.Is(err, ErrNoBody) || errors.Is(err, ErrDamaged) {
		t.Errorf("the rest of a body that was pruned: %v", err)
	}
	if _, err := tp.Body(t.Context(), x.Request.Body); !errors.Is(err, ErrNoBody) {
		t.Errorf("a body that was pruned: %v", err)
	}
}

// TestKeepOverLimit has an exchange in flight that is larger than the tape may be, which then is the newest one, and then not.
func TestKeepOverLimit(t *testing.T) {
	warned := make(chan error, 10)
	path, r, s := openTest(t, RecorderOptions{Keep: Retention{MaxBytes: minKept}, Warn: func(err error) { warned <- err }})
	recordOne(s, 1)
	start := post("large")
	start.Started = day.Add(time.Hour)
	x := s.Begin(start)
	x.RequestEnd(nil)
	noise := make([]byte, minKept+minKept/4)
	rand.NewChaCha8([32]byte{4}).Read(noise)
	for chunk := range chunks(noise, 100_000) {
		x.ResponseBody(chunk, time.Millisecond)
	}
	passOver(t, r)
	x.End(Complete, "", nil, time.Second)
	for range 3 {
		passOver(t, r)
	}
	if n := len(warned); n != 1 {
		t.Fatalf("%d warnings, want 1", n)
	}
	if err := <-warned; !errors.Is(err, ErrOverLimit) || !strings.Contains(err.Error(), "the newest one always stay") {
		t.Errorf("the warning is %v", err)
	}
	if err := x.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if left := refs(t, path); len(left) != 1 || r.Stats().Pruned != 1 {
		t.Errorf("left are %q, want the large one", left)
	}
	start.Started = start.Started.Add(time.Second)
	recordBodies(s, start, []byte("request"), []byte("response"))
	passOver(t, r)
	if n := len(warned); n != 0 {
		t.Errorf("warned of a tape that is small again: %v", <-warned)
	}
	waitFor(t, "the tape to be small again", func() bool { return r.Stats().FileBytes <= minKept/2 })
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	checkTape(t, path)
	if left := refs(t, path); len(left) != 1 || !strings.HasSuffix(left[0], "/3") {
		t.Errorf("left are %q", left)
	}
}

// TestKilledWhilePruning finds a body of which some parts had been removed, as a recorder that was killed leaves it.
func TestKilledWhilePruning(t *testing.T) {
	path := prunable(t)
	db := rawDB(t, path)
	execute(t, db, `DELETE FROM facts WHERE exchange = 5`)
	execute(t, db, `UPDATE bodies SET refs = 0, prefix = NULL, sha256 = NULL WHERE id = (SELECT response_body FROM exchanges WHERE id = 5)`)
	execute(t, db, `UPDATE bodies SET refs = refs - 1 WHERE id = (SELECT request_body FROM exchanges WHERE id = 5)`)
	execute(t, db, `DELETE FROM exchanges WHERE id = 5`)
	execute(t, db, `DELETE FROM parts WHERE id IN (SELECT id FROM parts LIMIT 2)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	checkTape(t, path)
	if n := len(refs(t, path)); n != 29 {
		t.Errorf("%d exchanges are left", n)
	}
}
