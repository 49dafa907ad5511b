package match

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPlaceholderOrder: which of two requests is asked first does not change what either gets.
func TestPlaceholderOrder(t *testing.T) {
	const one, two = "[redacted:json:1]", "[redacted:json:2]"
	question := func(text string, labels ...string) Request {
		return ask("POST", chatPath, chat("m", text, ""), labels...)
	}
	for _, tt := range []struct {
		name string
		tape func(*fakeTape)
		asks [2]Request
		want [2]string
	}{
		{"labelled, and hardly more than placeholders",
			func(f *fakeTape) {
				f.add("POST", chatPath, chat("m", one+" "+two, ""), labels("sample", "x"))
				f.add("POST", chatPath, chat("m", "a "+one, ""), labels("sample", "y"))
			},
			[2]Request{question("Ada Lovelace Grace Hopper", "sample", "x"), question("a Ada Lovelace", "sample", "y")},
			[2]string{"miss", "miss"}},
		{"labelled, and cut in more ways than one",
			func(f *fakeTape) {
				f.add("POST", chatPath, chat("m", "Who of these is older: "+one+" "+two, ""), labels("sample", "x"))
				f.add("POST", chatPath, chat("m", "Tell me about "+one, ""), labels("sample", "y"))
			},
			[2]Request{question("Who of these is older: Augusta Ada Lovelace Grace Hopper", "sample", "x"), question("Tell me about Augusta Ada Lovelace", "sample", "y")},
			[2]string{"1 label filled", "2 label filled"}},
		{"one placeholder filled with two texts",
			func(f *fakeTape) {
				f.add("POST", chatPath, chat("m", "Write to "+one+".", ""), nil)
				f.add("POST", chatPath, chat("m", "Call "+one+".", ""), nil)
			},
			[2]Request{question("Write to me on Sunday."), question("Call Ada Lovelace.")},
			[2]string{"1 meaning filled", "2 meaning filled"}},
		{"a poem first",
			func(f *fakeTape) {
				f.add("POST", chatPath, chat("m", "Write to "+one+".", ""), nil)
				f.add("POST", chatPath, chat("m", "Call "+one+".", ""), nil)
			},
			[2]Request{question("Write to me a poem about the sea."), question("Call Ada Lovelace.")},
			[2]string{"miss", "2 meaning filled"}},
		{"two people", func(f *fakeTape) {
			f.add("POST", chatPath, chat("m", "What does "+one+" owe?", ""), nil)
			f.add("POST", chatPath, chat("m", "What does "+two+" owe?", ""), nil)
		}, [2]Request{question("What does Ada Lovelace owe?"), question("What does Grace Hopper owe?")}, [2]string{"miss", "miss"}},
		{"a guess and the very request",
			func(f *fakeTape) {
				f.add("POST", chatPath, chat("m", "the fee for "+one+" today", ""), labels("sample", "x"))
			},
			[2]Request{question("the fee for sk-123 today", "sample", "x"), question("the fee for nobody at all today", "sample", "y")},
			[2]string{"1 label", "miss"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeTape()
			tt.tape(f)
			opts := Options{Canonical: byForm}
			if diff := cmp.Diff(tt.want[:], answers(t, f.index(t, opts), tt.asks[0], tt.asks[1])); diff != "" {
				t.Errorf("in this order (-want +got)\n%s", diff)
			}
			got := answers(t, f.index(t, opts), tt.asks[1], tt.asks[0])
			slices.Reverse(got)
			if diff := cmp.Diff(tt.want[:], got); diff != "" {
				t.Errorf("the other way round (-want +got)\n%s", diff)
			}
		})
	}
}

// TestPlaceholderAnyOrder: requests with labels of their own, and requests of which there are no two alike, get the same answers in
// whatever order they are asked, and all at once; and the answer is the one that was recorded to it, or none.
func TestPlaceholderAnyOrder(t *testing.T) {
	people := []string{"Ada Lovelace", "Grace Hopper", "Mary Somerville", "Mary Somerville and Ada", "Ada Lovelace of London"}
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		f := newFakeTape()
		var asks []Request
		seen := map[string]bool{}
		for i := range rapid.IntRange(1, 12).Draw(t, "requests") {
			named, real := "", ""
			for _, part := range rapid.SliceOfN(rapid.SampledFrom([]string{"Please write ", "and ", "then call ", " ", "0", "1", "2", "3", "4"}), 2, 7).Draw(t, "parts") {
				if len(part) == 1 && part != " " {
					named += "[redacted:json:" + part + "]"
					real += people[part[0]-'0']
				} else {
					named += part
					real += part
				}
			}
			var label []string
			if rapid.Bool().Draw(t, "labelled") {
				label = []string{"sample", fmt.Sprint(i)}
			} else if seen[real] {
				continue
			}
			seen[real] = true
			options := ""
			if rapid.Bool().Draw(t, "asked with another temperature") {
				options = `,"temperature":1`
			}
			f.add("POST", chatPath, chat("m", named, ""), labels(label...))
			asks = append(asks, ask("POST", chatPath, chat("m", real, options), label...))
		}
		opts := Options{Canonical: byForm}
		index := func() *Index {
			ix, err := NewIndex(t.Context(), f, opts)
			if err != nil {
				t.Fatal(err)
			}
			return ix
		}
		answer := func(ix *Index, i int) string {
			hit, err := ix.Find(t.Context(), asks[i])
			var miss *Miss
			if err != nil && !errors.As(err, &miss) {
				t.Error(err)
			}
			if miss != nil {
				return "miss"
			}
			if hit.Exchange.Seq != int64(i+1) {
				t.Errorf("%s got the answer to %s", asks[i].Body, f.bodies[hit.Exchange.Request.Body.SHA256])
			}
			return fmt.Sprint(hit.Exchange.Seq, hit.Rule)
		}
		inOrder, shuffled, atOnce := make([]string, len(asks)), make([]string, len(asks)), make([]string, len(asks))
		ix := index()
		order := make([]int, len(asks))
		for i := range asks {
			order[i] = i
			inOrder[i] = answer(ix, i)
		}
		ix = index()
		for _, i := range rapid.Permutation(order).Draw(t, "order") {
			shuffled[i] = answer(ix, i)
		}
		ix = index()
		var group sync.WaitGroup
		for i := range asks {
			group.Go(func() { atOnce[i] = answer(ix, i) })
		}
		group.Wait()
		if diff := cmp.Diff(inOrder, shuffled); diff != "" {
			t.Errorf("(-in order +shuffled)\n%s", diff)
		}
		if diff := cmp.Diff(inOrder, atOnce); diff != "" {
			t.Errorf("(-in order +at once)\n%s", diff)
		}
		hits += len(asks) - strings.Count(strings.Join(inOrder, ""), "miss")
	})
	if hits < 20 {
		t.Errorf("only %d requests were answered, so little was tried", hits)
	}
}
