package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/search"
	"github.com/google/go-cmp/cmp"
)

const (
	ask       = `{"model":"m","messages":[]}`
	chunk     = "data: {\"choices\":[{\"delta\":{\"content\":\"One\"}}]}\n\n"
	lastChunk = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	done      = "data: [DONE]\n\n"
)

func call(arguments string) string {
	return fmt.Sprintf(`{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"get_tide","arguments":%s}}]},"finish_reason":"tool_calls"}]}`, arguments)
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name        string
		api         tape.API // OpenAI when ""
		contentType string   // whole when ""
		request     string   // ask when ""
		response    string
		status      int
		ended       tape.Ended
		cause       string
		want        []string // "CODE EVENT: DETAIL"
	}{
		{name: "nothing wrong", response: `{"choices":[{"message":{"content":"One"},"finish_reason":"stop"}]}`},
		{name: "nothing wrong, streamed", contentType: events, response: chunk + lastChunk + done},
		{name: "nothing wrong with a call", response: call(`"{\"day\":1}"`)},
		{name: "no arguments are no problem", response: call(`""`)},
		{name: "no model call", api: tape.Control, response: `{"choices":[]}`, request: "x"},
		{name: "in flight", response: "", ended: "in flight"},
		{name: "the client left", contentType: events, response: chunk, ended: tape.ClientGone, cause: "the client closed the connection",
			want: []string{"client-disconnect 0: the client closed the connection"}},
		{name: "the client left inside an event", contentType: events, response: chunk + lastChunk[:20], ended: tape.ClientGone, cause: "gone",
			want: []string{"client-disconnect 0: gone"}},
		{name: "the client left at the end", contentType: events, response: chunk + lastChunk + done, ended: tape.ClientGone, cause: "gone"},
		{name: "no response", status: -1, ended: tape.UpstreamError, cause: "connection refused", want: []string{"upstream-error 0: connection refused"}},
		{name: "broken off", contentType: events, response: chunk, ended: tape.UpstreamTruncated, cause: "unexpected EOF",
			want: []string{"upstream-truncated 0: unexpected EOF"}},
		{name: "broken off and whole", response: `{"choices":[{"mess`, ended: tape.UpstreamTruncated, cause: "unexpected EOF",
			want: []string{"upstream-truncated 0: unexpected EOF"}},
		{name: "not all recorded", response: "", ended: tape.RecorderError, cause: "disk full", want: []string{"recorder-error 0: disk full"}},
		{name: "the recorder died", status: -1, ended: tape.Interrupted, want: []string{"interrupted 0: "}},
		{name: "a status that says error", status: 503, response: `{"error":{"message":"loading"}}`, want: []string{"http-error 0: 503: loading"}},
		{name: "the same of a control call", api: tape.Control, status: 404, response: `{}`, want: []string{"http-error 0: 404"}},
		{name: "a request that is none", request: `[1]`, status: 422, response: `{"detail":[]}`,
			want: []string{"http-error 0: 422: ", `request-not-json 0: reading a request of API "openai": the body is an array, not an object`}},
		{name: "an answer that is not JSON", response: "Internal Server Error", want: []string{"body-not-json 0: Internal Server Error"}},
		{name: "an empty answer", response: "", want: []string{"body-not-json 0: the body is empty: the server failed while it generated"}},
		{name: "an error inside a stream", contentType: events, response: chunk + "data: {\"error\":{\"message\":\"out of memory\"}}\n\n",
			want: []string{"stream-error-event 2: out of memory"}},
		{name: "an error in place of an answer", response: `{"error":"no such model"}`, want: []string{"error-body 0: no such model"}},
		{name: "an event that is not JSON", contentType: events, response: chunk + "data: {oops}\n\n" + lastChunk + done,
			want: []string{"malformed-event 2: "}},
		{name: "no end", contentType: events, response: chunk, want: []string{"truncated-stream 1: the stream ends after 1 events without its end marker"}},
		{name: "no [DONE]", contentType: events, response: chunk + lastChunk, want: []string{`missing-done 2: finish reason "stop", then no [DONE]`}},
		{name: "no end over Ollama", api: tape.Ollama, contentType: lines, response: `{"message":{"content":"One"},"done":false}` + "\n",
			want: []string{"truncated-stream 1: the stream ends after 1 events without its end marker"}},
		{name: "no finish reason", contentType: events, response: chunk + done, want: []string{"missing-finish-reason 0: the answer has ended and does not say why"}},
		{name: "arguments that break off", response: call(`"{\"day\":"`), want: []string{"arguments-not-json 0: get_tide: unexpected end of JSON input"}},
		{name: "arguments that are no object", response: call(`"[1]"`), want: []string{"arguments-not-object 0: get_tide: [1]"}},
		{name: "arguments in a stream", contentType: events, response: chunk +
			"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"12\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n" + done,
			want: []string{"arguments-not-object 2: f: 12"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.api == "" {
				tt.api = tape.OpenAI
			}
			if tt.contentType == "" {
				tt.contentType = whole
			}
			if tt.request == "" {
				tt.request = ask
			}
			x := read(tt.api, tt.contentType, tt.request, tt.response)
			switch {
			case tt.status < 0:
				x.Response.Status, x.Answer = 0, nil
			case tt.status > 0:
				x.Response.Status = tt.status
			}
			switch {
			case tt.ended == "in flight":
				x.Ended = tape.InFlight
			case tt.ended != "":
				x.Ended = tt.ended
			}
			x.Cause = tt.cause
			if diff := cmp.Diff(tt.want, told(x, tt.want)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// told writes problems in short. A wanted detail that is left out, as it is the wording of the JSON library, is left out here too.
func told(x *reading.Exchange, want []string) []string {
	var got []string
	for i, p := range search.Problems(x) {
		s := fmt.Sprintf("%s %d: %s", p.Code, p.Event, p.Detail)
		if i < len(want) && strings.HasSuffix(want[i], ": ") {
			s = s[:min(len(s), len(want[i]))]
		}
		got = append(got, s)
	}
	return got
}

// Every code is one of a kind and says what it means.
func TestCodes(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range search.Codes {
		if seen[c.Name] || c.What == "" {
			t.Errorf("code %+v", c)
		}
		seen[c.Name] = true
	}
}

func ExampleProblems() {
	x := read(tape.OpenAI, "text/event-stream", `{"model":"m","messages":[]}`, "data: {\"choices\":[{\"delta\":{\"content\":\"On\"}}]}\n\n")
	for _, p := range search.Problems(x) {
		fmt.Printf("%s at event %d: %s\n", p.Code, p.Event, p.Detail)
	}
	// Output:
	// truncated-stream at event 1: the stream ends after 1 events without its end marker
}
