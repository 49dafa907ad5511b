package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
)

// scoreTests hold the reports to the cases about scoring that were made after public bug reports. What a case gives as answers is given by a
// server, recorded, and scored by the commands that people use, in the formats they use.
//
// What a case calls an item is a scenario here, or an ACEBench sample where its expected arguments have values: scenarios know only the names
// of arguments, since exo's evaluator does. Its "no_call" is a scenario that expects none, its "any_call" one that names no function.
//
// The checks of scenarios are exo's own, kept to the character. Where a case wants more than they look at (147, 159), it is the verdict of
// score conformance on the same recording that says so, and score exo points at it.
//
// Nothing here renames tools when it offers them, so there is no table of names as 154 wants one: a name is right when it is the one that
// was offered, to the letter.
//
// Without the shared vectors the same ground is covered by TestScoresOfOurOwn below, and by tests of other packages: the values of arguments
// (150) and the errors of the scorer (152) by those of score/acebench and score/acebench/check, answers of a server that failed (153) in
// ACEBench by score/acebench/recorded, averages (157) by ExampleSheet_WriteText, empty runs (161) by conformance_score.txtar and TestExitStatus,
// bases (162) by score/again.
var scoreTests = bugreports.Tests{
	"147": testAbstention,
	"148": testNoCall,
	"149": testAnyCall,
	"150": testScalars,
	"152": testScorerErrors,
	"153": testInfrastructure,
	"154": testNames,
	"155": testNullFinish,
	"157": testAverages,
	"158": testCallWithText,
	"159": testTwoVerdicts,
	"160": testRepeatable,
	"161": testEmptyRun,
	"162": testBases,
}

// testAbstention: an answer in words, a call that broke, and silence are three outcomes. The checks of exo's scenarios tell the last from
// the others; the verdict on the answer itself tells all three, and its count is that of the case.
func testAbstention(t *testing.T, c *bugreports.Case) {
	var items []item
	var want map[string]string
	c.Score(t, &items, &want)
	passed, accuracy := accurate(want)
	a := askItems(t, items)
	calls, codes, text := judgedItems(t, a)
	for i, it := range items {
		if (calls[i] == "ok") != passed[it.ID] {
			t.Errorf("%s: calls %s", it.ID, calls[i])
		}
	}
	if diff := cmp.Diff([][]string{{}, {"leaked-markup-in-content"}, {"empty-answer"}}, codes); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if accuracy != "1/3" {
		t.Errorf("the case expects %s", accuracy)
	}
	has(t, text, "3 exchanges; calls 1 ok, 2 failed")
	s := scoreItems(t, a)
	if !s.passed["q1"] || s.passed["q3"] || s.checks["q3"]["has_content"] {
		t.Errorf("scenarios: %v", s.passed)
	}
	for _, report := range []string{s.stderr, s.junit} {
		has(t, report, "empty-answer")
	}
	if s.passed["q2"] { // by exo's rules
		has(t, s.stderr, "would go wrong: leaked-markup-in-content: openai q2 tool_call")
	}
}

func testNoCall(t *testing.T, c *bugreports.Case) { testPassed(t, c, 1) }

func testAnyCall(t *testing.T, c *bugreports.Case) { testPassed(t, c, 1) }

func testCallWithText(t *testing.T, c *bugreports.Case) { testPassed(t, c, 0) }

// testPassed: the items pass and fail as the case has it, and the total is printed as a count.
func testPassed(t *testing.T, c *bugreports.Case, status int) scored {
	t.Helper()
	var items []item
	var want map[string]string
	c.Score(t, &items, &want)
	passed, accuracy := accurate(want)
	s := scoreItems(t, askItems(t, items))
	if diff := cmp.Diff(passed, s.passed); diff != "" || s.status != status {
		t.Errorf("exit status %d, passed (-want +got):\n%s", s.status, diff)
	}
	if accuracy != "" {
		has(t, s.text, "Total:       "+accuracy+" passed (")
	}
	return s
}

