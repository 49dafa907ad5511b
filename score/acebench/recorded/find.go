package recorded

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// Tape is what answers are found on; a [tape.Tape] is one.
type Tape interface {
	Sessions(ctx context.Context) ([]tape.Session, error)
	Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error]
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Tape = (*tape.Tape)(nil)

// ErrNothingRecorded means that a tape holds no answer to any sample.
var ErrNothingRecorded = errors.New("the tape holds no answers to ACEBench samples")

// Found is what can be scored on a tape.
type Found struct {
	// Settings of the run that filled it; nil when another client did.
	Settings *Settings
	// Sessions that take part; none means all.
	Sessions []string
}

// Choice says which of several recordings on a tape is meant. What is "" is left open.
type Choice struct {
	Session, Model string
	Language       dataset.Language
}

// takes reports whether a session of this suite is one that is meant.
func (c Choice) takes(name string, s *Settings) bool {
	return (c.Session == "" || c.Session == name) && (c.Model == "" || c.Model == s.Agent.Model) && (c.Language == "" || c.Language == s.Language)
}

// Find tells what a tape can be scored for: the latest run of this suite, with the earlier ones that asked the same, or else all of the
// tape, which another client filled. Whether a session that was chosen is there is not looked at: if not, it holds no answers.
func Find(ctx context.Context, t Tape, choice Choice) (*Found, error) {
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for i, s := range slices.Backward(sessions) {
		settings, ok := settingsOf(s.Labels)
		if !ok || !choice.takes(s.Name, settings) {
			continue
		}
		found := &Found{Settings: settings, Sessions: []string{s.Name}}
		if choice.Session == "" {
			found.Sessions = same(sessions[:i+1], s.Labels)
		}
		return found, nil
	}
	if choice.Session != "" {
		return &Found{Sessions: []string{choice.Session}}, nil
	}
	return &Found{}, nil
}

// Earlier returns the sessions of a tape whose answers hold for a run with the settings.
func Earlier(ctx context.Context, t Tape, s *Settings) ([]string, error) {
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	return same(sessions, s.Labels()), nil
}

func same(sessions []tape.Session, labels map[string]string) []string {
	var names []string
	for _, s := range sessions {
		if s.Labels[labelSuite] == ask.Name && sameQuestions(s.Labels, labels) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Part is the part of a tape that some sessions are, or all of it; it is what a replay transport reads.
type Part struct {
	Tape
	Names []string // of the sessions; none means all
	// Only, when not nil, says of each exchange whether it takes part.
	Only func(*tape.Exchange) bool
}

// Exchanges yields the exchanges of the sessions in recorded order. It asks the tape once, however many they are: each question makes a
// tape list all of its sessions.
func (p *Part) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	named := map[string]bool{}
	for _, name := range p.Names {
		named[name] = true
	}
	if len(p.Names) > 0 {
		q.Session = ""
	}
	if len(p.Names) == 1 {
		q.Session = p.Names[0]
	}
	return func(yield func(*tape.Exchange, error) bool) {
		for x, err := range p.Tape.Exchanges(ctx, q) {
			if err == nil && (len(named) > 0 && !named[x.Session] || p.Only != nil && !p.Only(x)) {
				continue
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}
