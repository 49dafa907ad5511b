package thread_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/thread"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/google/go-cmp/cmp"
)

// exchange is one in short: request and response body of an API.
type exchange struct {
	api      tape.API // OpenAI when ""
	request  string   // the messages (or input) of it
	response string   // "" for none
	stream   bool
	model    string
	system   string
	labels   map[string]string
	ended    tape.Ended
	status   int
}

// read makes what package reading would.
func (e exchange) read(t testing.TB, seq int64) *reading.Exchange {
	t.Helper()
	if e.api == "" {
		e.api = tape.OpenAI
	}
	if e.model == "" {
		e.model = "m"
	}
	if e.ended == "" {
		e.ended = tape.Complete
	}
	if e.status == 0 {
		e.status = 200
	}
	list := "messages"
	if e.api == tape.Responses {
		list = "input"
	}
	body := fmt.Sprintf(`{"model":%q,%q:%s`, e.model, list, e.request)
	if e.system != "" {
		name := map[tape.API]string{tape.Claude: "system", tape.Responses: "instructions"}[e.api]
		body += fmt.Sprintf(`,%q:%q`, name, e.system)
	}
	body += "}"
	q, err := wire.ParseRequest(e.api, []byte(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	x := &reading.Exchange{
		Exchange: &tape.Exchange{
			Ref: tape.Ref{Session: "s", Seq: seq}, Started: time.Date(2026, 3, 4, 5, 6, int(seq), 0, time.UTC), Total: time.Second / 2, Ended: e.ended, Labels: e.labels,
			Response: tape.Response{Status: e.status}, Facts: tape.Facts{API: e.api, Model: e.model},
		},
		Request: q,
	}
	if e.response != "" {
		if x.Answer, err = wire.ParseResponse(e.api, e.stream, strings.NewReader(e.response)); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// Messages and answers in the forms of the APIs. Ids and blanks differ as they do between a server and its clients.
const (
	u1, u2, u3 = `{"role":"user","content":"Tide in Whitby?"}`, `{"role":"user","content":"And tomorrow?"}`, `{"role":"user","content":"Thanks."}`
	a1, a2     = `{"role":"assistant","content":"High at noon."}`, `{"role":"assistant","content":"At one."}`
	other      = `{"role":"user","content":"Tide in Staithes?"}`
)

func chat(text string) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, text)
}

func chatCall(id, arguments string) string {
	return fmt.Sprintf(`{"choices":[{"message":{"content":"","reasoning_content":"Hm.","tool_calls":[{"id":%q,"type":"function","function":{"name":"get_tide","arguments":%q}}]},"finish_reason":"tool_calls"}]}`, id, arguments)
}

func list(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

const (
	chatCallMessage   = `{"role":"assistant","content":null,"tool_calls":[{"id":"mine_1","type":"function","function":{"name":"get_tide","arguments":"{ \"day\": 1, \"harbour\": \"Whitby\" }"}}]}`
	chatResult        = `{"role":"tool","tool_call_id":"mine_1","content":"noon"}`
	claudeCallMessage = `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_9","name":"get_tide","input":{"day":1,"harbour":"Whitby"}}]}`
	claudeResult      = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_9","content":"noon"}]}`
	claudeCallStream  = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"get_tide","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"harbour\": \"Whi"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"tby\", \"day\": 1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

event: message_stop
data: {"type":"message_stop"}

`
	ollamaCall        = `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{"harbour":"Whitby","day":1}}}]},"done":true,"done_reason":"tool_call"}`
	ollamaCallMessage = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{"day":1,"harbour":"Whitby"}}}]}`
	ollamaResult      = `{"role":"tool","tool_name":"get_tide","content":"noon"}`
	responsesCall     = `{"id":"r","object":"response","status":"completed","output":[{"type":"function_call","id":"fc","call_id":"call_4","name":"get_tide","arguments":"{\"harbour\":\"Whitby\",\"day\":1}"}]}`
	responsesCallItem = `{"type":"function_call","call_id":"call_4","name":"get_tide","arguments":"{\"harbour\":\"Whitby\",\"day\":1}"}`
	responsesResult   = `{"type":"function_call_output","call_id":"call_4","output":"noon"}`
)

