package ask

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// rollout plays an agent.
func (s *Suite) rollout(ctx context.Context, o *Outcome) {
	model := &party{suite: s, outcome: o}
	runner := s.Materials.Runner(s.MaxSteps)
	runner.Agent = model
	if s.User != nil {
		runner.User = model
	}
	result, err := runner.Run(ctx, Play(o.Sample))
	o.Rollout = result
	var unanswered *rollout.AskError
	switch {
	case errors.As(err, &unanswered):
		o.unanswered(unanswered)
	case errors.Is(err, rollout.ErrNoUser):
		o.Answer.Status, o.Answer.Note = acebench.Unasked, noUser
	case err != nil:
		// The reference gives up the rollout and scores what it then has, which is nothing.
		o.Remark = "the rollout failed: " + err.Error()
	default:
		o.Answer.State, o.Answer.Trace = result.EndState, Trace(result)
	}
}

// noUser says why nothing was asked.
const noUser = "no model played the user; exodeck run acebench takes one with --user-model"

// Runner returns a runner that lacks its models yet.
func (m *Materials) Runner(maxSteps int) *rollout.Runner {
	if maxSteps == 0 {
		maxSteps = rollout.DefaultMaxSteps
	}
	return &rollout.Runner{Worlds: m.Worlds, Prompts: m.Agents, MaxSteps: maxSteps}
}

// Trace is the process of a rollout in the form that is scored.
func Trace(r *rollout.Result) pyvalue.Value {
	trace := pyvalue.NewList()
	for _, message := range r.Process {
		trace.Append(pyvalue.Str(message))
	}
	return trace
}

// unanswered ends a rollout that asked a question without an answer.
func (o *Outcome) unanswered(e *rollout.AskError) {
	var miss *match.Miss
	if !errors.As(e.Err, &miss) {
		o.missing(e)
		return
	}
	switch {
	case len(o.Exchanges) == 0:
		o.missing(miss)
	case ofStep(miss, o.Sample.ID, e.Request):
		o.Divergence = NewDivergence(e.Request, miss)
		o.Answer.Status, o.Answer.Note = acebench.Diverged, o.Divergence.String()
	default:
		o.missing(fmt.Errorf("the recording of the rollout ends before %s", place(e.Request)))
	}
}

// party is a model of a rollout, asked through the suite.
type party struct {
	suite   *Suite
	outcome *Outcome
}

var _ rollout.Model = (*party)(nil)

// Ask implements [rollout.Model].
func (p *party) Ask(ctx context.Context, r rollout.Request) (string, error) {
	to := &p.suite.Agent
	if r.To == rollout.User {
		to = p.suite.User
	}
	answer, err := p.suite.answer(ctx, question{to: to, messages: r.Messages, labels: p.outcome.labels(stepLabels(r)...)})
	p.outcome.add(r.To, answer)
	return answer.Text, err
}

// Labels of the questions of a rollout.
const (
	labelTo   = "to"
	labelStep = "step"
)

func stepLabels(r rollout.Request) []string {
	return []string{labelTo + "=" + string(r.To), labelStep + "=" + strconv.Itoa(r.Step)}
}
