// Package acebenchtest plays models for tests of recordings: one that knows the right answers to a data set, behind a stand-in server.
package acebenchtest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// UserModel is the model that a [Model] takes for the one that plays the user.
const UserModel = "the-user"

// Model knows the right answers to the samples of a set.
type Model struct {
	samples []*dataset.Sample
	asked   map[string]*dataset.Sample // normal and special samples by their user message
	// Lines are what the agent of a sample says, by id. [NewModel] fills in the first list of milestones.
	Lines map[string][]string
	// Change, when not nil, may change the reply to a request. sample is nil when the model does not know what it is about.
	Change func(sample *dataset.Sample, a standin.Ask, r standin.Reply) standin.Reply
}

// NewModel returns a model for the samples.
func NewModel(samples []*dataset.Sample, m *ask.Materials) *Model {
	model := &Model{samples: samples, asked: map[string]*dataset.Sample{}, Lines: map[string][]string{}}
	for _, s := range samples {
		if s.Category.Family() == dataset.Agent {
			model.Lines[s.ID] = append(milestones(s), rollout.FinishMarker)
			continue
		}
		_, user := m.Single.Build(s)
		model.asked[user] = s
	}
	return model
}

func milestones(s *dataset.Sample) []string {
	list := s.MileStone.(*pyvalue.List)
	if nested, ok := list.Items[0].(*pyvalue.List); ok {
		list = nested
	}
	var lines []string
	for _, line := range list.Items {
		lines = append(lines, pyvalue.String(line))
	}
	return lines
}

// Options are those of a server that runs [standin.DefaultModel] and [UserModel], both played by the model.
func (m *Model) Options() standin.Options {
	c := standin.OneNode()
	user := c.Models[0]
	user.ID = UserModel
	c.Models = append(c.Models, user)
	c.Nodes[0].Downloads = append(c.Nodes[0].Downloads, standin.Download{Model: UserModel, State: standin.DownloadCompleted})
	c.Ready = append(c.Ready, UserModel)
	return standin.Options{Script: m.Reply, Cluster: c}
}

// Reply answers as a [standin.Script]. It knows samples by the header that [Named] adds, else by what they are asked with.
func (m *Model) Reply(a standin.Ask) standin.Reply {
	sample, text := m.answer(a)
	r := standin.Say(text)
	if m.Change != nil {
		r = m.Change(sample, a, r)
	}
	return r
}

func (m *Model) answer(a standin.Ask) (*dataset.Sample, string) {
	name := strings.Split(a.Header.Get(nameHeader), " ") // sample, and for agents who is asked at which step
	if a.Model == UserModel {
		if a.FirstUser == a.LastUser {
			return m.sample(name[0]), "Hello."
		}
		return m.sample(name[0]), rollout.FinishMarker
	}
	if s := m.sample(name[0]); s != nil && len(name) == 3 {
		step, _ := strconv.Atoi(name[2]) // Named wrote it
		return s, m.line(s, step/2)
	}
	if s := m.asked[a.LastUser]; s != nil {
		return s, Right(s)
	}
	for _, s := range m.samples {
		switch {
		case s.Category == dataset.AgentMultiStep && strings.Contains(a.LastUser, "user:"+s.Question+"\n"):
			return s, m.line(s, strings.Count(a.LastUser, "execution result:"))
		case s.Category == dataset.AgentMultiTurn && strings.Contains(a.LastUser, pyvalue.Repr(s.Function)):
			return s, m.line(s, strings.Count(a.LastUser, "\nexecution:"))
		}
	}
	return nil, "This is no question of the set."
}

func (m *Model) sample(id string) *dataset.Sample {
	i := slices.IndexFunc(m.samples, func(s *dataset.Sample) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return m.samples[i]
}

// line is the n-th thing that the agent says; after all of them it ends.
func (m *Model) line(s *dataset.Sample, n int) string {
	if lines := m.Lines[s.ID]; n < len(lines) {
		return lines[n]
	}
	return rollout.FinishMarker
}

// Right is a right answer to a normal or special sample.
func Right(s *dataset.Sample) string {
	truth := s.GroundTruth
	if list, ok := truth.(*pyvalue.List); ok {
		truth = list.Items[0]
	}
	entries, ok := truth.(*pyvalue.Dict)
	if !ok {
		return pyvalue.String(truth)
	}
	var parts []string
	for name, value := range entries.All() {
		switch s.Category {
		case dataset.Incomplete, dataset.ErrorParam:
			for _, v := range value.(*pyvalue.List).Items {
				parts = append(parts, pyvalue.String(name), pyvalue.String(v))
			}
		}
	}
	switch s.Category {
	case dataset.Incomplete:
		return "Missing necessary parameters: " + strings.Join(parts, " ")
	case dataset.ErrorParam:
		return "There is incorrect value: " + strings.Join(parts, " ")
	}
	return dataset.AnswerOf(s.Expected(truth), pyvalue.Repr)
}

// nameHeader tells a [Model] which question it is asked.
const nameHeader = "X-Question"

// Named tells the server which question it is asked, which the labels that the recorder takes off do not. Foreign also takes off the
// labels, so that the recording is as another client's.
type Named struct {
	Base    http.RoundTripper
	Foreign bool
}

// RoundTrip implements [http.RoundTripper].
func (n Named) RoundTrip(req *http.Request) (*http.Response, error) {
	labels := record.LabelsOf(req.Header, nil)
	name := labels["sample"]
	if labels["to"] != "" {
		name += " " + labels["to"] + " " + labels["step"]
	}
	req.Header.Set(nameHeader, name)
	if n.Foreign {
		req.Header.Del(record.LabelHeader)
	}
	return n.Base.RoundTrip(req)
}