// testInfrastructure: what the server failed to answer is told apart from what the model answered wrongly, in every report, and both figures
// are there with what they are of.
func testInfrastructure(t *testing.T, c *bugreports.Case) {
	var items []item
	var want struct {
		Model    string `json:"model_accuracy"`
		EndToEnd string `json:"end_to_end_accuracy"`
		Failures int    `json:"server_failures"`
	}
	c.Score(t, &items, &want)
	for i := range items {
		items[i].Expected = "no_call"
		switch items[i].Verdict {
		case "pass":
			items[i].Content = "I cannot do that."
		case "fail":
			items[i].ToolCalls = []bugreports.Call{{Name: "get_tide", Arguments: map[string]any{"port": "Vigo"}}}
		}
	}
	a := askItems(t, items)
	s := scoreItems(t, a)
	has(t, s.text, "Total:       "+want.EndToEnd+" passed (")
	line := fmt.Sprintf("of those that were answered %s passed, of all %s; %d got no usable answer", want.Model, want.EndToEnd, want.Failures)
	blame := fmt.Sprintf("whose fault: 1 model, %d server", want.Failures)
	has(t, s.stderr, line, blame)
	_, markdown, _ := exodeck(t.Context(), t, "score", "exo", "--tape", a.tape, "--scenarios-file", a.scenarios, "--format", "md")
	has(t, markdown, line, blame)
	var suites struct {
		Suites []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(s.junit), &suites); err != nil {
		t.Fatal(err)
	}
	blames := map[string]int{}
	for _, x := range suites.Suites[0].Cases {
		for _, side := range []string{"model", "server"} {
			if strings.Contains(x.Failure, "blame "+side) {
				blames[side]++
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"model": 1, "server": want.Failures}, blames); diff != "" {
		t.Errorf("JUnit (-want +got):\n%s", diff)
	}
	calls, _, text := judgedItems(t, a)
	if diff := cmp.Diff([]string{"ok", "not_judged", "not_judged", "ok"}, calls); diff != "" {
		t.Errorf("conformance (-want +got):\n%s", diff)
	}
	has(t, text, "4 exchanges; calls 2 ok, 2 not judged")
}

// testNames: the name that was offered is right, to the letter, and no other.
func testNames(t *testing.T, c *bugreports.Case) {
	s := testPassed(t, c, 1)
	if s.checks["q2"]["correct_function"] || !s.checks["q2"]["has_tool_call"] {
		t.Errorf("checks of q2: %v", s.checks["q2"])
	}
	var items []item
	var want map[string]string
	c.Score(t, &items, &want)
	_, codes, _ := judgedItems(t, askItems(t, items))
	if diff := cmp.Diff([][]string{{}, {"unknown-tool"}}, codes); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	// ACEBench asks for the call as text, so a name with a dot is offered and expected as it is.
	const schema = `{"port":{"type":"string"}}`
	samples := map[string][]sample{"normal_single_turn_single_function": {
		{items[0].Call, schema, fmt.Sprintf("[%s(port='Vigo')]", items[0].Call.Name)},
		{items[1].Call, schema, fmt.Sprintf("[%s(port='Vigo')]", items[1].ToolCalls[0].Name)},
	}}
	for _, rules := range []string{"evalscope", "official", "strict"} {
		got := scoreSamples(t, samples, "--rules", rules)
		if diff := cmp.Diff(passFails(want), map[string]bool{"q1": got.Samples[0].Valid, "q2": got.Samples[1].Valid}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rules, diff)
		}
	}
}

// testNullFinish: an answer without a finish reason is scored, and its problem is told with it.
func testNullFinish(t *testing.T, c *bugreports.Case) {
	var items []item
	var want map[string]string
	c.Score(t, &items, &want)
	items[0].Expected = "no_call"
	a := askItems(t, items)
	s := scoreItems(t, a)
	how, problem, _ := strings.Cut(want["q1"], " ")
	if how != "scored_with_problem" || !cmp.Equal(s.checks["q1"], map[string]bool{"finish_reason_stop": false, "no_tool_call": true, "has_content": true}) {
		t.Errorf("checks %v", s.checks["q1"])
	}
	for _, report := range []string{s.stderr, s.json, s.junit} {
		has(t, report, problem)
	}
	if _, codes, _ := judgedItems(t, a); !cmp.Equal(codes, [][]string{{problem}}) {
		t.Errorf("problems %v", codes)
	}
}

// testTwoVerdicts: exo's checks look at the first call and at the names of its arguments, so the sample passes; the verdict on the answer
// itself, on the same recording, names the faults, and the report of the scenarios points at them.
func testTwoVerdicts(t *testing.T, c *bugreports.Case) {
	var items []item
	var want struct {
		Checks   string   `json:"exo_checks"`
		Problems []string `json:"wire_problems"`
	}
	c.Score(t, &items, &want)
	items[0].Expected = "call"
	a := askItems(t, items)
	s := scoreItems(t, a)
	if s.status != 0 || s.passed[items[0].ID] != (want.Checks == "pass") {
		t.Errorf("exit status %d, passed %v", s.status, s.passed)
	}
	calls, codes, _ := judgedItems(t, a)
	if diff := cmp.Diff([][]string{want.Problems}, codes); diff != "" || calls[0] != "failed" {
		t.Errorf("calls %v, problems (-want +got):\n%s", calls, diff)
	}
	has(t, s.stderr, "openai "+items[0].ID+" tool_call")
	for _, report := range []string{s.stderr, s.json} {
		has(t, report, want.Problems...)
	}
}

