package search

import (
	"fmt"
	"strings"
)

// Side is a part of an exchange.
type Side string

const (
	Request  Side = "request"
	Response Side = "response"
	// Ending is how the exchange ended, which neither side said.
	Ending Side = "ending"
)

// Place says where in an exchange a text is. All numbers but Offset and Start count from 1, 0 means that there is none.
type Place struct {
	Side Side `json:"side"`
	// Message and Part are numbers in the request, system messages that stand first not counted (they are the "system").
	Message int `json:"message,omitempty"`
	Part    int `json:"part,omitempty"`
	// What names the text: "system", "text", "reasoning", "arguments of get_tide", "body" and so on.
	What string `json:"what"`
	// Offset is where in that text, in bytes.
	Offset int `json:"offset"`
	// Event is the data event (NDJSON line) of a streamed answer that brought this part of the text, Start where it begins in the body, in bytes.
	Event int   `json:"event,omitempty"`
	Start int64 `json:"event_start,omitempty"`
}

// String is the place as people read it: "request message 2 part 1 text @14".
func (p Place) String() string {
	words := []string{string(p.Side)}
	if p.Message > 0 {
		words = append(words, fmt.Sprintf("message %d", p.Message))
	}
	if p.Part > 0 {
		words = append(words, fmt.Sprintf("part %d", p.Part))
	}
	words = append(words, p.What, fmt.Sprintf("@%d", p.Offset))
	if p.Event > 0 {
		words = append(words, fmt.Sprintf("event %d", p.Event))
	}
	return strings.Join(words, " ")
}
