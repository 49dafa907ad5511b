package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/tape"
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
			path, live, offline := filepath.Join(dir, "run.tape"), filepath.Join(dir, "live.json"), filepath.Join(dir, "offline.json")
			args := append(server.runArgs(path, "--language", string(tt.language), "--json-out", live), tt.args...)
			status, stdout, stderr := exodeck(t.Context(), t, args...)
			if status != 0 {
				t.Fatalf("status %d\n%s\n%s", status, stdout, stderr)
			}
			server.Close()
			args = []string{"score", "acebench", "--tape", path, "--out", offline}
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
	questions := server.asked.Swap(0)

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
	// Only the question that was under way may be asked twice, when its answer came too late.
	if asked := server.asked.Load(); asked != questions && asked != questions+1 {
		t.Errorf("%d questions in all, want %d or one more", asked, questions)
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

// TestACEBenchRunWithoutUser: what nobody could be asked is told before and after, with the flag that mends it. It is wrong, as the rules have
// it.
func TestACEBenchRunWithoutUser(t *testing.T) {
	server := serveACEBench(t, dataset.English)
	tape := filepath.Join(t.TempDir(), "alone.tape")
	status, stdout, stderr := exodeck(t.Context(), t, "run", "acebench", "--base-url", server.URL(), "--model", standin.DefaultModel, "--tape", tape,
		"--categories", "agent", "--limit", "2")
	const warning = "warning: 2 of 4 samples will not be asked, and count as wrong: agent_multi_turn needs a model that plays the user; name one with --user-model\n"
	if before, _, _ := strings.Cut(stderr, " answered"); status != 1 || !strings.Contains(before, warning) {
		t.Errorf("run: status %d\n%s", status, stderr)
	}
	_, scored, _ := exodeck(t.Context(), t, "score", "acebench", "--tape", tape)
	for _, text := range []string{stdout, scored} {
		for _, want := range []string{
			"agent_multi_turn                       (0.0000) 0.0000 ",
			"evalscope: 2 right, 2 wrong (2 of them never asked) of 4\n",
			"note: 2 of agent_multi_turn were never asked, and the figures count them as wrong, as the rules do: run again with --user-model, or score the other --categories\n",
			"wrong (evalscope): agent_multi_turn_1: missing_end_state: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		if strings.Contains(text, "user_model") {
			t.Errorf("the flag of another program is named:\n%s", text)
		}
	}
	status, stdout, _ = exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--explain", "agent_multi_turn_1")
	if status != 1 || !strings.Contains(stdout, "Answer: no model played the user; ") || !strings.Contains(stdout, "Never asked: the figures count it as wrong") {
		t.Errorf("explained: status %d\n%s", status, stdout)
	}
	_, stdout, _ = exodeck(t.Context(), t, "score", "acebench", "--tape", tape, "--format", "md")
	if !strings.Contains(stdout, "were never asked") || !strings.Contains(stdout, "## acebench: 2 of 4 passed, 2 failed") {
		t.Errorf("in markdown\n%s", stdout)
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

// TestACEBenchRecordedByAnotherClient: a recording without labels tells its language and its samples by the prompts.
func TestACEBenchRecordedByAnotherClient(t *testing.T) {
	server := serveACEBench(t, dataset.Chinese)
	upstream, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "foreign.tape")
	home := t.TempDir()
	d, err := openDeck(t.Context(), path, tape.Session{Upstream: server.URL()}, env{getenv: func(string) string { return home }})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	through, err := proxy.New(proxy.Config{Upstream: upstream, Session: d.session, Redactor: d.redactor, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer through.Close()
	serving, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- through.Serve(serving, ln) }()

	set, err := dataset.Mini().Load(dataset.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	materials, err := ask.LoadMaterials(dataset.Mini(), dataset.Chinese, true)
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + ln.Addr().String() + "/v1"
	client := &http.Transport{}
	suite := ask.Suite{
		Client: acebenchtest.Named{Base: client, Foreign: true}, Samples: set.Samples, Materials: materials, Concurrency: 8, Stream: true,
		Agent: ask.Endpoint{BaseURL: base, API: tape.OpenAI, Model: standin.DefaultModel},
		User:  &ask.Endpoint{BaseURL: base, API: tape.OpenAI, Model: acebenchtest.UserModel},
	}
	if _, err := suite.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
	stop()
	if err := errors.Join(<-served, d.close()); err != nil {
		t.Fatal(err)
	}
	server.Close()

	status, stdout, stderr := exodeck(t.Context(), t, "score", "acebench", "--tape", path, "--format", "json")
	var f acebench.RunFile
	if err := json.Unmarshal([]byte(stdout), &f); err != nil {
		t.Fatalf("status %d, %v\n%s\n%s", status, err, stdout, stderr)
	}
	if status != 0 || f.Counts.Right != 57 || f.Language != dataset.Chinese || !strings.Contains(stderr, "language: zh, by the recorded prompts") {
		t.Errorf("status %d, %+v, %s\n%s", status, f.Counts, f.Language, stderr)
	}
	status, _, stderr = exodeck(t.Context(), t, "score", "acebench", "--tape", path, "--language", "en")
	if status != exitMissing || !strings.Contains(stderr, "holds no answers to ACEBench samples in en, but to 57 questions in zh: --language zh scores them") {
		t.Errorf("in the other language: status %d\n%s", status, stderr)
	}
	status, stdout, _ = exodeck(t.Context(), t, "score", "acebench", "--tape", path, "--categories", "special")
	if status != 0 || !strings.Contains(stdout, "evalscope: 9 right, 0 wrong of 9") {
		t.Errorf("some categories: status %d\n%s", status, stdout)
	}
}

// TestACEBenchResultFiles scores the files of another runner, as the reference does.
func TestACEBenchResultFiles(t *testing.T) {
	var want map[string]struct {
		Evalscope struct {
			Groups map[string]struct{ Score float64 } `json:"groups"`
		} `json:"evalscope"`
	}
	if err := json.Unmarshal(shared.Read(t, "golden/acebench/results/scores.json"), &want); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := exodeck(t.Context(), t, "score", "acebench", "--data", shared.Dir(t, "data", "acebench"),
		"--results", shared.Dir(t, "golden", "acebench", "results", "zh", "mixed"), "--language", "zh", "--errors", "drop", "--format", "json")
	var f acebench.RunFile
	if err := json.Unmarshal([]byte(stdout), &f); err != nil {
		t.Fatalf("status %d, %v\n%s", status, err, stderr)
	}
	if f.Overall == nil || f.Overall.Accuracy != want["zh/mixed"].Evalscope.Groups["OVERALL"].Score || status != 1 {
		t.Errorf("status %d, overall %+v, want %v", status, f.Overall, want["zh/mixed"].Evalscope.Groups["OVERALL"])
	}
}

// TestACEBenchResultsTellTheirLanguage: predictions are scored against the samples that were asked, without any flag.
func TestACEBenchResultsTellTheirLanguage(t *testing.T) {
	dir := t.TempDir()
	const line = `{"model_output": {"choices": [{"message": {"content": "[]"}}]}, "metadata": {"id": "normal_atom_bool_0", "language": "zh"}}`
	if err := os.WriteFile(filepath.Join(dir, "acebench_normal_atom_bool.jsonl"), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := exodeck(t.Context(), t, "score", "acebench", "--results", dir, "--categories", "normal_atom_bool", "--format", "json")
	var f acebench.RunFile
	if err := json.Unmarshal([]byte(stdout), &f); err != nil {
		t.Fatalf("status %d, %v\n%s", status, err, stderr)
	}
	if f.Language != dataset.Chinese {
		t.Errorf("language %q, want zh", f.Language)
	}
	status, stdout, stderr = exodeck(t.Context(), t, "score", "acebench", "--results", dir, "--language", "en")
	if want := "are to questions in zh: leave out --language en"; status != 4 || stdout != "" || !strings.Contains(stderr, want) {
		t.Errorf("status %d, want 4 with %q\n%s%s", status, want, stdout, stderr)
	}
}

func TestACEBenchUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no.tape")
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"run", "acebench"}, 2, "--model is needed"},
		{[]string{"run", "acebench", "--model", "m", "--api", "gopher"}, 2, `--api: unknown API "gopher": choose one of openai, claude, responses, ollama`},
		{[]string{"run", "acebench", "--model", "m", "--api", "claude", "--seed", "1"}, 2, "the API claude has no seed"},
		{[]string{"run", "acebench", "--model", "m", "--language", "fr"}, 2, `--language: unknown language "fr": use en or zh`},
		{[]string{"run", "acebench", "--model", "m", "--categories", "easy"}, 2, `--categories: unknown category "easy"`},
		{[]string{"run", "acebench", "--model", "m", "--limit", "-1"}, 2, "--limit must be >= 0 (got -1)"},
		{[]string{"run", "acebench", "--model", "m", "--repeat", "0"}, 2, "--repeat must be >= 1 (got 0)"},
		{[]string{"run", "acebench", "--model", "m", "--concurrency", "0"}, 2, "--concurrency must be >= 1 (got 0)"},
		{[]string{"run", "acebench", "--model", "m", "--max-dialog-turns", "0"}, 2, "--max-dialog-turns must be >= 1 (got 0)"},
		{[]string{"run", "acebench", "--model", "m", "--timeout", "0"}, 2, "--timeout must be above 0"},
		{[]string{"run", "acebench", "--model", "m", "--base-url", "me:secret@host"}, 2, "--base-url is no base URL; write it like http://localhost:52415"},
		{[]string{"run", "acebench", "--model", "m", "--key-env", "NO_SUCH"}, 2, "--key-env: the environment variable NO_SUCH is not set"},
		{[]string{"run", "acebench", "--model", "m", "--user-model-api-url", "http://h"}, 2, "--user-model is needed"},
		{[]string{"run", "acebench", "--model", "m", "--rules", "kind"}, 2, `--rules: unknown rules "kind"`},
		{[]string{"run", "acebench", "--model", "m", "--port", "1", "--tape", missing}, 4, "no server can be reached at http://localhost:1"},
		{[]string{"score", "acebench", "--tape", "a", "--results", "b"}, 2, "give --tape or --results, not both"},
		{[]string{"score", "acebench", "--repeat", "2"}, 2, "--repeat: unknown choice of repeats \"2\": choose all, first or last"},
		{[]string{"score", "acebench", "--missing", "hide"}, 2, `--missing is list or zero, not "hide"`},
		{[]string{"score", "acebench", "--errors", "hide"}, 2, `--errors is score or drop, not "hide"`},
		{[]string{"score", "acebench", "--on-divergence", "guess"}, 2, "choose fail or trajectory"},
		{[]string{"score", "acebench", "--format", "xml"}, 2, `--format is text, json, junit, md or github, not "xml"`},
		{[]string{"score", "acebench", "--tape", missing}, 4, missing},
	} {
		status, stdout, stderr := exodeck(t.Context(), t, tt.args...)
		if status != tt.status || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, want %d\n%s%s", strings.Join(tt.args, " "), status, tt.status, stdout, stderr)
		}
	}
}
