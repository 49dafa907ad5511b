package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// Verdict is the outcome of judging one side of an exchange.
type Verdict string

const (
	OK     Verdict = "ok"
	Failed Verdict = "failed"
	// NotJudged: there is nothing to judge, because there was no answer, or not all of it, through no fault of the answer's.
	NotJudged Verdict = "not_judged"
)

// Report is what was found out about one exchange. Its JSON is an element of "exchanges" in the result of `score conformance`.
type Report struct {
	Session string     `json:"session"`
	Seq     int64      `json:"seq"`
	API     tape.API   `json:"api"`
	Model   string     `json:"model,omitempty"`
	Stream  bool       `json:"stream"`
	Ended   tape.Ended `json:"ended"`
	// FinishReason is as sent; for Responses it is the status.
	FinishReason *string    `json:"finish_reason"`
	ToolCalls    []ToolUse  `json:"tool_calls"`
	Calls        Verdict    `json:"calls"`
	Protocol     Verdict    `json:"protocol"`
	Blame        *Side      `json:"blame"`
	Evidence     []string   `json:"evidence,omitempty"`
	Recovered    []Intended `json:"recovered,omitempty"`
	// Unchecked says what of the request no argument was checked against.
	Unchecked []string `json:"unchecked,omitempty"`
	// Problems are in the order of [Codes].
	Problems []Problem `json:"problems"`

	// broken says that the answer has one of the problems of [incomparable].
	broken bool
	// all is the verdict on the calls by all problems, also those that the rules leave out.
	all Verdict
}

// ToolUse is a call as it arrived.
type ToolUse struct {
	// ID is nil when none was sent.
	ID   *string `json:"id"`
	Name string  `json:"name"`
	// Arguments are the value that arrived: the JSON that was sent, in a string or not, else the text itself as a JSON string.
	Arguments json.RawMessage `json:"arguments"`
}

// Intended is a call that was meant, but is not among the answer's calls.
type Intended struct {
	// Family is the markup it was read from.
	Family    string          `json:"family"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// From is where it stood: "text", "reasoning" or "error"; "name" or "arguments" for a call of the answer with markup in them.
	From string `json:"from"`
}

// String writes the call on one line, for a person.
func (c Intended) String() string {
	return fmt.Sprintf("%s %s (%s, in the %s)", quote.Line(c.Name), quote.Line(quote.Short(string(c.Arguments))), c.Family, c.From)
}

// Problem is something wrong with an exchange.
type Problem struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Group    Group    `json:"group"`
	Side     Side     `json:"side"`
	Where    Where    `json:"where"`
	// Detail has the facts, for a person.
	Detail string `json:"detail"`
	// Count is how often it occurs; Also are the further places, the first few of them.
	Count int     `json:"count"`
	Also  []Where `json:"also,omitempty"`
	// Known says that a baseline has it.
	Known bool `json:"known,omitempty"`
}

// morePlaces is how many further places of a problem are kept.
const morePlaces = 8

// In says which side of an exchange a place is in.
type In string

const (
	InRequest  In = "request"
	InResponse In = "response"
)

// Where is a place in an exchange.
type Where struct {
	In In `json:"in"`
	// Event is the number of the data event of a stream, from 1; 0 for none. Offset is where the event starts in the body.
	Event  int    `json:"event,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
	// Path is a JSON pointer into the event, or into the whole body.
	Path string `json:"path,omitempty"`
	// Call is the number of the call in the report, from 1; 0 for none. Argument is a JSON pointer into its arguments.
	Call     int    `json:"call,omitempty"`
	Argument string `json:"argument,omitempty"`
}

// String writes the place for a person.
func (w Where) String() string {
	parts := []string{string(w.In)}
	if w.Event > 0 {
		parts = append(parts, fmt.Sprintf("event %d", w.Event))
	}
	if w.Offset != nil {
		parts = append(parts, fmt.Sprintf("at byte %d", *w.Offset))
	}
	if w.Path != "" {
		parts = append(parts, w.Path)
	}
	if w.Call > 0 {
		parts = append(parts, fmt.Sprintf("call %d", w.Call))
	}
	if w.Argument != "" {
		parts = append(parts, "argument "+w.Argument)
	}
	return strings.Join(parts, " ")
}

// Has reports whether the report has a problem of a code.
func (r *Report) Has(code string) bool {
	for i := range r.Problems {
		if r.Problems[i].Code == code {
			return true
		}
	}
	return false
}

// Failing reports whether the report has an error that no baseline knows.
func (r *Report) Failing() bool {
	for i := range r.Problems {
		if p := &r.Problems[i]; p.Severity == Error && !p.Known {
			return true
		}
	}
	return false
}

// incomparable are problems after which there is nothing to compare, be it that the rules leave them out.
var incomparable = []string{
	"http-error", "body-not-json", "stream-error-event", "truncated-stream", "upstream-timeout", "client-disconnect", "malformed-event",
}

// Compared reports whether the answer is to be compared with others to the same question, and whether its calls are right. Rules that leave
// problems out do not count, for which of several answers is the right one is not theirs to say.
func (r *Report) Compared() (right, ok bool) {
	return r.all == OK, r.all != NotJudged && r.Protocol != NotJudged && !r.broken
}
