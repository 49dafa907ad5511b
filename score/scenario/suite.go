package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score"
)

// Name is what the suite is called in labels and run files.
const Name = "exo"

// DefaultTimeout is how long exo's own evaluator waits for any one operation.
const DefaultTimeout = 7200 * time.Second

// Stream says how answers are asked for.
type Stream string

const (
	StreamOff  Stream = "off"  // whole answers only, as exo's evaluator does
	StreamOn   Stream = "on"   // streams only
	StreamBoth Stream = "both" // every scenario both ways, whole first
)

// StreamOf reads the value of --stream.
func StreamOf(name string) (Stream, error) {
	switch s := Stream(name); s {
	case StreamOff, StreamOn, StreamBoth:
		return s, nil
	}
	return "", fmt.Errorf("unknown way to ask %q: choose off, on or both", name)
}

// Ways is the number of ways each scenario is asked.
func (s Stream) Ways() int { return len(s.modes()) }

// modes lists the ways to ask; the zero Stream is off.
func (s Stream) modes() []bool {
	switch s {
	case StreamOn:
		return []bool{true}
	case StreamBoth:
		return []bool{false, true}
	default:
		return []bool{false}
	}
}

// Suite asks scenarios. Client, BaseURL, Model, APIs and Scenarios are needed; the rest has working zero values.
type Suite struct {
	// Client sends the requests: a recording transport live, a replay transport offline. It must not follow redirects. Requests
	// carry labels in the header record.LabelHeader, which both take off.
	Client http.RoundTripper
	// BaseURL is the server's address without a path, such as http://localhost:52415. It shows in error texts, so offline it must be
	// the one that was recorded.
	BaseURL   string
	Model     string
	APIs      []tape.API
	Scenarios []Scenario
	// Repeat is how often each scenario is asked, Concurrency how many tasks run at once; less than 1 means 1.
	Repeat, Concurrency int
	// Timeout limits each operation (the response's head, each further piece of it), not the whole answer; 0 means [DefaultTimeout].
	Timeout time.Duration
	Stream  Stream
	// Verbose, when set, gets every request and response body.
	Verbose io.Writer
	// Now is the clock for latencies of a Client whose responses do not know their own; nil means time.Now.
	Now func() time.Time

	verbose sync.Mutex
}

// Task is one scenario asked once through one API: one or two verdicts.
type Task struct {
	Scenario Scenario
	API      tape.API
	Stream   bool
	// Repeat counts from 1.
	Repeat int
}

// Tasks lists what the suite asks, in sample order: repeat, scenario, API, whole before streamed.
func (s *Suite) Tasks() []Task {
	var tasks []Task
	for repeat := 1; repeat <= max(s.Repeat, 1); repeat++ {
		for _, scenario := range s.Scenarios {
			for _, api := range s.APIs {
				for _, stream := range s.Stream.modes() {
					tasks = append(tasks, Task{scenario, api, stream, repeat})
				}
			}
		}
	}
	return tasks
}

// Run asks everything and returns the verdicts in sample order. done, when not nil, is called with each task's verdicts as the task
// ends, in the order in which they end, never twice at once. When ctx ends, Run returns the verdicts of the tasks that were done, with
// the cause. A tape that cannot be read ends it too, with a [*tape.Error]: that says nothing about an answer.
func (s *Suite) Run(ctx context.Context, done func(Task, []score.Verdict)) ([]score.Verdict, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tasks := s.Tasks()
	outcomes := make([][]score.Verdict, len(tasks))
	next := make(chan int)
	var report sync.Mutex
	var workers sync.WaitGroup
	for range min(max(s.Concurrency, 1), len(tasks)) {
		workers.Go(func() {
			for i := range next {
				verdicts, err := s.task(ctx, tasks[i])
				if err != nil {
					stop(err) // unless ctx has ended, which is then why
					continue  // the task does not count
				}
				report.Lock()
				outcomes[i] = verdicts
				if done != nil {
					done(tasks[i], verdicts)
				}
				report.Unlock()
			}
		})
	}
	for i := range tasks {
		if ctx.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return slices.Concat(outcomes...), context.Cause(ctx)
}

// task asks one scenario, both phases of it where it has two. The error is that of ctx, or of a tape that cannot be read.
func (s *Suite) task(ctx context.Context, t Task) ([]score.Verdict, error) {
	req, err := firstRequest(t.API, s.Model, t.Scenario, t.Stream)
	first, call, err := s.phase(ctx, t, PhaseToolCall, req, err)
	if err != nil {
		return nil, err
	}
	if t.Scenario.ToolResult == nil || call == nil {
		return []score.Verdict{first}, nil
	}
	req, err = followUpRequest(t.API, s.Model, t.Scenario, *call, *t.Scenario.ToolResult, t.Stream)
	second, _, err := s.phase(ctx, t, PhaseFollowUp, req, err)
	if err != nil {
		return nil, err
	}
	return []score.Verdict{first, second}, nil
}

// phase asks one question and judges the answer, whose call it returns. cannot is why the question could not even be written. Errors quote
// answers, and end up in logs: what has the form of a secret is taken out of them.
func (s *Suite) phase(ctx context.Context, t Task, phase string, req *Request, cannot error) (score.Verdict, *Call, error) {
	v, call, err := s.answered(ctx, t, phase, req, cannot)
	if v.Error != nil {
		v.Error = new(redact.Text(*v.Error))
	}
	return v, call, err
}

func (s *Suite) answered(ctx context.Context, t Task, phase string, req *Request, cannot error) (score.Verdict, *Call, error) {
	v := score.Verdict{
		Sample:      t.Scenario.Name,
		Description: t.Scenario.Description,
		API:         t.API,
		Stream:      t.Stream,
		Repeat:      t.Repeat,
		Phase:       phase,
		Status:      score.OK,
	}
	if cannot != nil {
		v.Error = new("API error: " + cannot.Error())
		return v, nil, nil
	}
	reply, err := s.ask(ctx, t, phase, req)
	if ctx.Err() != nil {
		return v, nil, context.Cause(ctx)
	}
	if _, unreadable := errors.AsType[*tape.Error](err); unreadable {
		return v, nil, err
	}
	v.Exchanges = reply.exchanges
	if err != nil {
		v.Error, v.Status = explain(err)
		return v, nil, nil
	}
	j := judge(t.Scenario, phase, reply.answer)
	v.Checks, v.LatencyMS, v.Error = j.checks, reply.latencyMS, j.problem
	v.Passed = j.passed() && j.broken == nil
	if j.broken != nil {
		v.Error = new("Unusable answer: " + j.broken.Error())
	}
	return v, reply.answer.Call, nil
}

// explain words the error of an answer that could not be had.
func explain(err error) (*string, score.Status) {
	if _, missing := errors.AsType[*match.Miss](err); missing {
		return new(err.Error()), score.Missing
	}
	if _, ok := errors.AsType[*UnusableError](err); ok {
		return new("Unusable answer: " + err.Error()), score.OK
	}
	return new("API error: " + err.Error()), score.OK
}

// url is where a request of the suite goes.
func (s *Suite) url(path string) string { return strings.TrimSuffix(s.BaseURL, "/") + path }
