package acebench

import (
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// An Answer is what was recorded for one sample.
type Answer struct {
	ID    string // of the sample
	Place string // where it was read: file and line, or exchange

	Text    string // normal and special samples: what the model said, without its reasoning
	Sent    string // the same as it was sent, think tags and all; "" in result files, which have only one text
	NotText bool   // a result file holds something else there, which no rule set can read

	State pyvalue.Value // agents: the end state, a list with one object a class; nil when none was recorded
	Trace pyvalue.Value // agents: the messages that were executed, in order; nil for none

	Status Status // [OK], or why there is no answer to judge
	Note   string // why, for a status other than [OK]
}

// Said is the text that the scorer of a rule set gets to see. evalscope takes reasoning out of the text, the official runner does not.
func (a *Answer) Said(r rules.Rules) string {
	if r == rules.Official && a.Sent != "" {
		return a.Sent
	}
	return a.Text
}

// A Status says whether a sample could be judged.
type Status string

// The statuses. Only samples with the first one were judged. Verdicts have all of them but the last, which is one of answers only.
const (
	OK          Status = "ok"
	Missing     Status = "missing"      // no answer was recorded
	ScorerError Status = "scorer_error" // the reference scorer itself would have failed
	Diverged    Status = "diverged"     // the rollout asks what was not recorded
	Ambiguous   Status = "ambiguous"    // the recording fits several samples that give different verdicts
	Unasked     Status = "unasked"      // nobody was there to play the user, so nothing was asked; it is judged as the rules do, which is wrong
)
