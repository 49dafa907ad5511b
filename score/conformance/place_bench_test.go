package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
)

// manyEvents is a stream of a word in each event. A call leaks at its end, in five pieces, after as many others that no call is.
func manyEvents(n int) sent {
	return chat(ask(withTools+`,"stream":true`), strings.Repeat(chunk(`{"content":"At noon, "}`, ""), n)+
		chunk(`{"content":"<tool_call>{\"name\":\"get_tide\","}`, "")+chunk(`{"content":"\"arguments\":{\"port\":\"Vi"}`, "")+
		chunk(`{"content":"go\ufffd\"}}</tool_call>"}`, `"stop"`)+done)
}

// TestPlacesLinear: to tell where in a stream a call leaked takes time in proportion to the stream, which is counted in allocations as a busy
// machine does not change these. Three problems are told of the text.
func TestPlacesLinear(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	allocations := func(n int) float64 {
		x := manyEvents(n).Read(t)
		return testing.AllocsPerRun(1, func() {
			r := judge.Exchange(x)
			if codesOf(r) != "replacement-char leaked-markup-in-content call-in-content" {
				t.Errorf("problems %q", codesOf(r))
			}
			for _, p := range r.Problems {
				if first := n + 1; p.Where.Event != first && p.Where.Event != first+2 {
					t.Errorf("%s in event %d of %d", p.Code, p.Where.Event, n)
				}
			}
		})
	}
	if few, many := allocations(50), allocations(5000); many > few+2000 {
		t.Errorf("%v allocations after 50 events, %v after 5000", few, many)
	}
}

// BenchmarkPlaces judges a stream with a leaked call at its end, apart from reading it.
func BenchmarkPlaces(b *testing.B) {
	for _, n := range []int{5000, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			judge, x := conformance.New(conformance.Rules{}), manyEvents(n).Read(b)
			for b.Loop() {
				judge.Exchange(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}
