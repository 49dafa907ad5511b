package recorded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// question is a question of rollouts with all its answers, by text, in recorded order.
type question struct {
	answers []*lines
	failed  *call // the last that gave no usable answer; nil when none failed
}

// path is one way in which the recording fits a sample: a rollout with the recorded answers it took.
type path struct {
	uses    []*lines // in the order of asking
	exact   int      // how many of the questions are recorded exactly as they are asked
	alike   int      // how many are, or at least come after the same words
	outcome ask.Outcome
	ended   error // nil when the rollout came to its end
}

// rollouts gives agents their answers.
func (f *foreign) rollouts(ctx context.Context) error {
	b := &board{foreign: f, questions: map[key]*question{}, taken: map[*call]bool{}, open: map[*dataset.Sample]string{}}
	official := slices.ContainsFunc(f.calls, func(c *call) bool { return c.official })
	for _, c := range byTime(f.calls) {
		if official {
			c.Text = c.Sent // its loop goes on with that
		}
		if c.to != "" {
			b.add(c)
		}
	}
	if len(b.questions) == 0 {
		return nil
	}
	b.lineUp()
	asked := f.asked(b)
	if official {
		f.remarks = append(f.remarks, "the rollouts are the official runner's, whose loop is another: their messages were executed in order (open loop)")
	} else if err := b.deal(ctx, asked, b.recorded); err != nil {
		return err
	}
	if official || f.OnDiverge == Trajectory {
		if err := b.deal(ctx, asked, b.following); err != nil {
			return err
		}
	}
	for _, s := range f.unanswered(asked) {
		o, err := b.diverged(ctx, s)
		if err != nil {
			return err
		}
		f.found[s] = append(f.found[s], o)
	}
	b.remarkOnStrays()
	return nil
}

// remarkOnStrays tells of questions to agents that no rollout asked.
func (b *board) remarkOnStrays() {
	strays, users := 0, 0
	for _, c := range b.calls {
		switch {
		case c.to == rollout.User:
			users++
		case !b.taken[c]:
			strays++
		}
	}
	if strays == 0 {
		return
	}
	remark := fmt.Sprintf("%d recorded answers of agents belong to no rollout of these samples", strays)
	if users == 0 {
		remark += "; the user's side of agent_multi_turn is not on the tape, without which its samples cannot be told: let the user model's requests go through the recorder, too"
	}
	b.remarks = append(b.remarks, remark)
}

// deal gives rollouts to samples that have none. What looks like one question after the other need not be, so samples that go
// without are tried again as if it were not.
func (b *board) deal(ctx context.Context, samples []*dataset.Sample, of candidates) error {
	if err := b.assign(ctx, b.unanswered(samples), of); err != nil {
		return err
	}
	if !b.oneByOne || len(b.unanswered(samples)) == 0 {
		return nil
	}
	b.oneByOne = false
	defer func() { b.oneByOne = true }()
	return b.assign(ctx, b.unanswered(samples), of)
}

// asked lists the agents whose first question is on the tape, in the order of the data.
func (f *foreign) asked(b *board) []*dataset.Sample {
	seen := map[*dataset.Sample]bool{}
	for k := range b.questions {
		for _, s := range f.recogniser.openers[k] {
			seen[s] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(x, y *dataset.Sample) int { return f.index[x] - f.index[y] })
}

// unanswered lists those of the samples that have no rollout yet.
func (f *foreign) unanswered(samples []*dataset.Sample) []*dataset.Sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s *dataset.Sample) bool { return len(f.found[s]) > 0 })
}

// board holds the recorded questions of rollouts and deals them out to samples.
type board struct {
	*foreign
	questions map[key]*question
	calls     []*call        // with a usable answer, by the time of asking
	taken     map[*call]bool // those that belong to a rollout
	// open says of samples why it cannot be told which rollouts are theirs, also of those that went without.
	open map[*dataset.Sample]string

	place    map[tape.Ref]int // of each call among the calls
	oneByOne bool             // no question was asked before the one before it was answered
}

func (b *board) add(c *call) {
	k := keyOf(c.messages)
	e := b.questions[k]
	if e == nil {
		e = &question{}
		b.questions[k] = e
	}
	if c.err != nil {
		e.failed = c
		return
	}
	b.calls = append(b.calls, c)
	for _, l := range e.answers {
		if l.calls[0].Text == c.Text {
			l.calls = append(l.calls, c)
			return
		}
	}
	e.answers = append(e.answers, &lines{calls: []*call{c}})
}

// linesOf returns the lines that a call is one of.
func (b *board) linesOf(c *call) *lines {
	for _, l := range b.questions[keyOf(c.messages)].answers {
		if slices.Contains(l.calls, c) {
			return l
		}
	}
	return nil
}

// candidates says which recorded answers a rollout may take for a question, given those it took before. No answers and no error
// mean that the recording of the rollout ends here and the model is to end it.
type candidates func(r rollout.Request, before []*lines) (answers []*lines, exact bool, err error)

// errUnrecorded ends a rollout that asks what is not recorded.
var errUnrecorded = errors.New("the question is not recorded")

