package sse

// Format is a way of putting events into a body.
type Format uint8

const (
	// Whole is no framing at all: the body is one value.
	Whole Format = iota
	// EventStream is text/event-stream, server-sent events.
	EventStream
	// NDJSON is one value a line.
	NDJSON
)

// String returns the format's name.
func (f Format) String() string {
	switch f {
	case EventStream:
		return "event-stream"
	case NDJSON:
		return "ndjson"
	}
	return "whole"
}

// Kind says what an [Event] is.
type Kind uint8

const (
	// Data is a block of fields of an event stream, or a line of NDJSON.
	Data Kind = iota
	// Comment is a comment line; its text is in Data. One that stands inside a block comes before the block's event.
	Comment
	// Junk is a line that is no field an event stream has; the line is in Data. It comes before the event of the
	// block it stands in.
	Junk
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Data:
		return "data"
	case Comment:
		return "comment"
	}
	return "junk"
}

// Event is one event of a body.
type Event struct {
	Kind Kind
	// Start and End are the event's byte range in the body: its lines with their line ends, and the blank line that closes it.
	// Lines of other kinds that stand inside a block are inside its range.
	Start, End int64
	// Name is the value of the last event field, "" when there is none.
	Name string
	// ID and Retry are the values of these fields, "" when there are none.
	ID, Retry string
	// Data is nil when the block has no data field. The lines of several data fields are joined by LF. It is valid until
	// the next call of a method of the Decoder or Scanner.
	Data []byte
	// Terminated says that the event was closed: a block by a blank line, a single line by its line end. Only the last
	// event of a body can be without.
	Terminated bool
}
