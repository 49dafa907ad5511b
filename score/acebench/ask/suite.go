package ask

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// Name is what the suite is called in labels and run files.
const Name = "acebench"

// Suite asks samples. Samples, Materials, Agent and one of Client and Recorded are needed.
type Suite struct {
	// Client asks the server, through a recorder; nil asks nobody. Requests carry labels in the header record.LabelHeader.
	Client http.RoundTripper
	// Recorded answers from a tape; nil when nothing is recorded yet. What it can answer is not asked again.
	Recorded http.RoundTripper

	Samples   []*dataset.Sample
	Materials *Materials
	Agent     Endpoint
	User      *Endpoint // plays the user in agent_multi_turn; nil leaves those samples unasked
	Stream    bool
	// MaxSteps is the budget of a rollout; 0 means [rollout.DefaultMaxSteps].
	MaxSteps int
	// Repeat is how often each sample is asked, Concurrency how many are at once; less than 1 means 1.
	Repeat, Concurrency int
	// Timeout limits the silence of a server, not the whole answer; 0 means [DefaultTimeout].
	Timeout time.Duration
}

// Outcome is what became of one sample, asked once.
type Outcome struct {
	Sample *dataset.Sample
	Index  int // of the sample among those of the suite
	Repeat int // from 1
	// Answer is what a scorer judges. Its status is Missing, with the cause in Note, when the API gave no usable answer, and Unasked where
	// a model lacks that plays the user.
	Answer acebench.Answer
	// Exchanges are those the answer rests on, in the order of asking, Played those of them in which a model played the user.
	Exchanges, Played []tape.Ref
	// Recorded says that nothing of it had to be asked anew.
	Recorded bool

	// Rollout is, of an agent, all that was said and done.
	Rollout *rollout.Result
	// Divergence is where a rollout asked what the recording does not hold.
	Divergence *Divergence
	// OpenLoop says that recorded messages were executed in order although the requests behind them differ.
	OpenLoop bool
	// Remark is what else a report is to say about the answer; "" mostly.
	Remark string

	unreadable error // why the tape could not be read; the outcome is none then
}

// Answers returns the answers of outcomes, in their order.
func Answers(outcomes []Outcome) []acebench.Answer {
	answers := make([]acebench.Answer, len(outcomes))
	for i := range outcomes {
		answers[i] = outcomes[i].Answer
	}
	return answers
}

// Total is the number of outcomes that a run has.
func (s *Suite) Total() int { return len(s.Samples) * max(s.Repeat, 1) }

// Run asks everything and returns the outcomes by repeat and sample, whatever the order in which they came about. done, when not nil,
// is called with each outcome as it comes, never twice at once. When ctx ends, Run returns the outcomes there are, with the cause. A tape
// that cannot be read ends it too, with a [*tape.Error]: that says nothing about an answer.
func (s *Suite) Run(ctx context.Context, done func(*Outcome)) ([]Outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	outcomes := make([]*Outcome, s.Total())
	next := make(chan int)
	var report sync.Mutex
	var workers sync.WaitGroup
	for range min(max(s.Concurrency, 1), len(outcomes)) {
		workers.Go(func() {
			for i := range next {
				o := s.sample(ctx, i%len(s.Samples), i/len(s.Samples)+1)
				if o.unreadable != nil {
					stop(o.unreadable) // unless ctx has ended, which is then why
				}
				if ctx.Err() != nil {
					continue // it was cut off and does not count
				}
				report.Lock()
				outcomes[i] = o
				if done != nil {
					done(o)
				}
				report.Unlock()
			}
		})
	}
	for i := range outcomes {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	var all []Outcome
	for _, o := range outcomes {
		if o != nil {
			all = append(all, *o)
		}
	}
	return all, context.Cause(ctx)
}

// sample asks one sample.
func (s *Suite) sample(ctx context.Context, index, repeat int) *Outcome {
	o := &Outcome{Sample: s.Samples[index], Index: index, Repeat: repeat, Recorded: true}
	o.Answer = acebench.Answer{ID: o.Sample.ID, Status: acebench.OK}
	if o.Sample.Category.Family() == dataset.Agent {
		s.rollout(ctx, o)
		return o
	}
	system, user := s.Materials.Single.Build(o.Sample)
	r, err := s.answer(ctx, question{
		to:       &s.Agent,
		messages: []rollout.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
		labels:   o.labels(),
	})
	o.add(rollout.Agent, r)
	o.Answer.Text, o.Answer.Sent = r.Text, r.Sent
	if err != nil {
		o.missing(err)
	}
	return o
}

// add counts a reply in.
func (o *Outcome) add(to rollout.Party, r reply) {
	o.RestOn(to, r.exchanges...)
	o.Recorded = o.Recorded && r.recorded
}

// RestOn adds exchanges with one of the parties to those that the answer rests on.
func (o *Outcome) RestOn(to rollout.Party, exchanges ...tape.Ref) {
	o.Exchanges = append(o.Exchanges, exchanges...)
	if to == rollout.User {
		o.Played = append(o.Played, exchanges...)
	}
}

// missing makes the answer one that could not be had.
func (o *Outcome) missing(err error) {
	if isUnreadable(err) {
		o.unreadable = err
	}
	o.Answer.Status, o.Answer.Note = acebench.Missing, err.Error()
}

// labels are what a recorder keeps of a question, and what a replay finds its answer by.
func (o *Outcome) labels(more ...string) []string {
	return slices.Concat([]string{
		"suite=" + Name,
		"language=" + string(o.Sample.Language),
		"sample=" + o.Sample.ID,
		"repeat=" + strconv.Itoa(o.Repeat),
	}, more)
}
