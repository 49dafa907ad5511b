// Package sheet puts the outcome of scoring ACEBench on one sheet: the figures of one or several rule sets and repeats side by side,
// what could not be judged and why, and the run file.
package sheet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// Repeats says which of several answers to a sample count.
type Repeats string

const (
	All   Repeats = "all" // each repeat is reported apart
	First Repeats = "first"
	Last  Repeats = "last"
)

// RepeatsOf reads the value of --repeat.
func RepeatsOf(name string) (Repeats, error) {
	switch r := Repeats(name); r {
	case All, First, Last:
		return r, nil
	}
	return "", fmt.Errorf("unknown choice of repeats %q: choose all, first or last", name)
}

// Options say how a sheet is made. The zero value scores by evalscope's rules and reports all repeats.
type Options struct {
	Rules   []rules.Rules
	Repeats Repeats
	Missing acebench.MissingPolicy
	Errors  acebench.ErrorPolicy
	Version string // of exodeck
	// Digest names the recording behind some outcomes.
	Digest func([]ask.Outcome) (string, error)
	// Faults says whose fault the failing ones among some outcomes are; nil when nobody is to look.
	Faults func([]ask.Outcome) ([]*score.Fault, error)
}

// Sheet is the outcome of scoring.
type Sheet struct {
	Set      *dataset.Set
	Runs     []Run // by repeat, then by rule set
	Outcomes []ask.Outcome
	Remarks  []string // on the recording as a whole

	faults map[asked]*score.Fault
}

// Run is one repeat under one rule set.
type Run struct {
	Repeat int // from 1; 0 when there is one answer to each sample
	Report *acebench.Report
	File   *acebench.RunFile

	outcomes []ask.Outcome // those that were scored
}

