package explain

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Special takes an answer apart that says why the request cannot be met. It passes when it holds every part.
type Special struct {
	Parts []Part `json:"parts"`
}

// A Part is something that the answer must hold, letter by letter.
type Part struct {
	What string `json:"what"`
	Text string `json:"text"`
	// Found tells of each rule set whether the part is in the text that it gets to see. The official runner's holds reasoning, too.
	Found map[string]bool `json:"found"`
}

func newSpecial(s *dataset.Sample, a *acebench.Answer) *Special {
	all := &Special{}
	add := func(what, part string) {
		p := Part{What: what, Text: part, Found: map[string]bool{}}
		for _, r := range rules.All() {
			p.Found[r.String()] = strings.Contains(a.Said(r), part)
		}
		all.Parts = append(all.Parts, p)
	}
	add("sentence", check.Sentences[s.Category])
	entries, ok := s.GroundTruth.(*pyvalue.Dict)
	if !ok {
		return all
	}
	for name, values := range entries.All() {
		what := "wrong value"
		if s.Category == dataset.Incomplete {
			what = "missing parameter"
			add("function", pyvalue.String(name))
		}
		for _, v := range dataset.Alternatives(values) {
			add(what, pyvalue.String(v))
		}
	}
	return all
}
