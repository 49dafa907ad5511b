// Package aggregate counts verdicts up into ACEBench's scores: by category and dialogue, by group, overall.
//
// [Evalscope] and [Official] reproduce the numbers of the two reference programs to the last digit, so sums are taken in the
// order of the samples and every rounding on the way is theirs. [Evalscope] rounds a category to four decimals before it goes
// into a group, and weighs OVERALL over the families that ran. [Official] rounds to three decimals, counts a category that was
// not run as 0, and does not renormalise.
package aggregate

import (
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Sample is what counting needs of one judged sample.
type Sample struct {
	ID       string
	Category dataset.Category
	Right    bool
	Dropped  bool // left out of every count
	// Process is the progress of an agent that was judged: 1 when its end state is right, else the share of milestones reached,
	// rounded to three decimals.
	Process float64
	// Matched and Total count the milestones of an agent whose ground truth holds a single list of them; Total is 0 otherwise.
	// The official scorer alone adds up the unrounded share.
	Matched, Total int
}

// A dialogue counts the steps of one dialogue that were judged.
type dialogue struct{ right, steps int }

// whole returns 1 when every step is right.
func (d dialogue) whole() float64 {
	if d.right == d.steps {
		return 1
	}
	return 0
}

// process returns the share of right steps, rounded to three decimals.
func (d dialogue) process() float64 { return pyvalue.Round(float64(d.right)/float64(d.steps), 3) }

// means returns the mean of both measures over all dialogues.
func means(all []dialogue) (whole, process float64) {
	for _, d := range all {
		whole += d.whole()
		process += d.process()
	}
	n := float64(len(all))
	return whole / n, process / n
}

// byCategory sorts the samples that are not dropped by category, keeping their order.
func byCategory(samples []Sample) map[dataset.Category][]Sample {
	sorted := map[dataset.Category][]Sample{}
	for _, s := range samples {
		if !s.Dropped {
			sorted[s.Category] = append(sorted[s.Category], s)
		}
	}
	return sorted
}

func countRight(samples []Sample) int {
	n := 0
	for _, s := range samples {
		if s.Right {
			n++
		}
	}
	return n
}
