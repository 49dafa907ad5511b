package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

const cassettes = "../../fixtures/cassettes"

var recordAgain = flag.Bool("record", false, "record the cassettes of fixtures again, from the stand-in; -update then rewrites the verdicts")

// example is a cassette of fixtures.
type example struct {
	name string
	// record are the words of the run it was recorded from, with serve as exo.
	record []string
	serve  func(t *testing.T) *standin.Server
	// scores are the exit statuses of its scores by suite. What they print as JSON stands in NAME.SUITE.json.
	scores map[string]int
}

var examples = []example{
	{
		name:   "exo_pass",
		record: []string{"exo", "--no-instance", "--api", "all"},
		serve:  func(t *testing.T) *standin.Server { return serveScript(t, standin.ForScenarios()) },
		scores: map[string]int{"exo": 0, "conformance": 0},
	},
	{
		name:   "exo_fail",
		record: []string{"exo", "--no-instance", "--api", "openai", "--scenarios", "tide_simple", "convert_simple", "plain_fact"},
		serve:  func(t *testing.T) *standin.Server { return serveScript(t, forgetful) },
		scores: map[string]int{"exo": 1, "conformance": 0},
	},
	{
		name:   "agent_stream",
		record: []string{"acebench", "--stream", "--categories", "agent_multi_step", "--limit", "1"},
		serve:  func(t *testing.T) *standin.Server { return serveACEBench(t, dataset.English).Server },
		scores: map[string]int{"acebench": 0, "conformance": 0},
	},
	{
		name:   "acebench_mini",
		record: []string{"acebench", "--limit", "1"},
		serve:  func(t *testing.T) *standin.Server { return serveACEBench(t, dataset.English).Server },
		scores: map[string]int{"acebench": 0},
	},
}

// forgetful answers the question about the tide in words, where a tool was to be called.
func forgetful(a standin.Ask) standin.Reply {
	reply := standin.ForScenarios()(a)
	if strings.Contains(a.FirstUser, "tide") {
		return standin.NoCall.Apply(reply)
	}
	return reply
}

func serveScript(t *testing.T, script standin.Script) *standin.Server {
	t.Helper()
	s := standin.New(standin.Options{Script: script})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func (x *example) path() string { return filepath.Join(cassettes, x.name+".cassette.jsonl") }

// TestExampleCassettes scores the cassettes of fixtures, with nothing but what is in the repository.
func TestExampleCassettes(t *testing.T) {
	var known []string
	for _, x := range examples {
		known = append(known, x.path())
		t.Run(x.name, func(t *testing.T) {
			if *recordAgain {
				x.again(t)
			}
			if status, _, stderr := exodeck(t.Context(), t, "cassette", "verify", x.path()); status != 0 {
				t.Errorf("verify: status %d\n%s", status, stderr)
			}
			for suite, want := range x.scores {
				status, stdout, stderr := exodeck(t.Context(), t, "score", suite, "--tape", x.path(), "--format", "json")
				if status != want {
					t.Errorf("score %s: status %d, want %d\n%s", suite, status, want, stderr)
				}
				x.compare(t, suite, strings.ReplaceAll(stdout, version(), "VERSION"))
			}
		})
	}
	found, err := filepath.Glob(filepath.Join(cassettes, "*.cassette.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(known)), found); diff != "" {
		t.Errorf("cassettes (-known +found):\n%s", diff)
	}
}

// compare compares what a score printed with what it is to print.
func (x *example) compare(t *testing.T, suite, got string) {
	t.Helper()
	golden.Check(t, *update, filepath.Join(cassettes, x.name+"."+suite+".json"), []byte(got))
}

// again records the cassette.
func (x *example) again(t *testing.T) {
	t.Helper()
	server := x.serve(t)
	dir := t.TempDir()
	tape, result := filepath.Join(dir, "run.tape"), filepath.Join(dir, "run.json")
	args := []string{"run", x.record[0], "--model", standin.DefaultModel, "--tape", tape, "--json-out", result}
	if x.record[0] == "acebench" {
		args = append(args, "--base-url", server.URL(), "--user-model", acebenchtest.UserModel)
	} else {
		host, port, _ := strings.Cut(strings.TrimPrefix(server.URL(), "http://"), ":")
		args = append(args, "--host", host, "--port", port)
	}
	if status, _, stderr := exodeck(t.Context(), t, append(args, x.record[1:]...)...); status != x.scores[x.record[0]] {
		t.Fatalf("run: status %d\n%s", status, stderr)
	}
	if err := os.MkdirAll(cassettes, 0o755); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := exodeck(t.Context(), t, "cassette", "export", "--tape", tape, "--name", x.name, "--out", x.path()); status != 0 {
		t.Fatalf("export: status %d\n%s", status, stderr)
	}
}