// recorded takes answers to the very question.
func (b *board) recorded(r rollout.Request, _ []*lines) ([]*lines, bool, error) {
	e := b.questions[keyOf(r.Messages)]
	switch {
	case e == nil:
		return nil, false, errUnrecorded
	case len(e.answers) > 0:
		return e.answers, true, nil
	}
	return nil, false, e.failed.err
}

// following takes, where the very question is not recorded, answers to one that goes on where the agent's last one stopped. Of the
// first question it also knows the form that the official runner gives it.
func (b *board) following(r rollout.Request, before []*lines) ([]*lines, bool, error) {
	if e := b.questions[keyOf(r.Messages)]; e != nil && len(e.answers) > 0 {
		return e.answers, true, nil
	}
	if r.To == rollout.User {
		return nil, false, nil
	}
	var last *call
	for _, l := range slices.Backward(before) {
		if l.calls[0].to == rollout.Agent {
			last = l.calls[0]
			break
		}
	}
	var answers []*lines
	for _, c := range b.calls {
		if c.to != rollout.Agent {
			continue
		}
		if last == nil && asksAlike(c.messages, r.Messages) || last != nil && continues(last, c) {
			if l := b.linesOf(c); !slices.Contains(answers, l) {
				answers = append(answers, l)
			}
		}
	}
	return answers, false, nil
}

// asksAlike reports whether two requests to an agent come after the same words, whatever the texts around them.
func asksAlike(a, b []rollout.Message) bool {
	return lastSaid(a) != "" && lastSaid(a) == lastSaid(b) && len(a) == len(b)
}

// lastSaid is the part of a request to an agent that holds what was said since the user spoke, the user's words first. It stands at
// the end, in some templates behind other words on the same line.
func lastSaid(messages []rollout.Message) string {
	text := messages[len(messages)-1].Content
	i := strings.LastIndex(text, "user:")
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(text[i:])
}

// continues reports whether a request to an agent is the next one after another: the same text with lines put in at one place, which
// begin with the agent's answer where the transcript holds that.
func continues(last, next *call) bool {
	a, b := last.messages[len(last.messages)-1].Content, next.messages[len(next.messages)-1].Content
	if len(b) <= len(a) || len(last.messages) != len(next.messages) || last.messages[0] != next.messages[0] {
		return false
	}
	at := 0
	for at < len(a) && a[at] == b[at] {
		at++
	}
	// The lines went in where a line begins, after all that was said before.
	at = strings.LastIndexByte(b[:at], '\n') + 1
	added := b[at : at+len(b)-len(a)]
	if a[:at]+added+a[at:] != b || !strings.HasSuffix(added, "\n") {
		return false
	}
	if rest, ok := strings.CutPrefix(added, "agent:"+last.Text+"\n"); ok {
		return oneLine(rest, "execution:") || strings.HasPrefix(rest, "user:")
	}
	return oneLine(added, "execution result:")
}

func oneLine(text, label string) bool {
	return strings.HasPrefix(text, label) && strings.Count(text, "\n") == 1
}

// maxPaths bounds how many ways are tried for one sample.
const maxPaths = 1024

// paths plays a sample in every way that the candidates allow. capped says that there are more.
func (b *board) paths(ctx context.Context, s *dataset.Sample, of candidates) (paths []*path, capped bool, err error) {
	var choices, widths []int
	for len(paths) < maxPaths {
		p := b.walk(ctx, s, of, choices, &widths)
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		paths = append(paths, p)
		// The next way differs as late as possible.
		choices = append(choices, make([]int, len(widths)-len(choices))...)
		for len(choices) > 0 && choices[len(choices)-1]+1 >= widths[len(choices)-1] {
			choices = choices[:len(choices)-1]
		}
		if len(choices) == 0 {
			return paths, false, nil
		}
		choices[len(choices)-1]++
	}
	return paths, true, nil
}

// walk plays a sample once. It takes the answer that choices say at each question, the first where they say nothing, and leaves in
// widths how many there were.
func (b *board) walk(ctx context.Context, s *dataset.Sample, of candidates, choices []int, widths *[]int) *path {
	p := &path{}
	*widths = (*widths)[:0]
	model := rollout.ModelFunc(func(_ context.Context, r rollout.Request) (string, error) {
		answers, exact, err := of(r, p.uses)
		answers = slices.DeleteFunc(slices.Clone(answers), func(l *lines) bool { return b.chain(append(p.uses[:len(p.uses):len(p.uses)], l)) == nil })
		switch {
		case err != nil:
			return "", err
		case len(answers) == 0 && exact:
			return "", errUnrecorded // all that are recorded belong to others
		case len(answers) == 0 && len(p.uses) == 0:
			return "", errUnrecorded
		case len(answers) == 0:
			return rollout.FinishMarker, nil
		}
		choice := 0
		if n := len(*widths); n < len(choices) {
			choice = choices[n]
		}
		*widths = append(*widths, len(answers))
		p.uses = append(p.uses, answers[choice])
		if exact {
			p.exact++
		}
		if c := answers[choice].calls[0]; exact || asksAlike(c.messages, r.Messages) {
			p.alike++
		}
		return answers[choice].calls[0].Text, nil
	})
	runner := b.Materials.Runner(b.MaxSteps)
	runner.Agent, runner.User = model, model
	result, err := runner.Run(ctx, ask.Play(s))
	p.outcome = ask.Outcome{Sample: s, Rollout: result, Answer: acebench.Answer{ID: s.ID, Status: acebench.OK}}
	p.outcome.OpenLoop = p.exact < len(p.uses)
	var unanswered *rollout.AskError
	switch {
	case errors.As(err, &unanswered):
		p.ended = err
	case err != nil:
		p.outcome.Remark = "the rollout failed: " + err.Error()
	default:
		p.outcome.Answer.State, p.outcome.Answer.Trace = result.EndState, ask.Trace(result)
	}
	return p
}

