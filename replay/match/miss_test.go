package match

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	forecastTool = `{"type":"function","function":{"name":"get_forecast","description":"Forecast for a harbour","parameters":{"type":"object","properties":{"harbour":{"type":"string"},"day":{"type":"string"}},"required":["harbour"]}}}`
	tideTool     = `{"type":"function","function":{"name":"get_tide","description":"Tide table for a harbour","parameters":{"type":"object","properties":{"harbour":{"type":"string"}},"required":["harbour"]}}}`
	model        = "mlx-community/Qwen3-4B-8bit"
	prompt       = "You are a pilot's assistant. Answer in one sentence."
)

// harbourChat is a Chat Completions request of a scenario as an evaluator sends it.
func harbourChat(model, prompt string, messages, tools []string) string {
	list := append([]string{fmt.Sprintf(`{"role":"system","content":%q}`, prompt)}, messages...)
	return fmt.Sprintf(`{"model":%q,"messages":[%s],"tools":[%s],"max_tokens":4096,"temperature":0.0}`,
		model, strings.Join(list, ","), strings.Join(tools, ","))
}

func say(role, text string) string { return fmt.Sprintf(`{"role":%q,"content":%q}`, role, text) }

var (
	tideMessages  = []string{say("user", "When is low water in Vigo tomorrow?")}
	galeMessages  = []string{say("user", "Will there be a gale off Camariñas tonight?")}
	harbourTools  = []string{tideTool, forecastTool}
	followUp      = []string{say("user", "When is low water in Vigo tomorrow?"), `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_tide","arguments":"{\"harbour\":\"Vigo\"}"}}]}`, `{"role":"tool","tool_call_id":"c1","content":"{\"low\": \"06:10\"}"}`}
	tideRequest   = harbourChat(model, prompt, tideMessages, harbourTools)
	galeRequest   = harbourChat(model, prompt, galeMessages, harbourTools)
	followRequest = harbourChat(model, prompt, followUp, harbourTools)
)

// harbourTape holds a small run of a suite: control calls and three labelled model calls.
func harbourTape() *fakeTape {
	f := newFakeTape()
	qwen := func(x *tape.Exchange) { x.Facts.Model = model }
	f.add("GET", "/models", "", nil)
	f.add("POST", "/instance", `{"instance":{"MlxRingInstance":{"instanceId":"inst-1"}}}`, nil)
	f.add("GET", "/state/instances/inst-1", "", nil)
	f.add("POST", chatPath, tideRequest, both(qwen, labels("suite", "exo", "sample", "tide", "repeat", "1", "phase", "tool_call")))
	f.add("POST", chatPath, followRequest, both(qwen, labels("suite", "exo", "sample", "tide", "repeat", "1", "phase", "follow_up")))
	f.add("POST", chatPath, galeRequest, both(qwen, labels("suite", "exo", "sample", "gale", "repeat", "1", "phase", "tool_call")))
	f.add("DELETE", "/instance/inst-1", "", nil)
	return f
}

// tideClaude is tideRequest for Claude Messages.
const tideClaude = `{"model":"mlx-community/Qwen3-4B-8bit","system":"You are a pilot's assistant. Answer in one sentence.",` +
	`"messages":[{"role":"user","content":"When is low water in Vigo tomorrow?"}],"tools":[` +
	`{"name":"get_tide","description":"Tide table for a harbour","input_schema":{"type":"object","properties":{"harbour":{"type":"string"}},"required":["harbour"]}},` +
	`{"name":"get_forecast","description":"Forecast for a harbour","input_schema":{"type":"object","properties":{"harbour":{"type":"string"},"day":{"type":"string"}},"required":["harbour"]}}],"max_tokens":4096}`

