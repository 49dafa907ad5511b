package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// acebenchServer is a stand-in that knows the right answers to the built-in data set.
type acebenchServer struct {
	*standin.Server
	model *acebenchtest.Model
	asked atomic.Int64
	stop  atomic.Pointer[func()] // called with every request, when set
}

func serveACEBench(t *testing.T, language dataset.Language) *acebenchServer {
	t.Helper()
	d := dataset.Mini()
	set, err := d.Load(language)
	if err != nil {
		t.Fatal(err)
	}
	materials, err := ask.LoadMaterials(d, language, true)
	if err != nil {
		t.Fatal(err)
	}
	s := &acebenchServer{model: acebenchtest.NewModel(set.Samples, materials)}
	o := s.model.Options()
	o.Intercept = func(http.ResponseWriter, *http.Request) bool {
		s.asked.Add(1)
		if stop := s.stop.Load(); stop != nil {
			(*stop)()
		}
		return false
	}
	s.Server = standin.New(o)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// exodeck runs a command line.
func exodeck(ctx context.Context, t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	home := t.TempDir()
	var out, err bytes.Buffer
	status = run(ctx, append([]string{"exodeck"}, args...), env{
		stdin: strings.NewReader(""), stdout: &out, stderr: &err,
		getenv: func(name string) string {
			if name == "EXODECK_HOME" {
				return home
			}
			return ""
		},
	})
	return status, out.String(), err.String()
}

// runArgs is a run of everything there is.
func (s *acebenchServer) runArgs(tape string, more ...string) []string {
	return append([]string{"run", "acebench", "--base-url", s.URL(), "--model", standin.DefaultModel, "--user-model", acebenchtest.UserModel,
		"--tape", tape}, more...)
}

func readRunFile(t *testing.T, path string) (*acebench.RunFile, string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f acebench.RunFile
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return &f, string(data)
}

// TestACEBenchRunIsScoredTheSame: run and score write the same run file, byte for byte, with the server stopped.
func TestACEBenchRunIsScoredTheSame(t *testing.T) {
	for _, tt := range []struct {
		name     string
		language dataset.Language
		args     []string
	}{
		{"one at a time", dataset.English, nil},
		{"16 at once, streamed", dataset.Chinese, []string{"--concurrency", "16", "--stream"}},
		{"Claude", dataset.English, []string{"--api", "claude", "--max-tokens", "900", "--temperature", "0.5"}},
		{"Responses", dataset.English, []string{"--api", "responses", "--top-p", "0.9"}},
		{"Ollama", dataset.English, []string{"--api", "ollama", "--seed", "7", "--rules", "strict"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := serveACEBench(t, tt.language)
			dir := t.TempDir()
			tape, live, offline := filepath.Join(dir, "run.tape"), filepath.Join(dir, "live.json"), filepath.Join(dir, "offline.json")
			args := append(server.runArgs(tape, "--language", string(tt.language), "--json-out", live), tt.args...)
			status, stdout, stderr := exodeck(t.Context(), t, args...)
			if status != 0 {
				t.Fatalf("status %d\n%s\n%s", status, stdout, stderr)
			}
			server.Close()
			args = []string{"score", "acebench", "--tape", tape, "--out", offline}
			if i := len(tt.args) - 1; i > 0 && tt.args[i-1] == "--rules" {
				args = append(args, tt.args[i-1:]...)
			}
			status, again, stderr := exodeck(t.Context(), t, args...)
			if status != 0 {
				t.Fatalf("status %d\n%s", status, stderr)
			}
			f, want := readRunFile(t, live)
			if _, got := readRunFile(t, offline); got != want {
				t.Errorf("(-run +score):\n%s", cmp.Diff(want, got))
			}
			if again != stdout {
				t.Errorf("text (-run +score):\n%s", cmp.Diff(stdout, again))
			}
			if f.Counts.Right != 57 || f.Counts.Samples != 57 || f.Overall == nil || f.Overall.Accuracy != 1 || f.Language != tt.language || f.Recording == "" {
				t.Errorf("counts %+v, overall %+v, language %s, recording %q", f.Counts, f.Overall, f.Language, f.Recording)
			}
			if !strings.Contains(stderr, "data: the small built-in set") {
				t.Errorf("stderr: %s", stderr)
			}
		})
	}
}

// TestACEBenchRunGoesOn: a run that was stopped asks what is left and nothing twice.
func TestACEBenchRunGoesOn(t *testing.T) {
	server := serveACEBench(t, dataset.English)
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.tape")
	if status, _, stderr := exodeck(t.Context(), t, server.runArgs(whole)...); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	questions := server.asked.Swap(0) - 0

	ctx, cancel := context.WithCancel(t.Context())
	stop := func() {
		if server.asked.Load() == 61 { // within the rollouts, which come last
			cancel()
		}
	}
	server.stop.Store(&stop)
	tape := filepath.Join(dir, "stopped.tape")
	status, stdout, stderr := exodeck(ctx, t, server.runArgs(tape)...)
	if status != exitInterrupted || stdout != "" || !strings.Contains(stderr, "answered; the same command goes on from there") {
		t.Fatalf("stopped: status %d\n%s\n%s", status, stdout, stderr)
	}
	status, _, stderr = exodeck(t.Context(), t, "score", "acebench", "--tape", tape)
	if status != exitMissing {
		t.Errorf("scoring half a run: status %d\n%s", status, stderr)
	}
	server.stop.Store(nil)
	live := filepath.Join(dir, "live.json")
	status, stdout, stderr = exodeck(t.Context(), t, server.runArgs(tape, "--json-out", live, "--concurrency", "4")...)
	if status != 0 || !strings.Contains(stderr, "of them were on the tape already") {
		t.Fatalf("going on: status %d\n%s\n%s", status, stdout, stderr)
	}
	// The request that was cut off is asked again.
	if asked := server.asked.Load(); asked != questions+1 {
		t.Errorf("%d questions in all, want %d", asked, questions+1)
	}
	server.asked.Store(0)
	if status, _, _ = exodeck(t.Context(), t, server.runArgs(tape)...); status != 0 || server.asked.Load() != 0 {
		t.Errorf("a third run asks %d questions again, status %d", server.asked.Load(), status)
	}
	if status, _, _ = exodeck(t.Context(), t, server.runArgs(tape, "--temperature", "1", "--categories", "special")...); status != 0 || server.asked.Load() != 9 {
		t.Errorf("other sampling: %d questions, want 9, status %d", server.asked.Load(), status)
	}
}

// TestACEBenchErrorsAreNoAnswers: a question that the server fails on is listed as missing, and asked again by the next run.
func TestACEBenchErrorsAreNoAnswers(t *testing.T) {
	server := serveACEBench(t, dataset.English)
	server.model.Change = func(s *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
		if s != nil && s.ID == "special_irrelevant_1" {
			return standin.Status500.Apply(r)
		}
		return r
	}
	tape := filepath.Join(t.TempDir(), "errors.tape")
	args := server.runArgs(tape, "--categories", "special_irrelevant,normal_atom_bool")
	status, stdout, _ := exodeck(t.Context(), t, args...)
	if status != exitMissing || !strings.Contains(stdout, "special_irrelevant_1: missing: the server answered 500 Internal Server Error") ||
		!strings.Contains(stdout, "evalscope: 5 right, 0 wrong, 1 missing of 6") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	status, stdout, _ = exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--missing", "zero")
	if status != exitMissing || !strings.Contains(stdout, "special_irrelevant                              0.6667") {
		t.Errorf("zero: status %d\n%s", status, stdout)
	}
	server.model.Change = nil
	before := server.asked.Load()
	status, stdout, _ = exodeck(t.Context(), t, args...)
	if asked := server.asked.Load() - before; status != 0 || asked != 1 {
		t.Errorf("again: status %d, %d questions\n%s", status, asked, stdout)
	}
}

func TestACEBenchRunWithoutUser(t *testing.T) {
	server := serveACEBench(t, dataset.English)
	tape := filepath.Join(t.TempDir(), "alone.tape")
	status, stdout, stderr := exodeck(t.Context(), t, "run", "acebench", "--base-url", server.URL(), "--model", standin.DefaultModel, "--tape", tape,
		"--categories", "agent", "--limit", "1")
	if status != 1 || strings.Count(stderr, "--user-model") != 1 || !strings.Contains(stdout, "wrong (evalscope): agent_multi_turn_0: missing_end_state") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
}

func TestACEBenchRulesAndRepeatsSideBySide(t *testing.T) {
	server := serveACEBench(t, dataset.English)
	n := map[string]int{}
	server.model.Change = func(s *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
		if s == nil || s.ID != "normal_atom_bool_0" {
			return r
		}
		if n[s.ID]++; n[s.ID] == 1 {
			return standin.Say("I do not know.")
		}
		return r
	}
	tape := filepath.Join(t.TempDir(), "repeats.tape")
	status, stdout, stderr := exodeck(t.Context(), t, server.runArgs(tape, "--categories", "normal_atom_bool", "--repeat", "2", "--rules", "evalscope,official")...)
	if status != 1 || !strings.Contains(stdout, "evalscope #1: 2 right, 1 wrong of 3") || !strings.Contains(stdout, "official #2: 3 right, 0 wrong of 3") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
	for repeat, want := range map[string]int{"first": 2, "last": 3} {
		status, stdout, _ := exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--repeat", repeat, "--format", "json")
		var f acebench.RunFile
		if err := json.Unmarshal([]byte(stdout), &f); err != nil {
			t.Fatal(err)
		}
		if f.Counts.Right != want || (status == 0) != (want == 3) {
			t.Errorf("%s: %d right, status %d", repeat, f.Counts.Right, status)
		}
	}
	_, stdout, _ = exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--format", "json", "--rules", "evalscope,strict")
	var all struct {
		Runs []struct {
			Rules  string
			Repeat int
			Result acebench.RunFile
		}
	}
	if err := json.Unmarshal([]byte(stdout), &all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range all.Runs {
		got = append(got, fmt.Sprintf("%s %d %d", r.Rules, r.Repeat, r.Result.Counts.Right))
	}
	if diff := cmp.Diff([]string{"evalscope 1 2", "strict 1 2", "evalscope 2 3", "strict 2 3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
