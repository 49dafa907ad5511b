package recorded

import (
	"context"
	"fmt"
	"runtime"

	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// OnDivergence says what becomes of a rollout that asks what the recording does not hold.
type OnDivergence string

const (
	// Fail lists it as diverged, without a verdict.
	Fail OnDivergence = "fail"
	// Trajectory executes the recorded messages of the agent in order regardless. The verdict is then open-loop: the agent did
	// not see what its calls now return.
	Trajectory OnDivergence = "trajectory"
)

// OnDivergenceOf reads the value of --on-divergence.
func OnDivergenceOf(name string) (OnDivergence, error) {
	switch d := OnDivergence(name); d {
	case Fail, Trajectory:
		return d, nil
	}
	return "", fmt.Errorf("unknown way to treat a divergence %q: choose fail or trajectory", name)
}

// Game is what is needed to play a recording.
type Game struct {
	Tape      Tape
	Found     *Found
	Samples   []*dataset.Sample
	Materials *ask.Materials
	OnDiverge OnDivergence
	// Model, when not "", is the only one whose answers count in a recording of another client.
	Model string
	// MaxSteps is the budget of rollouts of another client; 0 means the benchmark's.
	MaxSteps int
	// Same reports whether two answers to the i-th sample get the same verdict. Recordings of another client need it.
	Same func(i int, a, b *acebench.Answer) bool
	// Match is how requests of a run of this suite are matched; a redacted recording needs it.
	Match match.Options
}

// Played is what a recording holds.
type Played struct {
	Outcomes []ask.Outcome // by repeat, then by sample; of another client, only of samples that were asked
	Remarks  []string      // on the recording as a whole
}

// Play finds the answers to the samples.
func (g *Game) Play(ctx context.Context) (*Played, error) {
	if g.Found.Settings == nil {
		return g.foreign(ctx)
	}
	return g.own(ctx)
}

// own plays the recording of a run of this suite.
func (g *Game) own(ctx context.Context) (*Played, error) {
	settings := g.Found.Settings
	for _, e := range []*ask.Endpoint{&settings.Agent, settings.User} {
		if e == nil {
			continue
		}
		if err := e.Validate(); err != nil {
			return nil, fmt.Errorf("the labels of session %s are none of a run: %w", g.Found.Sessions[len(g.Found.Sessions)-1], err)
		}
	}
	part := &Part{Tape: g.Tape, Names: g.Found.Sessions}
	transport, err := replay.NewTransport(ctx, part, g.Match)
	if err != nil {
		return nil, err
	}
	suite := settings.Suite(g.Samples, g.Materials)
	suite.Recorded = transport
	// Each request is answered by its labels, so that who asks first makes no difference.
	suite.Concurrency = runtime.GOMAXPROCS(0)
	outcomes, err := suite.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	if g.OnDiverge == Trajectory {
		if err := g.openLoops(ctx, part, outcomes); err != nil {
			return nil, err
		}
	}
	return &Played{Outcomes: outcomes}, nil
}

// Suite returns a suite that asks what the settings say; it lacks its transports yet.
func (s *Settings) Suite(samples []*dataset.Sample, m *ask.Materials) *ask.Suite {
	return &ask.Suite{
		Samples:   samples,
		Materials: m,
		Agent:     s.Agent,
		User:      s.User,
		Stream:    s.Stream,
		MaxSteps:  s.MaxSteps,
		Repeat:    s.Repeat,
	}
}
