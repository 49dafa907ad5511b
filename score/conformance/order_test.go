package conformance_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// TestEventOrder: streams whose events do not come in the order that the API states, one rule broken in each. The place is that of the event that is
// out of order.
func TestEventOrder(t *testing.T) {
	const (
		messageStart = `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":9,"output_tokens":0}}}`
		messageDelta = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`
		messageStop  = `{"type":"message_stop"}`
		ping         = `{"type":"ping"}`
	)
	data := func(event string) string {
		_, data, _ := strings.Cut(event, "data: ")
		return strings.TrimSuffix(data, "\n\n")
	}
	blockStart, blockDelta, blockStop := data(start(0, emptyText)), data(text(0, "Noon.")), data(stop(0))

	numbered := func(event string, n int) string { return strings.Replace(event, ":N,", ":"+strconv.Itoa(n)+",", 1) }
	const (
		created   = `{"type":"response.created","sequence_number":N,"response":{"object":"response","id":"r1","status":"in_progress","output":[]}}`
		progress  = `{"type":"response.in_progress","sequence_number":N,"response":{"object":"response","id":"r1","status":"in_progress","output":[]}}`
		added     = `{"type":"response.output_item.added","sequence_number":N,"output_index":0,"item":{"type":"message","id":"i1","status":"in_progress","content":[]}}`
		worded    = `{"type":"response.output_text.delta","sequence_number":N,"output_index":0,"item_id":"i1","content_index":0,"delta":"Noon."}`
		over      = `{"type":"response.output_item.done","sequence_number":N,"output_index":0,"item":{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Noon."}]}}`
		completed = `{"type":"response.completed","sequence_number":N,"response":{"object":"response","id":"r1","status":"completed","output":[{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Noon."}]}],"usage":{"input_tokens":9,"output_tokens":5,"total_tokens":14}}}`
		failed    = `{"type":"response.failed","sequence_number":N,"response":{"object":"response","id":"r1","status":"failed","error":{"message":"died"},"output":[]}}`
	)
	third := func(event string) string { return strings.Replace(event, `"output_index":0`, `"output_index":3`, 1) }

	spoken := data(chunk(`{"content":"Noon."}`, ""))
	stopped := data(chunk(`{}`, `"stop"`))

	for _, tt := range []struct {
		name   string
		api    tape.API
		events []string
		want   string // each problem with the number of its event
	}{
		{"Claude in order", tape.Claude, []string{messageStart, ping, blockStart, blockDelta, blockStop, messageDelta, messageStop}, ""},
		{"a ping first", tape.Claude, []string{ping, messageStart, blockStart, blockDelta, blockStop, messageDelta, messageStop}, ""},
		{"no message_start", tape.Claude, []string{blockStart, blockDelta, blockStop, messageDelta, messageStop}, "event-out-of-order 1"},
		{"a late message_start", tape.Claude, []string{blockStart, messageStart, blockDelta, blockStop, messageDelta, messageStop}, "event-out-of-order 1"},
		{"two of message_start", tape.Claude, []string{messageStart, messageStart, blockStart, blockDelta, blockStop, messageDelta, messageStop}, "event-out-of-order 2"},
		{"a block after message_delta", tape.Claude, []string{messageStart, messageDelta, blockStart, blockDelta, blockStop, messageStop}, "event-out-of-order 3 4 5"},
		{"the end of a block after message_delta", tape.Claude, []string{messageStart, blockStart, blockDelta, messageDelta, blockStop, messageStop}, "event-out-of-order 5"},
		{"blocks from 1", tape.Claude, []string{messageStart, data(start(1, emptyText)), data(text(1, "Noon.")), data(stop(1)), messageDelta, messageStop}, "index-gap 2"},

		{"Responses in order", tape.Responses, []string{created, progress, added, worded, over, completed}, ""},
		{"no response.created", tape.Responses, []string{added, worded, over, completed}, "event-out-of-order 1"},
		{"response.created after another", tape.Responses, []string{progress, created, added, worded, over, completed}, "event-out-of-order 1"},
		{"two of response.created", tape.Responses, []string{created, created, added, worded, over, completed}, "event-out-of-order 2"},
		{"a failure at once", tape.Responses, []string{failed}, "stream-error-event 1"},
		{"items from 3", tape.Responses, []string{created, third(added), third(worded), third(over), completed}, "index-gap 2"},

		{"Chat in order", tape.OpenAI, []string{spoken, spoken, stopped, "[DONE]"}, ""},
		{"text after the finish reason", tape.OpenAI, []string{spoken, stopped, spoken, spoken, "[DONE]"}, "event-after-terminal 3 4"},
		{"a call after the finish reason", tape.OpenAI, []string{spoken, data(chunk(`{}`, `"length"`)), data(chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"port":"Vigo"}`))+`]}`, "")), "[DONE]"}, "event-after-terminal 3"},
		{"an empty finish reason first", tape.OpenAI, []string{data(chunk(`{"content":"At "}`, `""`)), spoken, stopped, "[DONE]"}, ""},
	} {
		var stream strings.Builder
		write := event
		if tt.api == tape.Claude {
			write = named
		}
		for i, e := range tt.events {
			stream.WriteString(write(numbered(e, i+1)))
		}
		request := ask(withTools)
		if tt.api == tape.Responses {
			request = `{"model":"m","input":"High water?"}`
		}
		r := conformance.New(conformance.Rules{}).Exchange(sent{API: tt.api, Request: request, Response: stream.String()}.Read(t))
		var got []string
		for _, p := range r.Problems {
			got = append(got, p.Code, strconv.Itoa(p.Where.Event))
			for _, w := range p.Also {
				got = append(got, strconv.Itoa(w.Event))
			}
		}
		if joined := strings.Join(got, " "); joined != tt.want {
			t.Errorf("%s: problems %q, want %q: %+v", tt.name, joined, tt.want, r.Problems)
		}
	}
}