func TestMissSaysWhatAPersonNeeds(t *testing.T) {
	tideLabels := []string{"suite", "exo", "sample", "tide", "repeat", "1", "phase", "tool_call"}
	tests := []struct {
		name  string
		asked Request
		first []Request // asked before, and answered
		must  []string  // what the text has to hold
	}{
		{
			name: "changed tool description",
			asked: ask("POST", chatPath, harbourChat(model, prompt, tideMessages,
				[]string{strings.Replace(tideTool, "Tide table for a harbour", "Tide table for one harbour and day", 1), forecastTool}), tideLabels...),
			must: []string{"s1/4", "Tide table for one harbour and day", "record it again"},
		},
		{
			name:  "extra message",
			asked: ask("POST", chatPath, harbourChat(model, prompt, append(tideMessages[:1:1], say("user", "And the height?")), harbourTools), tideLabels...),
			must:  []string{"s1/4", "And the height?"},
		},
		{
			name:  "other model",
			asked: ask("POST", chatPath, harbourChat("mlx-community/Llama-3.2-3B", prompt, tideMessages, harbourTools), tideLabels...),
			must:  []string{"--any-model", model, "mlx-community/Llama-3.2-3B"},
		},
		{
			name:  "reordered tools",
			asked: ask("POST", chatPath, harbourChat(model, prompt, tideMessages, []string{forecastTool, tideTool}), tideLabels...),
			must:  []string{"s1/4", "order of the tools"},
		},
		{
			name:  "white space in the prompt",
			asked: ask("POST", chatPath, harbourChat(model, strings.Replace(prompt, ". Answer", ".  Answer", 1), tideMessages, harbourTools), tideLabels...),
			must:  []string{"s1/4", "white space", "··Answer"},
		},
		{
			name:  "changed id",
			asked: ask("GET", "/state/instances/inst-2", ""),
			must:  []string{"s1/3", "/state/instances/inst-1", "no exchange on this tape has the path /state/instances/inst-2"},
		},
		{
			name:  "other API",
			asked: ask("POST", claudePath, tideClaude),
			must:  []string{"s1/4", "recorded for another API: openai instead of claude"},
		},
		{
			name:  "missing exchange",
			asked: ask("POST", chatPath, harbourChat(model, prompt, []string{say("user", "How deep is the berth?")}, harbourTools), "suite", "exo", "sample", "berth", "repeat", "1"),
			must:  []string{"sample=berth", "How deep is the berth?"},
		},
		{
			name:  "used-up exchange",
			asked: ask("POST", chatPath, tideRequest, tideLabels...),
			first: []Request{ask("POST", chatPath, tideRequest, tideLabels...)},
			must:  []string{"recorded once, but already used", "--reuse"},
		},
		{
			name:  "wrong method",
			asked: ask("PUT", "/state/instances/inst-1", ""),
			must:  []string{"s1/3", "with GET only, not with PUT"},
		},
		{
			name:  "another repeat",
			asked: ask("POST", chatPath, tideRequest, "suite", "exo", "sample", "tide", "repeat", "2", "phase", "tool_call"),
			must:  []string{"under other labels [repeat=1]", "--reuse"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ix := harbourTape().index(t, Options{})
			for _, r := range tt.first {
				if _, err := ix.Find(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			_, err := ix.Find(t.Context(), tt.asked)
			var miss *Miss
			if !errors.As(err, &miss) {
				t.Fatalf("error %v, want a miss", err)
			}
			text := miss.Error()
			if n := strings.Count(text, "\n") + 1; n >= 15 {
				t.Errorf("%d lines, want fewer than 15", n)
			}
			for _, must := range tt.must {
				if !strings.Contains(text, must) {
					t.Errorf("the text does not hold %q", must)
				}
			}
			golden.Check(t, *update, "testdata/miss/"+strings.ReplaceAll(tt.name, " ", "_")+".txt", []byte(text+"\n"))
		})
	}
}

// The same question of another API is nearer than another question of the same one.
func TestMissFindsTheQuestionUnderAnotherAPI(t *testing.T) {
	f := newFakeTape()
	f.add("POST", claudePath, strings.Replace(tideClaude, "low water", "high water", 1), nil)
	f.add("POST", chatPath, tideRequest, nil)
	_, err := f.index(t, Options{}).Find(t.Context(), ask("POST", claudePath, tideClaude))
	if err == nil || !strings.Contains(err.Error(), "exchange s1/2") || !strings.Contains(err.Error(), "openai instead of claude") {
		t.Errorf("error %v", err)
	}
}

func TestMissHoldsNoCredentials(t *testing.T) {
	f := newFakeTape()
	f.add("GET", "/models", "", nil)
	_, err := f.index(t, Options{}).Find(t.Context(), ask("GET", "/models?api_key=hunter2", ""))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v holds a credential", err)
	}
}

func TestMissOnEmptyTape(t *testing.T) {
	_, err := newFakeTape().index(t, Options{}).Find(t.Context(), ask("GET", "/models", ""))
	if err == nil || !strings.Contains(err.Error(), "the tape holds no exchanges") {
		t.Errorf("error %v", err)
	}
}

// A diff of many or of long lines stays readable, and the whole of it is there for who wants it.
func TestMissIsShort(t *testing.T) {
	long := func(word string) string {
		var lines []string
		for i := range 40 {
			lines = append(lines, fmt.Sprintf("rule %d: %s %s", i, strings.Repeat("lore ", 100), word))
		}
		return strings.Join(lines, "\n")
	}
	f := newFakeTape()
	f.add("POST", "/other", long("old"), nil)
	_, err := f.index(t, Options{}).Find(t.Context(), ask("POST", "/other", long("new\u202e\u2028")))
	var miss *Miss
	if !errors.As(err, &miss) {
		t.Fatal(err)
	}
	text := miss.Error()
	lines := strings.Split(text, "\n")
	if len(lines) >= 15 {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > lineWidth+30 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	if !strings.Contains(text, "old") || !strings.Contains(text, "new") || strings.ContainsAny(text, "\u202e\u2028") {
		t.Errorf("the place of the difference is not in view, or hidden characters are in the text:\n%s", text)
	}
	if n := strings.Count(miss.Diff, "\n+rule"); n != 40 {
		t.Errorf("the whole diff has %d changed lines, want 40", n)
	}
}

// Where the mode counts, the exchange of the request's own mode answers, and a miss says that only the other one is there.
func TestSameMode(t *testing.T) {
	stream := func(body string) string { return strings.TrimSuffix(body, "}") + `,"stream":true}` }
	ollama := func(end string) string {
		return `{"model":"m","messages":[{"role":"user","content":"When is low water?"}]` + end + `}`
	}
	f := newFakeTape()
	f.add("POST", chatPath, tideRequest, nil)
	f.add("POST", chatPath, stream(tideRequest), nil)
	f.add("POST", chatPath, galeRequest, nil)
	f.add("POST", chatPath, stream(followRequest), nil)
	f.add("POST", "/ollama/api/chat", ollama(""), nil)
	warmer := func(body string) string { return strings.Replace(body, `"temperature":0.0`, `"temperature":1`, 1) }
	for _, tt := range []struct {
		name  string
		asked Request
		opts  Options
		seq   int64  // of the answer
		miss  string // part of the text when there is none
	}{
		{name: "whole", asked: ask("POST", chatPath, warmer(tideRequest)), seq: 1},
		{name: "stream", asked: ask("POST", chatPath, warmer(stream(tideRequest))), seq: 2},
		{name: "stream, of which only the whole is there", asked: ask("POST", chatPath, stream(galeRequest)),
			miss: "recorded as a whole answer only, and this asks for a stream"},
		{name: "whole, of which only the stream is there", asked: ask("POST", chatPath, followRequest),
			miss: "recorded as a stream only, and this asks for a whole answer"},
		{name: "whole, of any model", asked: ask("POST", chatPath, strings.Replace(followRequest, model, "other", 1)), opts: Options{AnyModel: true},
			miss: "recorded as a stream only, and this asks for a whole answer"},
		{name: "shared", asked: ask("POST", chatPath, followRequest), opts: Options{Reuse: true},
			miss: "recorded as a stream only, and this asks for a whole answer"},
		{name: "a stream by default", asked: ask("POST", "/ollama/api/chat", ollama(`,"stream":true`)), seq: 5},
		{name: "no stream, where one is the default", asked: ask("POST", "/ollama/api/chat", ollama(`,"stream":false`)),
			miss: "recorded as a stream only, and this asks for a whole answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.SameMode = true
			hit, err := f.index(t, tt.opts).Find(t.Context(), tt.asked)
			switch {
			case tt.miss == "" && err != nil:
				t.Fatal(err)
			case tt.miss == "":
				if hit.Exchange.Seq != tt.seq {
					t.Errorf("exchange %d answers, want %d", hit.Exchange.Seq, tt.seq)
				}
			case err == nil:
				t.Errorf("exchange %d answers, want a miss", hit.Exchange.Seq)
			case !strings.Contains(err.Error(), tt.miss) || !strings.Contains(err.Error(), "stream "):
				t.Errorf("the miss does not say %q:\n%v", tt.miss, err)
			}
		})
	}
}
