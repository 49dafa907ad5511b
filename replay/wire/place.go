package wire

// Place says where in a body something stands.
type Place struct {
	// Event is the number of the data event (or NDJSON line), from 0; comments are not counted. It is 0 in a whole body.
	Event int
	// Start and End are the byte range of the event in the body, [Start, End).
	Start, End int64
	// Path is an RFC 6901 JSON pointer into the event's JSON; "" is all of it.
	Path string
}

// Evidence is a part of a body that could not be understood, with its bytes.
type Evidence struct {
	Place
	// What says what it is, in a few words: an event's name, a part's type, the decoder's complaint.
	What string
	// Data is the event's data or the line, as sent.
	Data []byte
}

// NoteKind names a kind of oddity.
type NoteKind string

const (
	// NoteNull: null stands where the format has no null (delta.tool_calls, role, a call's id, type or name …).
	NoteNull NoteKind = "null"
	// NoteInvalidUTF8: bytes that are not UTF-8.
	NoteInvalidUTF8 NoteKind = "invalid-utf8"
	// NoteLoneSurrogate: an escape of half a surrogate pair.
	NoteLoneSurrogate NoteKind = "lone-surrogate"
	// NoteDuplicateName: a name occurs twice in one object of the envelope; the last one counts.
	NoteDuplicateName NoteKind = "duplicate-name"
	// NoteWrongType: a field has another JSON type than the format says; it was left out.
	NoteWrongType NoteKind = "wrong-type"
	// NoteWrongObject: "object" or "type" has another value than the format says.
	NoteWrongObject NoteKind = "wrong-object"
	// NoteEventName: the event's name is not the type in its data.
	NoteEventName NoteKind = "event-name"
	// NoteEventUnnamed: the event has no name, by which Claude's clients tell events apart.
	NoteEventUnnamed NoteKind = "event-unnamed"
	// NoteOtherChoice: a choice that is not read because there are too many of them.
	NoteOtherChoice NoteKind = "other-choice"
	// NoteIndexMissing: a streamed tool call, block or output item without an index.
	NoteIndexMissing NoteKind = "index-missing"
	// NoteIndexGap: the index of a new call, block or output item is not the next one.
	NoteIndexGap NoteKind = "index-gap"
	// NoteIndexReused: a new id at an index that is taken; the calls are kept apart.
	NoteIndexReused NoteKind = "index-reused"
	// NoteDuplicateBlock: a block starts at an index that was used before.
	NoteDuplicateBlock NoteKind = "duplicate-block"
	// NoteOverlap: a block starts while another one is open.
	NoteOverlap NoteKind = "overlap"
	// NoteUnclosed: a block or item whose end was never said, in a stream that has its end marker.
	NoteUnclosed NoteKind = "unclosed"
	// NoteStrayDelta: a delta for a block or item that never started, or that had ended.
	NoteStrayDelta NoteKind = "stray-delta"
	// NoteSequence: a sequence number is missing, repeats or jumps.
	NoteSequence NoteKind = "sequence"
	// NoteSnapshot: a snapshot differs from its joined deltas; the snapshot counts.
	NoteSnapshot NoteKind = "snapshot"
	// NoteOrder: the final output stands in another order than the stream's output_index says.
	NoteOrder NoteKind = "order"
	// NoteCallID: one call has two ids within the answer; the first one counts.
	NoteCallID NoteKind = "call-id"
	// NoteFinishChanged: a second, different finish reason; the last one counts.
	NoteFinishChanged NoteKind = "finish-changed"
	// NoteEventOrder: an event that begins the stream comes late or once more, or content comes after all content was to have come.
	NoteEventOrder NoteKind = "event-order"
	// NoteAfterEnd: an event after the end marker, or a part of a choice of Chat Completions after its finish reason.
	NoteAfterEnd NoteKind = "after-end"
	// NoteAfterError: an event other than the end marker after an error.
	NoteAfterError NoteKind = "after-error"
	// NoteRepeatedReasoning: exo's Ollama tool line repeats all reasoning; it is not added twice.
	NoteRepeatedReasoning NoteKind = "repeated-reasoning"
	// NoteNoBlankLine: the last event lacks its closing blank line (its line feed in NDJSON), but could be read.
	NoteNoBlankLine NoteKind = "no-blank-line"
)

// Note is something odd that was seen while reading.
type Note struct {
	Kind NoteKind
	Place
	// Detail has the facts, for a person.
	Detail string
}
