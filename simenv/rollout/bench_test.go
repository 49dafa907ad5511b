package rollout

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// BenchmarkSteps measures the iterations of the loops a second on one core, with a model that answers at once, over the samples of the mini
// bundle along their milestones. These rollouts are short, so what each pays once, its copy of the world and the snapshot, is half of it.
func BenchmarkSteps(b *testing.B) {
	bundle := miniBundle(b)
	scripts := map[string][]string{}
	for id := range bundle.samples {
		list := value(bundle.answers[id], "mile_stone").(*pyvalue.List)
		if nested, ok := list.Items[0].(*pyvalue.List); ok {
			list = nested
		}
		for _, line := range list.Items {
			scripts[id] = append(scripts[id], pyvalue.String(line))
		}
	}
	ids := slices.Sorted(maps.Keys(bundle.samples))
	b.ReportAllocs()
	steps := 0
	for b.Loop() {
		for _, id := range ids {
			i := -1
			agent := ModelFunc(func(context.Context, Request) (string, error) {
				if i++; i < len(scripts[id]) {
					return scripts[id][i], nil
				}
				return FinishMarker, nil
			})
			user := ModelFunc(func(context.Context, Request) (string, error) { return "Hello.", nil })
			runner := &Runner{Worlds: bundle.worlds, Prompts: bundle.prompts, Agent: agent, User: user, MaxSteps: DefaultMaxSteps}
			r, err := runner.Run(b.Context(), bundle.samples[id])
			if err != nil || r.Finish != FinishMarker {
				b.Fatal(err, r.Finish)
			}
			steps += r.Iterations
		}
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
