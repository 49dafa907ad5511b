package follow_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/follow"
	"github.com/google/go-cmp/cmp"
)

// deck is a tape that is being recorded.
type deck struct {
	t        testing.TB
	recorder *tape.Recorder
	session  *tape.SessionRecorder
	tape     *tape.Tape
	closed   bool
}

func newDeck(t testing.TB) *deck {
	t.Helper()
	d := &deck{t: t}
	path := filepath.Join(t.TempDir(), "a.tape")
	var err error
	if d.recorder, err = tape.OpenRecorder(t.Context(), path, tape.RecorderOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	d.session = d.newSession("s1")
	if d.tape, err = tape.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.tape.Close() })
	return d
}

func (d *deck) newSession(name string) *tape.SessionRecorder {
	d.t.Helper()
	s, err := d.recorder.StartSession(d.t.Context(), tape.Session{Name: name})
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *deck) close() {
	if !d.closed {
		d.closed = true
		d.recorder.Close()
	}
}

// begin starts an exchange; its request has not arrived yet.
func (d *deck) begin(s *tape.SessionRecorder, started time.Time) *tape.Recording {
	return s.Begin(tape.Start{Started: started, Method: "GET", URL: "/models"})
}

func end(x *tape.Recording, how tape.Ended) {
	x.RequestEnd(nil)
	x.ResponseHead(200, "", false, "HTTP/1.1", nil, time.Millisecond)
	x.End(how, "", nil, 2*time.Millisecond)
}

