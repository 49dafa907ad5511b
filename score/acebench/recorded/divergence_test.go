package recorded_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// changed returns materials whose English world has another text.
func changed(t *testing.T, m *ask.Materials, old, new string) *ask.Materials {
	t.Helper()
	tables, err := dataset.Mini().World(dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.ReplaceAll(tables, []byte(old), []byte(new))
	if bytes.Equal(other, tables) {
		t.Fatalf("the world does not say %q", old)
	}
	world, err := simenv.ReadWorld("en", other)
	if err != nil {
		t.Fatal(err)
	}
	c := *m
	c.Worlds = maps.Clone(m.Worlds)
	c.Worlds["en"] = world
	return &c
}

// TestChangedSimulatorText: when the simulator says something else than it did, the rollout diverges at the step that shows it.
func TestChangedSimulatorText(t *testing.T) {
	const id = "agent_multi_step_1"
	for _, foreign := range []bool{false, true} {
		name := "by label"
		if foreign {
			name = "by what they ask"
		}
		t.Run(name, func(t *testing.T) {
			d := newDeck(t, dataset.Mini(), dataset.English, dataset.AgentMultiStep)
			lines := d.model.Lines[id]
			d.model.Lines[id] = append([]string{"[turn_on_wifi()]", "[get_products(merchant_name='Corner Bakery')]"}, lines...)
			d.record(t, foreign, nil)
			if got := d.verdicts(d.play(t, nil))[id]; got != "right 1.000" {
				t.Fatalf("before the change: %q", got)
			}

			d.materials = changed(t, d.materials, "Plum Cake", "Pear Cake")
			var diverged *ask.Outcome
			played := d.play(t, nil)
			for i := range played.Outcomes {
				if o := &played.Outcomes[i]; o.Sample.ID == id {
					diverged = o
				} else if o.Answer.Status != acebench.OK {
					t.Errorf("%s: %s: %s", o.Sample.ID, o.Answer.Status, o.Answer.Note)
				}
			}
			if diverged == nil || diverged.Answer.Status != acebench.Diverged || diverged.Divergence == nil {
				t.Fatalf("outcome %+v", diverged)
			}
			v := diverged.Divergence
			if v.Step != 4 || v.To != rollout.Agent || v.Nearest == nil {
				t.Errorf("divergence %+v", v)
			}
			for text, want := range map[string]string{v.Recorded: "Plum Cake", v.Asked: "Pear Cake", v.Diff: "Pear Cake", diverged.Answer.Note: "Pear Cake"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q does not say %q", text, want)
				}
			}

			loop := d.play(t, func(g *recorded.Game) { g.OnDiverge = recorded.Trajectory })
			for _, o := range loop.Outcomes {
				if o.OpenLoop != (o.Sample.ID == id) {
					t.Errorf("%s: open loop %t", o.Sample.ID, o.OpenLoop)
				}
				if o.Sample.ID == id && len(o.Exchanges) != len(d.model.Lines[id]) {
					t.Errorf("%d exchanges, want %d", len(o.Exchanges), len(d.model.Lines[id]))
				}
			}
			if got := d.verdicts(loop)[id]; got != "right 1.000" {
				t.Errorf("open loop: %q", got)
			}
		})
	}
}

// TestRecordingThatEnds: a rollout whose recording was cut off is missing and not diverged.
func TestRecordingThatEnds(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		d := newDeck(t, dataset.Mini(), dataset.English, dataset.AgentMultiStep)
		d.record(t, foreign, func(s *ask.Suite) { s.MaxSteps = 4 })
		for _, o := range d.play(t, nil).Outcomes {
			if len(d.model.Lines[o.Sample.ID]) <= 2 {
				continue // it came to its end in time
			}
			if o.Answer.Status != acebench.Missing || o.Answer.Note == "" || !strings.Contains(o.Answer.Note, "the recording of the rollout ends before step 4") {
				t.Errorf("foreign %t: %s: %s: %s", foreign, o.Sample.ID, o.Answer.Status, o.Answer.Note)
			}
		}
	}
}

