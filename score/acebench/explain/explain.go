// Package explain says why an answer to an ACEBench sample got the verdict it got: what was asked, what was said and how each rule set
// read it, what was expected beside what was given, and which rule decided.
//
// [Explain] judges one answer under every rule set, so that it also shows where they disagree, and takes the answer apart argument by
// argument, milestone by milestone, attribute by attribute. The rules are those of package check: its checkers are given a part alone, or
// tell where they found one. An [Explanation] is data, for JSON; [Explanation.WriteText] prints it.
//
// [Describe] and [Prompt] show a sample without an answer.
package explain

import (
	"cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// A Case is one sample and what was recorded for it.
type Case struct {
	Sample *dataset.Sample
	Answer *acebench.Answer // nil when none was recorded

	// Trajectory is what was said and done in an agent's rollout. Without it the messages of the answer's trace are run again in World, and
	// what the user said is not known.
	Trajectory []rollout.Entry
	World      *simenv.World // nil leaves out what the agent was told, unless there is a trajectory

	// Fault says whose fault it is that the answer failed, nil when nobody looked, and Exchanges are those it speaks of.
	Fault     *score.Fault
	Exchanges []tape.Ref
}

// An Explanation says why an answer got its verdicts.
type Explanation struct {
	Sample   Sample    `json:"sample"`
	Answer   Answer    `json:"answer"`
	Verdicts []Verdict `json:"verdicts"` // one for each rule set; none when there is nothing to judge
	Disagree bool      `json:"disagree"` // some rule sets pass the answer and some fail it

	Normal  *Normal  `json:"normal,omitempty"`
	Special *Special `json:"special,omitempty"`
	Agent   *Agent   `json:"agent,omitempty"`

	Fault *score.Fault `json:"fault,omitempty"`

	exchanges []tape.Ref
}

// An Answer is what was recorded.
type Answer struct {
	Status acebench.Status `json:"status"`
	Place  string          `json:"place,omitempty"` // where it was read
	Text   string          `json:"text"`            // as recorded; of agents see [Agent.Dialogue]
	// NotText tells that a result file holds something else than a text.
	NotText bool   `json:"not_text,omitempty"`
	Note    string `json:"note,omitempty"` // why it cannot be judged, or what else is to be said of it
}

// A Verdict is that of one rule set, with the rule that decided.
type Verdict struct {
	Rules     string          `json:"rules"`
	Valid     bool            `json:"valid"`
	Status    acebench.Status `json:"status"`
	ErrorType string          `json:"error_type"`
	Error     string          `json:"error"`
	Rule      string          `json:"rule"` // what the rule set asks for where it failed, or passed, the answer
	// ProcessAcc is how far an agent came; see [acebench.Result].
	ProcessAcc *float64 `json:"process_acc,omitempty"`
}

// Explain judges the answer under every rule set and takes it apart.
func Explain(c Case) *Explanation {
	e := &Explanation{Sample: Describe(c.Sample), Fault: c.Fault, exchanges: c.Exchanges}
	if c.Answer == nil {
		e.Answer = Answer{Status: acebench.Missing, Note: "no answer was recorded"}
		return e
	}
	e.Answer = Answer{Status: acebench.OK, Place: c.Answer.Place, Text: cmp.Or(c.Answer.Sent, c.Answer.Text), NotText: c.Answer.NotText, Note: c.Answer.Note}
	if c.Answer.Status != "" {
		e.Answer.Status = c.Answer.Status
	}
	if e.Answer.Status == acebench.OK {
		e.judge(c)
	}
	switch family := c.Sample.Category.Family(); {
	case family == dataset.Agent:
		e.Agent = newAgent(c) // also of a rollout that broke off
	case e.Answer.Status == acebench.Missing || c.Answer.NotText:
	case family == dataset.Special:
		e.Special = newSpecial(c.Sample, c.Answer)
	default:
		e.Normal = newNormal(c.Sample, c.Answer)
	}
	return e
}

func (e *Explanation) judge(c Case) {
	set := &dataset.Set{Language: c.Sample.Language, Samples: []*dataset.Sample{c.Sample}}
	passes := 0
	for _, r := range rules.All() {
		got := acebench.NewScorer(set, r).Judge(0, c.Answer)
		if got.Valid {
			passes++
		}
		e.Verdicts = append(e.Verdicts, Verdict{
			Rules: r.String(), Valid: got.Valid, Status: got.Status, ErrorType: got.ErrorType, Error: got.Error,
			Rule: ruleOf(r, c.Sample.Category, got), ProcessAcc: got.ProcessAcc,
		})
	}
	e.Disagree = passes > 0 && passes < len(e.Verdicts)
}
