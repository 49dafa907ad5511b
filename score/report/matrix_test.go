package report_test

import (
	"os"

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
