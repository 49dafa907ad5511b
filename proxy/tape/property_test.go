package tape

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// modelled is a tape, and what should be on it.
type modelled struct {
	t     *rapid.T
	tb    testing.TB
	path  string
	kept  []keptExchange
	count int // of exchanges ever recorded: one is started each second
	files int
}

type keptExchange struct {
	session           string
	started           time.Time
	ended             Ended
	request, response string
}

// propertyBodies are those that exchanges have: few, so that many exchanges share one, small and in parts.
var propertyBodies = func() (list []string) {
	rng := rand.NewChaCha8([32]byte{5})
	for _, size := range []int{0, 1, 40, 5000, 5000, maxPart, maxPart + 1, 2*maxPart + 77, 6 * maxPart} {
		b := make([]byte, size)
		rng.Read(b)
		list = append(list, string(b))
	}
	return append(list, string(bytes.Repeat([]byte("text that shrinks "), 1000)))
}()

// TestProperty records, prunes and merges in any order: what should be on the tape is, whole, and nothing else.
func TestProperty(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		// A check opens some ten tapes; more of them are for who asks.
		checks := "15"
		if raceDetector {
			checks = "5"
		}
		if err := flag.Set("rapid.checks", checks); err != nil {
			t.Fatal(err)
		}
		defer flag.Set("rapid.checks", f.DefValue)
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := &modelled{t: rt, tb: t, path: filepath.Join(t.TempDir(), "0.tape")}
		m.record()
		for range rapid.IntRange(1, 5).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"record", "prune some", "prune to a size", "merge"}).Draw(rt, "step") {
			case "record":
				m.record()
			case "prune some":
				m.pruneSome()
			case "prune to a size":
				m.pruneSize()
			case "merge":
				m.merge()
			}
			m.check()
		}
	})
}

// startOf is when exchange n started.
func startOf(n int) time.Time { return day.Add(time.Duration(n) * time.Second) }

// record records a session, on a tape that is kept to an age meanwhile.
func (m *modelled) record() {
	keep := rapid.IntRange(5, 60).Draw(m.t, "keep")
	n := rapid.IntRange(1, 30).Draw(m.t, "exchanges")
	end := startOf(m.count + n)
	cutoff := end.Add(-time.Duration(keep) * time.Second)
	r, err := OpenRecorder(m.tb.Context(), m.path, RecorderOptions{
		Keep: Retention{MaxAge: time.Duration(keep) * time.Second}, Now: func() time.Time { return end }, MaxWait: time.Minute})
	if err != nil {
		m.t.Fatal(err)
	}
	defer r.Close()
	s, err := r.StartSession(m.tb.Context(), Session{Name: fmt.Sprint("session ", m.count)})
	if err != nil {
		m.t.Fatal(err)
	}
	// The first one is in flight until all others have ended, however old it is.
	var open []func()
	for i := range n {
		k := keptExchange{s.Session().Name, startOf(m.count), Complete,
			rapid.SampledFrom(propertyBodies).Draw(m.t, "request"), rapid.SampledFrom(propertyBodies).Draw(m.t, "response")}
		m.count++
		if rapid.Bool().Draw(m.t, "gone") {
			k.ended = ClientGone
		}
		start := post("property")
		start.Started = k.started
		x := s.Begin(start)
		x.RequestBody([]byte(k.request))
		x.RequestEnd(nil)
		x.ResponseBody([]byte(k.response), time.Millisecond)
		finish := func() { x.End(k.ended, "", nil, time.Second) }
		if i == 0 {
			open = append(open, finish)
		} else {
			finish()
		}
		m.kept = append(m.kept, k)
	}
	passOver(m.tb, r)
	for _, finish := range open {
		finish()
	}
	passOver(m.tb, r)
	if err := r.Close(); err != nil {
		m.t.Fatal(err)
	}
	m.kept = slices.DeleteFunc(m.kept, func(k keptExchange) bool { return k.started.Before(cutoff) })
}

func (m *modelled) pruneSome() {
	o := PruneOptions{Before: startOf(rapid.IntRange(0, m.count).Draw(m.t, "before"))}
	if len(m.kept) > 0 && rapid.Bool().Draw(m.t, "of a session") {
		o.Session = rapid.SampledFrom(m.kept).Draw(m.t, "session").session
	}
	if rapid.Bool().Draw(m.t, "of an ending") {
		o.Ended = []Ended{ClientGone}
	}
	p, err := Prune(m.tb.Context(), m.path, o)
	if err != nil {
		m.t.Fatal(err)
	}
	n := len(m.kept)
	m.kept = slices.DeleteFunc(m.kept, func(k keptExchange) bool {
		return k.started.Before(o.Before) && (o.Session == "" || k.session == o.Session) && (o.Ended == nil || k.ended == ClientGone)
	})
	if p.Exchanges != int64(n-len(m.kept)) {
		m.t.Errorf("%d exchanges were pruned, want %d", p.Exchanges, n-len(m.kept))
	}
}

func (m *modelled) pruneSize() {
	size := rapid.Int64Range(300_000, 8<<20).Draw(m.t, "size")
	p, err := Prune(m.tb.Context(), m.path, PruneOptions{Keep: Retention{MaxBytes: size}})
	if err != nil && len(m.kept) != int(p.Exchanges)+1 {
		m.t.Fatal(err)
	}
	m.kept = m.kept[p.Exchanges:] // the oldest ones
}

// merge merges the tape with itself, and goes on with the result.
func (m *modelled) merge() {
	m.files++
	out := filepath.Join(filepath.Dir(m.path), fmt.Sprint(m.files, ".tape"))
	merged, err := Merge(m.tb.Context(), out, m.path, m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	if n := int64(len(m.kept)); merged.Exchanges != n || merged.Doubled != n {
		m.t.Errorf("merged %+v of %d exchanges", merged, n)
	}
	m.path = out
}

func (m *modelled) check() {
	checkTape(m.tb, m.path)
	tp, err := Open(m.tb.Context(), m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	defer tp.Close()
	var got []keptExchange
	for _, x := range all(m.tb, tp, Query{}) {
		got = append(got, keptExchange{x.Session, x.Started, x.Ended,
			string(readBody(m.tb, tp, x.Request.Body)), string(readBody(m.tb, tp, x.Response.Body))})
	}
	slices.SortFunc(got, func(a, b keptExchange) int { return a.started.Compare(b.started) })
	if !slices.Equal(got, m.kept) {
		m.t.Errorf("exchanges (-want +got):\n%s", cmp.Diff(brief(m.kept), brief(got)))
	}
}

// brief is a list as people can read it.
func brief(list []keptExchange) (lines []string) {
	for _, k := range list {
		lines = append(lines, fmt.Sprintf("%s, %v, %s, %d and %d bytes", k.session, k.started.Sub(day), k.ended, len(k.request), len(k.response)))
	}
	return lines
}
