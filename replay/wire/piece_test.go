package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// TestArrival: each byte of a text is known to have come with the event that brought it.
func TestArrival(t *testing.T) {
	const (
		item = `{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","content":[]}}`
		ebb  = `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"ebb "}`
		tide = `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"tide"}`
	)
	says := func(text string) string {
		return `{"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":0,"text":"` + text + `"}`
	}
	ends := func(text string) string {
		return `{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":"` + text + `"}]}]}}`
	}
	block := func(index int, kind, text string) string {
		return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"%s_delta",%q:%q}}`, index, kind, kind, text)
	}
	begin := func(index int, kind, text string) string {
		return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":%q,%q:%q}}`, index, kind, kind, text)
	}
	for _, tt := range []struct {
		name   string
		api    tape.API
		events []string
		want   string // what each event brought: of the text, then of the reasoning
	}{
		{"Chat", tape.OpenAI, []string{
			`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"delta":{"reasoning_content":"Is it "}}]}`, `{"choices":[{"delta":{"content":"At "}}]}`,
			`{"choices":[{"delta":{"reasoning_content":"noon?"}}]}`, `{"choices":[{"delta":{"content":"noon."},"finish_reason":"stop"}]}`, `[DONE]`,
		}, `2:"At " 4:"noon." / 1:"Is it " 3:"noon?"`},
		{"Claude, in blocks that overlap", tape.Claude, []string{
			begin(0, "thinking", "Is"), begin(1, "text", "At "), block(0, "thinking", " it?"), block(1, "text", "no"), block(1, "text", "on."),
		}, `1:"At " 3:"no" 4:"on." / 0:"Is" 2:" it?"`},
		{"Claude, where a block goes on after the next one", tape.Claude, []string{
			begin(0, "text", ""), block(0, "text", "At "), begin(1, "text", "."), block(0, "text", "noon"),
		}, `1:"At " 3:"noon" 2:"." / `},
		{"Responses", tape.Responses, []string{item, ebb, tide, says("ebb tide"), ends("ebb tide")}, `1:"ebb " 2:"tide" / `},
		{"Responses, all of it at the end of the part", tape.Responses, []string{item, says("ebb tide"), ends("ebb tide")}, `1:"ebb tide" / `},
		{"Responses, more at the end of the part", tape.Responses, []string{item, ebb, says("ebb tide"), ends("ebb tide")}, `1:"ebb " 2:"tide" / `},
		{"Responses, other words at the end of the part", tape.Responses, []string{item, ebb, tide, says("ebb time and"), ends("ebb time and")}, `1:"ebb " 2:"ti" 3:"me and" / `},
		{"Responses, quite other words at the end of the part", tape.Responses, []string{item, ebb, tide, says("flow"), ends("flow")}, `3:"flow" / `},
		{"Responses, nothing at the end of the part", tape.Responses, []string{item, ebb, says(""), tide, ends("tide")}, `3:"tide" / `},
		{"Responses, less at the end of the part", tape.Responses, []string{item, ebb, tide, says("ebb t"), ends("ebb t")}, `1:"ebb " 2:"t" / `},
		{"Responses, all of it at the end", tape.Responses, []string{item, ends("ebb tide")}, `1:"ebb tide" / `},
		{"Responses, other words at the end", tape.Responses, []string{item, ebb, ends("ebb and flow")}, `1:"ebb " 2:"and flow" / `},
		{"Ollama", tape.Ollama, []string{
			`{"message":{"thinking":"Is it?"},"done":false}`, `{"message":{"content":"At "},"done":false}`, `{"message":{"content":"noon."},"done":true}`,
		}, `1:"At " 2:"noon." / 0:"Is it?"`},
	} {
		body := "data: " + strings.Join(tt.events, "\n\ndata: ") + "\n\n"
		if tt.api == tape.Ollama {
			body = strings.Join(tt.events, "\n") + "\n"
		}
		a, err := wire.ParseResponse(tt.api, true, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := brought(t, a, wire.BlockText, body, tt.events) + " / " + brought(t, a, wire.BlockReasoning, body, tt.events); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	whole, err := wire.ParseResponse(tape.OpenAI, false, strings.NewReader(`{"choices":[{"message":{"content":"At noon."}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := whole.Arrival(wire.BlockText, 0); ok {
		t.Errorf("a whole body has its text from event %d", p.Event)
	}
}

// brought shows which events brought which parts of a text, in the order of the text.
func brought(t *testing.T, a *wire.Answer, kind wire.BlockKind, body string, events []string) string {
	text := a.Text
	if kind == wire.BlockReasoning {
		text = a.Reasoning
	}
	var parts []string
	from := 0
	for i := range len(text) {
		p, ok := a.Arrival(kind, i)
		if !ok {
			t.Errorf("nobody knows where byte %d of %q came", i, text)
			return ""
		}
		if event := strings.TrimSuffix(strings.TrimPrefix(body[p.Start:p.End], "data: "), "\n\n"); strings.TrimSpace(event) != events[p.Event] {
			t.Errorf("event %d is at [%d,%d), which is %q", p.Event, p.Start, p.End, event)
		}
		if next, ok := a.Arrival(kind, i+1); !ok || next.Event != p.Event {
			parts = append(parts, fmt.Sprintf("%d:%q", p.Event, text[from:i+1]))
			from = i + 1
		}
	}
	if _, ok := a.Arrival(kind, len(text)); ok {
		t.Errorf("there is no byte %d", len(text))
	}
	return strings.Join(parts, " ")
}

// TestCallArrival: each byte of a call's arguments and name, and its id, are known to have come with the event that brought them.
func TestCallArrival(t *testing.T) {
	const item = `{"type":"response.output_item.added","output_index":0,"item":{"id":"f","type":"function_call","call_id":"c","name":"note","arguments":""}}`
	more := func(text string) string {
		return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","item_id":"f","output_index":0,"delta":%q}`, text)
	}
	says := func(text string) string {
		return fmt.Sprintf(`{"type":"response.function_call_arguments.done","item_id":"f","output_index":0,"arguments":%q}`, text)
	}
	ends := func(name, text string) string {
		return fmt.Sprintf(`{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"id":"f","type":"function_call","call_id":"c","name":%q,"arguments":%q}]}}`, name, text)
	}
	input := func(text string) string {
		return fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%q}}`, text)
	}
	const block = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"note","input":{}}}`
	chat := func(id, name, arguments string) string {
		return fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":0,%s"function":{%s"arguments":%q}}]}}]}`, id, name, arguments)
	}
	for _, tt := range []struct {
		name   string
		api    tape.API
		events []string
		want   string // the events that brought the id, the name and the arguments
	}{
		{"Chat", tape.OpenAI, []string{chat(`"id":"c",`, `"name":"note",`, `{"a`), chat("", "", `":1`), chat("", "", `}`)}, "id 0, name 0000, arguments 0001112"},
		{"Chat, a name in parts and the id late", tape.OpenAI, []string{chat("", `"name":"no",`, ``), chat(`"id":"c",`, `"name":"te",`, `{}`)}, "id 1, name 0011, arguments 11"},
		{"Claude", tape.Claude, []string{block, input(`{"a":`), input(`1}`)}, "id 0, name 0000, arguments 1111122"},
		{"Claude, where nothing follows the stand-in", tape.Claude, []string{block}, "id 0, name 0000, arguments 00"},
		{"Claude, where the same follows the stand-in", tape.Claude, []string{block, input(`{}`)}, "id 0, name 0000, arguments 11"},
		{"Responses", tape.Responses, []string{item, more(`{"a`), more(`":1}`), says(`{"a":1}`), ends("note", `{"a":1}`)}, "id 0, name 0000, arguments 1112222"},
		{"Responses, other arguments at the end of the part", tape.Responses, []string{item, more(`{"a`), more(`":1}`), says(`{"a":22}`)}, "id 0, name 0000, arguments 11122333"},
		{"Responses, another call at the end", tape.Responses, []string{item, more(`{}`), ends("nose", `{"a":1}`)}, "id 0, name 0022, arguments 1222222"},
		{"Responses, all of it at the end", tape.Responses, []string{ends("note", `{}`)}, "id 0, name 0000, arguments 00"},
		{"Ollama", tape.Ollama, []string{`{"message":{"content":""},"done":false}`, `{"message":{"tool_calls":[{"id":"c","function":{"name":"note","arguments":{}}}]},"done":true}`},
			"id 1, name 1111, arguments 11"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := "data: " + strings.Join(tt.events, "\n\ndata: ") + "\n\n"
			if tt.api == tape.Ollama {
				body = strings.Join(tt.events, "\n") + "\n"
			}
			a, err := wire.ParseResponse(tt.api, true, strings.NewReader(body))
			if err != nil || len(a.ToolCalls) != 1 {
				t.Fatalf("%d calls, %v", len(a.ToolCalls), err)
			}
			c := &a.ToolCalls[0]
			events := func(text string, pieces wire.Pieces) string {
				var all strings.Builder
				for i := range text {
					p, ok := pieces.At(i)
					if !ok || !strings.Contains(body[p.Start:p.End], tt.events[p.Event]) {
						t.Fatalf("byte %d of %q: %v, %+v", i, text, ok, p)
					}
					fmt.Fprint(&all, p.Event)
				}
				if _, ok := pieces.At(len(text)); ok {
					t.Errorf("there is no byte %d in %q", len(text), text)
				}
				return all.String()
			}
			got := fmt.Sprintf("id %d, name %s, arguments %s", c.IDPlace.Event, events(c.Name, c.NamePieces), events(c.Arguments, c.Pieces))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	whole, err := wire.ParseResponse(tape.OpenAI, false, strings.NewReader(`{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"note","arguments":"{}"}}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if c := whole.ToolCalls[0]; c.Pieces != nil || c.NamePieces != nil {
		t.Errorf("a whole body came in pieces %v and %v", c.NamePieces, c.Pieces)
	}
}
