package thread_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/thread"
)

// talk is a conversation that goes on turn by turn.
type talk struct {
	messages []string
	turns    int
}

func (c *talk) next(t testing.TB, seq int64, say, answer string) *reading.Exchange {
	c.turns++
	c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":%q}`, say))
	x := exchange{request: list(c.messages...), response: chat(answer)}.read(t, seq)
	c.messages = append(c.messages, fmt.Sprintf(`{"role":"assistant","content":%q}`, answer))
	return x
}

// Thousands of exchanges of hundreds of conversations in any order, of which many begin with the same words, are each put where they belong.
func TestManyInterleaved(t *testing.T) {
	const conversations, exchanges = 500, 5000
	rng := rand.New(rand.NewPCG(7, 7))
	talks := make([]talk, conversations)
	owner := make(map[int64]int)
	var g thread.Grouper
	for seq := int64(1); seq <= exchanges; seq++ {
		i := rng.IntN(conversations)
		c := &talks[i]
		say, answer := fmt.Sprintf("Say %d.", c.turns), fmt.Sprintf("Conversation %d says %d.", i, c.turns)
		owner[seq] = i
		g.Add(c.next(t, seq, say, answer))
	}
	begun := 0
	for _, c := range talks {
		if c.turns > 0 {
			begun++
		}
	}
	if len(g.Threads()) != begun {
		t.Fatalf("%d conversations, want %d", len(g.Threads()), begun)
	}
	for _, one := range g.Threads() {
		i := owner[one.Turns[0].Seq]
		if len(one.Turns) != talks[i].turns || one.Branches() != 0 {
			t.Errorf("conversation %d has %d turns and %d branches, want %d and none", i, len(one.Turns), one.Branches(), talks[i].turns)
		}
		for _, turn := range one.Turns {
			if owner[turn.Seq] != i {
				t.Fatalf("exchange %d of conversation %d is in conversation %d", turn.Seq, owner[turn.Seq], i)
			}
		}
	}
}

// BenchmarkAlike is the worst case for the look-up: every conversation reads the same, so each key has all of them. The time for
// an exchange does not depend on their number.
func BenchmarkAlike(b *testing.B) {
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var ask, on talk
			first := ask.next(b, 1, "Hello.", "Hello!")
			on.next(b, 1, "Hello.", "Hello!")
			second := on.next(b, 2, strings.Repeat("Tell me more. ", 50), "No.")
			for b.Loop() {
				var g thread.Grouper
				for range n / 2 {
					g.Add(first)
				}
				for range n / 2 {
					g.Add(second)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/exchange")
		})
	}
}
