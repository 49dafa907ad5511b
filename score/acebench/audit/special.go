package audit

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func (a *auditor) special() {
	if a.judge("").Valid {
		a.found(Empty, "every answer passes, an empty one too")
	}
	if v := a.judge(a.sentences()); !v.Valid {
		a.found(Impossible, "the sentence that the prompt asks for fails with %s", describe(v))
	}
}

// sentences returns what the prompt asks for, for every entry of the ground truth.
func (a *auditor) sentences() string {
	if a.sample.Category == dataset.Irrelevant {
		return `["Due to the limitations of the function, I cannot solve this problem."]`
	}
	entries, ok := a.sample.GroundTruth.(*pyvalue.Dict)
	if !ok {
		return ""
	}
	var all []string
	for name, values := range entries.All() {
		var texts []string
		if list, ok := values.(*pyvalue.List); ok {
			for _, v := range list.Items {
				texts = append(texts, pyvalue.String(v))
			}
		}
		listed := strings.Join(texts, ", ")
		if a.sample.Category == dataset.Incomplete {
			all = append(all, `"Missing necessary parameters (`+listed+") for the api ("+pyvalue.String(name)+`)"`)
			continue
		}
		all = append(all, `"There is incorrect value (`+listed+") for the parameters ("+pyvalue.String(name)+`) in the conversation history."`)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
