package ask_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// asked counts the questions to a transport.
type asked struct {
	http.RoundTripper
	n atomic.Int64
}

func (a *asked) RoundTrip(req *http.Request) (*http.Response, error) {
	a.n.Add(1)
	return a.RoundTripper.RoundTrip(req)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestLastingErrors: an error that asking again does not change is the error of each question, which is asked once.
func TestLastingErrors(t *testing.T) {
	failing := recordedFailures(t)
	for _, tt := range []struct {
		name     string
		recorded http.RoundTripper
		change   func(*ask.Suite)
		times    int64 // that each sample's question is asked
		note     string
	}{
		{"the tape cannot be read", roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("reading the tape: input/output error")
		}), nil, 1, "reading the tape: input/output error"},
		{"the address is none", failing, func(s *ask.Suite) { s.Agent.BaseURL = "http://my host:1" }, 0, `invalid character " " in host name`},
		{"the API is none", failing, func(s *ask.Suite) { s.Agent.API = "gopher" }, 0, `unknown API "gopher"`},
		// The failure is used again and again.
		{"one failure for all", failing, nil, 2, "the server answered 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, suite := mini(t, dataset.English)
			suite.Samples = suite.Samples[:1]
			suite.Agent.BaseURL = "http://recorded"
			if tt.change != nil {
				tt.change(suite)
			}
			counted := &asked{RoundTripper: tt.recorded}
			suite.Recorded = counted
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			outcomes, err := suite.Run(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer := outcomes[0].Answer
			if answer.Status != acebench.Missing || !strings.Contains(answer.Note, tt.note) {
				t.Errorf("%s: %s, want a note with %q", answer.Status, answer.Note, tt.note)
			}
			if got := counted.n.Load(); got != tt.times {
				t.Errorf("asked %d times, want %d", got, tt.times)
			}
		})
	}
}

// recordedFailures returns a transport over a tape with one failed answer to each sample, which answers as often as it is asked.
func recordedFailures(t *testing.T) http.RoundTripper {
	set, suite := mini(t, dataset.English)
	suite.Samples = suite.Samples[:1]
	model := acebenchtest.NewModel(set.Samples, suite.Materials)
	model.Change = func(_ *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
		return standin.Status500.Apply(r)
	}
	serve(t, suite, model)
	path := filepath.Join(t.TempDir(), "failed.tape")
	live(t, suite, path, named)
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tp.Close() })
	transport, err := replay.NewTransport(t.Context(), tp, match.Options{Reuse: true})
	if err != nil {
		t.Fatal(err)
	}
	return transport
}
