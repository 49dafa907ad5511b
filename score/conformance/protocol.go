package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// noteCodes says which problem an oddity is that was noted while reading. What is not listed is none: it can be read and breaks no rule
// that anybody relies on.
var noteCodes = map[wire.NoteKind]string{
	wire.NoteNull:           "null-delta-field",
	wire.NoteInvalidUTF8:    "invalid-utf8",
	wire.NoteLoneSurrogate:  "replacement-char",
	wire.NoteWrongType:      "wrong-field-type",
	wire.NoteWrongObject:    "wrong-object-type",
	wire.NoteEventName:      "wrong-object-type",
	wire.NoteEventUnnamed:   "event-name-missing",
	wire.NoteIndexMissing:   "index-missing",
	wire.NoteIndexGap:       "index-gap",
	wire.NoteIndexReused:    "index-reused",
	wire.NoteDuplicateBlock: "duplicate-block-index",
	wire.NoteOverlap:        "overlapping-blocks",
	wire.NoteUnclosed:       "unclosed-block",
	wire.NoteStrayDelta:     "stray-delta",
	wire.NoteSequence:       "sequence-gap",
	wire.NoteSnapshot:       "snapshot-mismatch",
	wire.NoteOrder:          "output-order-mismatch",
	wire.NoteCallID:         "call-id-changed",
	wire.NoteFinishChanged:  "finish-reason-mismatch",
	wire.NoteEventOrder:     "event-out-of-order",
	wire.NoteAfterEnd:       "event-after-terminal",
	wire.NoteNoBlankLine:    "partial-final-event",
}

// noted tells the oddities that were noted while reading. Those after an error are no news.
func (j *trial) noted() {
	if j.a == nil || j.unjudged || j.noCalls || j.unread != "" {
		return
	}
	for _, n := range j.a.Notes {
		code, ok := noteCodes[n.Kind]
		if !ok || j.a.Error != nil && n.Event > j.a.Error.Place.Event || j.Ended == tape.ClientGone && n.Kind == wire.NoteNoBlankLine {
			continue
		}
		switch n.Kind {
		case wire.NoteLoneSurrogate:
			ok = !replaced(j.RequestBody)
		case wire.NoteWrongObject:
			ok = !j.filterResults(n)
		case wire.NoteFinishChanged:
			ok = !strings.HasSuffix(n.Detail, ` after ""`) // as some servers say null
		}
		if !ok {
			continue
		}
		j.add(code, j.place(n.Place), inWords(n.Detail, ""))
	}
}

// filterResults reports whether a note is of a chunk with which Azure tells what its content filter found: its object is "", and it has no
// delta.
func (j *trial) filterResults(n wire.Note) bool {
	var chunk struct {
		Object  *string
		Choices []struct{ Delta json.RawMessage }
	}
	data, ok := bytes.CutPrefix(bytes.TrimSpace(j.ResponseBody[n.Start:n.End]), []byte("data:"))
	return ok && json.Unmarshal(data, &chunk) == nil && chunk.Object != nil && *chunk.Object == "" &&
		!slices.ContainsFunc(chunk.Choices, func(c struct{ Delta json.RawMessage }) bool { return c.Delta != nil })
}

// finishReasons lists the reasons each API has: those of the published APIs, and of Claude also those that come with its beta features (a
// context window that is full, a compaction that pauses). Ollama's are not fixed.
var finishReasons = map[tape.API][]string{
	tape.OpenAI:    {"stop", "length", "tool_calls", "content_filter", "function_call"},
	tape.Claude:    {"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded", "compaction"},
	tape.Responses: {"completed", "incomplete", "failed", "cancelled", "in_progress", "queued"},
}

// ollamaReasons are those that Ollama itself has.
var ollamaReasons = []string{"stop", "length", "load", "unload"}

// ended reports whether the answer is told to have ended, or came whole.
func (j *trial) ended() bool { return j.a.Complete || !j.a.Stream || j.a.FinishReason != nil }

// finishReason compares the finish reason with the API's list and with the content.
func (j *trial) finishReason() {
	if j.a.FinishReason == nil {
		if j.a.Complete || !j.a.Stream {
			j.add("missing-finish-reason", j.reason(), "the answer has ended and does not say why")
		}
		return
	}
	reason := *j.a.FinishReason
	known, fixed := finishReasons[j.a.API]
	switch {
	case fixed && !slices.Contains(known, reason):
		j.add("unknown-finish-reason", j.reason(), fmt.Sprintf("%q is none of %s", reason, strings.Join(known, ", ")))
		return
	case !fixed && !slices.Contains(ollamaReasons, reason):
		j.add("nonstandard-done-reason", j.reason(), fmt.Sprintf("%q is none of %s", reason, strings.Join(ollamaReasons, ", ")))
		return
	}
	calls := len(j.a.ToolCalls)
	forced := j.a.API == tape.OpenAI && j.q != nil && j.q.choice.required
	switch reason {
	case "stop", "end_turn":
		if fixed && calls > 0 && !forced {
			j.add("finish-reason-mismatch", j.reason(), fmt.Sprintf("%q although there are calls", reason))
		}
	case "tool_calls", "function_call", "tool_use":
		if calls == 0 {
			j.add("finish-reason-mismatch", j.reason(), fmt.Sprintf("%q although there is no call", reason))
		}
	}
}

// usage looks at the token counts.
func (j *trial) usage() {
	u := j.a.Usage
	if u == nil {
		due := !j.a.Stream || j.a.API == tape.Claude || j.a.API == tape.Responses || j.a.API == tape.OpenAI && j.q != nil && j.q.usage
		if due && j.a.FinishReason != nil && !slices.Contains(quietReasons, *j.a.FinishReason) {
			j.add("missing-usage", j.end(), "the answer tells no token counts")
		}
		return
	}
	value := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	where := j.place(u.Place)
	if !j.a.Stream {
		where = j.member(usagePaths[j.a.API])
	}
	for _, n := range []*int64{u.Input, u.Output, u.Total, u.Cached, u.Reasoning} {
		if value(n) < 0 {
			j.add("usage-mismatch", where, fmt.Sprintf("a count of %d", *n))
			return
		}
	}
	apart := u.Total != nil && u.Reasoning != nil && *u.Total == value(u.Input)+value(u.Output)+*u.Reasoning // as some servers count it
	switch {
	case !apart && u.Total != nil && u.Input != nil && u.Output != nil && *u.Total != *u.Input+*u.Output:
		j.add("usage-mismatch", where, fmt.Sprintf("a total of %d for %d and %d", *u.Total, *u.Input, *u.Output))
	case !apart && u.Reasoning != nil && u.Output != nil && *u.Reasoning > *u.Output:
		j.add("usage-mismatch", where, fmt.Sprintf("%d tokens of reasoning among %d of output", *u.Reasoning, *u.Output))
	case u.Cached != nil && u.Input != nil && *u.Cached > *u.Input && j.a.API != tape.Claude: // Claude counts cached tokens apart
		j.add("usage-mismatch", where, fmt.Sprintf("%d cached tokens among %d of input", *u.Cached, *u.Input))
	}
}

// inWords says what a decoder of JSON complains about as a person would, behind an introduction. What is no complaint of it stays.
func inWords(complaint, introduction string) string {
	if what, ok := strings.CutPrefix(complaint, "jsontext: "); ok {
		return introduction + strings.Replace(what, "unexpected EOF", "it ends too early", 1)
	}
	return complaint
}
