package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// A Category is one of ACEBench's fine-grained categories, by its official name.
type Category string

// The categories, in canonical order.
const (
	SingleTurnSingle   Category = "normal_single_turn_single_function"
	SingleTurnParallel Category = "normal_single_turn_parallel_function"
	MultiTurnAdjust    Category = "normal_multi_turn_user_adjust"
	MultiTurnSwitch    Category = "normal_multi_turn_user_switch"
	SimilarAPI         Category = "normal_similar_api"
	Preference         Category = "normal_preference"
	AtomBool           Category = "normal_atom_bool"
	AtomEnum           Category = "normal_atom_enum"
	AtomNumber         Category = "normal_atom_number"
	AtomList           Category = "normal_atom_list"
	AtomObjectDeep     Category = "normal_atom_object_deep"
	AtomObjectShort    Category = "normal_atom_object_short"
	Incomplete         Category = "special_incomplete"
	ErrorParam         Category = "special_error_param"
	Irrelevant         Category = "special_irrelevant"
	AgentMultiStep     Category = "agent_multi_step"
	AgentMultiTurn     Category = "agent_multi_turn"
)

var categories = []Category{
	SingleTurnSingle, SingleTurnParallel, MultiTurnAdjust, MultiTurnSwitch, SimilarAPI, Preference,
	AtomBool, AtomEnum, AtomNumber, AtomList, AtomObjectDeep, AtomObjectShort,
	Incomplete, ErrorParam, Irrelevant, AgentMultiStep, AgentMultiTurn,
}

// Categories returns all categories in canonical order.
func Categories() []Category { return slices.Clone(categories) }

// sets are the names that stand for several categories.
var sets = map[string][]Category{
	"normal":     categories[0:12],
	"special":    categories[12:15],
	"agent":      categories[15:17],
	"atom":       categories[6:12],
	"multi_turn": categories[2:4],
	"test_all":   categories,
}

// Expand turns names of categories and of sets of them (normal, special, agent, atom, multi_turn, test_all) into categories,
// in the order they are first named. Without names it returns all.
func Expand(names ...string) ([]Category, error) {
	if len(names) == 0 {
		return Categories(), nil
	}
	var all []Category
	for _, name := range names {
		expanded, ok := sets[name]
		if !ok {
			if !slices.Contains(categories, Category(name)) {
				return nil, fmt.Errorf("unknown category %q: use one of %s, or normal, special, agent, atom, multi_turn, test_all", name, listed())
			}
			expanded = []Category{Category(name)}
		}
		for _, c := range expanded {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

func listed() string {
	all := make([]string, len(categories))
	for i, c := range categories {
		all[i] = string(c)
	}
	return strings.Join(all, ", ")
}

// Known reports whether c is one of the 17 categories.
func (c Category) Known() bool { return slices.Contains(categories, c) }

// A Family is what decides how a category is asked and checked.
type Family string

// The families.
const (
	Normal  Family = "normal"
	Special Family = "special"
	Agent   Family = "agent"
)

// Family returns the family of c. Both reference scorers look for the word anywhere in the name, so this does too.
func (c Category) Family() Family {
	switch {
	case strings.Contains(string(c), "special"):
		return Special
	case strings.Contains(string(c), "agent"):
		return Agent
	}
	return Normal
}

// Dialogues reports whether the samples of c are steps of dialogues that count only as a whole.
func (c Category) Dialogues() bool {
	return strings.Contains(string(c), "multi_turn") && !strings.Contains(string(c), "agent")
}

// CategoryOf returns the category of a record: its sub-category without a leading "data_", or else its id without the numbers at
// its end.
func CategoryOf(id, subCategory string) Category {
	if subCategory != "" {
		return Category(strings.TrimPrefix(subCategory, "data_"))
	}
	for {
		rest, ok := cutNumber(id)
		if !ok {
			return Category(id)
		}
		id = rest
	}
}

// DialogueOf returns the id of the dialogue that the sample belongs to: the sample's id itself where there are no dialogues.
func DialogueOf(c Category, id string) string {
	if !c.Dialogues() {
		return id
	}
	if i := strings.LastIndexByte(id, '_'); i >= 0 {
		return id[:i]
	}
	return id
}

// CutNumber removes one "_<digits>" from the end of name, which is how the data set tells repeated calls of one API apart.
func CutNumber(name string) string {
	rest, _ := cutNumber(name)
	return rest
}

func cutNumber(name string) (string, bool) {
	digits := len(name)
	for digits > 0 && '0' <= name[digits-1] && name[digits-1] <= '9' {
		digits--
	}
	if digits == len(name) || digits == 0 || name[digits-1] != '_' {
		return name, false
	}
	return name[:digits-1], true
}
