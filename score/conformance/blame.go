package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/exodeck/exodeck/score/conformance/schema"
)

// blame says whose fault the problems are, with the evidence, and lists the calls that were meant. The fault of the exchange is that of
// its gravest problem: first of those that make an agent do the wrong thing, then of other errors, then of warnings in the same order.
func (j *trial) blame() {
	r := j.report
	r.Recovered = append(r.Recovered, intended(j.meant, "text")...)
	r.Recovered = append(r.Recovered, intended(j.thought, "reasoning")...)
	r.Recovered = append(r.Recovered, intended(j.failed, "error")...)
	r.Recovered = append(r.Recovered, j.mangledCalls()...)
	order := func(p *Problem) (grade int) {
		if p.Severity != Error {
			grade = 2
		}
		if p.Group != ToolCall && p.Group != Content && !slices.Contains(callsCodes, p.Code) {
			grade++
		}
		return grade
	}
	var best Side
	grade := 4
	for i := range r.Problems {
		p := &r.Problems[i]
		side, evidence := j.blameOf(p.Code)
		if side == Model && cutOff[p.Code] && j.has("truncated-stream") {
			side, evidence = Server, "the stream broke off, and the rest of it may have been right"
		}
		if evidence != "" {
			r.Evidence = append(r.Evidence, p.Code+": "+evidence)
		}
		// What is known of one problem counts more than what is not known of another as grave.
		if g := order(p); g < grade || g == grade && best == Unknown {
			best, grade = side, g
		}
	}
	if best != "" {
		r.Blame = &best
	}
}

// cutOff are problems that the missing end of a stream may be the reason of.
var cutOff = map[string]bool{
	"missing-required": true, "arguments-truncated": true, "arguments-not-json": true, "leaked-markup-in-content": true, "constraint-violation": true,
}

// intended writes down calls that were meant.
func intended(calls []markup.Call, from string) []Intended {
	var all []Intended
	for _, c := range calls {
		all = append(all, Intended{Family: c.Family, Name: c.Name, Arguments: json.RawMessage(strings.ToValidUTF8(c.Arguments, "\ufffd")), From: from})
	}
	return all
}

// blameOf says whose fault a problem is. Where nothing better is known it is the side of the table.
func (j *trial) blameOf(code string) (side Side, evidence string) {
	if f, ok := blames[code]; ok {
		return f(j)
	}
	c, _ := CodeOf(code)
	return c.Side, ""
}

// blames says for the problems of which more is known than their code how the fault is found.
var blames = map[string]func(*trial) (Side, string){
	"client-disconnect":          (*trial).blameLeaving,
	"http-error":                 (*trial).blameStatus,
	"stream-error-event":         (*trial).blameError,
	"leaked-markup-in-error":     (*trial).blameError,
	"leaked-markup-in-content":   (*trial).blameLeak,
	"call-in-content":            (*trial).blameLeak,
	"call-in-reasoning":          (*trial).blameThought,
	"empty-answer":               (*trial).blameEmpty,
	"budget-exhausted":           func(*trial) (Side, string) { return Model, "the limit was used up before an answer" },
	"leaked-markup-in-name":      (*trial).blameName,
	"leaked-markup-in-arguments": (*trial).blameArguments,
	"unknown-tool":               (*trial).blameTool,
	"duplicate-call":             func(*trial) (Side, string) { return Unknown, "it may be meant" },
	"arguments-not-json":         func(*trial) (Side, string) { return Model, "no well-formed arguments came" },
	"arguments-not-object":       func(*trial) (Side, string) { return Model, "the arguments are well-formed, but no object" },
	"arguments-truncated":        (*trial).blameTruncated,
	"missing-required":           (*trial).blameValues,
	"type-mismatch":              (*trial).blameTypes,
	"enum-violation":             (*trial).blameValues,
	"extra-property":             (*trial).blameValues,
	"constraint-violation":       (*trial).blameValues,
}

// notNow says what those status codes from 400 to 499 mean that do not find fault with the request.
var notNow = map[int]string{
	http.StatusRequestTimeout:  "the server waited no longer",
	http.StatusTooEarly:        "the server takes the request later",
	http.StatusTooManyRequests: "the server takes no more requests for now",
}

