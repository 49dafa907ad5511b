package thread_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/thread"
)

// talks is a recording of conversations that go on at the same time, with other requests between.
func talks(t testing.TB) *cassette.Cassette {
	var b strings.Builder
	var said [5]string
	for turn := range 6 {
		for i := range said {
			said[i] += fmt.Sprintf(`%s{"role":"user","content":"Ask %d, turn %d."}`, strings.Repeat(",", min(turn, 1)), i, turn)
			fmt.Fprintf(&b, `{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m%d","messages":[%s]}},"response":{"status":200,"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"Answer %d."},"finish_reason":"stop"}]}}}`+"\n", i%2, said[i], turn)
			fmt.Fprintf(&b, `{"request":{"method":"GET","url":"/state"},"response":{"status":200,"body":{}}}`+"\n")
			said[i] += fmt.Sprintf(`,{"role":"assistant","content":"Answer %d."}`, turn)
		}
	}
	c, err := cassette.Read(strings.NewReader(b.String()), "talks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tapRead goes through a recording as a judge does: several at a time, the later ones often before the earlier ones. skip says what not to read.
func tapRead(ctx context.Context, tap *thread.Tap, skip func(n int) bool) error {
	var all errgroup.Group
	n := 0
	for x, err := range tap.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return err
		}
		if !x.Facts.API.Model() || skip(n) {
			n++
			continue
		}
		wait := time.Duration(n*7%5) * time.Millisecond
		n++
		all.Go(func() error {
			time.Sleep(wait)
			_, err := reading.Of(ctx, tap, x)
			return err
		})
	}
	return all.Wait()
}

func turnsOf(threads []*thread.Thread) []string {
	var all []string
	for _, one := range threads {
		s := one.Opening
		for _, turn := range one.Turns {
			s += fmt.Sprintf(" %d:%s:%d", turn.Seq, turn.Link, turn.After)
		}
		all = append(all, s)
	}
	return all
}

// TestTap: what a tap finds is what [thread.Read] finds, whoever is first to be read.
func TestTap(t *testing.T) {
	c := talks(t)
	for _, q := range []tape.Query{{}, {Model: "m1"}, {API: tape.Control}} {
		threads, err := thread.Read(t.Context(), c, q)
		if err != nil {
			t.Fatal(err)
		}
		tap := thread.NewTap(c, q)
		if err := tapRead(t.Context(), tap, func(int) bool { return false }); err != nil {
			t.Fatal(err)
		}
		got, err := tap.Threads()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(turnsOf(threads), turnsOf(got)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
}

// TestTapUnread: what is missing is told, not left out.
func TestTapUnread(t *testing.T) {
	tap := thread.NewTap(talks(t), tape.Query{})
	if err := tapRead(t.Context(), tap, func(n int) bool { return n == 4 }); err != nil {
		t.Fatal(err)
	}
	if threads, err := tap.Threads(); err == nil || threads != nil {
		t.Errorf("%d conversations and %v, want an error", len(threads), err)
	}
	c := talks(t)
	var broken tape.Body
	for x, err := range c.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		broken = x.Request.Body
		if x.Facts.API.Model() {
			break
		}
	}
	tap = thread.NewTap(&hampered{Source: c, broken: broken}, tape.Query{})
	if err := tapRead(t.Context(), tap, func(int) bool { return false }); !errors.Is(err, errBroken) {
		t.Errorf("%v, want %v", err, errBroken)
	}
}
