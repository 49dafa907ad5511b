package recorded_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

// deck is a data set with a tape of answers to it.
type deck struct {
	set       *dataset.Set
	materials *ask.Materials
	model     *acebenchtest.Model
	path      string
}

// newDeck returns a deck of some categories of a data set, all without any, with nothing on its tape.
func newDeck(t testing.TB, d *dataset.Dataset, language dataset.Language, categories ...dataset.Category) *deck {
	t.Helper()
	set, err := d.Load(language, categories...)
	if err != nil {
		t.Fatal(err)
	}
	materials, err := ask.LoadMaterials(d, language, true)
	if err != nil {
		t.Fatal(err)
	}
	return newDeckOf(t, set, materials)
}

func newDeckOf(t testing.TB, set *dataset.Set, materials *ask.Materials) *deck {
	return &deck{set, materials, acebenchtest.NewModel(set.Samples, materials), filepath.Join(t.TempDir(), "answers.tape")}
}

// realData is the benchmark's own data.
func realData(t testing.TB) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// settings are those of a run of everything in the deck.
func (d *deck) settings() *recorded.Settings {
	return &recorded.Settings{
		Language: d.set.Language,
		Repeat:   1,
		Agent:    ask.Endpoint{API: tape.OpenAI, Model: standin.DefaultModel},
		User:     &ask.Endpoint{API: tape.OpenAI, Model: acebenchtest.UserModel, Sampling: ask.UserSampling()},
		MaxSteps: 40,
	}
}

// record puts the answers of the model on the tape. change may change the suite before it asks; a foreign recording carries no labels.
func (d *deck) record(t testing.TB, foreign bool, change func(*ask.Suite)) {
	t.Helper()
	server := standin.New(d.model.Options())
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	settings := d.settings()
	settings.Agent.BaseURL, settings.User.BaseURL = server.URL(), server.URL()
	session := tape.Session{Upstream: server.URL()}
	if !foreign {
		session.Labels = settings.Labels()
	}
	recording := decktest.New(t, d.path, session)
	suite := settings.Suite(d.set.Samples, d.materials)
	suite.Client = acebenchtest.Named{Base: recording.Transport(t), Foreign: foreign}
	suite.Concurrency = 16
	if change != nil {
		change(suite)
	}
	if _, err := suite.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	recording.Close(t)
}

// play finds the answers on the tape. change may change how.
func (d *deck) play(t testing.TB, change func(*recorded.Game)) *recorded.Played {
	t.Helper()
	played, err := d.game(t, change).Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return played
}

func (d *deck) game(t testing.TB, change func(*recorded.Game)) *recorded.Game {
	t.Helper()
	tp, err := tape.Open(t.Context(), d.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tp.Close() })
	found, err := recorded.Find(t.Context(), tp, recorded.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	scorers := []*acebench.Scorer{acebench.NewScorer(d.set, rules.Evalscope)}
	g := &recorded.Game{
		Tape: tp, Found: found, Samples: d.set.Samples, Materials: d.materials, OnDiverge: recorded.Fail,
		Same: func(i int, a, b *acebench.Answer) bool { return sheet.Same(scorers, i, a, b) },
	}
	if change != nil {
		change(g)
	}
	return g
}

// verdicts judges what was played: by sample, "right", "wrong", or the status, then how far an agent came.
func (d *deck) verdicts(played *recorded.Played) map[string]string {
	scorer := acebench.NewScorer(d.set, rules.Evalscope)
	all := map[string]string{}
	for _, o := range played.Outcomes {
		v := string(o.Answer.Status)
		if o.Answer.Status == acebench.OK {
			r := scorer.Judge(o.Index, &o.Answer)
			v = "wrong"
			if r.Valid {
				v = "right"
			}
			if r.ProcessAcc != nil {
				v += fmt.Sprintf(" %.3f", *r.ProcessAcc)
			}
		}
		if before := all[o.Sample.ID]; before != "" {
			v = before + ", " + v
		}
		all[o.Sample.ID] = v
	}
	return all
}

// follow is a vector of a rollout along the milestones, with the reference's score.
type follow struct {
	ID       string
	Language dataset.Language
	Sample   string
	Script   struct{ Agent, User []string }
	Score    struct {
		Acc        float64 `json:"acc"`
		ProcessAcc float64 `json:"process_acc"`
	}
}

// follows are the vectors of a language that follow the first list of milestones, by sample.
func follows(t testing.TB, language dataset.Language) map[string]follow {
	t.Helper()
	all := map[string]follow{}
	shared.Lines(t, "golden/simenv/rollouts.jsonl", func(_ int, f follow) {
		if f.Language == language && strings.HasPrefix(f.ID, "follow/") && strings.HasSuffix(f.ID, "/0") {
			all[f.Sample] = f
		}
	})
	if len(all) != 50 {
		t.Fatalf("%d vectors, want 50", len(all))
	}
	return all
}

func (f follow) verdict() string {
	v := "wrong"
	if f.Score.Acc == 1 {
		v = "right"
	}
	return fmt.Sprintf("%s %.3f", v, f.Score.ProcessAcc)
}
