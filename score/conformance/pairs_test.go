package conformance_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/google/go-cmp/cmp"
)

// Requests for the same, through two APIs, and answers to them.
const (
	zero       = withTools + `,"temperature":0`
	tideText   = `<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`
	claudeTide = `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_tide","input":{"port":"Vigo"}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":5}}`
)

func claudeAsk() string {
	return ask(`,"temperature":0.0,"tools":[{"name":"get_tide","description":"Tide table","input_schema":` + tideSchema + `}]`)
}

func claudeSays(s string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"text","text":` + strings.ReplaceAll("\""+strings.ReplaceAll(s, `"`, `\"`)+"\"", "\n", `\n`) + `}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":5}}`
}

func streamed(content string) string {
	return chunk(`{"content":`+quote(content)+`}`, `"stop"`) + done
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestPairs(t *testing.T) {
	streamAsk := ask(zero + `,"stream":true,"stream_options":{"include_usage":false}`)
	streamedTide := chunk(`{"tool_calls":[`+at(0, call("x9", "get_tide", `{ "port": "Vigo" }`))+`]}`, `"tool_calls"`) + done
	for _, tt := range []struct {
		name  string
		sent  []sent
		codes []string // of each
		blame []string
	}{
		{"alike but for ids and blanks", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), chat(streamAsk, streamedTide)}, []string{"", ""}, []string{"", ""}},
		{"other text", []sent{chat(streamAsk, streamed("At noon")), chat(ask(zero), says("At noon."))}, []string{"stream-mismatch", ""}, []string{"adapter", ""}},
		{"the other way round", []sent{chat(ask(zero), says("At noon.")), chat(streamAsk, streamed("At noon"))}, []string{"", "stream-mismatch"}, []string{"", "adapter"}},
		{"not deterministic", []sent{chat(ask(withTools), says("At noon.")), chat(ask(withTools+`,"stream":true`), streamed("At noon"))}, []string{"", ""}, []string{"", ""}},
		{"a seed", []sent{chat(ask(`,"seed":1`), says("At noon.")), chat(ask(`,"seed":1,"stream":true`), streamed("At noon"))}, []string{"", "stream-mismatch"}, []string{"", "adapter"}},
		{"another question", []sent{chat(ask(zero), says("At noon.")), chat(strings.Replace(streamAsk, "Vigo", "Faro", 1), streamed("At noon"))}, []string{"", ""}, []string{"", ""}},
		{"other options", []sent{chat(ask(zero+`,"top_p":1`), says("At noon.")), chat(streamAsk, streamed("At noon"))}, []string{"", ""}, []string{"", ""}},
		{"one of two whole answers", []sent{chat(ask(zero), says("At one.")), chat(ask(zero), says("At noon.")), chat(streamAsk, streamed("At noon."))}, []string{"", "", ""}, []string{"", "", ""}},
		{"after an error there is nothing to compare", []sent{chat(ask(zero), says("At noon.")), chat(streamAsk, event(`{"error":{"message":"died"}}`)+done)}, []string{"", "stream-error-event"}, []string{"", "server"}},
		{"the stream lost a call", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), chat(streamAsk, streamed(tideText))}, []string{"", "stream-mismatch leaked-markup-in-content call-in-content"}, []string{"", "adapter"}},
		{"the whole answer lost a call", []sent{chat(ask(zero), says(tideText)), chat(streamAsk, streamedTide)}, []string{"leaked-markup-in-content call-in-content", "stream-mismatch"}, []string{"adapter", "adapter"}},
		{"other counts", []sent{chat(ask(zero), says("At noon.")), chat(streamAsk, chunk(`{"content":"At noon."}`, `"stop"`)+event(`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15}}`)+done)}, []string{"", "usage-mismatch"}, []string{"", "server"}},
		{"through two APIs alike", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), {api: tape.Claude, request: claudeAsk(), response: claudeTide}}, []string{"", ""}, []string{"", ""}},
		{"one API lost the call", []sent{{api: tape.Claude, request: claudeAsk(), response: claudeSays(tideText)}, chat(ask(zero), tide(`{"port":"Vigo"}`))}, []string{"api-mismatch leaked-markup-in-content call-in-content", ""}, []string{"adapter", ""}},
		{"two APIs, two answers", []sent{chat(ask(zero), says("At noon.")), {api: tape.Claude, request: claudeAsk(), response: claudeSays("At one.")}}, []string{"", "api-mismatch"}, []string{"", "adapter"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judge := conformance.New(conformance.Rules{})
			var pairs conformance.Pairs
			var reports []*conformance.Report
			for i, s := range tt.sent {
				x := s.read(t)
				r := judge.Exchange(x)
				pairs.Add(i, x, r)
				reports = append(reports, r)
			}
			findings := pairs.Findings()
			var codes, blame []string
			for i, r := range reports {
				judge.Apply(r, findings[i])
				codes, blame = append(codes, codesOf(r)), append(blame, blameOf(r))
				if r.Has("stream-mismatch") != (r.Protocol == conformance.Failed) {
					t.Errorf("protocol %s with %q", r.Protocol, codes[i])
				}
			}
			if diff := cmp.Diff([][]string{tt.codes, tt.blame}, [][]string{codes, blame}); diff != "" {
				t.Errorf("codes and blame (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPairsIgnored: rules leave out what comparisons find, too.
func TestPairsIgnored(t *testing.T) {
	judge := conformance.New(conformance.Rules{Ignore: []string{"stream-mismatch"}})
	var pairs conformance.Pairs
	stream := chat(ask(zero+`,"stream":true`), streamed("At noon")).read(t)
	r := judge.Exchange(stream)
	pairs.Add(0, stream, r)
	whole := chat(ask(zero), says("At noon.")).read(t)
	pairs.Add(1, whole, judge.Exchange(whole))
	judge.Apply(r, pairs.Findings()[0])
	if codesOf(r) != "" || r.Protocol != conformance.OK || r.Blame != nil {
		t.Errorf("%q, %s, %q", codesOf(r), r.Protocol, blameOf(r))
	}
}

// TestPairsForget: beyond the limit the oldest answers are forgotten, and counted.
func TestPairsForget(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	whole, stream := chat(ask(zero), says("At noon.")).read(t), chat(ask(zero+`,"stream":true`), streamed("At noon")).read(t)
	for between, want := range map[int]int{1: 1, 2: 1, 3: 0} {
		var pairs conformance.Pairs
		pairs.Limit(4)
		pairs.Add(0, stream, judge.Exchange(stream))
		for i := range between {
			other := chat(strings.Replace(ask(zero), "Vigo", strings.Repeat("Faro", i+1), 1), says("Fine.")).read(t)
			pairs.Add(1+i, other, judge.Exchange(other))
		}
		pairs.Add(9, whole, judge.Exchange(whole))
		if got := len(pairs.Findings()[0]); got != want || pairs.Forgotten != max(0, between-2) {
			t.Errorf("%d between: %d findings, %d forgotten", between, got, pairs.Forgotten)
		}
	}
}
