package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
)

// notable are verdicts of which two had no answer, and two passed with errors.
func notable() []score.Verdict {
	verdict := func(sample string, passed bool, checked bool, codes ...string) score.Verdict {
		v := score.Verdict{Sample: sample, Phase: "tool_call", API: tape.OpenAI, Repeat: 1, Status: score.OK, Passed: passed}
		if checked {
			v.Checks = []score.Check{{Name: "no_tool_call", OK: passed}}
		} else {
			v.Error = new("API error: timed out")
		}
		for _, code := range codes {
			v.Doubts = append(v.Doubts, score.Problem{Code: code, Severity: "error", Exchange: 1, Exchanges: 1, Place: "response", Detail: "so it is"})
		}
		return v
	}
	missing := score.Verdict{Sample: "swell", Phase: "tool_call", API: tape.OpenAI, Repeat: 1, Status: score.Missing, Error: new("no answer")}
	return []score.Verdict{verdict("tide", true, true, "unknown-tool", "type-mismatch"), verdict("wind", false, true), verdict("fog", false, false),
		verdict("rain", true, true, "unknown-tool", "type-mismatch"), verdict("ice", false, false), missing}
}

const (
	noteAnswered = "of those that were answered 2/3 passed, of all 2/5; 2 got no usable answer"
	noteMissing  = "no recorded answer: 1 of 6, which are in no total"
	noteDoubted  = "passed, though an agent that reads the answer would go wrong: unknown-tool, type-mismatch: openai tide tool_call, openai rain tool_call"
)

func TestNotes(t *testing.T) {
	var out bytes.Buffer
	if err := report.Notes(&out, notable()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(noteAnswered+"\n"+noteMissing+"\n"+noteDoubted+"\n", out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	if err := report.Notes(&out, notable()[1:2]); err != nil || out.Len() > 0 {
		t.Errorf("%q, %v where there is nothing to say", out.String(), err)
	}
	out.Reset()
	missing := notable()[5:]
	missing[0].Repeat = 2
	if err := report.Notes(&out, missing); err != nil || out.String() != "no recorded answer: 1 of 1, which are in no total\n" {
		t.Errorf("%q, %v where nothing was judged", out.String(), err)
	}
	out.Reset()
	var many []score.Verdict
	for i := range 10 {
		v := notable()[0]
		v.Sample = fmt.Sprintf("tide %d", i)
		many = append(many, v)
	}
	if err := report.Notes(&out, many); err != nil || !strings.HasSuffix(out.String(), "openai tide 7 tool_call and 2 more\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	second := notable()[:3]
	for i := range second {
		second[i].Repeat, second[i].Doubts, second[i].Passed = 2, nil, false
	}
	if err := report.Notes(&out, append(notable()[1:4], second...)); err != nil || !strings.Contains(out.String(), "\npassed by run: run 1 1/3, run 2 0/3\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
	for left := range len(noteAnswered) + len(noteMissing) + len(noteDoubted) {
		if err := report.Notes(&fullDisk{left}, notable()); err == nil || err.Error() != "disk full" {
			t.Fatalf("error %v, want disk full", err)
		}
	}
}

// TestNotesInFiles: what is said beside the text is in the formats that have no such place too.
func TestNotesInFiles(t *testing.T) {
	run := score.RunFile{Suite: "exo", Verdicts: notable()}
	if diff := cmp.Diff([]string{noteAnswered, noteDoubted}, report.OfVerdicts(run).Remarks); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
	text, err := report.JSON(run, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"doubts": [`, `"code": "type-mismatch"`, `"detail": "so it is"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}
