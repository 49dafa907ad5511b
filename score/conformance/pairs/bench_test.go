package pairs_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// BenchmarkPairs compares answers to one question that differ each time, half of them streams, as a health check has them whose server does not
// heed the temperature. The time an answer takes must not grow with their number.
func BenchmarkPairs(b *testing.B) {
	for _, n := range []int{1000, 8000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			judge := conformance.New(conformance.Rules{})
			var exchanges []*reading.Exchange
			var reports []*conformance.Report
			for i := range n {
				s := chat(ask(zero), says(fmt.Sprintf("At %d.", i)))
				if i%2 == 1 {
					s = chat(ask(zero+`,"stream":true`), streamed(fmt.Sprintf("At %d.", i)))
				}
				x := s.Read(b)
				exchanges, reports = append(exchanges, x), append(reports, judge.Exchange(x))
			}
			for b.Loop() {
				var all pairs.Pairs
				for i, x := range exchanges {
					all.Add(i, pairs.AnswerOf(x, reports[i]))
				}
				all.Findings()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/answer")
		})
	}
}
