package thread_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/thread"
)

// TestRead finds the conversations of a recording, which also holds what is no model call.
func TestRead(t *testing.T) {
	c, err := cassette.Read(strings.NewReader(`{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"High tide?"}]}},"response":{"status":200,"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"At noon."},"finish_reason":"stop"}]}}}
{"request":{"method":"GET","url":"/state"},"response":{"status":200,"body":{}}}
{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"n","messages":[{"role":"user","content":"Low tide?"}]}},"response":{"status":200,"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"At six."},"finish_reason":"stop"}]}}}
{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"High tide?"},{"role":"assistant","content":"At noon."},{"role":"user","content":"Thanks."}]}},"response":{"status":200,"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"Aye."},"finish_reason":"stop"}]}}}
`), "tides.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		query tape.Query
		turns []int
	}{
		{tape.Query{}, []int{2, 1}},
		{tape.Query{Model: "n"}, []int{1}},
		{tape.Query{API: tape.Control}, nil},
	} {
		threads, err := thread.Read(t.Context(), c, tt.query)
		if err != nil || len(threads) != len(tt.turns) {
			t.Fatalf("%+v: %d conversations, %v", tt.query, len(threads), err)
		}
		for i, turns := range tt.turns {
			if len(threads[i].Turns) != turns {
				t.Errorf("%+v: conversation %d has %d turns, want %d", tt.query, i, len(threads[i].Turns), turns)
			}
		}
	}
}

// hampered is a recording of which some bodies come late, and one does not come at all.
type hampered struct {
	thread.Source
	broken tape.Body // the zero value is none
}

var errBroken = errors.New("the disk is gone")

func (h *hampered) Body(ctx context.Context, b tape.Body) (io.ReadCloser, error) {
	if b == h.broken && b.Size > 0 {
		return nil, errBroken
	}
	time.Sleep(time.Duration(b.Size%3) * time.Millisecond)
	return h.Source.Body(ctx, b)
}

// TestReadInOrder: whichever exchange is read first, conversations are found in recorded order; and what fails is told for what it is.
func TestReadInOrder(t *testing.T) {
	var lines strings.Builder
	const exchanges = 60
	for i := range exchanges {
		fmt.Fprintf(&lines, `{"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":%q}]}},"response":{"status":200,"body":{"choices":[]}}}`+"\n", strings.Repeat("!", i*i%7))
	}
	c, err := cassette.Read(strings.NewReader(lines.String()), "many.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	src := &hampered{Source: c}
	threads, err := thread.Read(t.Context(), src, tape.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if len(threads) != exchanges {
		t.Errorf("%d conversations, want %d", len(threads), exchanges)
	}
	for i, one := range threads {
		if seq := one.Turns[0].Seq; seq != int64(i)+1 {
			t.Errorf("conversation %d begins with exchange %d", i+1, seq)
		}
	}
	for x, err := range c.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Seq == exchanges/2 {
			src.broken = x.Response.Body
		}
	}
	if _, err := thread.Read(t.Context(), src, tape.Query{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := thread.Read(ctx, src, tape.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a reading that was interrupted", err)
	}
}
