// Package audit looks for samples of an ACEBench data set whose verdict says nothing about a model: those that no answer can pass,
// and those that an empty answer passes.
//
// It knows nothing of the data in advance. It writes the ground truth of each sample down as an answer, judges it as any answer is
// judged, and where that fails tries variants until one passes. What it cannot find a passing answer for it calls impossible; that
// is a statement about the answers it tried, which are named at [Samples].
package audit

import (
	"errors"
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv"
)

// A Kind says what is wrong with a sample.
type Kind string

// The kinds, the worst first.
const (
	// Impossible: none of the answers that were tried passes.
	Impossible Kind = "impossible"
	// Contrived: the ground truth passes only in a form that no model writes, with its blanks as escapes.
	Contrived Kind = "contrived"
	// Partial: the ground truth itself fails, and passes when something optional is left out.
	Partial Kind = "partial"
	// Empty: an answer that says or does nothing passes.
	Empty Kind = "empty"
	// Unchecked: a part of the ground truth is never compared.
	Unchecked Kind = "unchecked"
)

// A Finding is one thing wrong with one sample under one rule set.
type Finding struct {
	ID       string           `json:"id"`
	Language dataset.Language `json:"language"`
	Category dataset.Category `json:"category"`
	Rules    string           `json:"rules"`
	Kind     Kind             `json:"kind"`
	Reason   string           `json:"reason"`
	Place    string           `json:"place"` // file and line of the sample
}

// Samples audits the samples of a set under a rule set, in their order.
//
// Of a normal sample it tries the calls of each alternative as Python prints them, then without each optional argument, without the
// empty ones and without all of them, and then with \x20 for every blank in a text, whole and without each optional argument. Of a special sample it tries the sentence that the
// prompt asks for, and of an agent the expected state under the names of the simulated classes. The empty answers are no text, an
// empty list of calls, and the state in which the simulated world starts. That state is only known with the world's tables: without a
// world (nil) doing nothing is not looked at.
func Samples(set *dataset.Set, r rules.Rules, world *simenv.World) []Finding {
	var all []Finding
	for _, s := range set.Samples {
		a := auditor{sample: s, rules: r, world: world}
		switch s.Category.Family() {
		case dataset.Special:
			a.special()
		case dataset.Agent:
			a.agent()
		default:
			a.normal()
		}
		all = append(all, a.findings...)
	}
	return all
}

// An auditor audits one sample.
type auditor struct {
	sample   *dataset.Sample
	rules    rules.Rules
	world    *simenv.World
	key      *check.Key // of a normal sample
	findings []Finding
}

func (a *auditor) found(kind Kind, format string, args ...any) {
	a.findings = append(a.findings, Finding{
		ID: a.sample.ID, Language: a.sample.Language, Category: a.sample.Category, Rules: a.rules.String(),
		Kind: kind, Reason: fmt.Sprintf(format, args...), Place: fmt.Sprintf("%s:%d", a.sample.File, a.sample.Line),
	})
}

// judge returns the verdict on the text of an answer to a normal or special sample. What raises in the reference is no pass.
func (a *auditor) judge(text string) check.Verdict {
	var v check.Verdict
	var err error
	if a.sample.Category.Family() == dataset.Special {
		v, err = check.Special(a.rules, a.sample.Category, a.sample.GroundTruth, text)
	} else {
		var calls []decode.Call
		if calls, err = decode.Calls(a.rules, a.sample.Category.Dialogues(), text); err == nil {
			v, err = a.key.Check(calls)
		}
	}
	var format *decode.FormatError
	if errors.As(err, &format) {
		return check.Wrong(check.WrongFormat, format.Error())
	}
	if err != nil {
		return check.Wrong("scorer_error", err.Error())
	}
	return v
}

// maxText is how many characters of a checker's message a reason quotes.
const maxText = 200

// describe renders a failing verdict.
func describe(v check.Verdict) string {
	if v.Error == "" {
		return v.Type
	}
	text := []rune(v.Error)
	if len(text) > maxText {
		text = append(text[:maxText:maxText], '…')
	}
	return v.Type + " (" + string(text) + ")"
}