// testRepeatable: scoring one recording twice gives the same bytes in each format (scoreItems compares them). Two runs are two recordings, each
// with its own count, or two repeats on one, counted apart.
func testRepeatable(t *testing.T, c *bugreports.Case) {
	var runs []struct{ Run, Passed, Total int }
	var want struct {
		Twice     string `json:"rescore_same_recording_twice"`
		Different string `json:"different_runs"`
	}
	c.Score(t, &runs, &want)
	answers := func(run int) []item {
		var items []item
		for n := range runs[run].Total {
			it := item{ID: fmt.Sprintf("q%02d", n), Expected: "no_call", Content: "06:10"}
			if n >= runs[run].Passed {
				it.Content = ""
			}
			items = append(items, it)
		}
		return items
	}
	var recordings []string
	for n, run := range runs {
		a := askItems(t, answers(n))
		s := scoreItems(t, a)
		has(t, s.text, fmt.Sprintf("Total:       %d/%d passed (%d%%)", run.Passed, run.Total, (200*run.Passed+run.Total)/(2*run.Total)))
		var file struct{ Exodeck struct{ Recording string } }
		if err := json.Unmarshal([]byte(s.json), &file); err != nil {
			t.Fatal(err)
		}
		recordings = append(recordings, file.Exodeck.Recording)
		_, first, _ := exodeck(t.Context(), t, "score", "conformance", "--tape", a.tape, "--format", "json")
		_, second, _ := exodeck(t.Context(), t, "score", "conformance", "--tape", a.tape, "--format", "json")
		if first != second {
			t.Errorf("conformance is another the second time:\n%s", cmp.Diff(first, second))
		}
	}
	if recordings[0] == recordings[1] || !strings.HasPrefix(recordings[0], "sha256:") {
		t.Errorf("the reports do not say that they are of two recordings: %v", recordings)
	}

	// Both runs on one recording: the total is of both, and each is counted by itself too.
	both, second := answers(0), answers(1)
	for i := range both {
		both[i].again = &second[i]
	}
	a := askItems(t, both, "--repeat", "2")
	s := scoreItems(t, a)
	has(t, s.text, fmt.Sprintf("Total:       %d/%d passed", runs[0].Passed+runs[1].Passed, runs[0].Total+runs[1].Total))
	_, markdown, _ := exodeck(t.Context(), t, "score", "exo", "--tape", a.tape, "--scenarios-file", a.scenarios, "--format", "md")
	for _, report := range []string{s.stderr, markdown} {
		has(t, report, fmt.Sprintf("passed by run: run 1 %d/%d, run 2 %d/%d", runs[0].Passed, runs[0].Total, runs[1].Passed, runs[1].Total))
	}
}

