package conformance

import "slices"

// Severity says what a problem means for the exchange.
type Severity string

const (
	// Error: the answer, or the request, is wrong.
	Error Severity = "error"
	// Warning: worth showing, but it fails nothing.
	Warning Severity = "warning"
)

// Group is what a problem is about.
type Group string

const (
	Transport Group = "transport"
	Protocol  Group = "protocol"
	ToolCall  Group = "tool call"
	Content   Group = "content"
	History   Group = "history"
)

// Side is who is at fault.
type Side string

const (
	Server Side = "server"
	Client Side = "client"
	Model  Side = "model"
	// Adapter is the part of a server that writes one API's format: another format, or the other mode of the same, got it right.
	Adapter Side = "adapter"
	Unknown Side = "unknown"
)

// Code is a kind of problem.
type Code struct {
	Name     string
	Severity Severity
	Group    Group
	// Side is the first guess at whose fault it is; see [Report.Blame] for a better one.
	Side Side
	// What says in a line what it means, and Example shows it.
	What, Example string
}

// CodeOf returns the code of a name.
func CodeOf(name string) (Code, bool) {
	i := slices.IndexFunc(Codes, func(c Code) bool { return c.Name == name })
	if i < 0 {
		return Code{}, false
	}
	return Codes[i], true
}

// rank orders problems as [Codes] lists them.
var rank = func() map[string]int {
	m := make(map[string]int)
	for i, c := range Codes {
		m[c.Name] = i
	}
	return m
}()
