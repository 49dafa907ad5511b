package simenv

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// BenchmarkExecute measures executor calls a second on one core, in the mix of the vectors, with the environment made anew for each line.
// Memory bounds it: results become text and values again, and each line gets a copy of its world.
func BenchmarkExecute(b *testing.B) {
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	worlds := miniWorlds(b)
	var lines []*callLine
	calls := 0
	for line := range bytes.Lines(data) {
		in, err := readLine(line)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := worlds[in.language].NewEnv(in.classes, in.config); err == nil {
			lines = append(lines, in)
			calls += len(slices.Concat(in.messages...))
		}
	}
	b.ReportAllocs()
	rounds := 0
	for b.Loop() {
		rounds++
		for _, in := range lines {
			env, err := worlds[in.language].NewEnv(in.classes, in.config)
			if err != nil {
				b.Fatal(err)
			}
			for _, message := range in.messages {
				env.Execute(message)
			}
		}
	}
	b.ReportMetric(float64(rounds*calls)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkEnv measures what a rollout pays for its own copy of the five APIs.
func BenchmarkEnv(b *testing.B) {
	w := miniWorlds(b)["en"]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.NewEnv(allClasses, pyvalue.None{}); err != nil {
			b.Fatal(err)
		}
	}
}
