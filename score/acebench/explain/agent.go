package explain

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// An Agent takes a rollout apart: what was said and done, how far it followed the milestones, how the end state differs.
type Agent struct {
	Dialogue []Line `json:"dialogue"`
	// Rebuilt tells that only the executed messages were recorded, and the simulator ran them again for this dialogue.
	Rebuilt    bool    `json:"rebuilt"`
	Milestones []Track `json:"milestones"` // one for each alternative
	State      []Class `json:"state"`      // empty when no end state was recorded
	NoState    bool    `json:"no_state"`
}

// A Line is one contribution to a rollout.
type Line struct {
	Step    int           `json:"step"`              // of the loop; -1 for what comes before it, and where it is not known
	Message int           `json:"message,omitempty"` // the number, from 1, of an agent's message that was executed
	From    rollout.Party `json:"from"`
	Text    string        `json:"text"`
	Told    []Told        `json:"told,omitempty"` // the executor's: what each call was answered
}

// A Told is a call with its observation.
type Told struct {
	Call        string `json:"call"`
	Observation string `json:"observation"`
}

func newAgent(c Case) *Agent {
	a := &Agent{}
	a.Dialogue = dialogue(c.Trajectory)
	if c.Trajectory == nil {
		a.Rebuilt = true
		a.Dialogue = rebuilt(c)
	}
	a.Milestones = tracks(c.Answer.Trace, c.Sample.MileStone, a.Dialogue)
	if a.NoState = c.Answer.State == nil; !a.NoState {
		a.State = classes(c.Answer.State, c.Sample.GroundTruth)
	}
	return a
}

// dialogue renders a trajectory. The message that an executor's entry answers is the agent's before it.
func dialogue(trajectory []rollout.Entry) []Line {
	var all []Line
	message := 0
	for _, entry := range trajectory {
		line := Line{Step: entry.Step, From: entry.From, Text: entry.Text}
		if entry.From == rollout.Executor {
			message++
			line.Told = told(entry.Calls, entry.Observations)
			for i := len(all) - 1; i >= 0; i-- {
				if all[i].From == rollout.Agent {
					all[i].Message = message
					break
				}
			}
		}
		all = append(all, line)
	}
	return all
}

// rebuilt makes a dialogue of the executed messages alone.
func rebuilt(c Case) []Line {
	all := []Line{{Step: rollout.Opening, From: rollout.User, Text: c.Sample.Question}}
	if c.Sample.Category == dataset.AgentMultiTurn {
		all = nil // only the user was told; what the agent was told is not known
	}
	var env *simenv.Env
	if c.World != nil {
		// A world that cannot be set up was not run in either: there is then nothing to show but the messages.
		env, _ = c.World.NewEnv(c.Sample.InvolvedClasses, c.Sample.InitialConfig)
	}
	for i, message := range elements(c.Answer.Trace) {
		text := pyvalue.String(message)
		all = append(all, Line{Step: -1, Message: i + 1, From: rollout.Agent, Text: text})
		if env == nil {
			continue
		}
		line := Line{Step: -1, From: rollout.Executor}
		if calls, err := rollout.Decode(text); err != nil {
			line.Text = "the message cannot be read as calls: " + err.Error()
		} else {
			observations := env.Execute(calls)
			line.Text, line.Told = pyvalue.String(observations), told(calls, observations)
		}
		all = append(all, line)
	}
	return all
}

func told(calls []simenv.Call, observations *pyvalue.List) []Told {
	var all []Told
	for i, c := range calls {
		if observations == nil || i == observations.Len() {
			break
		}
		all = append(all, Told{executedCall(c), pyvalue.String(observations.Items[i])})
	}
	return all
}

func executedCall(c simenv.Call) string {
	var args []string
	if c.Args != nil {
		for name, value := range c.Args.All() {
			args = append(args, pyvalue.String(name)+"="+pyvalue.Repr(value))
		}
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")"
}
