package conformance

import (
	"fmt"
	"maps"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// toolResults looks whether the results in a request answer the calls before them. Where calls have no id they are counted.
func (j *trial) toolResults() {
	if j.q == nil || j.q.continued() {
		return
	}
	h := history{trial: j, open: make(map[string]int)}
	for i := range j.q.Messages {
		h.message(&j.q.Messages[i])
		if !h.joined(i + 1) {
			h.goOn()
		}
	}
}

// history follows the calls of a conversation.
type history struct {
	*trial
	// open has the calls without a result: how many, by id.
	open map[string]int
	// known has all ids of calls so far.
	known []string
	// turn is where the user went on, when it is not yet known that no result follows; nil else.
	turn *Where
}

// joined reports whether a message is one with the message before it: Claude joins turns of the user that follow each other.
func (h *history) joined(i int) bool {
	all := h.q.Messages
	return h.q.API == tape.Claude && i < len(all) && all[i].Role == "user" && all[i-1].Role == "user"
}

func (h *history) message(m *wire.Message) {
	where := Where{In: InRequest, Path: m.Path}
	for _, c := range m.ToolCalls() {
		h.open[c.ID]++
		h.known = append(h.known, c.ID)
	}
	said := false
	for _, p := range m.Parts {
		if p.Kind == wire.PartToolResult {
			h.result(where, p.Result)
		} else {
			said = true
		}
	}
	if m.Role == "user" && (said || len(m.ToolResults()) > 0) && h.turn == nil {
		h.turn = &where
	}
}

// goOn takes the end of a turn: if it was the user's, the calls before it have all the results that they will get.
func (h *history) goOn() {
	if h.turn == nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(h.open)) {
		h.add("unanswered-tool-call", *h.turn, callNamed(id)+" has no result when the user goes on")
	}
	clear(h.open)
	h.turn = nil
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
		h.add("orphan-tool-result", where, "a result for "+callNamed(id)+", and no call before it is that")
	}
}

// callNamed names a call by its id.
func callNamed(id string) string {
	if id == "" {
		return "a call without an id"
	}
	return fmt.Sprintf("call %q", id)
}
