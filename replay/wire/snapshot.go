package wire

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// takeSnapshot replaces what the stream said so far by the output of the final response, and notes where they differ. A final
// response without output is none: some servers leave it empty.
func (a *responsesAnswer) takeSnapshot(response object) {
	output := elements(response.get("output"))
	if len(output) == 0 {
		if len(a.items) > 0 {
			a.note(NoteSnapshot, "/response/output", "the final response has no output; the streamed one counts")
		}
		return
	}
	final := newReader(tape.Responses, false)
	final.at = a.at
	final.format.(*responsesAnswer).output(response.get("output"), "/response/output")
	final.finish()

	a.a.Final = ref(a.at)
	a.checkOrder(output)
	a.snapshot = make(map[BlockKind]string)
	a.snapshotText(BlockText, final.a.Text)
	a.snapshotText(BlockReasoning, final.a.Reasoning)
	a.snapshotText(BlockRefusal, final.a.Refusal)
	a.snapshotCalls(final)
	a.list = append(a.list, final.list...)
	if len(a.items) == 0 { // otherwise they were listed when they were streamed
		a.a.Unknown = append(a.a.Unknown, final.a.Unknown...)
	}
}

// snapshotText sets all text of a kind.
func (a *responsesAnswer) snapshotText(kind BlockKind, text string) {
	var joined []byte
	for i, b := range a.a.Blocks {
		if b.Kind == kind {
			joined = append(joined, a.texts[i]...)
		}
	}
	if string(joined) != text {
		a.note(NoteSnapshot, "/response/output", fmt.Sprintf("the %s of the final response is %q, the streamed one %q", kind, shorten([]byte(text)), shorten(joined)))
	}
	a.snapshot[kind] = text
}

// snapshotCalls sets the calls to those of the final response, joined with what was streamed of each.
func (a *responsesAnswer) snapshotCalls(final *reader) {
	streamed, data := a.a.ToolCalls, a.calls
	places := make([]int, len(streamed)) // where each streamed call is now, -1 for nowhere
	for i := range places {
		places[i] = -1
	}
	a.a.ToolCalls, a.calls = nil, nil
	for k, call := range final.a.ToolCalls {
		j := a.streamedCall(final, k, streamed, data, places)
		if j < 0 {
			a.note(NoteSnapshot, "/response/output", fmt.Sprintf("call %q of the final response was not streamed", call.Name))
			n, _ := a.call(call.Index)
			a.changed(&call.NamePieces, "", call.Name)
			a.changed(&call.Pieces, "", call.Arguments)
			a.a.ToolCalls[n], a.calls[n] = call, final.calls[k]
			continue
		}
		places[j] = len(a.a.ToolCalls)
		a.a.ToolCalls = append(a.a.ToolCalls, a.joinCall(streamed[j], data[j], call))
		a.calls = append(a.calls, final.calls[k])
	}
	for i := range a.a.Blocks {
		b := &a.a.Blocks[i]
		if b.Kind != BlockToolCall || b.Open == a.at {
			continue
		}
		if b.Call = places[b.Call]; b.Call < 0 {
			a.note(NoteSnapshot, "/response/output", fmt.Sprintf("the final response lacks the call of output index %d", b.Index))
		}
	}
}

// streamedCall returns the streamed call that is call k of the final response: the first free one with its item id, else with
// its call id, else the next free one if as many were streamed; -1 if there is none.
func (a *responsesAnswer) streamedCall(final *reader, k int, streamed []ToolCall, data []callData, taken []int) int {
	want := final.a.ToolCalls[k]
	for _, same := range []func(j int) bool{
		func(j int) bool { return data[j].item != "" && data[j].item == final.calls[k].item },
		func(j int) bool { return want.ID != "" && streamed[j].ID == want.ID },
		func(int) bool { return len(streamed) == len(final.a.ToolCalls) },
	} {
		for j := range streamed {
			if taken[j] < 0 && same(j) {
				return j
			}
		}
	}
	return -1
}

// joinCall returns a call with the values of the final response and the ids and places of the stream.
func (a *responsesAnswer) joinCall(streamed ToolCall, data callData, final ToolCall) ToolCall {
	joined := streamed
	joined.Places = append(joined.Places, a.at)
	joined.Name, joined.HasName, joined.Sent = final.Name, final.HasName, final.Sent
	a.changed(&joined.NamePieces, streamed.Name, final.Name)
	a.changed(&joined.Pieces, string(data.text), final.Arguments)
	switch {
	case !streamed.HasID || streamed.ID == "":
		joined.ID, joined.HasID, joined.IDPlace = final.ID, final.HasID, a.at
	case final.HasID && final.ID != streamed.ID:
		joined.OtherID = final.ID
		a.note(NoteCallID, "/response/output", fmt.Sprintf("call %q is called %q in the final response", streamed.ID, final.ID))
	}
	if streamed.Name != final.Name || string(data.text) != final.Arguments {
		a.note(NoteSnapshot, "/response/output", fmt.Sprintf("the final response calls %s with %q, streamed was %s with %q",
			final.Name, shorten([]byte(final.Arguments)), streamed.Name, shorten(data.text)))
	}
	return joined
}

// checkOrder notes a final output whose items stand in another order than their output indexes say, if all have one.
func (a *responsesAnswer) checkOrder(output []jsontext.Value) {
	if slices.ContainsFunc(a.items, func(item *responseItem) bool { return item.index < 0 }) {
		return
	}
	items := slices.Clone(a.items)
	slices.SortStableFunc(items, func(x, y *responseItem) int { return cmp.Compare(x.index, y.index) })
	var streamed, final []string
	for _, item := range items {
		streamed = append(streamed, item.kind+" "+item.id)
	}
	for _, item := range output {
		fields := members(item)
		final = append(final, str(fields.get("type"))+" "+str(fields.get("id")))
	}
	if slices.Equal(streamed, final) || !slices.Equal(slices.Sorted(slices.Values(streamed)), slices.Sorted(slices.Values(final))) {
		return
	}
	a.note(NoteOrder, "/response/output", fmt.Sprintf("the final output is %q, by output_index it is %q", final, streamed))
}
