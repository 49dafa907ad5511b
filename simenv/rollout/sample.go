package rollout

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Sample is what a rollout needs to know of one benchmark item.
type Sample struct {
	Category  string        // a name with "multi_step" in it runs that loop, every other one agent_multi_turn's
	Language  string        // "en" or "zh"
	Question  string        // the task; in agent_multi_turn only the user knows it
	Functions pyvalue.Value // the list of functions as the data has it; the agent is shown its Python text
	Config    pyvalue.Value // class name to settings
	Classes   []string      // the APIs in play, in order
}

// NewSample reads a line of a question file: an object with question, function, initial_config and involved_classes, which all
// may be missing.
func NewSample(category, language string, line *pyvalue.Dict) (*Sample, error) {
	s := &Sample{Category: category, Language: language}
	if q, found := line.GetStr("question"); found {
		text, ok := q.(pyvalue.Str)
		if !ok {
			return nil, fmt.Errorf("question must be a text, is %s", pyvalue.TypeName(q))
		}
		s.Question = string(text)
	}
	s.Functions, _ = line.GetStr("function")
	s.Config, _ = line.GetStr("initial_config")
	classes, found := line.GetStr("involved_classes")
	if !found || !pyvalue.Truth(classes) {
		return s, nil
	}
	names, ok := classes.(*pyvalue.List)
	if !ok {
		return nil, fmt.Errorf("involved_classes must be a list, is %s", pyvalue.TypeName(classes))
	}
	for _, name := range names.Items {
		s.Classes = append(s.Classes, pyvalue.String(name))
	}
	return s, nil
}
