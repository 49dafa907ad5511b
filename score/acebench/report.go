package acebench

import (
	"fmt"

	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// A MissingPolicy says what becomes of a sample without an answer.
type MissingPolicy string

// The policies for missing answers.
const (
	MissingList MissingPolicy = "list" // it is listed and counts nowhere
	MissingZero MissingPolicy = "zero" // it counts as wrong, as evalscope has it
)

// An ErrorPolicy says what becomes of a sample on which the reference scorer itself fails.
type ErrorPolicy string

// The policies for errors of the scorer.
const (
	ErrorsScore ErrorPolicy = "score" // it counts as wrong
	ErrorsDrop  ErrorPolicy = "drop"  // it counts nowhere, as in evalscope when errors are ignored
)

// Options say how answers are judged and counted. The zero value scores by evalscope's rules, lists what is missing and counts
// errors of the scorer as wrong.
type Options struct {
	Rules   rules.Rules
	Missing MissingPolicy
	Errors  ErrorPolicy
}

// A Report is the outcome of one scoring.
type Report struct {
	Rules    rules.Rules
	Language dataset.Language
	Data     string   // digest of the data set
	Results  []Result // one for every sample of the set, in its order
	Scores   aggregate.Report
	Table    *aggregate.Table // under the official rules only
	// Problems are answers that could not be used: to an id the set does not have, or a second one to the same sample.
	Problems []dataset.Problem

	missing MissingPolicy
	errors  ErrorPolicy
}

// Score judges the answers to the samples of a set. Of several answers to one sample the first counts; see [Rounds].
func Score(set *dataset.Set, answers []Answer, o Options) *Report {
	return NewScorer(set, o.Rules).Score(answers, o)
}

// Score judges answers, with the rule set of the scorer.
func (s *Scorer) Score(answers []Answer, o Options) *Report {
	r := &Report{Rules: s.rules, Language: s.set.Language, Data: s.set.Digest, Results: make([]Result, len(s.set.Samples))}
	r.missing, r.errors = MissingList, ErrorsScore
	if o.Missing == MissingZero {
		r.missing = MissingZero
	}
	if o.Errors == ErrorsDrop {
		r.errors = ErrorsDrop
	}
	answerTo := r.assign(s.set, answers)
	each(len(s.set.Samples), func(i int) {
		result := s.result(i, answerTo[s.set.Samples[i].ID], r.missing)
		result.Error = redact.Text(result.Error) // it quotes answers, and ends up in logs
		r.Results[i] = result
	})
	samples := make([]aggregate.Sample, len(r.Results))
	for i := range r.Results {
		samples[i] = r.Results[i].sampleFor()
		samples[i].Dropped = r.drops(r.Results[i].Status)
	}
	r.Scores = aggregate.Evalscope(samples)
	if s.rules == rules.Official {
		table := aggregate.Official(samples)
		r.Table = &table
	}
	return r
}

// assign finds the answer to each sample.
func (r *Report) assign(set *dataset.Set, answers []Answer) map[string]*Answer {
	selected := map[dataset.Category]bool{}
	for _, s := range set.Samples {
		selected[s.Category] = true
	}
	to := make(map[string]*Answer, len(answers))
	for i := range answers {
		a := &answers[i]
		switch first := to[a.ID]; {
		case set.Sample(a.ID) == nil:
			// Answers to categories that are not scored are no mistake.
			if c := dataset.CategoryOf(a.ID, ""); selected[c] || !c.Known() {
				r.Problems = append(r.Problems, dataset.Problem{File: a.Place, Text: fmt.Sprintf("the data set has no sample %s", a.ID)})
			}
		case first != nil:
			r.Problems = append(r.Problems, dataset.Problem{File: a.Place, Text: fmt.Sprintf("a second answer to %s, left out: the first is at %s", a.ID, first.Place)})
		default:
			to[a.ID] = a
		}
	}
	return to
}

// result judges one answer, or tells why there is none to judge. When a missing answer counts it is judged as an empty one.
func (s *Scorer) result(i int, a *Answer, missing MissingPolicy) Result {
	if a != nil && (a.Status == OK || a.Status == "") {
		return s.Judge(i, a)
	}
	if a != nil && a.Status == Unasked {
		// The references go on without an end state, and count that as wrong.
		r := s.Judge(i, a)
		r.Unasked = true
		return r
	}
	sample := s.set.Samples[i]
	r := Result{ID: sample.ID, Category: sample.Category}
	if missing == MissingZero {
		r = s.Judge(i, &Answer{})
	}
	r.Status, r.Error = Missing, "no answer was recorded"
	if a != nil {
		r.Status, r.Error = a.Status, a.Note
	}
	return r
}

// drops tells whether a sample with the status counts nowhere.
func (r *Report) drops(s Status) bool {
	switch s {
	case OK:
		return false
	case ScorerError:
		return r.errors == ErrorsDrop
	}
	return r.missing == MissingList
}

// Samples returns how many samples of a category are in the figures.
func (r *Report) Samples(c dataset.Category) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Category == c && !r.drops(r.Results[i].Status) {
			n++
		}
	}
	return n
}

// Counts counts the outcomes.
func (r *Report) Counts() Counts {
	c := Counts{Samples: len(r.Results)}
	for i := range r.Results {
		switch result := &r.Results[i]; result.Status {
		case Missing:
			c.Missing++
		case ScorerError:
			c.ScorerError++
		case Diverged:
			c.Diverged++
		case Ambiguous:
			c.Ambiguous++
		case OK:
			if result.Valid {
				c.Right++
			} else {
				c.Wrong++
			}
			if result.Unasked {
				c.Unasked++
			}
		}
	}
	return c
}

// Rounds sorts the answers of a recording with several to each sample: the first round holds the first answer to every sample, the
// second the second, and so on.
func Rounds(answers []Answer) [][]Answer {
	var rounds [][]Answer
	seen := map[string]int{}
	for _, a := range answers {
		n := seen[a.ID]
		seen[a.ID]++
		if n == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[n] = append(rounds[n], a)
	}
	return rounds
}
