package scenario

import (
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Scenario is one situation a model is put into, and what is expected of it.
type Scenario struct {
	// Name is unique in its file by convention; Description is a line for people.
	Name, Description string
	// Messages are the conversation so far.
	Messages []Message
	// Tools are the tools offered.
	Tools []Tool

	// ExpectToolCall says whether the model should call a tool.
	ExpectToolCall bool
	// ExpectedFunction is the tool it should call; "" when any will do.
	ExpectedFunction string
	// RequiredArgKeys are the arguments that must be there.
	RequiredArgKeys []string
	// NestedArrayKey names an argument that must be a non-empty array of objects with RequiredItemKeys. Both are needed for
	// the check to be made.
	NestedArrayKey   string
	RequiredItemKeys []string
	// ToolResult is the JSON text with which the tool answers; a scenario that has one goes on to a second phase. nil when absent.
	ToolResult *string
}

// Message is one message of a conversation. A nil field is one the file does not have, and is then not sent either.
type Message struct {
	Role       string
	Content    *string
	ToolCalls  []ToolCall
	ToolCallID *string
}

// ToolCall is a call in the history of a conversation. Arguments is JSON text.
type ToolCall struct {
	ID, Name, Arguments string
}

// Tool is a function offered to the model.
type Tool struct {
	Name, Description string
	// Properties is the JSON schema of the arguments, in the order of the file.
	Properties *pyvalue.Dict
	Required   []string
}
