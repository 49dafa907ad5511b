package recorded_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// TestRecordingOfAnotherClient: without any label, every sample finds its answer by what was asked.
func TestRecordingOfAnotherClient(t *testing.T) {
	for _, tt := range []struct {
		name     string
		language dataset.Language
		change   func(*ask.Suite)
	}{
		{"English", dataset.English, nil},
		{"Chinese, streamed", dataset.Chinese, func(s *ask.Suite) { s.Stream = true }},
		{"Claude", dataset.English, func(s *ask.Suite) { s.Agent.API, s.User.API = tape.Claude, tape.Claude }},
		{"Responses", dataset.English, func(s *ask.Suite) { s.Agent.API, s.User.API = tape.Responses, tape.Responses }},
		{"Ollama", dataset.English, func(s *ask.Suite) { s.Agent.API, s.User.API = tape.Ollama, tape.Ollama }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t, dataset.Mini(), tt.language)
			d.record(t, true, tt.change)
			played := d.play(t, nil)
			got := d.verdicts(played)
			for _, s := range d.set.Samples {
				if v := got[s.ID]; v != "right" && v != "right 1.000" {
					t.Errorf("%s: %q", s.ID, v)
				}
			}
			for _, o := range played.Outcomes {
				if user := o.Sample.Category == dataset.AgentMultiTurn; user != (len(o.Played) > 0) || len(o.Played) >= len(o.Exchanges) {
					t.Errorf("%s: of %d exchanges a model plays the user in %d", o.Sample.ID, len(o.Exchanges), len(o.Played))
				}
				if len(o.Exchanges) == 0 || o.OpenLoop || o.Remark != "" {
					t.Errorf("%s: exchanges %v, open loop %t, remark %q", o.Sample.ID, o.Exchanges, o.OpenLoop, o.Remark)
				}
			}
		})
	}
}

func TestRepeatsOfAnotherClient(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English)
	d.record(t, true, func(s *ask.Suite) { s.Repeat = 3 })
	used := map[tape.Ref]string{}
	for _, o := range d.play(t, nil).Outcomes {
		for _, x := range o.Exchanges {
			if used[x] != "" {
				t.Errorf("exchange %v serves %s and %s", x, used[x], o.Sample.ID)
			}
			used[x] = o.Sample.ID
		}
	}
	for id, v := range d.verdicts(d.play(t, nil)) {
		if v != "right, right, right" && v != "right 1.000, right 1.000, right 1.000" {
			t.Errorf("%s: %q", id, v)
		}
	}
}

