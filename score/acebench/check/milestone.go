package check

import (
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
	messages, err := texts(trace)
	if err != nil {
		return Progress{}, err
	}
	list, ok := milestones.(*pyvalue.List)
	if !ok || !allLists(list) {
		matched, total := follow(messages, milestones)
		return Progress{share(matched, total), matched, total}, nil
	}
	best := Progress{Share: -1}
	for _, alternative := range list.Items {
		best.Share = max(best.Share, share(follow(messages, alternative)))
	}
	return best, nil
}

// allLists tells whether the milestones are alternatives.
func allLists(milestones *pyvalue.List) bool {
	for _, m := range milestones.Items {
		if _, ok := m.(*pyvalue.List); !ok {
			return false
		}
	}
	return milestones.Len() > 0
}

// share is matched of total, rounded; 1 where nothing was asked for.
func share(matched, total int) float64 {
	if total == 0 {
		return 1
	}
	return pyvalue.Round(float64(matched)/float64(total), 3)
}

func texts(trace pyvalue.Value) ([]string, error) {
	messages, err := pyvalue.Elements(trace)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(messages))
	for i, m := range messages {
		all[i] = pyvalue.Strip(pyvalue.String(m))
	}
	return all, nil
}

// follow counts the milestones that the trace reaches in order. What is not a list of milestones is one milestone.
func follow(messages []string, milestones pyvalue.Value) (matched, total int) {
	stones := []pyvalue.Value{milestones}
	if list, ok := milestones.(*pyvalue.List); ok {
		stones = list.Items
	}
	next := 0
	for _, stone := range stones {
		text := pyvalue.Strip(pyvalue.String(stone))
		for next < len(messages) {
			next++
			if messages[next-1] == text {
				matched++
				break
			}
		}
	}
	return matched, len(stones)
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
