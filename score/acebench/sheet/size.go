package sheet

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// size is what a figure is made of: samples, and what it is a share of. Where samples are steps of dialogues, that is whole dialogues.
type size struct{ samples, counted int }

// size is that of the figure over some categories.
func (run Run) size(categories ...dataset.Category) size {
	var n size
	for _, c := range categories {
		n.samples += run.Report.Samples(c)
		n.counted += run.Report.Scores.Categories[c].Num
	}
	return n
}

// max is the larger of two sizes of the same figure, when one lacks answers that the other has.
func (n size) max(m size) size { return size{max(n.samples, m.samples), max(n.counted, m.counted)} }

// dialogues reports whether some figure is a share of dialogues.
func (s *Sheet) dialogues() bool {
	for _, run := range s.Runs {
		if n := run.size(dataset.Categories()...); n.samples != n.counted {
			return true
		}
	}
	return false
}

// averaged says how the figures come about, a sentence each.
func (s *Sheet) averaged() []string {
	var names, shares []string
	for _, w := range aggregate.Weights() {
		names, shares = append(names, w.Group), append(shares, fmt.Sprint(w.Share))
	}
	and := func(words []string) string {
		last := len(words) - 1
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	of := ", of those that were run"
	for _, run := range s.Runs {
		if len(run.File.Row) > 0 {
			of = "; under the official rules what was not run counts as 0, else it is left out"
		}
	}
	all := []string{"groups are plain means of their categories, whatever their size; OVERALL is a weighted mean of " + and(names) +
		", by " + and(shares) + of}
	if s.dialogues() {
		all = append(all, "counted: what a figure is a share of, whole dialogues in the categories normal_multi_turn, whose samples are their steps, and samples elsewhere")
	}
	return all
}