func (j *trial) blameStatus() (Side, string) {
	s := j.Response.Status
	if what, ok := notNow[s]; ok {
		return Server, fmt.Sprintf("status %d says that %s, whatever the request is", s, what)
	}
	if s >= 400 && s < 500 {
		return Client, fmt.Sprintf("status %d says that the request was refused", s)
	}
	if len(j.failed) > 0 {
		return j.blameError()
	}
	return Server, ""
}

// blameError looks into the text of an error: it may hold the call that a parser failed on.
func (j *trial) blameError() (Side, string) {
	switch {
	case len(j.failed) > 0:
		return Server, fmt.Sprintf("the error holds a well-formed call of %s (%s)", j.failed[0].Name, j.failed[0].Family)
	case j.has("leaked-markup-in-error"):
		return Model, "the error holds the markup of a call, but no well-formed one"
	}
	return Server, ""
}

// callMarkers are parts of markers that stand around calls. All other markup is the server's to remove, whatever the model wrote.
var callMarkers = []string{
	"tool_call", "TOOL_CALL", "tool▁call", "function", "parameter", "arg_key", "arg_value", "invoke", "DSML", "GCML", "minimax[>[", "action", "ACTION",
	"python_tag", "python_start", "TOOLCALL", "tool_code", "tool_sep", "tool_arg", "tools_prefix", "call tool=", "unused11",
}

// callHeads are parts of markers that stand around other things, too: around a call when the words beside them are in the text.
var callHeads = map[string]string{"channel": "commentary", "role_sep": "function call<|"}

// marksCall reports whether a marker stands around calls.
func (j *trial) marksCall(m markup.Marker) bool {
	for part, word := range callHeads {
		if strings.Contains(m.Text, part) && strings.Contains(j.text, word) {
			return true
		}
	}
	return slices.ContainsFunc(callMarkers, func(part string) bool { return strings.Contains(m.Text, part) })
}

func (j *trial) blameLeak() (Side, string) {
	if len(j.meant) > 0 {
		c := j.meant[0]
		return Server, fmt.Sprintf("a well-formed call of %s (%s) stands in the text", c.Name, c.Family)
	}
	if slices.ContainsFunc(j.leaked, j.marksCall) {
		return j.blameUnread()
	}
	return Server, "no answer should have this markup, whatever the model wrote"
}

// blameUnread looks at markup of calls that is in the text though no call was to be expected there.
func (j *trial) blameUnread() (Side, string) {
	calls := markup.Calls(j.a.Text, nil)
	switch {
	case len(calls) == 0:
		return Model, "the text has the markup of a call, but no well-formed one"
	case j.q != nil && j.tool(calls[0].Name) == nil:
		return Model, fmt.Sprintf("the call in the text is of %q, which was not offered", calls[0].Name)
	}
	return Server, fmt.Sprintf("a well-formed call of %s (%s) stands in the text", calls[0].Name, calls[0].Family)
}

func (j *trial) blameThought() (Side, string) {
	c := j.thought[0]
	return Server, fmt.Sprintf("a well-formed call of %s (%s) stands in the reasoning", c.Name, c.Family)
}

// blameEmpty compares what was generated with what came.
func (j *trial) blameEmpty() (Side, string) {
	if len(j.thought) > 0 {
		return j.blameThought()
	}
	u := j.a.Usage
	switch {
	case u == nil || u.Output == nil:
		return Unknown, "how much was generated is not told"
	case strings.TrimSpace(j.a.Reasoning) != "":
		return Model, "it ended after its reasoning"
	case *u.Output > 1:
		return Server, fmt.Sprintf("%d tokens were generated, and none of them is in the answer", *u.Output)
	}
	return Model, "it ended at once"
}

func (j *trial) blameName() (Side, string) {
	for i := range j.a.ToolCalls {
		if name, known := j.unmarked(j.a.ToolCalls[i].Name); known {
			return Server, fmt.Sprintf("without the markup the call is one of %s", name)
		} else if name != "" {
			return Unknown, fmt.Sprintf("without the markup and a namespace that nobody knows the call is one of %s", name)
		}
	}
	return Unknown, "the name is no offered tool without the markup either"
}

