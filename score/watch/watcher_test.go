package watch_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deck is a tape on which exchanges come late.
type deck struct {
	mu        sync.Mutex
	exchanges map[tape.Ref]*tape.Exchange
	bodies    map[int64]string // by size, which is all a test can choose
	err       error
	held      chan struct{} // reading waits for it; nil for no wait
	busy      chan struct{} // a body that is being read waits for it whatever the context says; nil for no wait
}

func (d *deck) Exchange(ctx context.Context, ref tape.Ref) (*tape.Exchange, error) {
	if d.held != nil {
		select {
		case <-d.held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	x := d.exchanges[ref]
	if x == nil {
		return nil, fmt.Errorf("exchange %v: %w", ref, tape.ErrNoExchange)
	}
	return x, nil
}

func (d *deck) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	if d.busy != nil {
		<-d.busy
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return io.NopCloser(strings.NewReader(d.bodies[b.Size])), nil
}

// put puts an exchange with a whole answer on the tape.
func (d *deck) put(seq int64, response string, ended tape.Ended) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.exchanges == nil {
		d.exchanges, d.bodies = make(map[tape.Ref]*tape.Exchange), make(map[int64]string)
	}
	body := func(s string) tape.Body {
		d.bodies[int64(len(s))] = s
		return tape.Body{Size: int64(len(s))}
	}
	x := &tape.Exchange{Ref: ref(seq), Ended: ended, Facts: tape.Facts{API: tape.OpenAI, Model: "m"}}
	x.Request.Body = body(`{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":0}`)
	x.Response = tape.Response{Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: body(response)}
	d.exchanges[x.Ref] = x
}

func ref(seq int64) tape.Ref { return tape.Ref{Session: "s1", Seq: seq} }

func ended(seq int64) record.Event { return record.Event{Ref: ref(seq), API: tape.OpenAI} }

const (
	good  = `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`
	empty = `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`
)

// told collects what a watcher tells.
type told struct {
	mu   sync.Mutex
	list []string
}

func (l *told) tell(r *conformance.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range r.Problems {
		l.list = append(l.list, fmt.Sprintf("%d %s", r.Seq, p.Code))
	}
}

func TestWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deck{}
		var l told
		w := watch.Start(t.Context(), d, conformance.New(conformance.Rules{}), l.tell)
		d.put(1, good, tape.Complete)
		w.Ended(ended(1))
		w.Ended(ended(2)) // not yet on the tape
		w.Ended(record.Event{Ref: ref(9), API: tape.Control})
		time.Sleep(time.Second)
		d.put(2, empty, tape.InFlight) // its request is
		time.Sleep(time.Second)
		synctest.Wait()
		if got := w.Totals().Judged; got != 1 {
			t.Errorf("judged %d exchanges before the second was on the tape, want 1", got)
		}
		d.put(2, empty, tape.Complete)
		time.Sleep(time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"2 empty-answer"}, l.list); diff != "" {
			t.Errorf("told as it happened (-want +got):\n%s", diff)
		}
		got := w.Stop(time.Minute)
		if diff := cmp.Diff(watch.Totals{Judged: 2, Failing: 1, Problems: map[string]int{"empty-answer": 1}}, got); diff != "" {
			t.Errorf("totals (-want +got):\n%s", diff)
		}
	})
}

// What is waiting when recording ends is judged still.
func TestStopJudgesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deck{held: make(chan struct{})}
		var l told
		w := watch.Start(t.Context(), d, conformance.New(conformance.Rules{}), l.tell)
		for seq := range int64(100) {
			d.put(seq, empty, tape.Complete)
			w.Ended(ended(seq))
		}
		time.AfterFunc(time.Second, func() { close(d.held) })
		got := w.Stop(time.Minute)
		if got.Judged != 100 || got.Dropped != 0 || len(l.list) != 100 {
			t.Errorf("got %+v and %d lines, want all 100 judged", got, len(l.list))
		}
	})
}

// A tape that cannot be read holds nothing up: what cannot wait is dropped, and counted.
func TestDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deck{held: make(chan struct{})}
		w := watch.Start(t.Context(), d, conformance.New(conformance.Rules{}), func(*conformance.Report) {})
		w.Ended(ended(0))
		synctest.Wait() // it is being read
		start := time.Now()
		for seq := range int64(5000) {
			w.Ended(ended(seq))
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("telling the watcher took %v", took)
		}
		const waiting = 4096
		if got := w.Totals().Dropped; got != 5000-waiting {
			t.Errorf("dropped %d, want %d", got, 5000-waiting)
		}
		got := w.Stop(3 * time.Second)
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("stopping took %v, want 3 s", took)
		}
		if got.Dropped != 5001 || got.Unread != 0 || got.Judged != 0 {
			t.Errorf("got %+v, want all 5001 dropped, the one at hand too", got)
		}
	})
}

// The exchange that is being read or judged when there is no time left holds nothing up. It is not told of any more, though it comes to its
// end.
func TestStopLeavesTheRunning(t *testing.T) {
	for _, test := range []struct {
		name   string
		before int // exchanges that are judged before that
		want   watch.Totals
	}{
		{"being judged", 0, watch.Totals{Dropped: 2, Problems: map[string]int{}}},
		{"after another", 1, watch.Totals{Judged: 1, Failing: 1, Dropped: 1, Problems: map[string]int{"empty-answer": 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &deck{}
				var l told
				w := watch.Start(t.Context(), d, conformance.New(conformance.Rules{}), l.tell)
				busy := make(chan struct{})
				for seq := range int64(2) {
					d.put(seq, empty, tape.Complete)
					if int(seq) == test.before {
						d.busy = busy
					}
					w.Ended(ended(seq))
					synctest.Wait()
				}
				start := time.Now()
				got := w.Stop(3 * time.Second)
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("stopping took %v, want 3 s", took)
				}
				lines := len(l.list)
				close(busy)
				synctest.Wait()
				if diff := cmp.Diff(test.want, got); diff != "" || len(l.list) != lines {
					t.Errorf("%d lines told later, totals (-want +got):\n%s", len(l.list)-lines, diff)
				}
			})
		})
	}
}

func TestUnread(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"never on the tape", nil, "it did not get on the tape in time"},
		{"unreadable", io.ErrUnexpectedEOF, "unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := watch.Start(t.Context(), &deck{err: test.err}, conformance.New(conformance.Rules{}), func(*conformance.Report) {})
				w.Ended(ended(1))
				got := w.Stop(time.Minute)
				if got.Unread != 1 || got.LastError == nil || got.LastError.Error() != test.want {
					t.Errorf("got %+v, want one unread: %s", got, test.want)
				}
			})
		})
	}
}