// take makes calls for a path those of its sample. Where others with the same answers have left none in the order of time, it takes
// what is left: which of equal answers it was makes no difference to a verdict.
func (b *board) take(p *path) ask.Outcome {
	calls := b.chain(p.uses)
	for i := len(calls); i < len(p.uses); i++ {
		k := slices.IndexFunc(p.uses[i].calls, func(c *call) bool { return !b.taken[c] && !slices.Contains(calls, c) })
		calls = append(calls, p.uses[i].calls[k])
	}
	o := p.outcome
	for _, c := range calls {
		o.RestOn(c.to, c.x.Ref)
		b.taken[c] = true
	}
	return o
}

// diverged tells why a sample has no rollout although its first question is on the tape: the recording of one was cut off, or it asks
// something else now.
func (b *board) diverged(ctx context.Context, s *dataset.Sample) (ask.Outcome, error) {
	o := ask.Outcome{Sample: s, Answer: acebench.Answer{ID: s.ID, Status: acebench.Missing, Note: "all rollouts that begin like it belong to other samples"}}
	if note, open := b.open[s]; open {
		o.Answer.Status, o.Answer.Note = acebench.Ambiguous, note
		return o, nil
	}
	paths, _, err := b.paths(ctx, s, b.recorded)
	if err != nil {
		return o, err
	}
	// The longest way is the one that came nearest to its end.
	longest := slices.MaxFunc(paths, func(x, y *path) int { return len(x.uses) - len(y.uses) })
	if len(longest.uses) == 0 {
		return o, nil
	}
	var unanswered *rollout.AskError
	if !errors.As(longest.ended, &unanswered) {
		return o, nil
	}
	o.Rollout = longest.outcome.Rollout
	taken := b.take(longest)
	o.Exchanges, o.Played = taken.Exchanges, taken.Played
	if !errors.Is(longest.ended, errUnrecorded) {
		o.Answer.Note = longest.ended.Error()
		return o, nil
	}
	next := b.instead(unanswered.Request, longest.uses)
	if next == nil {
		o.Answer.Note = fmt.Sprintf("the recording of the rollout ends before step %d", unanswered.Request.Step)
		return o, nil
	}
	miss, err := b.miss(ctx, unanswered.Request, next)
	if err != nil {
		return o, err
	}
	o.Divergence = ask.NewDivergence(unanswered.Request, miss)
	o.Answer.Status, o.Answer.Note = acebench.Diverged, o.Divergence.String()
	return o, nil
}

// instead returns the recorded question that stands where a rollout asks another, nil when the recording ends there.
func (b *board) instead(r rollout.Request, before []*lines) *call {
	var last *call
	for _, l := range before {
		if l.calls[0].to == r.To {
			last = l.calls[0]
		}
	}
	for _, c := range b.calls {
		switch {
		case c.to != r.To || b.taken[c]:
		case r.To == rollout.Agent && (last == nil && asksAlike(c.messages, r.Messages) || last != nil && continues(last, c)),
			r.To == rollout.User && last != nil && len(c.messages) == len(r.Messages) && slices.Equal(c.messages[:len(last.messages)], last.messages):
			return c
		}
	}
	return nil
}

// miss asks a recorded question for one that differs from it, to learn how.
func (b *board) miss(ctx context.Context, r rollout.Request, recorded *call) (*match.Miss, error) {
	part := &Part{Tape: b.Tape, Names: b.Found.Sessions, Only: func(x *tape.Exchange) bool { return x.Ref == recorded.x.Ref }}
	transport, err := replay.NewTransport(ctx, part, match.Default())
	if err != nil {
		return nil, err
	}
	endpoint := ask.Endpoint{BaseURL: "http://recorded", API: recorded.api, Model: recorded.model}
	req, err := endpoint.NewRequest(r.Messages, false)
	if err != nil {
		return nil, err
	}
	resp, err := transport.RoundTrip(req.WithContext(ctx))
	if miss, ok := errors.AsType[*match.Miss](err); ok {
		return miss, nil
	}
	if err == nil {
		resp.Body.Close()
		return nil, fmt.Errorf("exchange %s/%d answers a question that it should differ from", recorded.x.Session, recorded.x.Seq)
	}
	return nil, err
}
