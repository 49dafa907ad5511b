package search_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/search"
	"github.com/google/go-cmp/cmp"
)

// read makes an exchange. The content type says whether the response is a stream.
func read(api tape.API, contentType, request, response string) *reading.Exchange {
	return reading.New(&tape.Exchange{
		Ref:      tape.Ref{Session: "s", Seq: 1},
		Response: tape.Response{Status: 200, Header: http.Header{"Content-Type": {contentType}}},
		Ended:    tape.Complete,
		Facts:    tape.Facts{API: api},
	}, []byte(request), []byte(response))
}

const (
	whole  = "application/json"
	events = "text/event-stream"
	lines  = "application/x-ndjson"
)

const chatRequest = `{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Tide in Whitby?"},
	{"type":"image_url","image_url":{"url":"data:image/png;base64,V2hpdGJ5"}}]},
	{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_tide","arguments":"{\"harbour\":\"Whitby\"}"}}]},
	{"role":"tool","tool_call_id":"call_1","content":"noon"}],
	"tools":[{"type":"function","function":{"name":"get_tide","description":"Tell the tide","parameters":{"type":"object"}}}],
	"temperature":0.25,"colour":"teal"}`

// chatStream says "High at nöon." and calls, each cut in the middle of what is looked for.
const chatStream = `: keep-alive

data: {"id":"chatcmpl-77","object":"chat.completion.chunk","choices":[{"delta":{"reasoning_content":"Let me lo"}}]}

data: {"choices":[{"delta":{"reasoning_content":"ok."}}]}

data: {"choices":[{"delta":{"content":"High at n"}}]}

data: {"choices":[{"delta":{"content":"\u00f6on."}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_8","type":"function","function":{"name":"set_alarm","arguments":"{\"ti"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"me\": 12}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`

// claudeStream says "High at noon." and makes two calls.
const claudeStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"High at n"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"oon."}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"set_alarm","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"ti"}}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_2","name":"set_light","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"me\": 12}"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"on\": 12}"}}

event: message_stop
data: {"type":"message_stop"}

`

// responsesStream says "High at noon.", and says it all again at the end.
const responsesStream = `event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","content":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"High at n"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"oon."}

event: response.completed
data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":"High at noon."}]}]}}

