package recorded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// openLoops plays the diverged rollouts of a run of this suite again, each with its recorded messages in order.
func (g *Game) openLoops(ctx context.Context, part *Part, outcomes []ask.Outcome) error {
	if !slices.ContainsFunc(outcomes, func(o ask.Outcome) bool { return o.Divergence != nil }) {
		return nil
	}
	type step struct{ sample, repeat, to, step string }
	recorded := map[step]*tape.Exchange{}
	for x, err := range part.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return err
		}
		if l := x.Labels; l["step"] != "" && x.Ended == tape.Complete {
			recorded[step{l["sample"], l["repeat"], l["to"], l["step"]}] = x // the latest counts
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Divergence == nil {
			continue
		}
		o.Exchanges, o.Played = nil, nil
		model := rollout.ModelFunc(func(ctx context.Context, r rollout.Request) (string, error) {
			x := recorded[step{o.Sample.ID, strconv.Itoa(o.Repeat), string(r.To), strconv.Itoa(r.Step)}]
			if x == nil {
				return rollout.FinishMarker, nil
			}
			o.RestOn(r.To, x.Ref)
			api := g.Found.Settings.Agent.API
			if r.To == rollout.User {
				api = g.Found.Settings.User.API
			}
			said, err := readAnswer(ctx, part, api, x)
			return said.Text, err
		})
		if err := g.openLoop(ctx, o, model, g.Found.Settings.MaxSteps); err != nil {
			return err
		}
	}
	return nil
}

// openLoop plays one rollout with messages that do not depend on what is asked. Where they end, the model ends the rollout.
func (g *Game) openLoop(ctx context.Context, o *ask.Outcome, model rollout.Model, maxSteps int) error {
	runner := g.Materials.Runner(maxSteps)
	runner.Agent, runner.User = model, model
	result, err := runner.Run(ctx, ask.Play(o.Sample))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	o.Rollout, o.OpenLoop = result, true
	o.Answer = acebench.Answer{ID: o.Sample.ID, Place: o.Answer.Place, Status: acebench.OK}
	var unanswered *rollout.AskError
	switch {
	case errors.As(err, &unanswered):
		o.Answer.Status, o.Answer.Note = acebench.Missing, err.Error()
	case err != nil:
		o.Remark = "the rollout failed: " + err.Error()
	default:
		o.Answer.State, o.Answer.Trace = result.EndState, ask.Trace(result)
	}
	return nil
}

// readAnswer takes the answer's text out of a recorded exchange.
func readAnswer(ctx context.Context, t Tape, api tape.API, x *tape.Exchange) (ask.Said, error) {
	if x.Response.Status == 0 {
		return ask.Said{}, broken(x)
	}
	body, err := reading.Body(ctx, t, x.Response.Body, x.Response.Header)
	if err != nil {
		return ask.Said{}, fmt.Errorf("reading the answer of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	return ask.Read(api, x.Response.Status, x.Response.Header.Get("Content-Type"), body, broken(x))
}

// broken is the error that an exchange ended with, nil for none.
func broken(x *tape.Exchange) error {
	switch {
	case x.Ended == tape.Complete:
		return nil
	case x.Ended == tape.InFlight:
		return errors.New("the exchange is still being recorded")
	case x.Cause == "":
		return fmt.Errorf("the exchange ended as %s", x.Ended)
	}
	return fmt.Errorf("the exchange ended as %s: %s", x.Ended, x.Cause)
}
