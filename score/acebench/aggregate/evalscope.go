package aggregate

import (
	"slices"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Category is the score of one category, not rounded. ProcessAcc is nil where a category has no steps to count. Num is the
// number of samples, or of dialogues where the samples are steps of dialogues.
type Category struct {
	Accuracy   float64  `json:"accuracy"`
	ProcessAcc *float64 `json:"process_acc,omitempty"`
	Num        int      `json:"num"`
}

// A Score is a figure with four decimals and the number of samples and dialogues behind it.
type Score struct {
	Accuracy float64 `json:"accuracy"`
	Num      int     `json:"num"`
}

// A Report holds the scores as evalscope reports them. What did not run is absent.
type Report struct {
	Categories map[dataset.Category]Category
	Groups     map[string]Score
	Overall    *Score
}

// groups are the plain means that a report shows besides the categories, in the order it shows them.
var groups = []struct {
	name       string
	categories []dataset.Category
}{
	{"ATOM", expand("atom")},
	{"SINGLE_TURN", []dataset.Category{dataset.SingleTurnSingle, dataset.SingleTurnParallel}},
	{"MULTI_TURN", expand("multi_turn")},
	{"NORMAL", expand("normal")},
	{"SPECIAL", expand("special")},
	{"AGENT", expand("agent")},
}

// A Weight is the share of a family in OVERALL.
type Weight struct {
	Group string
	Share float64
}

// weights add up to 1.0001, and the sum is divided by what those of the families that ran add up to.
var weights = []Weight{{"NORMAL", 0.578}, {"SPECIAL", 0.2676}, {"AGENT", 0.1545}}

// Weights returns the shares of the families in OVERALL.
func Weights() []Weight { return slices.Clone(weights) }

// GroupNames returns the names of the groups in the order reports show them.
func GroupNames() []string {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	return names
}

// GroupCategories returns the categories of a group, in canonical order; all of them for OVERALL.
func GroupCategories(name string) []dataset.Category {
	for _, g := range groups {
		if g.name == name {
			return slices.Clone(g.categories)
		}
	}
	return dataset.Categories()
}

func expand(set string) []dataset.Category {
	all, err := dataset.Expand(set)
	if err != nil {
		panic(err) // the sets above are all known
	}
	return all
}

// Evalscope counts samples up as evalscope does.
func Evalscope(samples []Sample) Report {
	r := Report{
		Categories: map[dataset.Category]Category{},
		Groups:     map[string]Score{},
	}
	for c, judged := range byCategory(samples) {
		r.Categories[c] = category(c, judged)
	}
	for _, g := range groups {
		if mean, ok := r.mean(g.categories); ok {
			r.Groups[g.name] = mean
		}
	}
	r.Overall = r.overall()
	return r
}

func category(c dataset.Category, judged []Sample) Category {
	n := float64(len(judged))
	switch {
	case c.Dialogues():
		steps := dialoguesByID(c, judged)
		whole, process := means(steps)
		return Category{whole, &process, len(steps)}
	case c.Family() == dataset.Agent:
		sum := 0.0
		for _, s := range judged {
			sum += s.Process
		}
		process := sum / n
		return Category{float64(countRight(judged)) / n, &process, len(judged)}
	}
	return Category{float64(countRight(judged)) / n, nil, len(judged)}
}

// dialoguesByID gathers the steps of each dialogue wherever they stand.
func dialoguesByID(c dataset.Category, judged []Sample) []dialogue {
	var all []dialogue
	index := map[string]int{}
	for _, s := range judged {
		id := dataset.DialogueOf(c, s.ID)
		i, ok := index[id]
		if !ok {
			i = len(all)
			index[id] = i
			all = append(all, dialogue{})
		}
		all[i].steps++
		if s.Right {
			all[i].right++
		}
	}
	return all
}

// mean is the plain mean over the categories that ran, of their rounded accuracies.
func (r *Report) mean(categories []dataset.Category) (Score, bool) {
	sum, ran, num := 0.0, 0, 0
	for _, c := range categories {
		if got, ok := r.Categories[c]; ok {
			sum += pyvalue.Round(got.Accuracy, 4)
			ran++
			num += got.Num
		}
	}
	if ran == 0 {
		return Score{}, false
	}
	return Score{pyvalue.Round(sum/float64(ran), 4), num}, true
}

func (r *Report) overall() *Score {
	sum, weight, num := 0.0, 0.0, 0
	for _, w := range weights {
		if g, ok := r.Groups[w.Group]; ok {
			sum += g.Accuracy * w.Share
			weight += w.Share
			num += g.Num
		}
	}
	if weight == 0 {
		return nil
	}
	return &Score{pyvalue.Round(sum/weight, 4), num}
}
