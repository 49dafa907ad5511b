package conformance_test

import (
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
)

func TestCallMarkup(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"I will look. <tool_call>", true},
		{"[TOOL_CALLS]", true},
		{"<|channel|>commentary to=functions.get_tide<|message|>{", true},
		{"<|channel|>final<|message|>High.", false},
		{"<think>A tide?</think>High.", false},
		{"Write `<tool_call>` before a call.", false},
		{"High.", false},
	} {
		if got := conformance.CallMarkup(tt.text); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}