`

func TestFind(t *testing.T) {
	claude := read(tape.Claude, events, `{"model":"m","messages":[]}`, claudeStream)
	streamed := read(tape.OpenAI, events, chatRequest, chatStream)
	for _, tt := range []struct {
		name    string
		x       *reading.Exchange
		text    string
		regular bool
		want    []string // each hit's place, then what was found with what is around it
	}{
		{"system", streamed, "brief", false, []string{"request system @3: Be [brief]."}},
		{"message, call and its arguments", streamed, "Whitby", false, []string{
			"request message 1 part 1 text @8: Tide in [Whitby]?",
			"request message 2 part 1 arguments of get_tide @12: {\"harbour\":\"[Whitby]\"}"}},
		{"ids", streamed, "call_1", false, []string{
			"request message 2 part 1 id of call @0: [call_1]", "request message 3 part 1 id of result @0: [call_1]"}},
		{"result", streamed, "noon", false, []string{"request message 3 part 1 result @0: [noon]"}},
		{"tools", streamed, "(?i)tell|get_", true, []string{
			"request message 2 part 1 name of call @0: [get_]tide",
			"request name of tool @0: [get_]tide", "request description of tool get_tide @0: [Tell] the tide"}},
		{"options", streamed, "0.25", false, []string{"request option temperature @0: [0.25]"}},
		{"fields nobody knows", streamed, "teal", false, []string{"request unknown colour @1: \"[teal]\""}},
		{"pictures are not searched", streamed, "V2hpdGJ5", false, nil},
		{"text that the stream cut and escaped", streamed, "nöon", false, []string{"response text @8 event 3: High at [nöon]."}},
		{"reasoning that the stream cut", streamed, "look", false, []string{"response reasoning @7 event 1: Let me [look]."}},
		{"from the piece that has the beginning on", streamed, "on.", false, []string{"response text @11 event 4: High at nö[on.]"}},
		{"name of a call", streamed, "alarm", false, []string{"response name of call 1 @4 event 5: set_[alarm]"}},
		{"arguments that the stream cut", streamed, `"time"`, false, []string{"response arguments of set_alarm @1 event 5: {[\"time\"]: 12}"}},
		{"their end", streamed, `12`, false, []string{"response arguments of set_alarm @9 event 6: {\"time\": [12]}"}},
		{"id of the answer", streamed, `chatcmpl-77`, false, []string{"response id @0 event 1: [chatcmpl-77]"}},
		{"every place", streamed, "[.]$", true, []string{"request system @8: Be brief[.]", "response reasoning @11 event 2: Let me look[.]", "response text @13 event 4: High at nöon[.]"}},
		{"nothing", streamed, "Staithes", false, nil},
		{"nothing, however often", streamed, "x*", true, nil},
		{"a whole answer", read(tape.Ollama, whole, `{"model":"m","messages":[]}`, `{"message":{"content":"One\ntwo"},"done":true}`), "e\nt", false,
			[]string{"response text @2: On[e\nt]wo"}},
		{"NDJSON", read(tape.Ollama, lines, `{"model":"m","messages":[]}`,
			`{"message":{"content":"On"},"done":false}`+"\n"+`{"message":{"content":"e two"},"done":true}`+"\n"), "two", false,
			[]string{"response text @4 event 2: One [two]"}},
		{"Claude's text", claude, "noon", false, []string{"response text @8 event 3: High at [noon]."}},
		{"Claude's arguments, between those of another call", claude, "12", false, []string{
			"response arguments of set_alarm @9 event 8: {\"time\": [12]}", "response arguments of set_light @7 event 9: {\"on\": [12]}"}},
		{"Claude's second call", claude, "light", false, []string{"response name of call 2 @4 event 7: set_[light]"}},
		{"Responses", read(tape.Responses, events, `{"model":"m","input":[]}`, responsesStream), "oon", false,
			[]string{"response text @9 event 3: High at n[oon]."}},
		{"the error of an answer", read(tape.OpenAI, whole, `{}`, `{"error":{"message":"No instance found for model m"}}`), "instance", false,
			[]string{"response error @3: No [instance] found for model m"}},
		{"an error in a stream", read(tape.OpenAI, events, `{}`, "data: {\"choices\":[]}\n\ndata: {\"error\":{\"message\":\"out of memory\"}}\n\n"), "memory", false,
			[]string{"response error @7 event 2: out of [memory]"}},
		{"an event that is not JSON", read(tape.OpenAI, events, `{}`, "data: {\"choices\":[]}\n\ndata: {oops\n\n"), "oops", false,
			[]string{"response malformed event @1 event 2: {[oops]"}},
		{"no model call", read(tape.Control, whole, `{"model_id":"org/Tide-1B"}`, `{"ok":"org/Tide-1B"}`), "Tide-1B", false,
			[]string{`request body @17: {"model_id":"org/[Tide-1B]"}`, `response body @11: {"ok":"org/[Tide-1B]"}`}},
		{"a body that is no text", read(tape.Control, whole, "\xff\xfeTide", ""), "Tide", false, nil},
		{"long text", read(tape.Control, whole, "", strings.Repeat("ä", 50)+"-"+strings.Repeat("ö", 50)), "-", false,
			[]string{"response body @100: …" + strings.Repeat("ä", 20) + "[-]" + strings.Repeat("ö", 20) + "…"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pattern, err := search.Pattern(tt.text, tt.regular, false)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			search.Find(tt.x, pattern, func(h search.Hit) bool {
				got = append(got, h.Place.String()+": "+shown(h))
				return true
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func shown(h search.Hit) string {
	s := h.Before + "[" + h.Match + "]" + h.After
	if h.CutBefore {
		s = "…" + s
	}
	if h.CutAfter {
		s += "…"
	}
	return s
}

// The event that is told begins where it is said to begin.
func TestFindStart(t *testing.T) {
	x := read(tape.OpenAI, events, chatRequest, chatStream)
	search.Find(x, regexp.MustCompile("nöon"), func(h search.Hit) bool {
		if got := chatStream[h.Start:]; !strings.HasPrefix(got, `data: {"choices":[{"delta":{"content":"High at n"}}]}`) {
			t.Errorf("event %d begins with %.60q", h.Event, got)
		}
		return true
	})
}

func TestFindStops(t *testing.T) {
	n := 0
	search.Find(read(tape.OpenAI, events, chatRequest, chatStream), regexp.MustCompile("."), func(search.Hit) bool {
		n++
		return n < 3
	})
	if n != 3 {
		t.Errorf("%d hits after the third was enough", n)
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		text                string
		regular, ignoreCase bool
		in                  string
		want                bool
	}{
		{"a.c", false, false, "abc", false},
		{"a.c", false, false, "a.c", true},
		{"a.c", true, false, "abc", true},
		{"A|B", true, true, "b", true},
		{"WHITBY", false, true, "Whitby", true},
		{"WHITBY", false, false, "Whitby", false},
	} {
		p, err := search.Pattern(tt.text, tt.regular, tt.ignoreCase)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MatchString(tt.in); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if _, err := search.Pattern("(", true, false); err == nil {
		t.Error("an expression that is none was taken")
	}
}

func TestFilter(t *testing.T) {
	x := read(tape.OpenAI, events, chatRequest, chatStream)
	x.Labels = map[string]string{"run": "2", "bench": "a"}
	x.Response.Status = 503
	for _, tt := range []struct {
		name   string
		filter search.Filter
		want   bool
	}{
		{"nothing asked", search.Filter{}, true},
		{"status", search.Filter{Statuses: []search.Status{"503"}}, true},
		{"class", search.Filter{Statuses: []search.Status{"5xx"}}, true},
		{"one of two", search.Filter{Statuses: []search.Status{"404", "503"}}, true},
		{"another", search.Filter{Statuses: []search.Status{"500", "4xx", "none"}}, false},
		{"labels", search.Filter{Labels: map[string]string{"run": "2", "bench": "a"}}, true},
		{"another value", search.Filter{Labels: map[string]string{"run": "3"}}, false},
		{"a label it lacks", search.Filter{Labels: map[string]string{"suite": ""}}, false},
		{"tool", search.Filter{Tools: []string{"other", "set_alarm"}}, true},
		{"a tool of the history alone", search.Filter{Tools: []string{"get_tide"}}, false},
	} {
		if got := tt.filter.Passes(x); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	x.Answer, x.Response.Status = nil, 0
	if f := (search.Filter{Statuses: []search.Status{"none"}}); !f.Passes(x) {
		t.Error("no response is not found as none")
	}
	if f := (search.Filter{Tools: []string{"set_alarm"}}); f.Passes(x) {
		t.Error("without an answer there is no call")
	}
}

func TestParseStatus(t *testing.T) {
	for _, s := range []string{"200", "5xx", "5XX", "none", "599"} {
		if _, err := search.ParseStatus(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"", "x", "xx", "50x", "50", "5000", "55xx", "0xx", "012", "-12", "ok"} {
		if got, err := search.ParseStatus(s); err == nil {
			t.Errorf("%q is taken as %q", s, got)
		} else if !strings.Contains(err.Error(), "write 500, 5xx or none") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func ExampleFind() {
	x := read(tape.OpenAI, "text/event-stream", `{"model":"m","messages":[{"role":"user","content":"When is high tide?"}]}`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"High ti\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"de is at noon.\"}}]}\n\ndata: [DONE]\n\n")
	search.Find(x, regexp.MustCompile("(?i)high tide"), func(h search.Hit) bool {
		fmt.Printf("%s: %s[%s]%s\n", h.Place, h.Before, h.Match, h.After)
		return true
	})
	// Output:
	// request message 1 part 1 text @8: When is [high tide]?
	// response text @0 event 1: [High tide] is at noon.
}

// FuzzFind: whatever came, every hit is found where it is said to be, in whole characters when the text has them.
func FuzzFind(f *testing.F) {
	f.Add(chatRequest, chatStream, "o", uint8(0), true)
	f.Add(`{}`, `{"message":{"content":"On"},"done":false}`+"\n", "O", uint8(3), true)
	f.Add(`{}`, `{"choices":[{"message":{"content":"One"}}]}`, "e", uint8(0), false)
	f.Fuzz(func(t *testing.T, request, response, text string, how uint8, stream bool) {
		pattern, err := search.Pattern(text, false, false)
		if err != nil || text == "" {
			return
		}
		api := tape.APIs[int(how)%len(tape.APIs)]
		contentType := whole
		if stream {
			contentType = events
		}
		n := 0
		search.Find(read(api, contentType, request, response), pattern, func(h search.Hit) bool {
			if h.Match != text || h.Offset < len(h.Before) || h.Start < 0 || h.Start > int64(len(response)) {
				t.Errorf("%+v", h)
			}
			if h.CutAfter && utf8.ValidString(request+response) && utf8.ValidString(text) && !utf8.ValidString(h.After) {
				t.Errorf("a character is cut: %q", h.After)
			}
			n++
			return n < 50
		})
	})
}
