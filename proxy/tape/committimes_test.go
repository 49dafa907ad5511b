package tape

import (
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCommitTimes(t *testing.T) {
	var c commitTimes
	c.add(time.Millisecond)
	c.add(30 * time.Millisecond)
	c.add(time.Minute)
	want := CommitTimes{Count: 3, Total: time.Minute + 31*time.Millisecond, Within: [len(CommitLimits)]int64{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}}
	if diff := cmp.Diff(want, c.get()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCommitTimesOfRecorder counts the commits of batches that were written, and none of one that was not.
func TestCommitTimesOfRecorder(t *testing.T) {
	r, err := OpenRecorder(t.Context(), filepath.Join(t.TempDir(), "test.tape"), RecorderOptions{MaxSize: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.StartSession(t.Context(), Session{})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.CommitTimes().Count; n != 0 {
		t.Errorf("%d commits before the first exchange", n)
	}
	x := s.Begin(Start{Started: time.Now(), Method: "GET", URL: "/models"})
	x.End(Complete, "", nil, 0)
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	times := r.CommitTimes()
	if times.Count != 1 || times.Total <= 0 {
		t.Errorf("%+v after one exchange", times)
	}
	larger := make([]byte, 1<<20)
	rand.Read(larger) // as good as incompressible
	x = s.Begin(Start{Started: time.Now(), Method: "POST", URL: "/v1/messages"})
	x.RequestBody(larger)
	x.End(Complete, "", nil, 0)
	if err := x.Wait(t.Context()); err == nil {
		t.Fatal("a body larger than the tape was recorded")
	}
	if got := r.CommitTimes(); got != times {
		t.Errorf("%+v became %+v without a commit", times, got)
	}
	if err := r.Close(); err == nil {
		t.Error("nothing went unrecorded")
	}
}
