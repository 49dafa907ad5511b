package rollout

import (
	"context"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// DefaultMaxSteps is the benchmark's step budget.
const DefaultMaxSteps = 40

// FinishMarker ends a rollout, wherever in a message or an observation it stands.
const FinishMarker = "finish conversation"

// Exceeded is how a rollout ends that has used up its budget.
const Exceeded = "max_steps_exceeded"

// Nudge is what an agent in agent_multi_step is told when its message cannot be read as calls.
const Nudge = "Please do not ask me any questions, use the known conditions to solve the problem"

// ErrNoUser is how an agent_multi_turn rollout ends when no model plays the user. Its text is the reference's.
var ErrNoUser error = pyvalue.Raise("ValueError", "agent_multi_turn needs a user simulator; set extra_params.user_model to the model "+
	"that should play the user (the official runner uses gpt-4o).")

// Runner plays samples. Its fields are only read, so one runner may play several samples at once when its models allow it.
type Runner struct {
	Worlds   simenv.Worlds
	Prompts  Prompts
	Agent    Model
	User     Model // nil: agent_multi_turn fails with [ErrNoUser]
	MaxSteps int   // iterations of the loop, see [DefaultMaxSteps]; 0 asks nobody anything
}

// Result is a rollout that was played.
type Result struct {
	Process    []string      // the messages that went to the executor, as the agent wrote them
	EndState   *pyvalue.List // the graded state, see [simenv.Env.Snapshot]; nil when the rollout failed
	Finish     string        // [FinishMarker] or [Exceeded]; empty when the rollout failed
	Iterations int           // how much of the budget was used
	Trajectory []Entry       // all that was said and done, in order
}

// Entry is one contribution to a rollout: an iteration's, or the task or opening line before the first.
type Entry struct {
	Step int // the iteration that made it; [Opening] for the task and the opening line
	From Party
	Text string // as the transcript shows it

	// Only when From is Executor: the calls, and for each what the agent was told, or why the message could not be read.
	Calls        []simenv.Call
	Observations *pyvalue.List
	Unreadable   error
}

// Run plays a sample. The error is an [*AskError] when a model gave no answer, and otherwise what the sample, the prompts or the worlds lack; where
// the reference fails too, an [*pyvalue.Exception] with its text is in the chain. The result then holds the trajectory until there. It is never nil.
func (r *Runner) Run(ctx context.Context, s *Sample) (*Result, error) {
	p := &play{Runner: r, sample: s, result: &Result{}}
	err := p.run(ctx)
	if err != nil {
		p.result.Finish = ""
	}
	return p.result, err
}

// play is one rollout in progress.
type play struct {
	*Runner
	sample     *Sample
	env        *simenv.Env
	prompt     agentPrompt
	transcript strings.Builder
	result     *Result
}

func (p *play) run(ctx context.Context) error {
	world, err := p.Worlds.For(p.sample.Language)
	if err != nil {
		return err
	}
	if p.env, err = world.NewEnv(p.sample.Classes, p.sample.Config); err != nil {
		return err
	}
	loop := p.multiTurn
	if strings.Contains(p.sample.Category, "multi_step") {
		loop = p.multiStep
	}
	if err := loop(ctx); err != nil {
		return err
	}
	state, err := p.env.Snapshot()
	if err != nil {
		return err
	}
	p.result.EndState = state
	return nil
}

// loop runs iterations until one of them brings the finish marker, or the budget is used up. The marker is not looked for in the first two.
func (p *play) loop(iterate func(step int) (Entry, error)) error {
	p.result.Finish = Exceeded
	for step := range p.MaxSteps {
		p.result.Iterations = step + 1
		entry, err := iterate(step)
		if err != nil {
			return err
		}
		p.add(entry)
		if step > 1 && strings.Contains(entry.Text, FinishMarker) {
			p.result.Finish = FinishMarker
			return nil
		}
	}
	return nil
}

func (p *play) add(e Entry) { p.result.Trajectory = append(p.result.Trajectory, e) }

// last is the newest entry.
func (p *play) last() Entry { return p.result.Trajectory[len(p.result.Trajectory)-1] }

// write adds a line to the transcript that the agent is shown.
func (p *play) write(label, text string) {
	p.transcript.WriteString(label)
	p.transcript.WriteByte(':')
	p.transcript.WriteString(text)
	p.transcript.WriteByte('\n')
}

// askAgent asks the agent for its next message.
func (p *play) askAgent(ctx context.Context, step int) (Entry, error) {
	text, err := ask(ctx, p.Agent, Request{To: Agent, Step: step, Messages: p.prompt.messages(p.transcript.String())})
	return Entry{Step: step, From: Agent, Text: text}, err
}

// ask asks a model and says which request failed.
func ask(ctx context.Context, m Model, r Request) (string, error) {
	text, err := m.Ask(ctx, r)
	if err != nil {
		return "", &AskError{Request: Request{To: r.To, Step: r.Step, Messages: slices.Clone(r.Messages)}, Err: err}
	}
	return text, nil
}

// execute runs an agent's message. The error means that it cannot be read as calls; the message is part of the process all the same.
func (p *play) execute(step int, message string) (Entry, error) {
	p.result.Process = append(p.result.Process, message)
	calls, err := Decode(message)
	if err != nil {
		return Entry{}, err
	}
	told := p.env.Execute(calls)
	return Entry{Step: step, From: Executor, Text: pyvalue.String(told), Calls: calls, Observations: told}, nil
}