// testEmptyRun: nothing recorded, and nothing that can be scored, give no figure and no success.
func testEmptyRun(t *testing.T, c *bugreports.Case) {
	var items []item
	var want struct {
		Accuracy any
		Nonzero  bool `json:"exit_code_nonzero"`
	}
	c.Score(t, &items, &want)
	dir := t.TempDir()
	empty, foreign := filepath.Join(dir, "empty.tape"), filepath.Join(dir, "foreign.jsonl")
	decktest.New(t, empty, tape.Session{}).Close(t) // a session without exchanges
	if err := os.WriteFile(foreign, []byte(`{"request":{"method":"GET","url":"/v1/models"},"response":{"status":200,"body":{"data":[]}}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"score", "exo", "--tape", empty}, {"score", "exo", "--tape", foreign},
		{"score", "conformance", "--tape", empty}, {"score", "conformance", "--tape", foreign},
		{"score", "acebench", "--tape", empty}, {"score", "acebench", "--tape", foreign},
	} {
		for _, format := range []string{"text", "json", "junit", "md"} {
			status, out, stderr := exodeck(t.Context(), t, append(args, "--format", format)...)
			if status != exitMissing || !want.Nonzero || strings.Contains(out, "%") || want.Accuracy != nil {
				t.Errorf("%v: exit status %d\n%s%s", args, status, out, stderr)
			}
			if strings.Contains(out, `"overall"`) || strings.Contains(out, "OVERALL") || strings.Contains(out, `"passed": true`) {
				t.Errorf("%v gives a figure:\n%s", args, out)
			}
		}
	}
}

// testBases: each figure has its base beside it, the published one under its own name.
func testBases(t *testing.T, c *bugreports.Case) {
	var items []item
	var want struct {
		Schema    string `json:"schema_accuracy_by_finish_reason"`
		Right     string `json:"right_of_attempted"`
		Attempted []string
		Triggered string `json:"triggered_of_all"`
	}
	c.Score(t, &items, &want)
	for i := range items {
		items[i].Expected = "call"
	}
	a := askItems(t, items)
	_, out, stderr := exodeck(t.Context(), t, "ask", "--tape", a.tape, "--upstream", a.url, "--record", filepath.Join(t.TempDir(), "again.tape"))
	has(t, out+stderr, "schema accuracy     "+want.Schema+" (100.0 %)", "right of attempted  "+want.Right+" (33.3 %)", "attempted           "+want.Triggered+" (75.0 %)",
		"of answers whose finish reason says that tools are called", "of answers that try a call, also in their text", "of all that were compared")
	if len(want.Attempted) != 3 {
		t.Errorf("the case expects %v", want.Attempted)
	}
}

// TestScoresOfOurOwn holds the reports to cases of our own making.
func TestScoresOfOurOwn(t *testing.T) {
	const (
		call = `"tool_calls":[{"name":"get_tide","arguments":{"port":"Vigo"}}]`
		text = `"content":"There is no tool for the weather."`
	)
	for _, tt := range []struct {
		name         string
		test         func(*testing.T, *bugreports.Case)
		input, score string
	}{
		{"abstained, broke, silent", testAbstention,
			`[{"id":"q1","expected":"no_call",` + text + `},{"id":"q2","expected":"no_call","content":"<tool_call>{\"name\": \"get_tide\", \"argum</tool_call>"},{"id":"q3","expected":"no_call","content":" "}]`,
			`{"q1":"pass","q2":"fail","q3":"fail","accuracy":"1/3"}`},
		{"no call expected", testNoCall, `[{"id":"q1","expected":"no_call",` + call + `},{"id":"q2","expected":"no_call",` + text + `}]`, `{"q1":"fail","q2":"pass","accuracy":"1/2"}`},
		{"any call expected", testAnyCall, `[{"id":"q1","expected":"any_call",` + call + `},{"id":"q2","expected":"any_call",` + text + `}]`, `{"q1":"pass","q2":"fail","accuracy":"1/2"}`},
		{"a call with text", testCallWithText, `[{"id":"q1","expected_call":{"name":"get_tide","arguments":{"port":"Vigo"}},` + text + `,` + call + `}]`, `{"q1":"pass"}`},
		{"the server failed", testInfrastructure, `[{"id":"q1","verdict":"pass"},{"id":"q2","status":503},{"id":"q3","end":"client-timeout"},{"id":"q4","verdict":"fail"}]`,
			`{"model_accuracy":"1/2","end_to_end_accuracy":"1/4","server_failures":2}`},
		{"names", testNames, `[{"id":"q1","expected_call":{"name":"coast.get_tide","arguments":{"port":"Vigo"}},"offered":"coast_get_tide","tool_calls":[{"name":"coast_get_tide","arguments":{"port":"Vigo"}}]},` +
			`{"id":"q2","expected_call":{"name":"coast.get_tide","arguments":{"port":"Vigo"}},"offered":"coast_get_tide","tool_calls":[{"name":"Coast_get_tide","arguments":{"port":"Vigo"}}]}]`,
			`{"q1":"pass","q2":"fail"}`},
		{"no finish reason", testNullFinish, `[{"id":"q1","finish_reason":null,"content":"At noon."}]`, `{"q1":"scored_with_problem missing-finish-reason"}`},
		{"only the first call is looked at", testTwoVerdicts, `[{"id":"harbour","expected_function":"get_tide","required_arg_keys":["port"],` +
			`"tool_calls":[{"name":"get_tide","arguments":{"port":"Vigo"}},{"name":"sail","arguments":{}}]}]`, `{"exo_checks":"pass","wire_problems":["unknown-tool"]}`},
		{"twice", testRepeatable, `[{"run":1,"passed":3,"total":4},{"run":2,"passed":2,"total":4}]`, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &bugreports.Case{Input: json.RawMessage(tt.input)}
			c.Expect.Score = json.RawMessage(tt.score)
			tt.test(t, c)
		})
	}
}
