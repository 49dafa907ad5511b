package explain

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Track is one list of milestones beside the messages that were executed.
type Track struct {
	Milestones []Milestone `json:"milestones"`
	Reached    int         `json:"reached"`
}

// A Milestone was reached by a message or by none.
type Milestone struct {
	Text    string `json:"text"`
	Message int    `json:"message,omitempty"` // the number, from 1, of the message that is equal to it; 0 when it was missed
	Step    int    `json:"step"`              // of that message; -1 when it is not known, or there is none
	// Nearest is, of a missed milestone, an executed message that calls the same function, "" without one.
	Nearest string `json:"nearest,omitempty"`
	// Late is, of a missed milestone, the number of a message that is equal to it but stands where milestones before it were looked for.
	Late int `json:"late,omitempty"`
}

// tracks shows where package check finds each milestone in the trace.
func tracks(trace, stones pyvalue.Value, dialogue []Line) []Track {
	var messages []string
	for _, m := range elements(trace) {
		messages = append(messages, pyvalue.Strip(pyvalue.String(m)))
	}
	steps := make([]int, len(messages)+1)
	for i := range steps {
		steps[i] = -1
	}
	for _, line := range dialogue {
		if line.Message > 0 && line.Message <= len(messages) {
			steps[line.Message] = line.Step
		}
	}
	var all []Track
	for _, alternative := range check.MilestoneTexts(stones) {
		var t Track
		for i, at := range check.Reach(messages, alternative) {
			m := Milestone{Text: alternative[i], Message: at + 1, Step: steps[at+1]}
			if at < 0 {
				m.miss(messages)
			} else {
				t.Reached++
			}
			t.Milestones = append(t.Milestones, m)
		}
		all = append(all, t)
	}
	return all
}

// miss looks for what comes near to a missed milestone.
func (m *Milestone) miss(messages []string) {
	name, _, _ := strings.Cut(m.Text, "(")
	for i, message := range messages {
		if message == m.Text {
			m.Late = i + 1
			return
		}
		if m.Nearest == "" && strings.HasPrefix(message, name+"(") {
			m.Nearest = message
		}
	}
}
