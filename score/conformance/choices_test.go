package conformance_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance"
)

// several is a whole answer with several choices, each a message and its finish reason.
func several(choices ...string) string {
	return `{"object":"chat.completion","choices":[` + strings.Join(choices, ",") + `]` + usage + `}`
}

// choice is one of them.
func choice(index int, message, finish string) string {
	return fmt.Sprintf(`{"index":%d,"message":{"role":"assistant",%s},"finish_reason":%q}`, index, message, finish)
}

// choosing is an event with one piece each of some choices, which are the index and the delta in turns.
func choosing(pieces ...string) string {
	var choices []string
	for i := 0; i < len(pieces); i += 2 {
		choices = append(choices, `{"index":`+pieces[i]+`,`+pieces[i+1]+`}`)
	}
	return event(`{"object":"chat.completion.chunk","choices":[` + strings.Join(choices, ",") + `]}`)
}

// TestChoicesCompared: rules that leave the problem of a further choice out do not make the answer a right one.
func TestChoicesCompared(t *testing.T) {
	for _, tt := range []struct {
		name, second string
		right        bool
	}{
		{"both are right", `"content":"At noon."`, true},
		{"the second leaks", `"content":"At noon.<|im_end|>"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := chat(ask(""), several(choice(0, `"content":"Noon."`, "stop"), choice(1, tt.second, "stop"))).Read(t)
			r := conformance.New(conformance.Rules{Only: []string{"empty-answer"}}).Exchange(x)
			if right, ok := r.Compared(); right != tt.right || !ok || len(r.Problems) > 0 {
				t.Errorf("right %v, want %v; compared %v, problems %q", right, tt.right, ok, codesOf(r))
			}
		})
	}
}

// TestChoices: all choices of an answer are judged, each by itself. Problems say which choice has them, and their places where that stands.
func TestChoices(t *testing.T) {
	const fine = `"content":"Noon."`
	begin := choosing("0", `"delta":{"role":"assistant","content":"No"}`, "1", `"delta":{"role":"assistant","content":"At "}`)
	middle := choosing("1", `"delta":{"content":"noon.<|im_end|>"}`, "0", `"delta":{"content":"on."}`)
	ends := choosing("0", `"delta":{},"finish_reason":"stop"`) + choosing("1", `"delta":{},"finish_reason":"stop"`) + done
	named := choosing("0", `"delta":{"tool_calls":[`+at(0, call("c1", "get_tide", vigo))+`]}`, "1", `"delta":{"tool_calls":[`+at(0, call("c1", "get_time", vigo))+`]}`)
	called := choosing("0", `"delta":{},"finish_reason":"tool_calls"`, "1", `"delta":{},"finish_reason":"tool_calls"`) + done
	var many []string
	for i := range 130 {
		many = append(many, choice(i, fine, "stop"))
	}
	for _, tt := range []struct {
		name     string
		response string
		want     []string // the problems with their places
		verdict  string
		evidence []string
	}{
		{"both are fine", several(choice(0, fine, "stop"), choice(1, `"content":"At noon."`, "stop")), nil, "ok ok", nil},
		{"without numbers", several(strings.Replace(choice(0, fine, "stop"), `"index":0,`, "", 1), strings.Replace(choice(0, `"content":"Noon.<|im_end|>"`, "stop"), `"index":0,`, "", 1)),
			[]string{`leaked-markup-in-content (response /choices/1/message/content) choice 1: "<|im_end|>" in "Noon.<|im_end|>"`}, "failed ok server",
			[]string{"leaked-markup-in-content: choice 1: no answer should have this markup, whatever the model wrote"}},
		{"markup in the second", several(choice(0, fine, "stop"), choice(1, `"content":"Noon.<|im_end|>"`, "stop")),
			[]string{`leaked-markup-in-content (response /choices/1/message/content) choice 1: "<|im_end|>" in "Noon.<|im_end|>"`}, "failed ok server",
			[]string{"leaked-markup-in-content: choice 1: no answer should have this markup, whatever the model wrote"}},
		{"markup in both", several(choice(0, `"content":"Noon.<|im_end|>"`, "stop"), choice(1, `"content":"Noon.<|im_start|>"`, "stop")),
			[]string{`leaked-markup-in-content (response /choices/0/message/content, response /choices/1/message/content) "<|im_end|>" in "Noon.<|im_end|>"`}, "failed ok server",
			[]string{"leaked-markup-in-content: no answer should have this markup, whatever the model wrote", "leaked-markup-in-content: choice 1: no answer should have this markup, whatever the model wrote"}},
		{"the first stands last", several(choice(1, fine, "stop"), choice(0, `"content":"Noon.<|im_end|>"`, "stop")),
			[]string{`leaked-markup-in-content (response /choices/1/message/content) "<|im_end|>" in "Noon.<|im_end|>"`}, "failed ok server",
			[]string{"leaked-markup-in-content: no answer should have this markup, whatever the model wrote"}},
		{"arguments of the second", several(choice(0, `"content":"","tool_calls":[`+call("c1", "get_tide", vigo)+`]`, "tool_calls"), choice(1, `"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":7}`)+`]`, "stop")),
			[]string{`finish-reason-mismatch (response /choices/1/finish_reason) choice 1: "stop" although there are calls`,
				`type-mismatch (response /choices/1/message/tool_calls/0 argument /port) choice 1: arguments of get_tide at /port: `}, "failed ok server",
			[]string{"type-mismatch: choice 1: "}},
		{"a call in the text of the second", several(choice(0, `"content":"Let me see."`, "stop"), choice(1, `"content":`+quote(tideText), "stop")),
			[]string{`leaked-markup-in-content (response /choices/1/message/content) choice 1: "<tool_call>" in `, `call-in-content (response /choices/1/message/content) choice 1: a call of get_tide (hermes) with {"port":"Vigo"}`}, "failed ok server meant get_tide",
			[]string{"leaked-markup-in-content: choice 1: a well-formed call of get_tide (hermes) stands in the text", "call-in-content: choice 1: a well-formed call of get_tide (hermes) stands in the text"}},
		{"streams of both are fine", begin + ends, nil, "ok ok", nil},
		{"markup in the second stream", begin + middle + ends,
			[]string{`leaked-markup-in-content (response event 2 at byte ` + strconv.Itoa(len(begin)) + ` /choices/0/delta/content) choice 1: "<|im_end|>" in "At noon.<|im_end|>"`}, "failed ok server",
			[]string{"leaked-markup-in-content: choice 1: no answer should have this markup, whatever the model wrote"}},
		{"the name in the second stream", named + called,
			[]string{`unknown-tool (response event 1 at byte 0 /choices/1/delta/tool_calls/0/function/name) choice 1: "get_time" was not offered`}, "failed ok model", []string{"unknown-tool: choice 1: "}},
		{"no reason in the second stream", begin + choosing("0", `"delta":{},"finish_reason":"stop"`) + done,
			[]string{`missing-finish-reason (response event 3 at byte ` + strconv.Itoa(len(begin+choosing("0", `"delta":{},"finish_reason":"stop"`)+done)) + `) choice 1: the answer has ended and does not say why`}, "failed ok server", nil},
		{"the second goes on when the first has ended", begin + choosing("0", `"delta":{},"finish_reason":"stop"`) + choosing("1", `"delta":{"content":"noon."},"finish_reason":"stop"`) + done, nil, "ok ok", nil},
		{"the second goes on when it has ended", begin + ends[:len(ends)-len(done)] + choosing("1", `"delta":{"content":"noon."}`) + done,
			[]string{`event-after-terminal (response event 4 at byte ` + strconv.Itoa(len(begin+ends)-len(done)) + ` /choices/0/delta) choice 1: a part of the answer after the finish reason "stop"`}, "ok ok server", nil},
		{"more than there can be", several(many...), nil, "ok ok", []string{"only 128 choices are read"}},
		{"an error ends the judgement", begin + middle + event(`{"error":{"message":"died"}}`) + done,
			[]string{`stream-error-event (response event 3 at byte ` + strconv.Itoa(len(begin+middle)) + `) died`}, "failed ok server", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(chat(ask(withTools+`,"n":2`), tt.response).Read(t))
			var got []string
			for i, p := range r.Problems {
				places := []string{p.Where.String()}
				for _, w := range p.Also {
					places = append(places, w.String())
				}
				line := fmt.Sprintf("%s (%s) %s", p.Code, strings.Join(places, ", "), p.Detail)
				if i < len(tt.want) && strings.HasPrefix(line, tt.want[i]) {
					line = tt.want[i] // which may leave out the end
				}
				got = append(got, line)
				if p.Count != len(places) {
					t.Errorf("%s is counted %d times at %q", p.Code, p.Count, places)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			verdict := strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Calls, r.Protocol, blameOf(r)))
			for _, c := range r.Recovered {
				verdict += " meant " + c.Name
			}
			if verdict != tt.verdict {
				t.Errorf("verdict %q, want %q", verdict, tt.verdict)
			}
			for i, e := range r.Evidence {
				if i >= len(tt.evidence) || !strings.HasPrefix(e, tt.evidence[i]) {
					t.Errorf("evidence %q, want %q", r.Evidence, tt.evidence)
					break
				}
			}
			if len(r.Evidence) < len(tt.evidence) {
				t.Errorf("evidence %q, want %q", r.Evidence, tt.evidence)
			}
		})
	}
}

// TestManyCallsLinear: to tell where the calls of a whole answer stand takes time in proportion to the answer: the body is not read once more
// for each of them. Ten times as many calls would take a hundred times as long then.
func TestManyCallsLinear(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	fastest := func(n int) time.Duration {
		var calls []string
		for i := range n {
			calls = append(calls, call(fmt.Sprint("c", i), "get_tide", fmt.Sprintf(`{"port":%d}`, i)))
		}
		x := chat(ask(withTools), several(choice(0, `"tool_calls":[`+strings.Join(calls, ",")+`]`, "tool_calls"))).Read(t)
		best := time.Hour
		for range 3 {
			began := time.Now()
			r := judge.Exchange(x)
			best = min(best, time.Since(began))
			if codesOf(r) != "type-mismatch" || r.Problems[0].Also[0].Path != "/choices/0/message/tool_calls/1" {
				t.Fatalf("problems %+v", r.Problems)
			}
		}
		return best
	}
	var few, many time.Duration
	for range 10 { // other programs take time too, but not always
		if few, many = fastest(200), fastest(2000); many <= 40*few {
			return
		}
	}
	t.Errorf("%v for 200 calls, %v for 2000", few, many)
}
