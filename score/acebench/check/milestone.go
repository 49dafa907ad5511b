package check

import (
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Progress is how far the trace of an agent follows the milestones.
type Progress struct {
	Share float64 // of the best list of milestones, rounded to three decimals
	// Matched and Total count the milestones where there is a single list of them; Total is 0 where there are alternatives.
	Matched, Total int
}

// Milestones compares the trace of an agent, a list of its messages, with the milestones. Both are compared as text, so the
// milestones need not be readable calls. A milestone that is not found uses up the rest of the trace.
func Milestones(r rules.Rules, trace, milestones pyvalue.Value) (Progress, error) {
	if r == rules.Official {
		return officialMilestones(trace, milestones)
	}
	executed, err := pyvalue.Elements(trace)
	if err != nil {
		return Progress{}, err
	}
	messages := stripped(executed)
	best := Progress{Share: -1}
	for _, stones := range MilestoneTexts(milestones) {
		matched := 0
		for _, at := range Reach(messages, stones) {
			if at >= 0 {
				matched++
			}
		}
		if !haveAlternatives(milestones) {
			return Progress{share(matched, len(stones)), matched, len(stones)}, nil
		}
		best.Share = max(best.Share, share(matched, len(stones)))
	}
	return best, nil
}

// haveAlternatives tells whether milestones are a list that holds lists and nothing else.
func haveAlternatives(milestones pyvalue.Value) bool {
	list, ok := milestones.(*pyvalue.List)
	if !ok || list.Len() == 0 {
		return false
	}
	for _, m := range list.Items {
		if _, ok := m.(*pyvalue.List); !ok {
			return false
		}
	}
	return true
}

// MilestoneTexts returns the alternatives of a sample's milestones, as they are compared. What is not a list of milestones is one
// milestone.
func MilestoneTexts(milestones pyvalue.Value) [][]string {
	if !haveAlternatives(milestones) {
		return [][]string{stripped(dataset.Alternatives(milestones))}
	}
	var all [][]string
	for _, alternative := range milestones.(*pyvalue.List).Items {
		all = append(all, stripped(alternative.(*pyvalue.List).Items))
	}
	return all
}

// share is matched of total, rounded; 1 where nothing was asked for.
func share(matched, total int) float64 {
	if total == 0 {
		return 1
	}
	return pyvalue.Round(float64(matched)/float64(total), 3)
}

// stripped are values as they are compared.
func stripped(values []pyvalue.Value) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = pyvalue.Strip(pyvalue.String(v))
	}
	return all
}

// Reach returns for each milestone the index of the message that reaches it, -1 where none does. A message counts for a milestone only
// behind those that counted for the milestones before it, and one that is not found uses up the rest.
func Reach(messages, stones []string) []int {
	reached := make([]int, len(stones))
	next := 0
	for i, stone := range stones {
		reached[i] = -1
		for next < len(messages) && reached[i] < 0 {
			if messages[next] == stone {
				reached[i] = next
			}
			next++
		}
	}
	return reached
}

// officialMilestones does the same as the official scorer does it: its first milestone decides whether there are alternatives, and
// what is not text raises.
func officialMilestones(trace, milestones pyvalue.Value) (Progress, error) {
	first, err := pyvalue.Index(milestones, pyvalue.NewInt(0))
	if err != nil {
		return Progress{}, err
	}
	if _, ok := first.(*pyvalue.List); !ok {
		matched, total, err := officialFollow(trace, milestones)
		return Progress{share(matched, total), matched, total}, err
	}
	alternatives, err := pyvalue.Elements(milestones)
	if err != nil {
		return Progress{}, err
	}
	best := Progress{Share: -1}
	for _, alternative := range alternatives {
		matched, total, err := officialFollow(trace, alternative)
		if err != nil {
			return Progress{}, err
		}
		best.Share = max(best.Share, share(matched, total))
	}
	return best, nil
}

func officialFollow(trace, milestones pyvalue.Value) (matched, total int, err error) {
	total, err = length(milestones)
	if err != nil {
		return 0, 0, err
	}
	messages, err := pyvalue.Elements(trace)
	if err != nil {
		return 0, 0, err
	}
	stones, err := pyvalue.Elements(milestones)
	if err != nil {
		return 0, 0, err
	}
	next := 0
	for _, stone := range stones {
		for next < len(messages) {
			got, err := strip(messages[next])
			if err != nil {
				return 0, 0, err
			}
			want, err := strip(stone)
			if err != nil {
				return 0, 0, err
			}
			next++
			if got == want {
				matched++
				break
			}
		}
	}
	return matched, total, nil
}

// strip is v.strip().
func strip(v pyvalue.Value) (string, error) {
	s, ok := v.(pyvalue.Str)
	if !ok {
		return "", pyvalue.Raise("AttributeError", "'%s' object has no attribute 'strip'", pyvalue.TypeName(v))
	}
	return pyvalue.Strip(string(s)), nil
}
