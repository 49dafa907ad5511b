package match

import (
	"fmt"
	"strings"
	"testing"
)

// largeTape holds n chats of about 10 KB that share a system prompt, 100 MB of bodies when n is 10,000.
func largeTape(n int) *fakeTape {
	f := newFakeTape()
	for i := range n {
		f.add("POST", chatPath, largeBody(i), labels("sample", fmt.Sprint(i)))
	}
	return f
}

var lore = strings.Repeat("Ships under sail keep clear of none but the wind. ", 180)

func largeBody(i int) string {
	return harbourChat(model, lore, []string{say("user", fmt.Sprintf("Question %d?", i))}, harbourTools)
}

const large = 10_000

// BenchmarkNewIndex measures what a transport costs that answers requests equal byte by byte.
func BenchmarkNewIndex(b *testing.B) {
	f := largeTape(large)
	for b.Loop() {
		f.index(b, Options{})
	}
}

// BenchmarkFirstRead measures the first request that is not equal byte by byte: all bodies of its API family are read.
func BenchmarkFirstRead(b *testing.B) {
	f := largeTape(large)
	var bytes int64
	for _, x := range f.exchanges {
		bytes += x.Request.Body.Size
	}
	b.SetBytes(bytes)
	for b.Loop() {
		b.StopTimer()
		ix := f.index(b, Options{})
		b.StartTimer()
		if _, err := ix.Find(b.Context(), ask("POST", chatPath, largeBody(7)+" ")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for _, bench := range []struct{ name, tail string }{{"bytes", ""}, {"canonical", " "}} {
		for _, n := range []int{100, large} {
			b.Run(fmt.Sprintf("%s/%d", bench.name, n), func(b *testing.B) {
				ix := largeTape(n).index(b, Options{Reuse: true})
				var requests []Request
				for i := range 100 {
					requests = append(requests, ask("POST", chatPath, largeBody(i)+bench.tail, "sample", fmt.Sprint(i)))
				}
				if _, err := ix.Find(b.Context(), requests[0]); err != nil { // reads the bodies
					b.Fatal(err)
				}
				i := 0
				for b.Loop() {
					if _, err := ix.Find(b.Context(), requests[i%len(requests)]); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}

// redactedTape holds n chats of about 8 KB whose two names are redacted, and nothing else tells most of them from each other than a
// number between the names.
func redactedTape(n int, text func(i int) string) *fakeTape {
	f := newFakeTape()
	for i := range n {
		f.add("POST", chatPath, text(i), nil)
	}
	return f
}

func letter(i int, from, to string) string {
	return chat("m", lore[:7800]+fmt.Sprintf("Write from %s in matter %d to %s, please.", from, i, to), "")
}

func redactedLetter(i int) string {
	return letter(i, fmt.Sprintf("[redacted:json:%d]", i+1), fmt.Sprintf("[redacted:json:%d]", i+2))
}

func plainLetter(i int) string { return letter(i, "Ada Lovelace", "Grace Hopper") }

// BenchmarkRedacted asks a redacted recording for what nothing in the request itself tells to be secret, and one that was not
// redacted for the same: all in reverse, and what was not recorded. An operation is all of that.
func BenchmarkRedacted(b *testing.B) {
	const n = 1000
	for _, bench := range []struct {
		name     string
		recorded func(int) string
	}{{"redacted", redactedLetter}, {"plain", plainLetter}} {
		f := redactedTape(n, bench.recorded)
		opts := Options{Canonical: byForm}
		b.Run("reverse/"+bench.name, func(b *testing.B) {
			for b.Loop() {
				ix := f.index(b, opts)
				for i := range n {
					hit, err := ix.Find(b.Context(), ask("POST", chatPath, plainLetter(n-1-i)+" "))
					if err != nil || hit.Exchange.Seq != int64(n-i) {
						b.Fatal(hit, err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/request")
		})
		b.Run("misses/"+bench.name, func(b *testing.B) {
			const misses = 50
			for b.Loop() {
				ix := f.index(b, opts)
				for i := range misses {
					if hit, err := ix.Find(b.Context(), ask("POST", chatPath, plainLetter(n+i))); err == nil {
						b.Fatal(hit)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/misses, "µs/request")
		})
	}
}
