package recorded_test

import (
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
)

// BenchmarkRescore plays 1,000 recorded rollouts again from their tape and judges them, as `score acebench` does.
func BenchmarkRescore(b *testing.B) {
	d := newDeck(b, dataset.Mini(), dataset.English, dataset.AgentMultiStep)
	d.set.Samples = d.set.Samples[:1]
	d.record(b, false, func(s *ask.Suite) { s.Repeat = 1000 })
	tp, err := tape.Open(b.Context(), d.path)
	if err != nil {
		b.Fatal(err)
	}
	defer tp.Close()
	settings := d.settings()
	settings.Repeat = 1000
	sessions, err := recorded.Earlier(b.Context(), tp, settings)
	if err != nil {
		b.Fatal(err)
	}
	game := &recorded.Game{Tape: tp, Found: &recorded.Found{Settings: settings, Sessions: sessions}, Samples: d.set.Samples, Materials: d.materials}
	scorer := acebench.NewScorer(d.set, 0)
	rollouts, calls := 0, 0
	for b.Loop() {
		played, err := game.Play(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for i := range played.Outcomes {
			o := &played.Outcomes[i]
			if r := scorer.Judge(o.Index, &o.Answer); !r.Valid {
				b.Fatalf("%+v", r)
			}
			rollouts++
			for _, entry := range o.Rollout.Trajectory {
				calls += len(entry.Calls)
			}
		}
	}
	b.ReportMetric(float64(rollouts)/b.Elapsed().Seconds(), "rollouts/s")
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
}
