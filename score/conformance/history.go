package conformance

import (
	"fmt"
	"maps"
	"slices"

	"github.com/exodeck/exodeck/replay/wire"
)

// toolResults looks whether the results in a request answer the calls before them. Where calls have no id they are counted.
func (j *trial) toolResults() {
	if j.q == nil || j.q.continued() {
		return
	}
	h := history{trial: j, open: make(map[string]int)}
	for i := range j.q.Messages {
		h.message(i, &j.q.Messages[i])
	}
}

// history follows the calls of a conversation.
type history struct {
	*trial
	// open has the calls without a result: how many, by id.
	open map[string]int
	// known has all ids of calls so far.
	known []string
}

func (h *history) message(i int, m *wire.Message) {
	where := Where{In: InRequest, Path: fmt.Sprintf("/messages/%d", i)}
	if h.q.API == "responses" {
		where.Path = "" // messages are not what stands in the body
	}
	for _, c := range m.ToolCalls() {
		h.open[c.ID]++
		h.known = append(h.known, c.ID)
	}
	said := false
	for _, p := range m.Parts {
		switch {
		case p.Kind == wire.PartToolResult:
			h.result(where, p.Result)
		case p.Kind != wire.PartReasoning:
			said = true
		}
	}
	if m.Role != "user" || !said && len(m.ToolResults()) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(h.open)) {
		h.add("unanswered-tool-call", where, fmt.Sprintf("call %q has no result when the user goes on", id))
	}
	clear(h.open)
}

// result takes one result. One without an id answers any call that is open.
func (h *history) result(where Where, r *wire.ToolResult) {
	id := r.CallID
	if id == "" && !hasIDs(h.q.API) {
		open := slices.Sorted(maps.Keys(h.open))
		if len(open) == 0 {
			return
		}
		id = open[0] // whichever: only whether one is left matters
	}
	if h.open[id] > 0 {
		if h.open[id]--; h.open[id] == 0 {
			delete(h.open, id)
		}
		return
	}
	if !slices.Contains(h.known, id) {
		h.add("orphan-tool-result", where, fmt.Sprintf("a result for %q, which no call before it has", id))
	}
}

// toolSchemas looks whether the schemas of the offered tools can be used.
func (j *trial) toolSchemas() {
	if j.q == nil {
		return
	}
	for i := range j.q.Tools {
		t := &j.q.Tools[i]
		if len(t.Schema) == 0 || t.Schema.Kind() == 'n' {
			continue
		}
		if _, err := j.judge.schemas.Compile(t.Schema); err != nil {
			j.add("schema-unusable", Where{In: InRequest, Path: fmt.Sprintf("/tools/%d", i)}, fmt.Sprintf("tool %s: %v", t.Name, err))
		}
	}
}
