package again

import (
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
)

// Share is a part of a base.
type Share struct {
	Right int `json:"right"`
	Of    int `json:"of"`
}

func (s *Share) add(right bool) {
	s.Of++
	if right {
		s.Right++
	}
}

// Trigger compares when tools were called, as K2 Vendor Verifier does and by its names. An answer triggers when its finish reason says so; in
// the APIs that have no word for it, when it ends as it should with a call.
type Trigger struct {
	// Both counts questions where the reference and the new answer trigger, Neither those where none does, New and Reference those
	// where one alone does.
	Both      int `json:"true_positive"`
	New       int `json:"false_positive"`
	Reference int `json:"false_negative"`
	Neither   int `json:"true_negative"`
	// The figures are nil where their base is empty.
	Precision *float64 `json:"tool_call_precision"`
	Recall    *float64 `json:"tool_call_recall"`
	F1        *float64 `json:"tool_call_f1"`
}

func (t *Trigger) add(reference, now bool) {
	switch {
	case reference && now:
		t.Both++
	case now:
		t.New++
	case reference:
		t.Reference++
	default:
		t.Neither++
	}
}

func (t *Trigger) finish() {
	t.Precision = ratio(t.Both, t.Both+t.New)
	t.Recall = ratio(t.Both, t.Both+t.Reference)
	t.F1 = ratio(2*t.Both, 2*t.Both+t.New+t.Reference)
}

func ratio(part, of int) *float64 {
	if of == 0 {
		return nil
	}
	r := float64(part) / float64(of)
	return &r
}

// Rates say how well tools were called in one of the two recordings.
type Rates struct {
	// SchemaAccuracy has the base that K2 Vendor Verifier publishes it with: answers whose finish reason says that tools are called. A call
	// that was left in the text, or that ends with another finish reason, is not in it. Right are those of which all calls, one at least, are
	// of an offered tool and have arguments that its schema allows.
	SchemaAccuracy Share `json:"schema_accuracy"`
	// RightOfAttempted has all answers in which a call was tried, also those that the server left in the text, as its base; right are
	// those that an agent can act on.
	RightOfAttempted Share `json:"right_of_attempted"`
	// Attempted counts these among all answers.
	Attempted Share `json:"attempted"`
}

func (r *Rates) add(x answer) {
	a, report := x.Answer, x.all
	offered := x.Request != nil && len(x.Request.Tools) > 0
	if triggers(a) {
		r.SchemaAccuracy.add(len(a.ToolCalls) > 0 && offered && !slices.ContainsFunc(schemaCodes, report.Has))
	}
	attempted := len(report.ToolCalls)+len(report.Recovered) > 0
	r.Attempted.add(attempted)
	if attempted {
		r.RightOfAttempted.add(report.Calls == conformance.OK)
	}
}

// schemaCodes are the problems of calls that do not fit the schema of an offered tool. An object in place of a string is not among them: its
// value counts. Nor is a schema that cannot be used, which is no fault of the answer's.
var schemaCodes = []string{
	"unknown-tool", "leaked-markup-in-name", "index-reused", "arguments-empty", "arguments-not-json", "arguments-truncated",
	"arguments-concatenated", "arguments-double-encoded", "arguments-not-object", "missing-required", "type-mismatch", "enum-violation",
	"extra-property", "constraint-violation",
}

// triggers reports whether an answer says that it calls tools.
func triggers(a *wire.Answer) bool {
	switch a.API {
	case tape.Responses, tape.Ollama, tape.OllamaGenerate:
		return len(a.ToolCalls) > 0 && (a.Finish == wire.FinishStop || a.Finish == wire.FinishToolCalls)
	}
	return a.Finish == wire.FinishToolCalls
}