func (d *deck) sync() {
	d.t.Helper()
	if err := d.recorder.Sync(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func names(list []*tape.Exchange) []string {
	var all []string
	for _, x := range list {
		all = append(all, fmt.Sprintf("%s/%d %s", x.Session, x.Seq, x.Ended))
	}
	return all
}

// look expects these exchanges of the next look.
func (d *deck) look(f *follow.Follower, now time.Time, want ...string) {
	d.t.Helper()
	d.sync()
	list, err := f.Look(d.t.Context(), now)
	if err != nil {
		d.t.Fatal(err)
	}
	if diff := cmp.Diff(want, names(list)); diff != "" {
		d.t.Errorf("(-want +got)\n%s", diff)
	}
}

func (d *deck) follow(q tape.Query, now time.Time) *follow.Follower {
	d.t.Helper()
	d.sync()
	f, err := follow.New(d.t.Context(), d.tape, q, now)
	if err != nil {
		d.t.Fatal(err)
	}
	return f
}

// Every exchange is told once, when it ends, whatever was there before and in whatever order they come.
func TestLook(t *testing.T) {
	d := newDeck(t)
	now := time.Now()
	old := d.begin(d.session, now.Add(-time.Hour)) // in flight for an hour
	old.RequestEnd(nil)
	before := d.begin(d.session, now)
	end(before, tape.Complete)
	slow := d.begin(d.session, now) // its request takes long to arrive
	f := d.follow(tape.Query{}, now)
	d.look(f, now)

	quick := d.begin(d.session, now)
	end(quick, tape.ClientGone)
	d.look(f, now, "s1/4 client_gone")
	flying := d.begin(d.session, now)
	flying.RequestEnd(nil)
	d.look(f, now)
	end(slow, tape.Complete)
	d.look(f, now, "s1/3 complete")
	end(old, tape.Complete)
	end(flying, tape.Complete)
	d.look(f, now, "s1/1 complete", "s1/5 complete")
	d.look(f, now)

	other := d.begin(d.newSession("s2"), now)
	end(other, tape.Complete)
	end(d.begin(d.session, now.Add(time.Millisecond)), tape.Complete)
	d.look(f, now, "s2/1 complete", "s1/6 complete")
}

// A request that arrives after others that are long past is still told when it is not too late.
func TestLookLate(t *testing.T) {
	d := newDeck(t)
	now := time.Now()
	f := d.follow(tape.Query{}, now)
	slow := d.begin(d.session, now)
	for i := range 100 {
		end(d.begin(d.session, now.Add(time.Duration(i)*100*time.Millisecond)), tape.Complete)
	}
	d.sync()
	list, err := f.Look(t.Context(), now.Add(10*time.Second))
	if err != nil || len(list) != 100 {
		t.Fatalf("%d exchanges, %v", len(list), err)
	}
	d.look(f, now.Add(50*time.Second))
	end(slow, tape.Complete)
	d.look(f, now.Add(55*time.Second), "s1/1 complete")
}

func TestLookQuery(t *testing.T) {
	d := newDeck(t)
	now := time.Now()
	f := d.follow(tape.Query{Ended: []tape.Ended{tape.ClientGone}, Session: "s1"}, now)
	x := d.begin(d.session, now)
	x.RequestEnd(nil)
	d.look(f, now)
	end(x, tape.ClientGone)
	end(d.begin(d.session, now), tape.Complete)
	end(d.begin(d.newSession("s2"), now), tape.ClientGone)
	d.look(f, now, "s1/1 client_gone")
}

// counting counts the queries that a source is asked.
type counting struct {
	follow.Source
	queries int
}

func (c *counting) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	c.queries++
	return c.Source.Exchanges(ctx, q)
}

// Sessions that have ended, which have nothing to tell any more, are not asked at each look, however many there are.
func TestLookManySessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tape")
	now := time.Now()
	record := func(sessions int) *tape.Recorder {
		t.Helper()
		r, err := tape.OpenRecorder(t.Context(), path, tape.RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range sessions {
			s, err := r.StartSession(t.Context(), tape.Session{})
			if err != nil {
				t.Fatal(err)
			}
			end(s.Begin(tape.Start{Started: now, Method: "GET", URL: "/models"}), tape.Complete)
		}
		if err := r.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if err := record(50).Close(); err != nil {
		t.Fatal(err)
	}
	running := record(1)
	opened, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	source := &counting{Source: opened}
	f, err := follow.New(t.Context(), source, tape.Query{}, now)
	if err != nil {
		t.Fatal(err)
	}
	look := func(sessions, queries int) {
		t.Helper()
		source.queries = 0
		found, err := f.Look(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != sessions || source.queries != queries {
			t.Errorf("%d exchanges by %d queries, want %d by %d", len(found), source.queries, sessions, queries)
		}
	}
	look(0, 1)
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
	look(0, 1) // what it wrote as it ended
	look(0, 0)
	running = record(2)
	t.Cleanup(func() { running.Close() })
	look(2, 2)
	look(0, 2)
}

// The exchanges of a recorder that closes are told too.
func TestLookClosed(t *testing.T) {
	d := newDeck(t)
	now := time.Now()
	x := d.begin(d.session, now)
	x.RequestEnd(nil)
	f := d.follow(tape.Query{}, now)
	d.close()
	list, err := f.Look(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"s1/1 interrupted"}, names(list)); diff != "" {
		t.Error(diff)
	}
}

func TestLast(t *testing.T) {
	d := newDeck(t)
	now := time.Now()
	var want []string
	for i := range 50 {
		end(d.begin(d.session, now.Add(time.Duration(i-50)*time.Hour)), tape.Complete)
		want = append(want, fmt.Sprintf("s1/%d complete", i+1))
	}
	d.sync()
	for _, tt := range []struct {
		name string
		n    int
		q    tape.Query
		want []string
	}{
		{"few", 3, tape.Query{}, want[47:]},
		{"all", 1000, tape.Query{}, want},
		{"none", 0, tape.Query{}, nil},
		{"of another kind", 3, tape.Query{Model: "m"}, nil},
		{"not before a time", 10, tape.Query{From: now.Add(-150 * time.Minute)}, want[48:]},
		{"before a time", 2, tape.Query{To: now.Add(-150 * time.Minute)}, want[46:48]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := follow.Last(t.Context(), d.tape, tt.q, tt.n)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, names(list)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestClosedTape(t *testing.T) {
	d := newDeck(t)
	f := d.follow(tape.Query{}, time.Now())
	d.tape.Close()
	if _, err := f.Look(t.Context(), time.Now()); err == nil {
		t.Error("a closed tape was read")
	}
	if _, err := follow.Last(t.Context(), d.tape, tape.Query{}, 1); err == nil {
		t.Error("a closed tape was read")
	}
	if _, err := follow.New(t.Context(), d.tape, tape.Query{}, time.Now()); err == nil {
		t.Error("a closed tape is followed")
	}
}

func ExampleFollower() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// GET /models complete
}

func example(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "follow")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.tape")
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		return err
	}
	defer recorder.Close()
	session, err := recorder.StartSession(ctx, tape.Session{})
	if err != nil {
		return err
	}
	t, err := tape.Open(ctx, path)
	if err != nil {
		return err
	}
	defer t.Close()
	f, err := follow.New(ctx, t, tape.Query{}, time.Now())
	if err != nil {
		return err
	}
	end(session.Begin(tape.Start{Started: time.Now(), Method: "GET", URL: "/models"}), tape.Complete)
	if err := recorder.Sync(ctx); err != nil {
		return err
	}
	ended, err := f.Look(ctx, time.Now()) // and again, as often as one likes
	for _, x := range ended {
		fmt.Println(x.Request.Method, x.Request.URL, x.Ended)
	}
	return err
}
