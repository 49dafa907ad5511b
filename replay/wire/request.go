package wire

import (
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// Request is what one request asks, in the same form for every API.
type Request struct {
	API   tape.API
	Model string
	// Stream is what the request asks for; Ollama streams unless told not to.
	Stream bool
	// System is the system text: of the field of its own (Claude, Responses' instructions, Ollama generate) and of the
	// system and developer messages that stand before all others, joined by blank lines.
	System   string
	Messages []Message
	Tools    []Tool
	// Options are the known fields that are none of the above: sampling, limits, tool choice. In the order sent.
	Options []Field
	// Unknown are the fields the API does not have. In the order sent.
	Unknown []Field
	// Notes lists what is odd in the body; places have no event.
	Notes []Note
}

// Message is one turn of the conversation.
type Message struct {
	// Role is as sent. Items of Responses that have none are given the role their content has in Chat: calls and
	// reasoning "assistant", results "tool"; such items that follow each other are one message.
	Role string
	// Name is the participant's name or, for Ollama results, the tool's; "" mostly.
	Name  string
	Parts []Part
	// Path is where the message begins in the body, as a JSON pointer; "" where the body has no list of messages.
	Path string
}

// PartKind says which field of a [Part] counts.
type PartKind string

const (
	PartText       PartKind = "text"
	PartReasoning  PartKind = "reasoning"
	PartImage      PartKind = "image"
	PartToolCall   PartKind = "tool_call"
	PartToolResult PartKind = "tool_result"
	// PartOther is content of another kind, kept as sent.
	PartOther PartKind = "other"
)

// Part is one piece of a message.
type Part struct {
	Kind PartKind
	// Text is the text of text and reasoning parts; the type of other parts.
	Text   string
	Image  *Image
	Call   *ToolCall
	Result *ToolResult
	// Raw is the part of kind PartOther as sent.
	Raw jsontext.Value
}

// ToolResult answers a tool call.
type ToolResult struct {
	// CallID is the id of the call that is answered; "" where the format has none.
	CallID string
	Text   string
	Images []Image
	// Other holds content that is neither text nor image, as sent.
	Other   []jsontext.Value
	IsError bool
}

// Image stands for a picture without holding it.
type Image struct {
	// MediaType is "" when unknown.
	MediaType string
	// URL is set for pictures that are only referred to; data URLs are decoded instead.
	URL string
	// Size is the number of bytes of the decoded picture; 0 for a URL.
	Size int64
	// SHA256 is the digest of the decoded picture in hex; "" for a URL.
	SHA256 string
}

// Tool is one tool on offer.
type Tool struct {
	Name, Description string
	// Schema is the JSON Schema of the arguments as sent; nil when absent.
	Schema jsontext.Value
	// Raw is the whole tool as sent, when it is not a function with a name (a server's own tool).
	Raw jsontext.Value
}

// Field is a member of a JSON object, as sent.
type Field struct {
	Name  string
	Value jsontext.Value
}

// Text returns the texts of the message, joined.
func (m *Message) Text() string { return m.join(PartText) }

// Reasoning returns the reasoning of the message, joined.
func (m *Message) Reasoning() string { return m.join(PartReasoning) }

func (m *Message) join(kind PartKind) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Kind == kind {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// ToolCalls returns the calls of the message in order.
func (m *Message) ToolCalls() []*ToolCall {
	var calls []*ToolCall
	for _, p := range m.Parts {
		if p.Kind == PartToolCall {
			calls = append(calls, p.Call)
		}
	}
	return calls
}

// ToolResults returns the tool results of the message in order.
func (m *Message) ToolResults() []*ToolResult {
	var results []*ToolResult
	for _, p := range m.Parts {
		if p.Kind == PartToolResult {
			results = append(results, p.Result)
		}
	}
	return results
}
