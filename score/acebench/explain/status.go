package explain

import (
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// ExitStatus is the status that the sample calls for under some sets of rules: [score.ExitMissing] without an answer that could be judged,
// [score.ExitFailed] when one of the sets fails it.
func (e *Explanation) ExitStatus(chosen []rules.Rules) int {
	switch e.Answer.Status {
	case acebench.OK:
	case acebench.Unasked:
		return score.ExitFailed
	default:
		return score.ExitMissing
	}
	for _, v := range e.Verdicts {
		for _, r := range chosen {
			if v.Rules == r.String() && !v.Valid {
				return score.ExitFailed
			}
		}
	}
	return score.ExitPassed
}
