package conformance_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
)

func exchange(api tape.API, request, response string) *reading.Exchange {
	x := &tape.Exchange{Ended: tape.Complete}
	x.Facts.API = api
	x.Response.Status, x.Response.Header = 200, http.Header{"Content-Type": {"application/json"}}
	return reading.New(x, []byte(request), []byte(response))
}

func TestCutShort(t *testing.T) {
	const request = `{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]}`
	answer := func(reason, usage string) string {
		return `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Half an"},"finish_reason":"` + reason + `"}]` + usage + `}`
	}
	const spent, left = `,"usage":{"prompt_tokens":9,"completion_tokens":64,"total_tokens":73}`, `,"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}`
	claude := func(reason string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"text","text":"Half an"}],"stop_reason":"` + reason + `","usage":{"input_tokens":9,"output_tokens":9}}`
	}
	tests := []struct {
		name string
		x    *reading.Exchange
		want bool
	}{
		{"at the limit", exchange(tape.OpenAI, request, answer("length", spent)), true},
		{"below the limit", exchange(tape.OpenAI, request, answer("length", left)), false},
		{"below the limit of two choices", exchange(tape.OpenAI, strings.Replace(request, "{", `{"n":2,`, 1), answer("length", spent)), false},
		{"no counts", exchange(tape.OpenAI, request, answer("length", "")), true},
		{"no limit", exchange(tape.OpenAI, strings.Replace(request, `"max_tokens":64,`, "", 1), answer("length", left)), true},
		{"a request that cannot be read", exchange(tape.OpenAI, "[", answer("length", left)), true},
		{"at its end", exchange(tape.OpenAI, request, answer("stop", spent)), false},
		{"the context is full, whatever the limit", exchange(tape.Claude, request, claude("model_context_window_exceeded")), true},
		{"Claude, at its end", exchange(tape.Claude, request, claude("end_turn")), false},
		{"no answer", &reading.Exchange{Exchange: &tape.Exchange{}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := conformance.CutShort(tt.x); got != tt.want {
				t.Errorf("%t, want %t", got, tt.want)
			}
		})
	}
}
