package report_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
)

func ExampleMatrix() {
	verdict := func(sample string, api tape.API, passed bool) score.Verdict {
		return score.Verdict{Sample: sample, Phase: "tool_call", API: api, Status: score.OK, Passed: passed}
	}
	report.Matrix(os.Stdout, []score.Verdict{
		verdict("tide_simple", tape.OpenAI, true),
		verdict("tide_simple", tape.Claude, true),
		verdict("name_integrity", tape.OpenAI, false),
		verdict("name_integrity", tape.OpenAI, true),
		{Sample: "name_integrity", Phase: "tool_call", API: tape.Claude, Status: score.Missing},
	})
	// Output:
	// scenario        phase      openai  claude
	// tide_simple     tool_call  pass    pass
	// name_integrity  tool_call  1/2     missing
}

// TestMatrixIsTheTable: the table for people says of each scenario what that of a report says.
func TestMatrixIsTheTable(t *testing.T) {
	verdict := func(sample string, status score.Status, passed bool) score.Verdict {
		return score.Verdict{Sample: sample, Phase: "tool_call", API: tape.OpenAI, Status: status, Passed: passed}
	}
	verdicts := []score.Verdict{
		verdict("all", score.OK, true), verdict("all", score.OK, true),
		verdict("some", score.OK, true), verdict("some", score.OK, true), verdict("some", score.Missing, false),
		verdict("wrong", score.OK, false), verdict("wrong", score.Missing, false),
		verdict("none", score.Missing, false), verdict("none", score.Missing, false),
		verdict("one", score.OK, false),
		verdict("odd\x1b", score.OK, true),
	}
	want := "scenario|phase|openai\nall|tool_call|2/2\nsome|tool_call|2/2, 1 missing\nwrong|tool_call|0/1, 1 missing\nnone|tool_call|missing\none|tool_call|FAIL\nodd\\x1b|tool_call|pass\n"
	var out bytes.Buffer
	if err := report.Matrix(&out, verdicts); err != nil {
		t.Fatal(err)
	}
	if got := regexp.MustCompile(`  +`).ReplaceAllString(out.String(), "|"); got != want {
		t.Errorf("the matrix is\n%s, want\n%s", got, want)
	}
	table := report.OfVerdicts(score.RunFile{Verdicts: verdicts}).Tables[0]
	got := strings.Join(table.Header, "|") + "\n"
	for _, row := range table.Rows {
		got += strings.ReplaceAll(strings.Join(row, "|"), "\x1b", `\x1b`) + "\n"
	}
	if got != want {
		t.Errorf("the table is\n%s, want\n%s", got, want)
	}
}