// TestGapsAreToldAlike: what is said of samples that the recording lacks does not depend on which of those that are alike is asked first.
func TestGapsAreToldAlike(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English)
	var twins, kept []*dataset.Sample
	for _, s := range d.set.Samples {
		if s.Category.Family() == dataset.Agent {
			continue
		}
		for i := range 8 {
			twin := *s
			twin.ID = fmt.Sprintf("%s_%d", s.ID, i)
			if twins = append(twins, &twin); len(twins)%5 != 0 {
				kept = append(kept, &twin)
			}
		}
	}
	d.set.Samples = twins
	d.record(t, false, func(s *ask.Suite) { s.Samples, s.Concurrency = kept, 1 })
	notes := func() (all []string) {
		for _, o := range d.play(t, func(g *recorded.Game) { g.Samples = twins }).Outcomes {
			all = append(all, o.Sample.ID+": "+o.Answer.Note)
		}
		return all
	}
	want := notes()
	for range 8 {
		if diff := cmp.Diff(want, notes()); diff != "" {
			t.Fatalf("two passes over a recording differ:\n%s", diff)
		}
	}
}

// official returns the materials with which the official runner asks.
func official(usual *ask.Materials) *ask.Materials {
	m := *usual
	m.Agents = maps.Clone(usual.Agents)
	for _, name := range []string{"MULTI_STEP_AGENT_SYSTEM", "MULTI_STEP_AGENT_USER"} {
		m.Agents[name+"_EN"] = usual.Agents[name+"_ZH"]
	}
	return &m
}

// TestOfficialRunner: rollouts of the official runner, which asks English samples in Chinese, are scored as trajectories.
func TestOfficialRunner(t *testing.T) {
	for name, inline := range map[string]bool{"what was said on lines of its own": false, "what was said behind other words": true} {
		t.Run(name, func(t *testing.T) {
			d := newDeck(t, dataset.Mini(), dataset.English, dataset.AgentMultiStep, dataset.AgentMultiTurn)
			usual := *d.materials
			usual.Agents = maps.Clone(usual.Agents)
			if inline {
				for _, user := range []string{"MULTI_STEP_AGENT_USER_EN", "MULTI_STEP_AGENT_USER_ZH"} {
					usual.Agents[user] = strings.ReplaceAll(usual.Agents[user], "\n{history}", " {history}")
				}
			}
			d.materials = official(&usual)
			d.record(t, true, func(s *ask.Suite) { s.Concurrency = 1 })
			d.materials = &usual
			played := d.play(t, nil)
			for _, o := range played.Outcomes {
				if user := o.Sample.Category == dataset.AgentMultiTurn; user != (len(o.Played) > 0) {
					t.Errorf("%s: of %d exchanges a model plays the user in %d", o.Sample.ID, len(o.Exchanges), len(o.Played))
				}
			}
			if len(played.Outcomes) != 6 || len(played.Remarks) != 1 || !strings.Contains(played.Remarks[0], "the official runner's") {
				t.Errorf("%d outcomes, remarks %q", len(played.Outcomes), played.Remarks)
			}
			for id, v := range d.verdicts(played) {
				if v != "right 1.000" {
					t.Errorf("%s: %q", id, v)
				}
			}
			for _, o := range played.Outcomes {
				if want := o.Sample.Category == dataset.AgentMultiStep; o.OpenLoop != want {
					t.Errorf("%s: open loop %t", o.Sample.ID, o.OpenLoop)
				}
			}
		})
	}
}

// TestOfficialTwins: two samples with the same task are told apart by what the agent of each was told.
func TestOfficialTwins(t *testing.T) {
	d := newDeck(t, dataset.Mini(), dataset.English, dataset.AgentMultiStep)
	first, twin := d.set.Samples[1], *d.set.Samples[1]
	twin.ID = "agent_multi_step_9"
	twin.InitialConfig = pyvalue.DictOf("BaseApi", pyvalue.DictOf("wifi", pyvalue.Bool(true), "logged_in", pyvalue.Bool(true)))
	lines := d.model.Lines[first.ID] // the Wi-Fi is turned on first
	usual := d.materials
	d = newDeckOf(t, &dataset.Set{Language: d.set.Language, Samples: []*dataset.Sample{first, &twin}}, official(usual))
	d.model.Lines[first.ID] = append([]string{lines[1]}, lines...)
	d.model.Lines[twin.ID] = lines[1:]
	d.record(t, true, func(s *ask.Suite) { s.Concurrency = 1 })
	d.materials = usual
	want := map[string]string{first.ID: "right 1.000", twin.ID: "right 1.000"}
	if diff := cmp.Diff(want, d.verdicts(d.play(t, nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
