package pairs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// ranOutSays is a whole answer of Chat Completions that came to its limit.
func ranOutSays(content string) string { return whole(`"content":`+quote(content), `"length"`) }

// TestPairsLimit: Claude cannot be asked without a limit of tokens, and Chat Completions mostly is. A limit tells two questions apart only when
// both have one, or when an answer came to it.
func TestPairsLimit(t *testing.T) {
	limitedChat := func(limit string) string { return ask(zero + `,"max_tokens":` + limit) }
	throughClaude := func(limit, response string) sent {
		return sent{API: tape.Claude, Request: strings.Replace(claudeAsk(), `"model"`, `"max_tokens":`+limit+`,"model"`, 1), Response: response}
	}
	cutClaude := strings.Replace(claudeSays("At"), "end_turn", "max_tokens", 1)
	const lost, other = "api-mismatch leaked-markup-in-content call-in-content", "api-mismatch"
	for _, tt := range []struct {
		name  string
		sent  []sent
		codes []string
	}{
		{"alike", []sent{chat(ask(zero), says("At noon.")), throughClaude("1024", claudeSays("At noon."))}, []string{"", ""}},
		{"the API with the limit lost the call", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), throughClaude("1024", claudeSays(tideText))}, []string{"", lost}},
		{"the same the other way round", []sent{throughClaude("1024", claudeSays(tideText)), chat(ask(zero), tide(`{"port":"Vigo"}`))}, []string{lost, ""}},
		{"the API without a limit lost the call", []sent{throughClaude("1024", claudeTide), chat(ask(zero), says(tideText))}, []string{"", lost}},
		{"the same the other way round", []sent{chat(ask(zero), says(tideText)), throughClaude("1024", claudeTide)}, []string{lost, ""}},
		{"the answer came to its limit", []sent{chat(ask(zero), says("At noon.")), throughClaude("2", cutClaude)}, []string{"", ""}},
		{"the answer came to its limit, and does not say so", []sent{chat(ask(zero), says("At noon.")), throughClaude("5", claudeSays("At"))}, []string{"", ""}},
		{"the server has a limit of its own", []sent{chat(ask(zero), ranOutSays("At")), throughClaude("1024", claudeSays("At noon."))}, []string{"", ""}},
		{"the same limit", []sent{chat(limitedChat("64"), says("At noon.")), throughClaude("64", claudeSays("At one."))}, []string{"", other}},
		{"the same limit, to which one came", []sent{chat(limitedChat("64"), says("At noon.")), throughClaude("64", cutClaude)}, []string{"", other}},
		{"two limits", []sent{chat(limitedChat("64"), says("At noon.")), throughClaude("1024", claudeSays("At one."))}, []string{"", ""}},
		{"two limits and none", []sent{
			chat(limitedChat("64"), says("At noon.")), throughClaude("1024", claudeSays("At one.")),
			{API: tape.Ollama, Request: ask(withTools + `,"stream":false,"options":{"temperature":0}`), Response: `{"model":"m","message":{"role":"assistant","content":"At two."},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":5}`},
		}, []string{"", "", other}},
		{"one that came to its limit, one that did not", []sent{throughClaude("2", cutClaude), throughClaude("1024", claudeSays("At one.")), chat(ask(zero), says("At noon."))}, []string{"", "", other}},
		{"with and without a limit through one API", []sent{chat(limitedChat("64"), says("At noon.")), chat(ask(zero), says("At one.")), throughClaude("64", claudeSays("At one."))}, []string{"", "", other}},
	} {
		judge := conformance.New(conformance.Rules{Ignore: []string{"budget-exhausted", "finish-reason-mismatch"}})
		var all pairs.Pairs
		var reports []*conformance.Report
		for i, s := range tt.sent {
			x := s.Read(t)
			reports = append(reports, judge.Exchange(x))
			all.Add(i, pairs.AnswerOf(x, reports[i]))
		}
		var codes []string
		for i, r := range reports {
			judge.Apply(r, all.Findings()[i])
			codes = append(codes, codesOf(r))
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
