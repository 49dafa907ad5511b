package score_test

import (
	"fmt"

	"github.com/exodeck/exodeck/score"
)

func Example() {
	verdicts := []score.Verdict{
		{Sample: "tide", Status: score.OK, Passed: true},
		{Sample: "route", Status: score.OK, Checks: []score.Check{{Name: "has_tool_call"}}},
		{Sample: "joke", Status: score.Missing},
	}
	all := score.Count(verdicts, nil)
	fmt.Printf("%d of %d passed, exit status %d\n", all.Passed, all.Total, score.ExitStatus(verdicts))
	// Output: 1 of 2 passed, exit status 3
}
