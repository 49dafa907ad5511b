package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
)

// TestScoreExplain: a recorded answer is explained from the tape alone, and the exit status is that of the one sample.
func TestScoreExplain(t *testing.T) {
	server := serveACEBench(t, dataset.English)
	server.model.Change = func(s *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
		switch {
		case s == nil:
		case s.ID == "normal_atom_bool_0":
			return standin.Say("[Library_bookRoom(date='2024-06-01', seats=5, quiet=True)]")
		case s.ID == "normal_atom_bool_1":
			return standin.Status500.Apply(r)
		}
		return r
	}
	tape := filepath.Join(t.TempDir(), "explained.tape")
	args := server.runArgs(tape, "--categories", "normal_atom_bool,agent")
	if status, _, stderr := exodeck(t.Context(), t, args...); status != exitMissing {
		t.Fatalf("run: status %d\n%s", status, stderr)
	}
	server.Close()
	tests := []struct {
		name, id string
		args     []string
		status   int
		want     []string
	}{
		{"passes under the default rules", "normal_atom_bool_0", nil, 0, []string{
			"Answer, exchange ", "    ≠  seats     2             5             ok         ok        value_error\n",
			"The rule sets disagree: evalscope and official pass it, strict fails it.",
		}},
		{"fails under one of the chosen", "normal_atom_bool_0", []string{"--rules", "evalscope,strict"}, 1, nil},
		{"no answer", "normal_atom_bool_1", nil, exitMissing, []string{"Answer: ", "Expected\n  [Harbor_getTide(port='Vela', exact=True)]\n"}},
		{"agent", "agent_multi_step_0", nil, 0, []string{
			"    0 agent     [turn_on_wifi()]\n    1 executor  {'status': True, ", "Milestones: 4 of 4 reached\n", "    reached at message 2, step 2\n",
			"  MessageApi: as expected (3 equal)\n",
		}},
		{"dialogue", "agent_multi_turn_0", nil, 0, []string{"      user  ", "    0 agent  ", "Milestones: 1 of 1 reached\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := exodeck(t.Context(), t, append([]string{"score", "acebench", "--tape", tape, "--explain", tt.id}, tt.args...)...)
			if status != tt.status {
				t.Errorf("status %d, want %d\n%s", status, tt.status, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("the explanation lacks %q:\n%s", want, stdout)
				}
			}
		})
	}
	t.Run("json", func(t *testing.T) {
		_, stdout, _ := exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--explain", "agent_multi_step_0", "--format", "json")
		var e explain.Explanation
		if err := json.Unmarshal([]byte(stdout), &e); err != nil {
			t.Fatal(err)
		}
		if e.Agent == nil || e.Agent.Rebuilt || len(e.Agent.Milestones) != 1 || e.Agent.Milestones[0].Reached != 4 || len(e.Verdicts) != 3 {
			t.Errorf("got %s", stdout)
		}
	})
	t.Run("refused", func(t *testing.T) {
		status, _, stderr := exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--explain", "normal_atom_bool_9")
		if status != exitUsage || !strings.Contains(stderr, "--explain: there is no sample normal_atom_bool_9 among those that are scored, language en; "+
			"did you mean normal_atom_bool_0 or normal_atom_bool_1 or normal_atom_bool_2? exodeck data ls CATEGORY") {
			t.Errorf("status %d: %s", status, stderr)
		}
		status, _, stderr = exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--explain", "normal_atom_bool_0", "--out", "x.json")
		if status != exitUsage || !strings.Contains(stderr, "leave out --out, or --explain") {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
}