// TestRealRollouts: the rollouts of all 50 real samples score as the reference's. 39 of them open like another.
func TestRealRollouts(t *testing.T) {
	apart := func(s *dataset.Sample, a standin.Ask, r standin.Reply) standin.Reply {
		if a.Model == acebenchtest.UserModel && a.FirstUser == a.LastUser {
			return standin.Say("Hello, I come because of " + s.ID + ".")
		}
		return r
	}
	for _, tt := range []struct {
		name        string
		foreign     bool
		concurrency int
		change      func(*dataset.Sample, standin.Ask, standin.Reply) standin.Reply
		ambiguous   int // at most
	}{
		{"by label, 16 at once", false, 16, nil, 0},
		{"by what they ask, one after the other", true, 1, nil, 3},
		{"by what they ask, 16 at once", true, 16, apart, 8},
		{"by what they ask, 16 at once, all users alike", true, 16, nil, 50},
	} {
		for _, language := range dataset.Languages() {
			t.Run(tt.name+", "+string(language), func(t *testing.T) {
				d := newDeck(t, realData(t), language, dataset.AgentMultiStep, dataset.AgentMultiTurn)
				want := map[string]string{}
				for id, f := range follows(t, language) {
					d.model.Lines[id] = f.Script.Agent
					want[id] = f.verdict()
				}
				d.model.Change = tt.change
				d.record(t, tt.foreign, func(s *ask.Suite) { s.Concurrency = tt.concurrency })
				played := d.play(t, nil)
				got := d.verdicts(played)
				ambiguous := 0
				for _, o := range played.Outcomes {
					if o.Answer.Status == acebench.Ambiguous {
						ambiguous++
						got[o.Sample.ID] = want[o.Sample.ID]
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				t.Logf("%d ambiguous", ambiguous)
				if ambiguous > tt.ambiguous {
					t.Errorf("%d are ambiguous, want at most %d", ambiguous, tt.ambiguous)
				}
			})
		}
	}
}

// TestTwinsShareAnAnswer: of samples that are asked the same each takes its own recorded answer, or shares the only one and says so.
func TestTwinsShareAnAnswer(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English, dataset.AtomBool)
	twin := *d.set.Samples[0]
	twin.ID = "normal_atom_bool_9"
	set := dataset.Set{Language: d.set.Language, Samples: append(slices.Clone(d.set.Samples), &twin)}
	d.record(t, true, func(s *ask.Suite) { s.Concurrency = 1 })
	d.set = &set
	shared := 0
	for _, o := range d.play(t, nil).Outcomes {
		if strings.Contains(o.Remark, "both are asked the same") {
			shared++
		}
	}
	if got := d.verdicts(d.play(t, nil)); shared != 2 || got[twin.ID] != "right" || got[d.set.Samples[0].ID] != "right" {
		t.Errorf("%d share, verdicts %v", shared, got)
	}

	d.record(t, true, func(s *ask.Suite) { s.Samples, s.Concurrency = []*dataset.Sample{&twin}, 1 })
	seen := map[tape.Ref]bool{}
	for _, o := range d.play(t, nil).Outcomes {
		if seen[o.Exchanges[0]] {
			t.Errorf("%s shares its answer although there is one for each", o.Sample.ID)
		}
		seen[o.Exchanges[0]] = true
	}
}

func TestFailedRequestsAreNoAnswers(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English, dataset.AtomBool)
	d.model.Change = func(s *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
		return standin.Status500.Apply(r)
	}
	d.record(t, true, func(s *ask.Suite) { s.Samples = s.Samples[:2] })
	d.model.Change = nil
	d.record(t, true, func(s *ask.Suite) { s.Samples = s.Samples[1:2] })
	want := map[string]string{d.set.Samples[0].ID: "missing", d.set.Samples[1].ID: "right"}
	if diff := cmp.Diff(want, d.verdicts(d.play(t, nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeveralModels(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English, dataset.AtomBool)
	options := func(s *ask.Suite) { s.Concurrency = 1 }
	d.record(t, true, options)
	d.record(t, true, func(s *ask.Suite) { s.Agent.Model = "the-user" })
	_, err := d.game(t, nil).Play(t.Context())
	var ambiguous *score.AmbiguousError
	if !errors.As(err, &ambiguous) || err.Error() != "the tape holds answers of more than one model: choose one with --model: standin/Echo-1B-4bit, the-user" {
		t.Errorf("error %v", err)
	}
	if got := d.verdicts(d.play(t, func(g *recorded.Game) { g.Model = standin.DefaultModel })); len(got) != 3 {
		t.Errorf("verdicts %v", got)
	}
	if _, err := d.game(t, func(g *recorded.Game) { g.Model = "other" }).Play(t.Context()); !errors.Is(err, recorded.ErrNothingRecorded) {
		t.Errorf("error %v", err)
	}
}

func TestLanguagesByPrompts(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.Chinese)
	d.record(t, true, nil)
	g := d.game(t, nil)
	samples := map[dataset.Language][]*dataset.Sample{}
	materials := map[dataset.Language]*ask.Materials{}
	for _, l := range dataset.Languages() {
		other := newDeck(t, dataset.Mini(), l)
		samples[l], materials[l] = other.set.Samples, other.materials
	}
	counts, err := recorded.Languages(t.Context(), g.Tape, g.Found, samples, materials)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[dataset.Language]int{dataset.Chinese: 57}, counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAmbiguousRollouts: two samples that ask the same all the way, and whose answers give them different verdicts, cannot be told apart.
func TestAmbiguousRollouts(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English, dataset.AgentMultiStep)
	first, twin := d.set.Samples[0], *d.set.Samples[0]
	twin.ID = "agent_multi_step_9"
	// The twin is to leave everything as it was.
	twin.GroundTruth = pyvalue.NewList(pyvalue.DictOf("BaseApi", pyvalue.DictOf("wifi", pyvalue.Bool(false), "logged_in", pyvalue.Bool(true))), pyvalue.DictOf("MessageApi", pyvalue.NewDict()))
	d.set = &dataset.Set{Language: d.set.Language, Samples: []*dataset.Sample{first, &twin}}
	lines := d.model.Lines[first.ID]
	d.model = nil
	for _, tt := range []struct {
		name  string
		twin  []string
		want  map[string]string
		notes int
	}{
		{"same answers", lines, map[string]string{first.ID: "right 1.000", twin.ID: "wrong 1.000"}, 0},
		{"other answers", []string{"[turn_on_wifi()]", "finish conversation"}, map[string]string{first.ID: "ambiguous", twin.ID: "ambiguous"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeckOf(t, d.set, d.materials)
			d.model.Lines[first.ID], d.model.Lines[twin.ID] = lines, tt.twin
			d.record(t, true, nil)
			played := d.play(t, nil)
			got := d.verdicts(played)
			for id, want := range tt.want {
				if !strings.HasPrefix(got[id], strings.Fields(want)[0]) {
					t.Errorf("%s: %q, want %q", id, got[id], want)
				}
			}
			notes := 0
			for _, o := range played.Outcomes {
				if o.Answer.Status == acebench.Ambiguous && strings.Contains(o.Answer.Note, "different verdicts") {
					notes++
				}
			}
			if notes != tt.notes {
				t.Errorf("%d notes, want %d", notes, tt.notes)
			}
		})
	}
}

// TestUserIsNotOnTheTape: without the user's side the dialogues of agents cannot be told, and a remark says why.
func TestUserIsNotOnTheTape(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English, dataset.AgentMultiStep, dataset.AgentMultiTurn)
	d.record(t, true, nil)
	g := d.game(t, nil)
	whole := g.Tape
	g.Tape = &recorded.Part{Tape: whole, Only: func(x *tape.Exchange) bool { return x.Facts.Model != acebenchtest.UserModel }}
	played, err := g.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(played.Outcomes) != 3 || len(played.Remarks) != 1 || !strings.Contains(played.Remarks[0], "the user's side of agent_multi_turn is not on the tape") {
		t.Errorf("%d outcomes, remarks %q", len(played.Outcomes), played.Remarks)
	}
}
