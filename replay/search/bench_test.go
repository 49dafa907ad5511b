package search_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/search"
)

// BenchmarkFind searches a stream of 1,000 events for what is not there, and for what is in its last event.
func BenchmarkFind(b *testing.B) {
	var body strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&body, "data: {\"choices\":[{\"delta\":{\"content\":\"word%d \"}}]}\n\n", i)
	}
	body.WriteString("data: [DONE]\n\n")
	for _, text := range []string{"Staithes", "word999"} {
		b.Run(text, func(b *testing.B) {
			pattern := regexp.MustCompile(text)
			b.SetBytes(int64(body.Len()))
			for b.Loop() {
				// Reading is part of it: that is what searching a tape takes.
				search.Find(read(tape.OpenAI, events, `{"model":"m","messages":[]}`, body.String()), pattern, func(search.Hit) bool { return true })
			}
		})
	}
}
