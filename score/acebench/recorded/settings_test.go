package recorded_test

import (
	"context"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
)

// sessions is a tape that holds sessions and nothing in them.
type sessions []tape.Session

func (s sessions) Sessions(context.Context) ([]tape.Session, error) { return s, nil }
func (s sessions) Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(func(*tape.Exchange, error) bool) {}
}
func (s sessions) Body(context.Context, tape.Body) (io.ReadCloser, error) { return nil, io.EOF }

func settings(change func(*recorded.Settings)) *recorded.Settings {
	s := &recorded.Settings{
		Language:   dataset.Chinese,
		Categories: []dataset.Category{dataset.AtomBool, dataset.AgentMultiTurn},
		Limit:      3,
		Repeat:     2,
		Agent: ask.Endpoint{BaseURL: "http://h:1", API: tape.Claude, Model: "m",
			Sampling: ask.Sampling{Temperature: new(0.001), TopP: new(0.9), MaxTokens: new(int64(100))}},
		User:     &ask.Endpoint{BaseURL: "http://u:1", API: tape.OpenAI, Model: "u", Sampling: ask.UserSampling()},
		Stream:   true,
		MaxSteps: 40,
		Data:     "sha256:00",
	}
	if change != nil {
		change(s)
	}
	return s
}

func TestSettingsComeBackFromTheTape(t *testing.T) {
	for name, want := range map[string]*recorded.Settings{
		"all": settings(nil),
		"no user": settings(func(s *recorded.Settings) {
			s.User, s.Stream, s.Agent.Sampling = nil, false, ask.Sampling{Seed: new(int64(-4))}
		}),
	} {
		found, err := recorded.Find(t.Context(), sessions{{Name: "s1", Labels: want.Labels()}}, recorded.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, found.Settings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFind(t *testing.T) {
	run := func(name string, change func(*recorded.Settings)) tape.Session {
		return tape.Session{Name: name, Labels: settings(change).Labels()}
	}
	all := sessions{
		run("first", func(s *recorded.Settings) { s.Categories, s.Limit, s.Agent.BaseURL = nil, 0, "http://elsewhere:2" }),
		run("hot", func(s *recorded.Settings) { s.Agent.Sampling.Temperature = new(1.0) }),
		run("english", func(s *recorded.Settings) { s.Language = dataset.English }),
		run("other", func(s *recorded.Settings) { s.Agent.Model = "n" }),
		run("last", nil),
		{Name: "foreign", Labels: map[string]string{"suite": "exo", "model": "m"}},
	}
	for _, tt := range []struct {
		name   string
		choice recorded.Choice
		want   []string // sessions
		own    bool
	}{
		{"latest, with those that asked the same", recorded.Choice{}, []string{"first", "last"}, true},
		{"language", recorded.Choice{Language: dataset.English}, []string{"english"}, true},
		{"model", recorded.Choice{Model: "n"}, []string{"other"}, true},
		{"session", recorded.Choice{Session: "last"}, []string{"last"}, true},
		{"session of another client", recorded.Choice{Session: "foreign"}, []string{"foreign"}, false},
		{"session that is not there", recorded.Choice{Session: "none"}, []string{"none"}, false},
		{"model that no run asked", recorded.Choice{Model: "x"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := recorded.Find(t.Context(), all, tt.choice)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, found.Sessions); diff != "" || (found.Settings != nil) != tt.own {
				t.Errorf("settings %v, sessions (-want +got):\n%s", found.Settings, diff)
			}
		})
	}
	earlier, err := recorded.Earlier(t.Context(), all, settings(nil))
	if diff := cmp.Diff([]string{"first", "last"}, earlier); diff != "" || err != nil {
		t.Errorf("error %v, earlier (-want +got):\n%s", err, diff)
	}
}

func TestSelect(t *testing.T) {
	set, err := dataset.Mini().Load(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	limited := (&recorded.Settings{Limit: 2}).Select(set.Samples)
	if len(limited) != 2*17 || len((&recorded.Settings{}).Select(set.Samples)) != len(set.Samples) {
		t.Errorf("%d samples, want two of each category", len(limited))
	}
}

func TestOnDivergenceOf(t *testing.T) {
	if d, err := recorded.OnDivergenceOf("trajectory"); d != recorded.Trajectory || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	if _, err := recorded.OnDivergenceOf("guess"); err == nil || err.Error() != `unknown way to treat a divergence "guess": choose fail or trajectory` {
		t.Errorf("error %v", err)
	}
}

// TestLabelsOfNoRun: a session whose labels name an endpoint that cannot be asked is refused, before anything is looked for in it.
func TestLabelsOfNoRun(t *testing.T) {
	for name, change := range map[string]func(*recorded.Settings){
		"address":         func(s *recorded.Settings) { s.Agent.BaseURL = "http://my host:1" },
		"API of the user": func(s *recorded.Settings) { s.User.API = "gopher" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDeck(t, dataset.Mini(), dataset.English, dataset.AtomBool)
			d.record(t, false, nil)
			g := d.game(t, func(g *recorded.Game) { change(g.Found.Settings) })
			_, err := g.Play(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), "the labels of session "+g.Found.Sessions[0]+" are none of a run: ") {
				t.Errorf("error %v", err)
			}
		})
	}
}