// New scores outcomes.
func New(set *dataset.Set, outcomes []ask.Outcome, o Options) (*Sheet, error) {
	s := &Sheet{Set: set, Outcomes: outcomes}
	if len(o.Rules) == 0 {
		o.Rules = []rules.Rules{rules.Evalscope}
	}
	scorers := make([]*acebench.Scorer, len(o.Rules))
	for i, r := range o.Rules {
		scorers[i] = acebench.NewScorer(set, r)
	}
	rounds := choose(outcomes, o.Repeats)
	for i, round := range rounds {
		digest, err := o.Digest(round)
		if err != nil {
			return nil, err
		}
		for _, scorer := range scorers {
			run := Run{Report: scorer.Score(ask.Answers(round), acebench.Options{Missing: o.Missing, Errors: o.Errors}), outcomes: round}
			if len(rounds) > 1 {
				run.Repeat = i + 1
			}
			if run.File, err = run.Report.RunFile(o.Version, digest); err != nil {
				return nil, err
			}
			s.Runs = append(s.Runs, run)
		}
	}
	if o.Faults != nil {
		if err := s.findFaults(o.Faults); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// choose sorts outcomes into the rounds that are scored. There is always one.
func choose(outcomes []ask.Outcome, which Repeats) [][]ask.Outcome {
	if which == First || which == Last {
		best := map[string]int{}
		for i, o := range outcomes {
			k, seen := best[o.Answer.ID]
			if !seen || which == Last && o.Repeat > outcomes[k].Repeat || which == First && o.Repeat < outcomes[k].Repeat {
				best[o.Answer.ID] = i
			}
		}
		var round []ask.Outcome
		for i, o := range outcomes {
			if best[o.Answer.ID] == i {
				round = append(round, o)
			}
		}
		return [][]ask.Outcome{round}
	}
	last := 1
	for _, o := range outcomes {
		last = max(last, o.Repeat)
	}
	rounds := make([][]ask.Outcome, last)
	for _, o := range outcomes {
		rounds[max(o.Repeat, 1)-1] = append(rounds[max(o.Repeat, 1)-1], o)
	}
	return rounds
}

// RecordingDigest is the digest of the exchanges that outcomes rest on.
func RecordingDigest(ctx context.Context, src score.ExchangeSource, outcomes []ask.Outcome) (string, error) {
	verdicts := make([]score.Verdict, len(outcomes))
	for i, o := range outcomes {
		verdicts[i] = score.Verdict{Sample: o.Answer.ID, Exchanges: o.Exchanges}
	}
	return score.RecordingDigest(ctx, src, verdicts)
}

// ExitStatus is the exit status that the verdicts of all runs call for.
func (s *Sheet) ExitStatus() int {
	status := score.ExitPassed
	for _, run := range s.Runs {
		c := run.File.Counts
		switch {
		case c.Missing+c.Diverged+c.Ambiguous > 0 || c.Samples == 0:
			return score.ExitMissing
		case c.Right < c.Samples:
			status = score.ExitFailed
		}
	}
	return status
}

// document is the run file with what there is to say beside it.
type document struct {
	*acebench.RunFile
	extras
}

type extras struct {
	Remarks     []string     `json:"remarks,omitempty"`
	Notes       []note       `json:"notes,omitempty"`
	OpenLoop    []answered   `json:"open_loop,omitempty"` // agents whose recorded messages were executed whatever they would ask now
	Divergences []divergence `json:"divergences,omitempty"`
	Faults      []fault      `json:"faults,omitempty"`
}

// fault is whose fault it is that an answer failed under one of the rule sets.
type fault struct {
	answered
	*score.Fault
}

type answered struct {
	ID     string `json:"id"`
	Repeat int    `json:"repeat"`
}

type note struct {
	answered
	Note string `json:"note"`
}

type divergence struct {
	answered
	Step     int    `json:"step"`
	To       string `json:"to"`
	Nearest  *ref   `json:"nearest,omitempty"`
	Recorded string `json:"recorded"`
	Asked    string `json:"asked"`
	Diff     string `json:"diff"`
}

// ref is a [tape.Ref] with JSON's names.
type ref struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
}

// JSON returns the run file. Of several rule sets or repeats it returns {"schema":1,"runs":[{"rules","repeat","result"}]} with a run
// file as each result.
func (s *Sheet) JSON() ([]byte, error) {
	if len(s.Runs) == 1 {
		return encode(document{s.Runs[0].File, s.extras()})
	}
	type run struct {
		Rules  string            `json:"rules"`
		Repeat int               `json:"repeat,omitempty"`
		Result *acebench.RunFile `json:"result"`
	}
	all := struct {
		Schema int   `json:"schema"`
		Runs   []run `json:"runs"`
		extras
	}{Schema: acebench.Schema, extras: s.extras()}
	for _, r := range s.Runs {
		all.Runs = append(all.Runs, run{r.File.Rules, r.Repeat, r.File})
	}
	return encode(all)
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func (s *Sheet) extras() extras {
	e := extras{Remarks: s.remarks()}
	for _, o := range s.inOrder() {
		to := answered{o.Answer.ID, max(o.Repeat, 1)}
		if o.Remark != "" {
			e.Notes = append(e.Notes, note{to, o.Remark})
		}
		if o.OpenLoop {
			e.OpenLoop = append(e.OpenLoop, to)
		}
		if d := o.Divergence; d != nil {
			e.Divergences = append(e.Divergences, divergence{to, d.Step, string(d.To), (*ref)(d.Nearest), d.Recorded, d.Asked, d.Diff})
		}
		if f := s.Fault(&o); f != nil {
			e.Faults = append(e.Faults, fault{to, f})
		}
	}
	return e
}

// remarks are those on the recording, and one on what was never asked though the figures count it.
func (s *Sheet) remarks() []string {
	unasked := 0
	for _, run := range s.Runs {
		unasked = max(unasked, run.File.Counts.Unasked)
	}
	if unasked == 0 {
		return s.Remarks
	}
	return append(slices.Clone(s.Remarks), fmt.Sprintf("%d of agent_multi_turn were never asked, and the figures count them as wrong, as the rules do: "+
		"run again with --user-model, or score the other --categories", unasked))
}

// inOrder returns the outcomes by sample and repeat.
func (s *Sheet) inOrder() []ask.Outcome {
	return slices.SortedStableFunc(slices.Values(s.Outcomes), func(a, b ask.Outcome) int {
		return cmp.Or(a.Index-b.Index, a.Repeat-b.Repeat)
	})
}

// Same reports whether two answers to the i-th sample of a set get the same verdict from all of its scorers.
func Same(scorers []*acebench.Scorer, i int, a, b *acebench.Answer) bool {
	for _, scorer := range scorers {
		x, y := scorer.Judge(i, a), scorer.Judge(i, b)
		if x.Valid != y.Valid || x.Status != y.Status || (x.ProcessAcc == nil) != (y.ProcessAcc == nil) || x.ProcessAcc != nil && *x.ProcessAcc != *y.ProcessAcc {
			return false
		}
	}
	return true
}
