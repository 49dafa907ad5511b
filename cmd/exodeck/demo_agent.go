package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/score/acebench/sheet"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// demoAgent is the rollout of the demonstration: the first task of the built-in agents.
type demoAgent struct {
	path      string
	set       *dataset.Set
	materials *ask.Materials
	settings  recorded.Settings
}

// demoLines are what the scripted agent says, in turn.
var demoLines = []string{
	"[turn_on_wifi()]",
	"[get_earliest_message_id()]",
	"[delete_message(message_id=1)]",
	"[send_message(sender_name='Ada', receiver_name='Chloé', message='Soup at six')]",
	rollout.FinishMarker,
}

func newDemoAgent(path string) (*demoAgent, error) {
	d := dataset.Mini()
	set, err := d.Load(dataset.English, dataset.AgentMultiStep)
	if err != nil {
		return nil, err
	}
	a := &demoAgent{path: path, set: set, settings: recorded.Settings{
		Language:   dataset.English,
		Categories: []dataset.Category{dataset.AgentMultiStep},
		Limit:      1,
		Repeat:     1,
		MaxSteps:   rollout.DefaultMaxSteps,
		Agent:      ask.Endpoint{API: tape.OpenAI, Model: standin.DefaultModel},
		Data:       set.Digest,
	}}
	set.Samples = a.settings.Select(set.Samples)
	a.materials, err = ask.MaterialsFor(d, set)
	return a, err
}

// record plays the rollout with a scripted model, onto the tape.
func (a *demoAgent) record(ctx context.Context, e env) (err error) {
	exo := standin.New(standin.Options{Script: func(q standin.Ask) standin.Reply {
		turn := strings.Count(q.LastUser, "execution result:")
		return standin.Say(demoLines[min(turn, len(demoLines)-1)])
	}})
	if err := exo.Start(ctx); err != nil {
		return err
	}
	defer exo.Close()
	a.settings.Agent.BaseURL = exo.URL()
	d, err := openDeck(ctx, a.path, tape.Session{Upstream: exo.URL(), Version: version(), Labels: a.settings.Labels()}, e)
	if err != nil {
		return err
	}
	defer func() { err = both(err, d.close()) }()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	suite := a.settings.Suite(a.set.Samples, a.materials)
	suite.Client = &record.Transport{Base: base, Session: d.session, Redactor: d.redactor}
	_, err = suite.Run(ctx, nil)
	return err
}

// score plays the rollout again from the tape and prints what was said and the verdict.
func (a *demoAgent) score(ctx context.Context, e env) error {
	t, err := tape.Open(ctx, a.path)
	if err != nil {
		return err
	}
	defer t.Close()
	s, err := offline.Scoring{OnDiverge: recorded.Fail, Sheet: sheet.Options{Version: version()}}.Score(ctx, t, dataset.Mini())
	if err != nil {
		return err
	}
	o, verdict := &s.Outcomes[0], s.Runs[0].File.Samples[0]
	if o.Answer.Status != acebench.OK || !verdict.Valid {
		return errors.New("the agent's rollout does not come to its right end from the tape: " + o.Answer.Note + verdict.Error)
	}
	fmt.Fprintf(e.stdout, "\nan agent on a simulated phone (%s):\n", o.Sample.ID)
	for _, entry := range o.Rollout.Trajectory {
		fmt.Fprintf(e.stdout, "  %-8s  %s\n", entry.From, cut(entry.Text, 88))
	}
	_, err = fmt.Fprintf(e.stdout, "end state right, %d messages executed\n", len(o.Rollout.Process))
	return err
}
