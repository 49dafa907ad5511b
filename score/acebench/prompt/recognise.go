package prompt

import (
	"crypto/sha256"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// An Index finds samples by the prompts they are asked with.
type Index struct {
	samples map[[sha256.Size]byte][]*dataset.Sample
}

// NewIndex prepares the recognition of the normal and special samples of a set. Samples of agents are passed over: what they are
// asked depends on the rollout.
func NewIndex(b *Builder, samples []*dataset.Sample) *Index {
	x := &Index{samples: make(map[[sha256.Size]byte][]*dataset.Sample, len(samples))}
	for _, s := range samples {
		if s.Category.Family() == dataset.Agent {
			continue
		}
		key := keyOf(b.Build(s))
		x.samples[key] = append(x.samples[key], s)
	}
	return x
}

// Find returns the samples that are asked with the messages: none, one, or several that are asked the same. Known variants of the
// prompt count as the same: blanks at the ends of lines (which evalscope removes from its templates), blanks around a message, lines
// that end in \r\n, and both messages joined to a single one by an empty line, as for models that take no system message; system is
// then empty.
func (x *Index) Find(system, user string) []*dataset.Sample {
	return x.samples[keyOf(system, user)]
}

func keyOf(system, user string) [sha256.Size]byte {
	h := sha256.New()
	text := strings.TrimSpace(system) + "\n\n" + strings.TrimSpace(user)
	empty := 0
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimRight(line, " \t\r\f\v")
		if line == "" {
			empty++
			continue
		}
		// Runs of empty lines count as one, so it does not matter whether a message ended in some before it was joined.
		if empty > 0 {
			h.Write([]byte("\n"))
		}
		empty = 0
		h.Write([]byte(line))
		h.Write([]byte("\n"))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
