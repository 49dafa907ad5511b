package report_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var update = flag.Bool("update", false, "rewrite the golden files")

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
	failed.Exchanges = []tape.Ref{{Session: "s", Seq: 3}, {Session: "s", Seq: 4}}
	failed.Fault = &score.Fault{
		Blame: "server", Exchange: 2, Evidence: []string{"call-in-content: a well-formed call stands in the text"},
		Problems: []score.Problem{
			{Code: "missing-usage", Severity: "warning", Exchange: 1, Exchanges: 2, Place: "response", Detail: "no counts"},
			{Code: "call-in-content", Severity: "error", Exchange: 2, Exchanges: 1, Place: "response /content/0/text", Detail: "a call\nof tide \x1b[31m <é>"},
		},
		Meant: []score.MeantCall{{Exchange: 2, Family: "hermes", From: "text", Name: "tide", Arguments: `{"port": "<é>"}`}},
	}
	refused := tide
	refused.Repeat, refused.API, refused.Passed, refused.Checks, refused.LatencyMS = 2, tape.Claude, false, nil, 0
	refused.Error = new("API error: Client error '404 ' for url 'http://x/v1/messages'\nFor more information ask")
	refused.Stream = true
	refused.Fault = &score.Fault{Blame: "client", Exchange: 1, Evidence: []string{"http-error: status 404 says that the request was refused"}}
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
			golden.Check(t, *update, "testdata/"+tt.name, out.Bytes())
		})
	}
}

func TestFaults(t *testing.T) {
	failed := report.BlamedVerdicts(flat(tasks()))
	for i := range 9 { // more than are named
		b := failed[1]
		b.Name = fmt.Sprintf("claude sail %d", i)
		failed = append(failed, b)
	}
	var out bytes.Buffer
	if err := report.Faults(&out, failed); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, *update, "testdata/faults.golden", out.Bytes())
	out.Reset()
	if err := report.Faults(&out, alike()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, *update, "testdata/faults_reasons.golden", out.Bytes())
	out.Reset()
	if err := report.Faults(&out, report.BlamedVerdicts(tasks()[0])); err != nil || out.Len() > 0 {
		t.Errorf("nothing failed, and %q was printed, error %v", out.String(), err)
	}
	if err := report.Faults(&fullDisk{}, failed); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v, want disk full", err)
	}
}

// alike are samples whose faults have the same side and codes, and not the same reasons.
func alike() []report.Blamed {
	var all []report.Blamed
	add := func(name string, seq int64, f score.Fault) {
		all = append(all, report.Blamed{Name: name, Fault: &f, Exchanges: []tape.Ref{{Session: "s", Seq: seq}}})
	}
	add("cut 1", 1, score.Fault{Blame: "model", Budget: true, Exchange: 1, Evidence: []string{"the token limit was reached"}})
	add("fenced 1", 2, score.Fault{Blame: "model", Evidence: []string{"the answer arrived whole"}})
	add("cut 2", 3, score.Fault{Blame: "model", Budget: true, Exchange: 1, Evidence: []string{"the token limit was reached"}})
	add("fenced 2", 4, score.Fault{Blame: "model", Evidence: []string{"the answer arrived whole"}})
	add("cut, they say", 5, score.Fault{Blame: "model", Evidence: []string{"another reason"}})
	for i := range 7 {
		problems := []score.Problem{{Code: "call-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response", Detail: fmt.Sprintf("call %d", i)}}
		add(fmt.Sprintf("left %d", i), int64(6+i), score.Fault{Blame: "server", Exchange: 1, Problems: problems,
			Evidence: []string{fmt.Sprintf("a call of tool_%d stands in the text", max(i-1, 0))}})
	}
	return all
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
	golden.Check(t, *update, "testdata/json.golden", text)

	run.Verdicts = nil
	text, err = report.JSON(run, pyvalue.NewDict())
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, *update, "testdata/json_empty.golden", text)
}
