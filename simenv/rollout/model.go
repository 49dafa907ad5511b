package rollout

import (
	"context"
	"fmt"
)

// Party is who takes part in a rollout.
type Party string

// The parties. An agent and a user are models; the executor is the simulator.
const (
	Agent    Party = "agent"
	User     Party = "user"
	Executor Party = "executor"
)

// Message is one message of a request, in the terms of chat APIs. Its role is "system" or "user".
type Message struct {
	Role, Content string
}

// Request is one question to a model.
type Request struct {
	To       Party     // Agent or User: which of the two models is asked
	Step     int       // the iteration of the loop that asks, from 0; [Opening] for the user's first line
	Messages []Message // the whole conversation as this model is shown it; do not change or keep it
}

// Opening is the step of the request that makes the user speak first. It comes before the loop and is not counted.
const Opening = -1

// Model answers requests. A runner asks one request at a time, but several runners may share a model.
type Model interface {
	Ask(ctx context.Context, r Request) (string, error)
}

// ModelFunc is a function as a [Model].
type ModelFunc func(ctx context.Context, r Request) (string, error)

// Ask calls f.
func (f ModelFunc) Ask(ctx context.Context, r Request) (string, error) { return f(ctx, r) }

// AskError is a request that got no answer. It ends the rollout.
type AskError struct {
	Request Request
	Err     error
}

func (e *AskError) Error() string {
	if e.Request.Step == Opening {
		return fmt.Sprintf("asking the %s for the opening line: %v", e.Request.To, e.Err)
	}
	return fmt.Sprintf("asking the %s at step %d: %v", e.Request.To, e.Request.Step, e.Err)
}

// Unwrap returns the model's own error.
func (e *AskError) Unwrap() error { return e.Err }
