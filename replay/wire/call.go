package wire

// ToolCall is one call of a tool, in an answer or in the history of a request.
type ToolCall struct {
	// ID is the id that a tool result refers to; "" when absent (see HasID).
	ID string
	// OtherID is a second id the same call was given later in the same answer; "" when there is none. The first one counts,
	// as nothing says which one the server wants back.
	OtherID string
	Name    string
	// Arguments is the argument text. Arguments sent as an object are shown as Python's json.dumps writes them.
	Arguments string
	// RawArguments are the argument bytes as sent: the text of a string, the JSON of any other value.
	RawArguments []byte
	// Sent says which kind of value the arguments came as.
	Sent ArgumentsKind
	// HasID and HasName say that a string came, though it may be empty.
	HasID, HasName bool
	// Index is the number the server gave the call (tool_calls[].index, content block index, output_index), -1 when
	// it gave none. Calls of an answer stand in the order in which they began, whatever their index.
	Index int
	// IDPlace is where ID stands.
	IDPlace Place
	// NamePieces and Pieces are those that Name and Arguments came in; nil in a whole body.
	NamePieces, Pieces Pieces
	// Places are the places the call was put together from, in order.
	Places []Place
	// Done says that the end of the call itself was seen, in formats that mark it (Claude, Responses); true in a whole body.
	Done bool
}

// ArgumentsKind is the kind of JSON value that arguments came as.
type ArgumentsKind string

const (
	ArgumentsAbsent ArgumentsKind = ""
	ArgumentsString ArgumentsKind = "string"
	ArgumentsObject ArgumentsKind = "object"
	ArgumentsNull   ArgumentsKind = "null"
	// ArgumentsOther is an array, a number or a boolean.
	ArgumentsOther ArgumentsKind = "other"
)
