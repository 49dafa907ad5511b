package dataset

import (
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Language is one of the two that the benchmark exists in.
type Language string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Languages returns both languages, the default first.
func Languages() []Language { return []Language{English, Chinese} }

// ParseLanguage checks the name of a language.
func ParseLanguage(name string) (Language, error) {
	if l := Language(name); slices.Contains(Languages(), l) {
		return l, nil
	}
	return "", fmt.Errorf("unknown language %q: use en or zh", name)
}

// A Sample is one question of the benchmark with its expected answer. Values are as Python's JSON reader would give them, because
// the reference scorers see them so; scorers must not change them.
type Sample struct {
	ID       string
	Language Language
	Category Category
	File     string // where the sample was read, and its line from 1
	Line     int

	Question string
	Time     string        // a sentence for the prompt; often empty
	Profile  string        // the user's profile, in preference samples only
	Function pyvalue.Value // list of the schemas of the functions on offer

	// GroundTruth is, for normal samples, an object of calls or a list of such objects; for special samples an object or a text;
	// for agents a list of one-key objects with the expected state of each class.
	GroundTruth pyvalue.Value
	MileStone   pyvalue.Value // agents: list of calls as text, or list of such lists

	InitialConfig   pyvalue.Value // agents: what the simulated classes start from
	InvolvedClasses []string      // agents: the simulated classes
}

// A Set holds the samples of one language that a scoring works on.
type Set struct {
	Language Language
	Samples  []*Sample // by category in canonical order, within one as the data has them
	// Digest identifies the data that was read: the SHA-256 over a line "<SHA-256 of a file>  <path>" for every file, by path.
	Digest string

	byID map[string]*Sample
}

// Sample returns the sample with an id, or nil.
func (s *Set) Sample(id string) *Sample { return s.byID[id] }

// Nearest returns up to three ids of the set that an id may stand for, the likeliest first: those that begin and end like it.
func (s *Set) Nearest(id string) []string {
	alike := map[string]int{}
	var ids []string
	for _, sample := range s.Samples {
		if alike[sample.ID] = common(id, sample.ID); 2*alike[sample.ID] > len(id) {
			ids = append(ids, sample.ID)
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return alike[b] - alike[a] })
	return ids[:min(len(ids), 3)]
}

// common is how many bytes two texts have in common at their beginnings and ends.
func common(a, b string) int {
	shorter := min(len(a), len(b))
	head, tail := 0, 0
	for head < shorter && a[head] == b[head] {
		head++
	}
	for tail < shorter-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head + tail
}

// Only returns the samples of one category, in their order.
func (s *Set) Only(c Category) []*Sample {
	var all []*Sample
	for _, sample := range s.Samples {
		if sample.Category == c {
			all = append(all, sample)
		}
	}
	return all
}

// NewSet makes a set of samples, each with an id of its own. The digest identifies the data they came from.
func NewSet(language Language, samples []*Sample, digest string) *Set {
	set := &Set{Language: language, Samples: samples, Digest: digest, byID: make(map[string]*Sample, len(samples))}
	for _, s := range samples {
		set.byID[s.ID] = s
	}
	return set
}
