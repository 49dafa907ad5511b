package scenario

import (
	"fmt"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// The phases of a scenario.
const (
	PhaseToolCall = "tool_call"
	PhaseFollowUp = "follow_up"
)

// judgment is what the checks say of one answer.
type judgment struct {
	checks []score.Check
	// problem is the error text, nil when there is none to tell. A failed answer may have none: then the checks say it all.
	problem *string
	// broken is set when a check could not be made because the answer holds something no check can handle.
	broken error
}

func (j *judgment) check(name string, ok bool) {
	j.checks = append(j.checks, score.Check{Name: name, OK: ok})
}

func (j *judgment) passed() bool {
	for _, c := range j.checks {
		if !c.OK {
			return false
		}
	}
	return true
}

// rulesText is what the rules' digest is taken of. It names every check and must change whenever a verdict could.
const rulesText = `exo scenario rules 1
tool_call with a call expected: finish_reason_tool_calls has_tool_call correct_function valid_arguments valid_nested_structure
tool_call with none expected, follow_up: finish_reason_stop no_tool_call has_content
`

// Rules names the rules of this suite in run files.
const Rules = "exo"

// RulesDigest is the digest of the rules.
func RulesDigest() string { return score.DigestBytes([]byte(rulesText)) }

// judge checks the answer of one phase.
func judge(s Scenario, phase string, a Answer) judgment {
	if phase == PhaseToolCall && s.ExpectToolCall {
		return judgeCall(s, a)
	}
	return judgeText(a)
}

// judgeCall checks an answer that should be a tool call.
func judgeCall(s Scenario, a Answer) judgment {
	var j judgment
	j.check("finish_reason_tool_calls", a.FinishReason == pyvalue.Value(pyvalue.Str("tool_calls")))
	j.check("has_tool_call", a.Call != nil)
	if a.Call == nil {
		j.check("correct_function", false)
		j.check("valid_arguments", false)
		j.problem = new("No tool call returned")
		return j
	}
	j.check("correct_function", s.ExpectedFunction == "" || a.Call.Name == pyvalue.Value(pyvalue.Str(s.ExpectedFunction)))

	var argsProblem, nestedProblem string
	if len(s.RequiredArgKeys) > 0 {
		argsProblem, j.broken = checkArgs(a.Call.Arguments, s.RequiredArgKeys)
	}
	j.check("valid_arguments", argsProblem == "" && j.broken == nil)
	if s.NestedArrayKey != "" && len(s.RequiredItemKeys) > 0 {
		var err error
		nestedProblem, err = checkNestedArgs(a.Call.Arguments, s.NestedArrayKey, s.RequiredItemKeys)
		j.check("valid_nested_structure", nestedProblem == "" && err == nil)
		if j.broken == nil {
			j.broken = err
		}
	}
	switch {
	case nestedProblem != "":
		j.problem = &nestedProblem
	case argsProblem != "":
		j.problem = &argsProblem
	}
	return j
}

// judgeText checks an answer that should be text.
func judgeText(a Answer) judgment {
	var j judgment
	_, hasNone := a.Content.(pyvalue.None)
	blank := hasNone
	if !hasNone {
		var stripped string
		stripped, j.broken = strip(a.Content, "the text")
		blank = stripped == ""
	}
	j.check("finish_reason_stop", a.FinishReason == pyvalue.Value(pyvalue.Str("stop")))
	j.check("no_tool_call", a.Call == nil)
	j.check("has_content", !blank)
	if !j.passed() {
		j.problem = new(fmt.Sprintf("finish_reason=%s, tool_call=%s, content=%s",
			pyvalue.String(a.FinishReason), yesNo(a.Call != nil), yesNo(pyvalue.Truth(a.Content))))
	}
	return j
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
