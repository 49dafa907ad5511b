package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/exodeck/exodeck/fixtures/standin"
)

// agents is what a stand-in replies to agents: see agents.json, which the agents read, too.
type agents struct {
	Tasks []struct {
		Turns []turn
	}
}

// turn is a user's message, and the answers to it until one calls no tool.
type turn struct {
	User  string
	Steps []step
}

type step struct {
	Thinking, Text string
	Calls          []standin.Call
	// Cut says that the answer ends at the token limit.
	Cut bool
}

func readAgents(path string) (*agents, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading what agents are told: %w", err)
	}
	a := new(agents)
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("reading what agents are told, %s: %w", path, err)
	}
	return a, nil
}

// script replies to the tasks, and to anything else as otherwise does.
func (a *agents) script(otherwise standin.Script) standin.Script {
	return func(ask standin.Ask) standin.Reply {
		for _, task := range a.Tasks {
			results := 0 // that were given before the step
			for _, t := range task.Turns {
				for _, s := range t.Steps {
					if t.User == ask.LastUser && results == len(ask.ToolResults) {
						return s.reply()
					}
					results += len(s.Calls)
				}
			}
		}
		return otherwise(ask)
	}
}

func (s step) reply() standin.Reply {
	r := standin.Say(s.Text)
	steps := r.Steps[:len(r.Steps)-1]
	end := r.Steps[len(r.Steps)-1].(standin.Token)
	if s.Cut {
		end.Finish = standin.Length
	}
	last := []standin.Step{end}
	if len(s.Calls) > 0 {
		last = standin.Do(s.Calls...).Steps
	}
	r = standin.Reply{Steps: append(steps, last...)}
	if s.Thinking != "" {
		r = r.After(standin.Token{Text: s.Thinking, Thinking: true})
	}
	return r
}
