package ask

import (
	"slices"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/prompt"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// Materials are what samples are asked with: the prompts of one language, and for agents the simulated worlds.
type Materials struct {
	Single *prompt.Builder // of normal and special samples
	Agents rollout.Prompts
	Worlds simenv.Worlds // empty when no agents were loaded
}

// MaterialsFor reads what the samples of a set are asked with: worlds only where there are agents among them.
func MaterialsFor(d *dataset.Dataset, set *dataset.Set) (*Materials, error) {
	agents := slices.ContainsFunc(set.Samples, func(s *dataset.Sample) bool { return s.Category.Family() == dataset.Agent })
	return LoadMaterials(d, set.Language, agents)
}

// LoadMaterials reads the prompts of a data set and, for agents, the worlds of every language it has.
func LoadMaterials(d *dataset.Dataset, language dataset.Language, agents bool) (*Materials, error) {
	templates, err := d.Templates()
	if err != nil {
		return nil, err
	}
	m := &Materials{Agents: rollout.Prompts(templates), Worlds: simenv.Worlds{}}
	if m.Single, err = prompt.New(templates, language); err != nil {
		return nil, err
	}
	if !agents {
		return m, nil
	}
	for _, l := range dataset.Languages() {
		world, err := d.LoadWorld(l)
		switch {
		case err == nil:
			m.Worlds[string(l)] = world
		case l == language:
			return nil, err
		} // the samples do not need those of other languages
	}
	return m, nil
}

// Play is a sample as package rollout plays it.
func Play(s *dataset.Sample) *rollout.Sample {
	return &rollout.Sample{
		Category:  string(s.Category),
		Language:  string(s.Language),
		Question:  s.Question,
		Functions: s.Function,
		Config:    s.InitialConfig,
		Classes:   s.InvolvedClasses,
	}
}
