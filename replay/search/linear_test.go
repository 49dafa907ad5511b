package search_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/search"
)

// responsesWords is a stream that says a word in each event, and all of it again in the last ones.
func responsesWords(n int) string {
	var b, all strings.Builder
	b.WriteString(`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","content":[]}}` + "\n\n")
	for i := range n {
		fmt.Fprintf(&b, `data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"word%d "}`+"\n\n", i)
		fmt.Fprintf(&all, "word%d ", i)
	}
	fmt.Fprintf(&b, `data: {"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":0,"text":%q}`+"\n\n", all.String())
	fmt.Fprintf(&b, `data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":%q}]}]}}`+"\n\n", all.String())
	return b.String()
}

// responsesArguments is a stream with a call whose arguments come word by word.
func responsesArguments(n int) string {
	var b, all strings.Builder
	b.WriteString(`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"f","type":"function_call","call_id":"c","name":"note","arguments":""}}` + "\n\n")
	for i := range n {
		fmt.Fprintf(&b, `data: {"type":"response.function_call_arguments.delta","item_id":"f","output_index":0,"delta":"word%d "}`+"\n\n", i)
		fmt.Fprintf(&all, "word%d ", i)
	}
	fmt.Fprintf(&b, `data: {"type":"response.function_call_arguments.done","item_id":"f","output_index":0,"arguments":%q}`+"\n\n", all.String())
	return b.String()
}

// claudeArguments is a stream with two calls; the arguments of the second come word by word.
func claudeArguments(n int) string {
	var b strings.Builder
	b.WriteString(`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"look","input":{}}}` + "\n\n")
	b.WriteString(`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}` + "\n\n")
	b.WriteString(`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t2","name":"note","input":{}}}` + "\n\n")
	for i := range n {
		fmt.Fprintf(&b, `data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"word%d "}}`+"\n\n", i)
	}
	b.WriteString(`data: {"type":"message_stop"}` + "\n\n")
	return b.String()
}

// chatArguments is the same in the form of OpenAI's chats.
func chatArguments(n int) string {
	var b strings.Builder
	b.WriteString(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}}]}` + "\n\n")
	b.WriteString(`data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"note","arguments":""}}]}}]}` + "\n\n")
	for i := range n {
		fmt.Fprintf(&b, `data: {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"word%d "}}]}}]}`+"\n\n", i)
	}
	return b.String() + "data: [DONE]\n\n"
}

// TestFindLinear: finding each word of a long answer takes time in proportion to it, and finds the event of each. Time is counted in
// allocations, which a busy machine does not change.
func TestFindLinear(t *testing.T) {
	pattern := regexp.MustCompile("word[0-9]+")
	for _, tt := range []struct {
		name    string
		api     tape.API
		request string
		stream  func(n int) string
		before  int // events before the first word
	}{
		{"text that is said again", tape.Responses, `{"model":"m","input":[]}`, responsesWords, 1},
		{"arguments of Responses", tape.Responses, `{"model":"m","input":[]}`, responsesArguments, 1},
		{"arguments of Claude", tape.Claude, `{"model":"m","messages":[]}`, claudeArguments, 3},
		{"arguments of a second call", tape.OpenAI, `{"model":"m","messages":[]}`, chatArguments, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			allocations := func(n int) float64 {
				x := read(tt.api, events, tt.request, tt.stream(n))
				return testing.AllocsPerRun(1, func() {
					hits := 0
					search.Find(x, pattern, func(h search.Hit) bool {
						if want := tt.before + 1 + hits; h.Event != want || h.Match != fmt.Sprintf("word%d", hits) {
							t.Errorf("%q in event %d, want %d", h.Match, h.Event, want)
						}
						hits++
						return true
					})
					if hits != n {
						t.Errorf("%d hits, want %d", hits, n)
					}
				})
			}
			if few, many := allocations(100), allocations(800); many > 16*few {
				t.Errorf("%v allocations for 100 words, %v for 800", few, many)
			}
		})
	}
}

// TestFindBroken: what says a text anew does not mislead, and events that do not add up are found all the same.
func TestFindBroken(t *testing.T) {
	x := read(tape.Responses, events, `{"model":"m","input":[]}`,
		`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","content":[]}}`+"\n\n"+
			`data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"ebb "}`+"\n\n"+
			// The last snapshot counts, and it is not what the pieces say.
			`data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":"ebb and flow"}]}]}}`+"\n\n")
	var got []string
	search.Find(x, regexp.MustCompile("ebb|flow"), func(h search.Hit) bool {
		got = append(got, fmt.Sprintf("%s %d", h.Match, h.Event))
		return true
	})
	if want := "ebb 2, flow 3"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
