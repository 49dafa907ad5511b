package recorded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

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

// AmbiguousError means that the tape leaves something open that its user has to say.
type AmbiguousError struct {
	// What is open, such as "model", and the flag that says it.
	What, Flag string
	Choices    []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the tape holds answers of more than one %s: choose one with %s: %s", e.What, e.Flag, strings.Join(e.Choices, ", "))
}

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
// tape, which another client filled.
func Find(ctx context.Context, t Tape, choice Choice) (*Found, error) {
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	if choice.Session != "" && !slices.ContainsFunc(sessions, func(s tape.Session) bool { return s.Name == choice.Session }) {
		return nil, fmt.Errorf("the tape has no session %q; exodeck tape stats lists those it has", choice.Session)
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

// Exchanges yields the exchanges of the sessions in recorded order.
func (p *Part) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		sessions := p.Names
		if len(sessions) == 0 {
			sessions = []string{q.Session}
		}
		for _, q.Session = range sessions {
			for x, err := range p.Tape.Exchanges(ctx, q) {
				if err == nil && p.Only != nil && !p.Only(x) {
					continue
				}
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}
