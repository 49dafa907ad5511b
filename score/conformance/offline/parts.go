package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// Part counts the reports of one model through one API.
type Part struct {
	// Model is as the requests name it; "" when they name none.
	Model string   `json:"model"`
	API   tape.API `json:"api"`
	Counts
	// Summary counts exchanges by problem.
	Summary map[string]int `json:"summary"`
}

// part names a [Part].
type part struct {
	model string
	api   tape.API
}

// maxParts is how many parts are told apart. Requests can name any number of models, so that those of further ones are counted together,
// as if the model had the name furtherModels.
const (
	maxParts      = 256
	furtherModels = "(further models)"
)

// parts are the counts by model and API.
type parts map[part]*Part

// add counts a report n times; -1 takes it back, which must have been counted.
func (all parts) add(r *conformance.Report, n int) {
	key := part{r.Model, r.API}
	if all[key] == nil && len(all) >= maxParts {
		key.model = furtherModels
	}
	p := all[key]
	if p == nil {
		p = &Part{Model: key.model, API: key.api, Counts: newCounts(), Summary: make(map[string]int)}
		all[key] = p
	}
	p.Counts.add(r, n)
	for _, problem := range r.Problems {
		count(p.Summary, problem.Code, n)
	}
}

// Parts returns the counts by model, and by API in the order of [tape.APIs].
func (t *Tally) Parts() []*Part {
	all := make([]*Part, 0, len(t.parts))
	for _, p := range t.parts {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Part) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(slices.Index(tape.APIs, a.API), slices.Index(tape.APIs, b.API)))
	})
	return all
}

// partsHeader names the columns of [Part.row].
var partsHeader = []string{"model", "api", "exchanges", "calls ok", "calls failed", "not judged", "protocol failed", "most frequent problems"}

// row has the counts for a table.
func (p *Part) row() []string {
	model := quote.Short(p.Model)
	if model == "" {
		model = "–"
	}
	return []string{
		model, string(p.API), strconv.Itoa(p.Exchanges), strconv.Itoa(p.Calls[conformance.OK]), strconv.Itoa(p.Calls[conformance.Failed]), strconv.Itoa(p.Calls[conformance.NotJudged]),
		strconv.Itoa(p.Protocol[conformance.Failed]), p.problems(),
	}
}

// problems lists the most frequent problems with their counts.
func (p *Part) problems() string {
	const most = 3
	codes := mostFrequent(p.Summary)
	var list []string
	for i, c := range codes {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more", len(codes)-most))
			break
		}
		list = append(list, fmt.Sprintf("%s %d", c, p.Summary[c]))
	}
	return strings.Join(list, ", ")
}
