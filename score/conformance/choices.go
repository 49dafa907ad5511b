package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// choices judges the further choices of an answer, each as if it were the only one, and puts what is wrong with them into the report. The
// verdicts, and the calls that were meant, are those of all choices; the calls that arrived are those of the first.
func (j *trial) choices() {
	if j.a == nil || j.over {
		return
	}
	for _, a := range j.a.Choices {
		c := &trial{Exchange: j.Exchange, judge: j.judge, a: a, q: j.q, report: &Report{ToolCalls: []ToolUse{}, Problems: []Problem{}}}
		c.prepare()
		for _, check := range checks {
			if check.choice {
				check.run(c)
			}
		}
		j.report.take(c.finish(), a.Choice)
	}
	for _, n := range j.a.Notes {
		if n.Kind == wire.NoteOtherChoice {
			j.report.Evidence = append(j.report.Evidence, n.Detail)
		}
	}
}

// take puts what is wrong with a choice into the report of the answer. The answer is blamed on who is at fault for the choice when that is what
// makes its calls fail, or when nobody is to blame for another one.
func (r *Report) take(choice *Report, number int) {
	said := fmt.Sprintf("choice %d: ", number)
	for _, p := range choice.Problems {
		p.Detail = said + p.Detail
		places := slices.Clone(append([]Where{p.Where}, p.Also...))
		for i := range places {
			places[i].Call = 0 // the report does not list it
		}
		p.Where, p.Also = places[0], places[1:]
		at, known := slices.BinarySearchFunc(r.Problems, rank[p.Code], func(p Problem, n int) int { return rank[p.Code] - n })
		if !known {
			r.Problems = slices.Insert(r.Problems, at, p)
			continue
		}
		old := &r.Problems[at]
		old.Count += p.Count
		old.Also = slices.Concat(old.Also, places)
		old.Also = old.Also[:min(len(old.Also), morePlaces)]
	}
	for _, e := range choice.Evidence {
		if code, what, ok := strings.Cut(e, ": "); ok { // of one problem
			r.Evidence = append(r.Evidence, code+": "+said+what)
		} else {
			r.Evidence = append(r.Evidence, said+e)
		}
	}
	r.Recovered = append(r.Recovered, choice.Recovered...)
	if choice.Blame != nil && (r.Blame == nil || choice.Calls == Failed && r.Calls != Failed) {
		r.Blame = choice.Blame
	}
	if choice.Calls == Failed {
		r.Calls = Failed
	}
	if choice.all == Failed {
		r.all = Failed
	}
	if choice.Protocol == Failed {
		r.Protocol = Failed
	}
}

// firstChoice begins the paths of Chat Completions.
const firstChoice = "/choices/0/"

// ofChoice returns paths into an event or a whole body for the choice that is judged, which may stand anywhere among those that data has.
func (j *trial) ofChoice(paths []string, data []byte) []string {
	if j.a.API != tape.OpenAI {
		return paths
	}
	var body struct {
		Choices []struct{ Index *json.Number }
	}
	if json.Unmarshal(data, &body) != nil {
		return paths
	}
	for i, c := range body.Choices {
		number := 0
		switch {
		case c.Index != nil:
			number, _ = strconv.Atoi(c.Index.String())
		case !j.a.Stream:
			number = i
		}
		if number == j.a.Choice {
			moved := slices.Clone(paths)
			for k := range moved {
				moved[k] = strings.Replace(moved[k], firstChoice, fmt.Sprintf("/choices/%d/", i), 1)
			}
			return moved
		}
	}
	return paths
}

// inBody returns a path into the whole body for the choice that is judged. The body is looked at once, however many places are told.
func (j *trial) inBody(path string) string {
	rest, ok := strings.CutPrefix(path, firstChoice)
	if !ok {
		return path
	}
	if j.choiceAt == "" {
		j.choiceAt = j.ofChoice([]string{firstChoice}, j.ResponseBody)[0]
	}
	return j.choiceAt + rest
}
