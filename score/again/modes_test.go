package again_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/again"
	"github.com/exodeck/exodeck/score/conformance"
)

// inMode is an answer to the tide question in one of the modes.
type inMode struct {
	model, setting string // "" is m, and no setting that makes answers repeat themselves
	stream         bool
	text, call     string // as in [answered]
	cut            bool   // the stream ends early
	upstream       string // the address of the server; "" when it is not known
	again          bool   // it was asked again
}

// recorded makes a recording of one answer.
func (a inMode) recorded(t *testing.T) *cassette.Cassette {
	t.Helper()
	message, finish := fmt.Sprintf(`"role":"assistant","content":%q`, a.text), "stop"
	if a.call != "" {
		message = fmt.Sprintf(`"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_tide","arguments":%q}}]`, a.call)
		finish = "tool_calls"
	}
	const usage = `"usage":{"prompt_tokens":40,"completion_tokens":12,"total_tokens":52}`
	kind, member := "application/json", "body"
	response := fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{%s},"finish_reason":%q}],%s}`, message, finish, usage)
	if a.stream {
		kind, member = "text/event-stream", "text"
		response = fmt.Sprintf("data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\n", message)
		if !a.cut {
			response += fmt.Sprintf("data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}],%s}\n\ndata: [DONE]\n\n", finish, usage)
		}
		response = quote(t, response)
	}
	model := "m"
	if a.model != "" {
		model = a.model
	}
	labels := ""
	if a.again {
		labels = fmt.Sprintf(`,"labels":{%q:"s1/1"}`, again.Label)
	}
	c, err := cassette.Read(strings.NewReader(fmt.Sprintf(`{"session":"s1","upstream":%q}`+"\n", a.upstream)+fmt.Sprintf(
		`{"seq":1,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":%q,%s"stream":%t,"messages":[{"role":"user","content":"Tide in Vigo?"}],"tools":[%s]}},`+
			`"response":{"status":200,"headers":{"Content-Type":[%q]},%q:%s},"ended":"complete"%s}`+"\n",
		model, a.setting, a.stream, tideTool, kind, member, response, labels)), "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const cold = `"temperature":0,`

// The stream and the whole answer of one request must be the same: that is told and counted, whichever was there first, and also when
// both verdicts are ok.
func TestModes(t *testing.T) {
	const vigo, faro = `{"port":"Vigo"}`, `{"port":"Faro"}`
	const spaced = `{ "port" : "Vigo" }`
	const leak = `<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`
	for _, test := range []struct {
		name        string
		before, now inMode
		want        again.Modes
		differences []string
	}{
		{"the same", inMode{setting: cold, call: vigo}, inMode{setting: cold, stream: true, call: spaced}, again.Modes{Both: 1, Compared: 1}, nil},
		{"another call in the stream", inMode{setting: cold, call: vigo}, inMode{setting: cold, stream: true, call: faro}, again.Modes{Both: 1, Compared: 1, Differ: 1},
			[]string{`stream-mismatch adapter: the whole answer s1/1 differs in calls: get_tide {"port":"Vigo"} there, get_tide {"port":"Faro"} here`}},
		{"the stream was first", inMode{setting: cold, stream: true, text: "High."}, inMode{setting: cold, text: "Low."}, again.Modes{Both: 1, Compared: 1, Differ: 1},
			[]string{`stream-mismatch adapter: the whole answer s1/1 differs in content: "Low." there, "High." here`}},
		{"a call that the stream leaves in its text", inMode{setting: cold, call: vigo}, inMode{setting: cold, stream: true, text: leak}, again.Modes{Both: 1, Compared: 1, Differ: 1},
			[]string{`stream-mismatch adapter: the whole answer s1/1 differs in content, calls, finish reason: get_tide {"port":"Vigo"} there, ` + fmt.Sprintf("%q", leak) + ` here`}},
		{"a seed", inMode{setting: `"seed":7,`, text: "High."}, inMode{setting: `"seed":7,`, stream: true, text: "Low."}, again.Modes{Both: 1, Compared: 1, Differ: 1},
			[]string{`stream-mismatch adapter: the whole answer s1/1 differs in content: "High." there, "Low." here`}},
		{"of another server", inMode{setting: cold, text: "High.", upstream: "http://a:1"}, inMode{setting: cold, stream: true, text: "Low.", upstream: "http://b:1", again: true}, again.Modes{Both: 1, Compared: 1, Differ: 1},
			[]string{`stream-mismatch unknown: the whole answer s1/1 differs in content: "High." there, "Low." here; or the servers differ: http://b:1 streamed, http://a:1 answered as a whole`}},
		{"of the same server, asked again", inMode{setting: cold, text: "High.", upstream: "http://a:1"}, inMode{setting: cold, stream: true, text: "Low.", upstream: "http://a:1", again: true}, again.Modes{Both: 1, Compared: 1, Differ: 1},
			[]string{`stream-mismatch adapter: the whole answer s1/1 differs in content: "High." there, "Low." here`}},
		{"no answer need be the same", inMode{text: "High."}, inMode{stream: true, text: "Low."}, again.Modes{Both: 1, Unsettled: 1}, nil},
		{"neither settled nor whole", inMode{text: "High."}, inMode{stream: true, text: "Hi", cut: true}, again.Modes{Both: 1}, nil},
		{"warm", inMode{setting: `"temperature":0.7,`, text: "High."}, inMode{setting: `"temperature":0.7,`, stream: true, text: "Low."}, again.Modes{Both: 1, Unsettled: 1}, nil},
		{"another model", inMode{setting: cold, text: "High."}, inMode{model: "n", setting: cold, stream: true, text: "Low."}, again.Modes{Both: 1}, nil},
		{"a stream that was cut off", inMode{setting: cold, text: "High."}, inMode{setting: cold, stream: true, text: "Hi", cut: true}, again.Modes{Both: 1}, nil},
		{"one mode", inMode{setting: cold, text: "High."}, inMode{setting: cold, text: "Low."}, again.Modes{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			ref := tape.Ref{Session: "s1", Seq: 1}
			got, err := again.Compare(t.Context(), test.before.recorded(t), test.now.recorded(t), []again.Pair{{Reference: ref, Now: ref}}, conformance.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Modes); diff != "" {
				t.Errorf("modes (-want +got):\n%s", diff)
			}
			var differences []string
			for _, c := range got.Changes {
				for _, d := range c.Differences {
					differences = append(differences, fmt.Sprintf("%s %s: %s", d.Code, d.Blame, d.Detail))
				}
			}
			if diff := cmp.Diff(test.differences, differences); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// Problems of the answers by themselves are no differences between them, and a rule that leaves a code out leaves it out here too.
func TestModesRules(t *testing.T) {
	ref := tape.Ref{Session: "s1", Seq: 1}
	before, now := inMode{setting: cold, text: "High."}, inMode{setting: cold, stream: true, text: "Low."}
	got, err := again.Compare(t.Context(), before.recorded(t), now.recorded(t), []again.Pair{{Reference: ref, Now: ref}},
		conformance.Rules{Ignore: []string{"stream-mismatch"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Modes.Differ != 0 || len(got.Changes) != 0 {
		t.Errorf("got %+v, %+v", got.Modes, got.Changes)
	}
}
