package report_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", name, diff)
	}
}

func checks(ok bool, names ...string) []score.Check {
	var list []score.Check
	for _, name := range names {
		list = append(list, score.Check{Name: name, OK: ok})
	}
	return list
}

// sample verdicts: one of everything that is printed differently.
func tasks() [][]score.Verdict {
	tide := score.Verdict{Sample: "tide", Description: "Ask for a tide", API: tape.OpenAI, Repeat: 1, Phase: "tool_call",
		Status: score.OK, Passed: true, Checks: checks(true, "finish_reason_tool_calls", "has_tool_call"), LatencyMS: 12.5}
	after := tide
	after.Phase, after.Checks, after.LatencyMS = "follow_up", checks(true, "finish_reason_stop"), 3.25
	failed := tide
	failed.Repeat, failed.API, failed.Passed, failed.Checks = 2, tape.Claude, false, checks(false, "has_tool_call")
	refused := tide
	refused.Repeat, refused.API, refused.Passed, refused.Checks, refused.LatencyMS = 2, tape.Claude, false, nil, 0
	refused.Error = new("API error: Client error '404 ' for url 'http://x/v1/messages'\nFor more information ask")
	refused.Stream = true
	missing := tide
	missing.Repeat, missing.Status, missing.Passed, missing.Checks = 2, score.Missing, false, nil
	missing.Error = new("no recorded answer")
	return [][]score.Verdict{{tide, after}, {failed}, {refused}, {missing}}
}

func flat(tasks [][]score.Verdict) []score.Verdict {
	var all []score.Verdict
	for _, task := range tasks {
		all = append(all, task...)
	}
	return all
}

func TestText(t *testing.T) {
	tests := []struct {
		name   string
		header report.Header
	}{
		{"text.golden", report.Header{Model: "org/model", Endpoint: "http://localhost:52415", APIs: []tape.API{tape.OpenAI, tape.Claude},
			Scenarios: 1, Repeats: 2, Ways: 2}},
		{"text_cluster.golden", report.Header{Model: "org/model", Endpoint: "http://localhost:52415", Placement: "Pipeline / MlxRing / 1 nodes",
			APIs: []tape.API{tape.OpenAI, tape.Claude}, Scenarios: 1, Repeats: 2, Concurrency: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			text := report.NewText(&out, tt.header)
			for _, task := range tasks() {
				text.Task(task)
			}
			text.Task(nil)
			if err := text.Summary(flat(tasks())); err != nil {
				t.Fatal(err)
			}
			if err := text.Written("results.json"); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, out.Bytes())
		})
	}
}

func TestTextNothingFailed(t *testing.T) {
	var out bytes.Buffer
	text := report.NewText(&out, report.Header{APIs: []tape.API{tape.OpenAI}, Scenarios: 1, Repeats: 1})
	if err := text.Summary(tasks()[0][:1]); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out.Bytes(), []byte("Failed:")) || bytes.Contains(out.Bytes(), []byte("Follow-up:")) {
		t.Errorf("a list or total of nothing is printed:\n%s", out.Bytes())
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestTextTellsOfWriteErrors(t *testing.T) {
	text := report.NewText(&fullDisk{left: 40}, report.Header{APIs: []tape.API{tape.OpenAI}})
	text.Task(tasks()[0])
	if err := text.Summary(nil); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v, want disk full", err)
	}
}

func TestJSON(t *testing.T) {
	run := score.RunFile{Version: "v1.2.3", Suite: "exo", Rules: "exo", Recording: "sha256:00", RulesDigest: "sha256:11", Data: "sha256:22",
		Verdicts: flat(tasks())}
	cluster := pyvalue.DictOf("nodeMemory", pyvalue.DictOf("n", pyvalue.NewInt(1)))
	text, err := report.JSON(run, cluster)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "json.golden", text)

	run.Verdicts = nil
	text, err = report.JSON(run, pyvalue.NewDict())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "json_empty.golden", text)
}
