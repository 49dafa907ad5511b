package simenv

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/exodeck/exodeck/simenv/miniworld"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func miniWorlds(t testing.TB) Worlds {
	t.Helper()
	worlds, err := LoadWorlds(miniworld.FS)
	if err != nil {
		t.Fatal(err)
	}
	return worlds
}

// TestCalls takes every branch of every method in the mini world, in both languages, and compares what the agent is told and the state
// that is left.
func TestCalls(t *testing.T) {
	const file = "testdata/calls.jsonl"
	worlds := miniWorlds(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rewritten []byte
	for line := range bytes.Lines(data) {
		want := decodeObject(t, line)
		t.Run(pyvalue.String(field(want, "id")), func(t *testing.T) {
			if !*update {
				sameAnswer(t, worlds, line, want)
				return
			}
			answer, err := worlds.RunLine(line)
			if err != nil {
				t.Fatal(err)
			}
			for key, value := range decodeObject(t, answer).All() {
				setField(want, pyvalue.String(key), value)
			}
			if line, err = pyjson.Encode(want, pyjson.Options{AllowNaN: true}); err != nil {
				t.Fatal(err)
			}
			rewritten = append(append(rewritten, line...), '\n')
		})
	}
	if *update {
		if err := os.WriteFile(file, rewritten, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
