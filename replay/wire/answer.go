package wire

import (
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// Answer is what one response says, in the same form for every API.
type Answer struct {
	API    tape.API
	Stream bool

	// ID, Model and Object are what the response says of itself; "" when it does not. Object is Claude's "type" and the
	// "object" of the OpenAI APIs (of the first chunk of a stream); Ollama has none.
	ID, Model, Object string
	// IDPlace is where ID stands.
	IDPlace Place

	// FinishReason is the finish reason, stop reason, done reason or Responses status exactly as sent; nil when it is
	// absent or null.
	FinishReason *string
	// FinishPlace is where it stands, or where null last stood in its place; nil when neither came.
	FinishPlace *Place
	// Finish is FinishReason in the words of one vocabulary.
	Finish Finish
	// Incomplete is Responses' incomplete_details.reason; "" when absent.
	Incomplete string

	// Text and Reasoning are the joined texts, "" when there are none. Bytes that are not UTF-8 stay as they came, and an
	// escaped lone surrogate is its three bytes (WTF-8). Texts of errors are never in here.
	Text, Reasoning string
	// Refusal is OpenAI's text of that name, which stands in place of a text.
	Refusal string
	// Blocks are the parts of the answer in the order in which they began: what Text, Reasoning, Refusal and ToolCalls
	// are made of. A Responses stream ends with a snapshot of the whole answer, which is what these four then hold; the
	// blocks are what was streamed.
	Blocks    []Block
	ToolCalls []ToolCall
	// Final is where that snapshot stands; nil when there is none.
	Final *Place

	// Choice is the number of the choice that was read, and Choices are the further ones of an answer of Chat Completions, which has several
	// when it was asked for. Each is an answer of its own as far as choices differ: it has neither usage nor what a response says of
	// itself as a whole.
	Choice  int
	Choices []*Answer

	// Usage is nil when the response tells none.
	Usage *Usage
	Error *Error
	// Complete says that the format's end marker was seen: [DONE], message_stop, response.completed (incomplete, failed),
	// done:true, or the end of a whole JSON body.
	Complete bool

	// Comments is what exo says in comment lines of its event streams.
	Comments Comments
	// Stats is exo's "generation_stats": of a comment in streams, of the body's own key in /bench answers; nil when absent.
	Stats *GenerationStats
	// Power is the value of "power_usage" in a /bench answer, as sent.
	Power jsontext.Value

	// Events counts the data events of a stream (NDJSON lines for Ollama); 1 for a whole body that is not empty.
	Events int
	// Size is the number of bytes that were read.
	Size int64

	// Unknown lists events of a kind the API does not have, and content parts of an unknown type.
	Unknown []Evidence
	// Malformed lists what is not JSON where JSON must be, lines that are no field of an event stream, and
	// an event that the end of the body cut off.
	Malformed []Evidence
	// Notes lists what is odd though it can be read, in the order of the stream.
	Notes []Note
}

// Finish is the reason an answer ended, in one vocabulary for all APIs.
type Finish string

const (
	// FinishNone: no reason was sent.
	FinishNone Finish = ""
	// FinishStop: the model was done, or met a stop sequence.
	FinishStop Finish = "stop"
	// FinishLength: the token budget was used up.
	FinishLength Finish = "length"
	// FinishToolCalls: the model asks for tools. Responses and Ollama have no word of their own for it: there it is an
	// ordinary end of an answer with calls.
	FinishToolCalls Finish = "tool_calls"
	// FinishContentFilter: a filter, or the model's refusal, ended the answer.
	FinishContentFilter Finish = "content_filter"
	// FinishError: generation failed.
	FinishError Finish = "error"
	// FinishOther: a reason the API does not list, or one without a counterpart in the other APIs.
	FinishOther Finish = "other"
)

// BlockKind says what a [Block] holds.
type BlockKind string

const (
	BlockText      BlockKind = "text"
	BlockReasoning BlockKind = "reasoning"
	BlockRefusal   BlockKind = "refusal"
	BlockToolCall  BlockKind = "tool_call"
	// BlockOther is a part of another type; it is listed in Answer.Unknown.
	BlockOther BlockKind = "other"
)

// Block is one part of an answer: a content block of Claude, a content part or item of Responses, the text or the
// reasoning of a Chat or Ollama message.
type Block struct {
	Kind BlockKind
	// Index is the block's number as sent (Claude's index, Responses' output_index); -1 where the format has none.
	Index int
	// Text is the block's own text; "" for tool calls and other parts.
	Text string
	// Pieces are those that Text came in, each longer than the one before it; nil in a whole body. See [Answer.Arrival].
	Pieces Pieces
	// Call is the number of the call in Answer.ToolCalls; -1 for other blocks.
	Call int
	// Open is where the block began. Close is where it ended; nil when nothing said so.
	Open  Place
	Close *Place
}

// Usage holds token counts. A nil count is one that was not sent, or sent as null; zero is a count.
type Usage struct {
	Input, Output, Total, Cached, Reasoning *int64
	// Raw is the usage object as sent; of a stream, the last one that told a count. Ollama has no such object: nil.
	Raw jsontext.Value
	// Place is where the last count stood.
	Place Place
}

// ErrorKind says in which way a server reported an error.
type ErrorKind string

const (
	// ErrorChunk: an error object or event inside a stream.
	ErrorChunk ErrorKind = "error_chunk"
	// ErrorException: a whole answer of zero bytes. exo produces such bodies lazily, so a failed generation is status 200 and
	// nothing else; what failed is not told.
	ErrorException ErrorKind = "exception"
	// ErrorBody: the whole body is an error object.
	ErrorBody ErrorKind = "error_body"
	// ErrorNotJSON: the whole body is not JSON: a plain text such as "Internal Server Error", a gateway's page, a cut body.
	ErrorNotJSON ErrorKind = "not_json"
)

// Error is an error a response reports.
type Error struct {
	Kind ErrorKind
	// Message is nil when there is none on the wire.
	Message *string
	// Type is "" when absent.
	Type string
	// Code is the JSON value as sent (exo sends a number, others a string); nil when absent or null.
	Code jsontext.Value
	// Raw is the error as sent.
	Raw   []byte
	Place Place
}
