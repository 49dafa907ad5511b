package explain

import (
	"context"
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/prompt"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// A Message is a message of the first request that a sample is asked with.
type Message struct {
	To      rollout.Party `json:"to"` // the agent, or the model that plays the user
	Role    string        `json:"role"`
	Content string        `json:"content"`
}

// opening stands for what the simulated user says first in the prompt of an agent_multi_turn sample. Only a rollout knows it.
const opening = "(what the user says first)"

// Prompt returns what a model is asked with first. In agent_multi_turn the model that plays the user is asked before the agent. The world
// is needed for agents only.
func Prompt(ctx context.Context, s *dataset.Sample, templates dataset.Templates, world *simenv.World) ([]Message, error) {
	if s.Category.Family() != dataset.Agent {
		b, err := prompt.New(templates, s.Language)
		if err != nil {
			return nil, err
		}
		system, user := b.Build(s)
		return []Message{{rollout.Agent, "system", system}, {rollout.Agent, "user", user}}, nil
	}
	var asked []Message
	note := func(answer string) rollout.Model {
		return rollout.ModelFunc(func(_ context.Context, r rollout.Request) (string, error) {
			for _, m := range r.Messages {
				asked = append(asked, Message{r.To, m.Role, m.Content})
			}
			return answer, nil
		})
	}
	runner := &rollout.Runner{
		Worlds:  simenv.Worlds{string(s.Language): world},
		Prompts: rollout.Prompts(templates),
		Agent:   note(""), User: note(opening),
		MaxSteps: 1,
	}
	_, err := runner.Run(ctx, &rollout.Sample{
		Category: string(s.Category), Language: string(s.Language), Question: s.Question,
		Functions: s.Function, Config: s.InitialConfig, Classes: s.InvolvedClasses,
	})
	if err != nil {
		return nil, fmt.Errorf("making the prompt of %s: %w", s.ID, err)
	}
	return asked, nil
}
