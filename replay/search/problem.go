package search

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// Problem is something wrong with an exchange.
type Problem struct {
	Code string `json:"code"`
	// Event is the data event of a stream that shows it, counted from 1; 0 when none does.
	Event int `json:"event,omitempty"`
	// Detail has the facts, for a person.
	Detail string `json:"detail"`
}

// Code is a kind of problem.
type Code struct {
	Name string
	// What says what it means, in a line.
	What string
	// find reports the problems of this kind.
	find func(x *reading.Exchange, report func(event int, detail string))
}

// Codes lists all kinds of problems. Those about an answer are told only of one that is there, and not after an error has ended it.
var Codes = []Code{
	{"client-disconnect", "the client went away before the answer ended", clientDisconnect},
	{"upstream-error", "no response could be had", ended(tape.UpstreamError)},
	{"upstream-truncated", "the upstream broke off inside the response", ended(tape.UpstreamTruncated)},
	{"recorder-error", "not all of the exchange is on the tape", ended(tape.RecorderError)},
	{"interrupted", "the recorder died before the exchange ended", ended(tape.Interrupted)},
	{"http-error", "the status is 400 or above", httpError},
	{"request-not-json", "a model call whose body is no JSON object", requestNotJSON},
	{"body-not-json", "an answer that is not JSON, or empty", bodyNotJSON},
	{"stream-error-event", "an error inside a stream", streamError},
	{"error-body", "an error in place of an answer, with a status that says success", errorBody},
	{"malformed-event", "an event that is not JSON", malformedEvent},
	{"truncated-stream", "a stream without end marker and finish reason", truncatedStream},
	{"missing-done", "a stream with a finish reason, but without its end marker", missingDone},
	{"missing-finish-reason", "a whole answer that does not say why it ended", missingFinishReason},
	{"arguments-not-json", "arguments of a call that are not JSON", argumentsNotJSON},
	{"arguments-not-object", "arguments of a call that are JSON, but no object", argumentsNotObject},
}

// Problems returns what is wrong with an exchange, in the order of [Codes]. One in flight has no problems yet.
func Problems(x *reading.Exchange) []Problem {
	if x.Ended == tape.InFlight {
		return nil
	}
	var all []Problem
	for _, c := range Codes {
		c.find(x, func(event int, detail string) {
			all = append(all, Problem{c.Name, event, detail})
		})
	}
	return all
}

type finder = func(x *reading.Exchange, report func(event int, detail string))

func ended(how tape.Ended) finder {
	return func(x *reading.Exchange, report func(int, string)) {
		if x.Ended == how {
			report(0, x.Cause)
		}
	}
}

// clientDisconnect leaves out clients that close the connection at the end marker, as many do.
func clientDisconnect(x *reading.Exchange, report func(int, string)) {
	if x.Ended == tape.ClientGone && (x.Answer == nil || !x.Answer.Complete) {
		report(0, x.Cause)
	}
}

func httpError(x *reading.Exchange, report func(int, string)) {
	if x.Response.Status < 400 {
		return
	}
	detail := fmt.Sprint(x.Response.Status)
	if x.Answer != nil && x.Answer.Error != nil && x.Answer.Error.Message != nil {
		detail += ": " + *x.Answer.Error.Message
	}
	report(0, detail)
}

func requestNotJSON(x *reading.Exchange, report func(int, string)) {
	if x.Facts.API.Model() && x.Request == nil {
		_, err := wire.ParseRequest(x.Facts.API, x.RequestBody)
		if err != nil {
			report(0, err.Error())
		}
	}
}

// succeeded reports whether there is an answer with a status that says success.
func succeeded(x *reading.Exchange) bool {
	return x.Answer != nil && x.Response.Status < 400 && (x.Ended == tape.Complete || x.Answer.Size > 0)
}

// failure is the error of an answer that should be none.
func failure(x *reading.Exchange, kinds ...wire.ErrorKind) (*wire.Error, bool) {
	if !succeeded(x) || x.Answer.Error == nil {
		return nil, false
	}
	for _, kind := range kinds {
		if x.Answer.Error.Kind == kind {
			return x.Answer.Error, true
		}
	}
	return nil, false
}

func errorText(e *wire.Error) string {
	if e.Message != nil {
		return *e.Message
	}
	return string(e.Raw)
}

func bodyNotJSON(x *reading.Exchange, report func(int, string)) {
	if e, ok := failure(x, wire.ErrorNotJSON); ok && x.Ended == tape.Complete {
		report(0, errorText(e))
	}
	if _, ok := failure(x, wire.ErrorException); ok && x.Ended == tape.Complete {
		report(0, "the body is empty: the server failed while it generated")
	}
}

func streamError(x *reading.Exchange, report func(int, string)) {
	if e, ok := failure(x, wire.ErrorChunk); ok {
		report(eventNumber(x.Answer, e.Place), errorText(e))
	}
}

func errorBody(x *reading.Exchange, report func(int, string)) {
	if e, ok := failure(x, wire.ErrorBody); ok {
		report(0, errorText(e))
	}
}

func malformedEvent(x *reading.Exchange, report func(int, string)) {
	if !succeeded(x) || !x.Answer.Stream {
		return
	}
	for _, m := range x.Answer.Malformed {
		if x.Ended != tape.Complete && m.End == x.Answer.Size {
			continue // cut off with the exchange, which is the problem
		}
		report(eventNumber(x.Answer, m.Place), m.What)
	}
}

// judged is the answer when its end counts: it came whole and is no error.
func judged(x *reading.Exchange) *wire.Answer {
	if !succeeded(x) || x.Ended != tape.Complete || x.Answer.Error != nil {
		return nil
	}
	return x.Answer
}

func truncatedStream(x *reading.Exchange, report func(int, string)) {
	a := judged(x)
	if a == nil || !a.Stream || a.Complete {
		return
	}
	if a.FinishReason == nil || a.API != tape.OpenAI {
		report(a.Events, fmt.Sprintf("the stream ends after %d events without its end marker", a.Events))
	}
}

func missingDone(x *reading.Exchange, report func(int, string)) {
	if a := judged(x); a != nil && a.Stream && !a.Complete && a.FinishReason != nil && a.API == tape.OpenAI {
		report(a.Events, fmt.Sprintf("finish reason %q, then no [DONE]", *a.FinishReason))
	}
}

func missingFinishReason(x *reading.Exchange, report func(int, string)) {
	if a := judged(x); a != nil && a.Complete && a.FinishReason == nil {
		report(0, "the answer has ended and does not say why")
	}
}

func argumentsNotJSON(x *reading.Exchange, report func(int, string)) {
	arguments(x, func(c *wire.ToolCall, text string) {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			report(callEvent(x, c), fmt.Sprintf("%s: %v", c.Name, err))
		}
	})
}

func argumentsNotObject(x *reading.Exchange, report func(int, string)) {
	arguments(x, func(c *wire.ToolCall, text string) {
		if text[0] != '{' && json.Valid([]byte(text)) {
			report(callEvent(x, c), c.Name+": "+text)
		}
	})
}

// arguments calls f with each call of a judged answer that has arguments; none at all mean none are needed.
func arguments(x *reading.Exchange, f func(c *wire.ToolCall, text string)) {
	a := judged(x)
	if a == nil {
		return
	}
	for i := range a.ToolCalls {
		if text := strings.TrimSpace(string(a.ToolCalls[i].RawArguments)); text != "" {
			f(&a.ToolCalls[i], text)
		}
	}
}

func callEvent(x *reading.Exchange, c *wire.ToolCall) int {
	return eventNumber(x.Answer, c.Places[len(c.Places)-1])
}