// TestGroup writes each turn as "THREAD:TURN link after", after being the turn it follows.
func TestGroup(t *testing.T) {
	ask := exchange{request: list(u1), response: chat("High at noon.")}
	goOn := exchange{request: list(u1, a1, u2), response: chat("At one.")}
	down := exchange{request: list(u1), status: 503, response: `{"error":{"message":"loading"}}`}
	for _, tt := range []struct {
		name      string
		exchanges []exchange
		want      []string
	}{
		{"three turns", []exchange{ask, goOn, {request: list(u1, a1, u2, a2, u3), response: chat("Bye.")}},
			[]string{"1:1 opens", "1:2 continues 1", "1:3 continues 2"}},
		{"blanks around the answer", []exchange{{request: list(u1), response: chat("\n\nHigh at noon.\n")}, goOn},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"two conversations, interleaved", []exchange{ask, {request: list(other), response: chat("Low.")}, goOn,
			{request: list(other, `{"role":"assistant","content":"Low."}`, u2), response: chat("Low.")}},
			[]string{"1:1 opens", "2:1 opens", "1:2 continues 1", "2:2 continues 1"}},
		{"two that read the same", []exchange{ask, ask, goOn, goOn},
			[]string{"1:1 opens", "2:1 opens", "1:2 continues 1", "2:2 continues 1"}},
		{"the same once more after it was answered", []exchange{ask, goOn, goOn, {request: list(u1, a1, u3), response: chat("Bye.")}},
			[]string{"1:1 opens", "1:2 continues 1", "1:3 continues 1 branch", "1:4 continues 1 branch"}},
		{"a retry", []exchange{down, down, ask, goOn},
			[]string{"1:1 opens", "1:2 retries 1", "1:3 retries 2", "1:4 continues 3"}},
		{"a retry later on", []exchange{ask, {request: list(u1, a1, u2), ended: tape.UpstreamError, status: -1}, goOn, {request: list(u1, a1, u2, a2, u3)}},
			[]string{"1:1 opens", "1:2 continues 1", "1:3 retries 2", "1:4 continues 3"}},
		{"a retry with another model, in the middle", []exchange{ask, {request: list(u1, a1, u2), status: 503}, {request: list(u1, a1, u2), model: "n", status: 503},
			{request: list(u1, a1, u2), model: "o", response: chat("At one.")}, {request: list(u1, a1, u2, a2, u3), response: chat("Bye.")}},
			[]string{"1:1 opens", "1:2 continues 1", "1:3 retries 2", "1:4 retries 3", "1:5 continues 4"}},
		{"no first request again with another model", []exchange{down, {request: list(u1), model: "n", response: chat("High at noon.")}},
			[]string{"1:1 opens", "2:1 opens"}},
		{"the client left, and asks again", []exchange{
			{request: list(u1), stream: true, response: "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n", ended: tape.ClientGone}, ask},
			[]string{"1:1 opens", "1:2 retries 1"}},
		{"the client goes on after what it got", []exchange{
			{request: list(u1), stream: true, response: "data: {\"choices\":[{\"delta\":{\"content\":\"High at noon. And\"}}]}\n\n", ended: tape.ClientGone}, goOn},
			[]string{"1:1 opens", "1:2 edited 1"}},
		{"the client changes the answer", []exchange{{request: list(u1), response: chat("<think>Hm</think>High at noon.")}, goOn},
			[]string{"1:1 opens", "1:2 edited 1"}},
		{"a history of its own is no changed answer when the exchange has been continued", []exchange{
			ask, goOn, {request: list(u1, a2, u3), response: chat("Bye.")}},
			[]string{"1:1 opens", "1:2 continues 1", "2:1 opens"}},
		{"another system text", []exchange{
			{api: tape.Claude, system: "It is 10:01.", request: list(u1), response: `{"type":"message","content":[{"type":"text","text":"High at noon."}],"stop_reason":"end_turn"}`},
			{api: tape.Claude, system: "It is 10:02.", request: list(u1, a1, u2)}},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"of two that read the same, the one with that system text", []exchange{
			{api: tape.Responses, system: "A", request: list(u1), response: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"High at noon."}]}]}`},
			{api: tape.Responses, system: "B", request: list(u1), response: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"High at noon."}]}]}`},
			{api: tape.Responses, system: "B", request: list(u1, a1, u2)}},
			[]string{"1:1 opens", "2:1 opens", "2:2 continues 1"}},
		{"the beginning of an answer", []exchange{
			{request: list(u1, `{"role":"assistant","content":"High "}`), response: chat("at noon.")}, goOn},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"go on with the answer", []exchange{ask, {request: list(u1, a1), response: chat("And at midnight.")}},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"samples of a suite", []exchange{
			{request: list(u1), response: chat("High at noon."), labels: map[string]string{"sample": "a"}},
			{request: list(u1), response: chat("High at noon."), labels: map[string]string{"sample": "b"}},
			{request: list(u1, a1, u2), labels: map[string]string{"sample": "b", "phase": "2"}},
			{request: list(u1, a1, u2), labels: map[string]string{"sample": "c"}}},
			[]string{"1:1 opens", "2:1 opens", "2:2 continues 1", "3:1 opens"}},
		{"a call over Chat", []exchange{{request: list(u1), response: chatCall("call_1", `{"harbour":"Whitby","day":1}`)},
			{request: list(u1, chatCallMessage, chatResult)}},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"a call over Claude, streamed", []exchange{{api: tape.Claude, stream: true, request: list(u1), response: claudeCallStream},
			{api: tape.Claude, request: list(u1, claudeCallMessage, claudeResult)}},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"a call over Ollama", []exchange{{api: tape.Ollama, request: list(u1), response: ollamaCall},
			{api: tape.Ollama, request: list(u1, ollamaCallMessage, ollamaResult)}},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"a call over Responses", []exchange{{api: tape.Responses, request: list(u1), response: responsesCall},
			{api: tape.Responses, request: list(u1, responsesCallItem, responsesResult)}},
			[]string{"1:1 opens", "1:2 continues 1"}},
		{"a conversation that changes its API with every turn", []exchange{
			{api: tape.Ollama, request: list(u1), response: ollamaCall},
			{api: tape.Claude, request: list(u1, claudeCallMessage, claudeResult), response: `{"type":"message","content":[{"type":"text","text":"High at noon."}],"stop_reason":"end_turn"}`},
			{api: tape.OpenAI, request: list(u1, chatCallMessage, chatResult, a1, u2), response: chat("At one.")},
			{api: tape.Responses, request: list(u1, responsesCallItem, responsesResult, a1, u2, a2, u3)}},
			[]string{"1:1 opens", "1:2 continues 1", "1:3 continues 2", "1:4 continues 3"}},
		{"another call is another history", []exchange{
			{request: list(u1), response: chatCall("call_1", `{"harbour":"Whitby","day":2}`), system: ""},
			{request: list(other, chatCallMessage, chatResult)}},
			[]string{"1:1 opens", "2:1 opens"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var g thread.Grouper
			for i, e := range tt.exchanges {
				if e.status < 0 {
					e.status = 0
					x := e.read(t, int64(i+1))
					x.Response.Status = 0
					g.Add(x)
					continue
				}
				g.Add(e.read(t, int64(i+1)))
			}
			if diff := cmp.Diff(tt.want, told(g.Threads(), len(tt.exchanges))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func told(threads []*thread.Thread, n int) []string {
	out := make([]string, n)
	for i, one := range threads {
		for k, turn := range one.Turns {
			s := fmt.Sprintf("%d:%d %s", i+1, k+1, turn.Link)
			if turn.After >= 0 {
				s += fmt.Sprintf(" %d", turn.After+1)
			}
			if turn.Branch {
				s += " branch"
			}
			out[turn.Seq-1] = s
		}
	}
	return out
}

// What is no model call belongs to no conversation.
func TestAddOther(t *testing.T) {
	var g thread.Grouper
	x := exchange{request: list(u1)}.read(t, 1)
	x.Request = nil
	if turn := g.Add(x); turn != nil || len(g.Threads()) != 0 {
		t.Errorf("turn %+v, %d conversations", turn, len(g.Threads()))
	}
}

func TestThreadFacts(t *testing.T) {
	var g thread.Grouper
	for i, e := range []exchange{
		{request: list(`{"role":"system","content":"Be brief."}`, u1), response: chatCall("c", `{"harbour":"Whitby","day":1}`)},
		{request: list(`{"role":"system","content":"Be brief."}`, u1, chatCallMessage, chatResult), response: chat("High at noon."), model: "n"},
	} {
		g.Add(e.read(t, int64(i+1)))
	}
	one := g.Threads()[0]
	if one.Opening != "Tide in Whitby?" || one.Calls() != 1 || one.Duration() != 1500*time.Millisecond || one.Branches() != 0 {
		t.Errorf("opening %q, %d calls, %v, %d branches", one.Opening, one.Calls(), one.Duration(), one.Branches())
	}
	if diff := cmp.Diff([]string{"m", "n"}, one.Models()); diff != "" {
		t.Error(diff)
	}
	if one.Turns[1].Told != 2 || !one.Holds(tape.Ref{Session: "s", Seq: 2}) || one.Holds(tape.Ref{Session: "s", Seq: 3}) {
		t.Errorf("turn %+v", one.Turns[1])
	}
}

func ExampleGrouper() {
	read := func(seq int64, request, response string) *reading.Exchange {
		q, err := wire.ParseRequest(tape.OpenAI, []byte(request))
		if err != nil {
			panic(err) // the example is its own input
		}
		a, _ := wire.ParseResponse(tape.OpenAI, false, bytes.NewReader([]byte(response)))
		return &reading.Exchange{Exchange: &tape.Exchange{Ref: tape.Ref{Session: "s", Seq: seq}, Ended: tape.Complete}, Request: q, Answer: a}
	}
	var g thread.Grouper
	g.Add(read(1, `{"messages":[{"role":"user","content":"Tide in Whitby?"}]}`, `{"choices":[{"message":{"content":"At noon."},"finish_reason":"stop"}]}`))
	g.Add(read(2, `{"messages":[{"role":"user","content":"Hello."}]}`, `{"choices":[{"message":{"content":"Hello!"},"finish_reason":"stop"}]}`))
	g.Add(read(3, `{"messages":[{"role":"user","content":"Tide in Whitby?"},{"role":"assistant","content":"At noon."},{"role":"user","content":"Thanks."}]}`, ``))
	for _, t := range g.Threads() {
		fmt.Printf("%s %d turns\n", t.Opening, len(t.Turns))
	}
	// Output:
	// Tide in Whitby? 2 turns
	// Hello. 1 turns
}

// FuzzGroup: whatever is asked, nothing panics, every exchange is in one conversation, and each follows an earlier one.
func FuzzGroup(f *testing.F) {
	f.Add([]byte(list(u1)), []byte(list(u1, a1, u2)), []byte(chat("High at noon.")), uint8(0))
	f.Add([]byte(list(u1, chatCallMessage)), []byte(list(chatResult)), []byte(chatCall("c", "")), uint8(1))
	f.Add([]byte(list(u1)), []byte(list(u1, claudeCallMessage, claudeResult)), []byte(claudeCallStream), uint8(2))
	f.Fuzz(func(t *testing.T, first, second, response []byte, how uint8) {
		api := tape.APIs[int(how)%len(tape.APIs)]
		var g thread.Grouper
		n := 0
		for i, messages := range [][]byte{first, second, first, second} {
			if !json.Valid(messages) {
				return
			}
			e := exchange{api: api, request: string(messages), response: string(response), stream: how&16 != 0}
			if g.Add(e.read(t, int64(i))) != nil {
				n++
			}
		}
		seen := 0
		for _, one := range g.Threads() {
			for i, turn := range one.Turns {
				seen++
				if turn.After >= i || (turn.After < 0) != (i == 0) {
					t.Errorf("turn %d follows turn %d", i, turn.After)
				}
			}
		}
		if seen != n {
			t.Errorf("%d of %d exchanges are in a conversation", seen, n)
		}
	})
}
