package explain

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Special takes an answer apart that says why the request cannot be met. It passes when it holds every part.
type Special struct {
	Parts []Part `json:"parts"`
}

// A Part is something that the answer must hold, letter by letter.
type Part struct {
	What  string `json:"what"`
	Text  string `json:"text"`
	Found bool   `json:"found"`
}

// sentences are what an answer of each special category must hold, in both languages.
var sentences = map[dataset.Category]string{
	dataset.Incomplete: "Missing necessary parameters",
	dataset.ErrorParam: "There is incorrect value",
	dataset.Irrelevant: "the limitations of the function",
}

func newSpecial(s *dataset.Sample, text string) *Special {
	all := &Special{}
	add := func(what, part string) {
		all.Parts = append(all.Parts, Part{what, part, strings.Contains(text, part)})
	}
	add("sentence", sentences[s.Category])
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
		for _, v := range alternatives(values) {
			add(what, pyvalue.String(v))
		}
	}
	return all
}