// blameArguments tells arguments that a parser cut in the wrong places from others with markup in them.
func (j *trial) blameArguments() (Side, string) {
	for _, c := range j.report.Recovered {
		if c.From == "arguments" {
			return Server, fmt.Sprintf("the markup in the arguments is that of a well-formed call of %s (%s)", c.Name, c.Family)
		}
	}
	return Unknown, "what the model wrote is not in the answer"
}

// blameTool tells names that the model made up from those that were glued together, and from those that a parser did not clean.
func (j *trial) blameTool() (Side, string) {
	for i := range j.a.ToolCalls {
		name := j.a.ToolCalls[i].Name
		if j.tool(name) != nil {
			continue
		}
		bare, known := j.bare(name)
		if bare == "" {
			bare, known = j.unmarked(name)
		}
		if known {
			return Server, fmt.Sprintf("%q was offered, and what else is in %q is a parser's to take off", bare, name)
		} else if bare != "" {
			return Unknown, fmt.Sprintf("%q was offered, and nothing tells who put a namespace before it", bare)
		}
		for _, t := range j.q.Tools {
			if len(name) > len(t.Name) && strings.ReplaceAll(name, t.Name, "") == "" {
				return Server, fmt.Sprintf("%q is %s several times over", name, t.Name)
			}
		}
	}
	if j.has("leaked-markup-in-name") {
		return Model, "no tool of that name was offered, with the markup in it or without"
	}
	return Model, "the call is well-formed, and its tool was not offered"
}

func (j *trial) blameTruncated() (Side, string) {
	if j.has("budget-exhausted") {
		return Model, "the token limit was reached inside of the call"
	}
	return Unknown, "the finish reason says nothing of a cut"
}

// bent says that arguments are not what the model wrote, so that their values say nothing about it.
func (j *trial) bent() (Side, string, bool) {
	switch {
	case j.has("leaked-markup-in-arguments"):
		return Unknown, "the arguments hold markup, so that what was meant is not known", true
	case j.has("leaked-markup-in-name"):
		return Unknown, "the name holds markup, so that the arguments may be bent, too", true
	case j.has("index-reused", "index-missing", "duplicate-block-index", "snapshot-mismatch", "malformed-event"):
		return Server, "the stream is broken, so that calls may have been mixed up", true
	case j.has("arguments-empty"):
		return Unknown, "no arguments came at all", true
	}
	return "", "", false
}

func (j *trial) blameValues() (Side, string) {
	if side, evidence, ok := j.bent(); ok {
		return side, evidence
	}
	return Model, "the call is well-formed, and its values are not what the schema says"
}

// blameTypes tells values that a parser left as text, which markup such as Qwen-Coder's and GLM's writes all values as, from wrong ones.
func (j *trial) blameTypes() (Side, string) {
	if side, evidence, ok := j.bent(); ok {
		return side, evidence
	}
	asText := false
	for i := range j.a.ToolCalls {
		t := j.tool(j.a.ToolCalls[i].Name)
		if t == nil {
			continue
		}
		s, err := j.judge.schemas.Compile(t.schema)
		if err != nil {
			continue
		}
		if !wrongType(s, j.args[i].object) {
			continue
		}
		if wrongType(s, unquoted(j.args[i].object, func(name string) string { return j.q.parameterType(j.a.ToolCalls[i].Name, name) })) {
			return j.blameValues()
		}
		asText = true
	}
	if asText {
		return Server, "the values fit when their text is read as the declared type, which is the server's to do"
	}
	return j.blameValues()
}

// wrongType reports whether arguments have a value of a wrong type.
func wrongType(s *schema.Schema, arguments []byte) bool {
	violations, err := s.Check(arguments)
	return err == nil && slices.ContainsFunc(violations, func(v schema.Violation) bool { return v.Kind == schema.Type })
}

// unquoted returns arguments with each text replaced by the JSON it holds, unless it is declared as text.
func unquoted(arguments []byte, declared func(name string) string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil {
		return arguments
	}
	for name, value := range members {
		var text string
		if declared(name) == "string" || json.Unmarshal(value, &text) != nil || !json.Valid([]byte(text)) {
			continue
		}
		members[name] = json.RawMessage(text)
	}
	out, err := json.Marshal(members)
	if err != nil {
		return arguments
	}
	return out
}
