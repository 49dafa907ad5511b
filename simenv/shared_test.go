package simenv

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// referenceWorlds are the benchmark's own tables.
func referenceWorlds(t testing.TB) Worlds {
	t.Helper()
	worlds, err := LoadWorlds(os.DirFS(shared.Dir(t, "data", "acebench")))
	if err != nil {
		t.Fatal(err)
	}
	return worlds
}

// TestReferenceCalls compares every recorded call of the reference: what the agent is told, how the transcript shows it, the state
// that is left. Comparing by repr tells 1 from 1.0 and True, and sees the order of keys.
func TestReferenceCalls(t *testing.T) {
	worlds := referenceWorlds(t)
	lines, calls, failed := 0, 0, 0
	shared.Lines(t, "golden/simenv/calls.jsonl", func(n int, raw json.RawMessage) {
		lines++
		want := decodeObject(t, raw)
		calls += len(items(field(want, "calls")))
		if !sameAnswer(t, worlds, raw, want) {
			failed++
		}
		if failed > 10 {
			t.FailNow()
		}
	})
	if lines != 5400 || calls != 46604 {
		t.Errorf("compared %d lines with %d calls, want 5400 with 46604", lines, calls)
	}
}

// sameAnswer runs a line that also holds the answer, and compares.
func sameAnswer(t *testing.T, worlds Worlds, line []byte, want *pyvalue.Dict) bool {
	t.Helper()
	answer, err := worlds.RunLine(line)
	if err != nil {
		t.Errorf("%s: %v", pyvalue.String(field(want, "id")), err)
		return false
	}
	got := decodeObject(t, answer)
	same := true
	for _, key := range []string{"load_error", "observations", "rendered", "states_after"} {
		g, w := items(field(got, key)), items(field(want, key))
		if len(g) != len(w) || (g == nil && pyvalue.Repr(field(got, key)) != pyvalue.Repr(field(want, key))) {
			t.Errorf("%s: %s: got %s, want %s", pyvalue.String(field(want, "id")), key, field(got, key), field(want, key))
			return false
		}
		for i := range w {
			if g, w := pyvalue.Repr(g[i]), pyvalue.Repr(w[i]); g != w {
				t.Errorf("%s: %s %d:\n got %s\nwant %s", pyvalue.String(field(want, "id")), key, i, g, w)
				same = false
				break
			}
		}
	}
	return same
}

func decodeObject(t testing.TB, data []byte) *pyvalue.Dict {
	t.Helper()
	v, err := pyjson.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*pyvalue.Dict)
}
