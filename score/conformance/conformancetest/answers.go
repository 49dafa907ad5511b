package conformancetest

import (
	"strconv"
	"strings"
)

// The tool that tests offer: TideSchema is that of its arguments, ChatTools is the list of tools for Chat Completions, Tools that for Claude and
// Responses.
const (
	TideSchema = `{"type":"object","properties":{"port":{"type":"string","minLength":2},"day":{"enum":["today","tomorrow"]},"level":{"type":"integer"}},"required":["port"],"additionalProperties":false}`
	ChatTools  = `[{"type":"function","function":{"name":"get_tide","description":"Tide table","parameters":` + TideSchema + `}}]`
	Tools      = `[{"name":"get_tide","description":"Tide table","input_schema":` + TideSchema + `,"parameters":` + TideSchema + `}]`
)

// Ask is a request of Chat Completions or Claude with further members.
func Ask(members string) string {
	return `{"model":"m","messages":[{"role":"user","content":"High water in Vigo?"}]` + members + `}`
}

// WithTools are the members of a request of Chat Completions that offer the tool.
const WithTools = `,"tools":` + ChatTools

// Call is an entry of tool_calls.
func Call(id, name, arguments string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + strconv.Quote(arguments) + `}}`
}

// At puts an index into a call.
func At(index int, call string) string {
	return `{"index":` + strconv.Itoa(index) + `,` + call[1:]
}

// Usage is the token counts of an answer of Chat Completions.
const Usage = `,"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}`

// Whole is a whole answer of Chat Completions.
func Whole(message, finish string) string {
	return `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":` + finish + `}]` + Usage + `}`
}

// Calls is a whole answer with calls.
func Calls(all ...string) string {
	return Whole(`"content":"","tool_calls":[`+strings.Join(all, ",")+`]`, `"tool_calls"`)
}

// Tide is a whole answer with one call of get_tide.
func Tide(arguments string) string { return Calls(Call("c1", "get_tide", arguments)) }

// Says is a whole answer of text.
func Says(text string) string { return Whole(`"content":`+strconv.Quote(text), `"stop"`) }

// Chunk is an event of Chat Completions.
func Chunk(delta, finish string) string {
	if finish != "" {
		finish = `,"finish_reason":` + finish
	}
	return Event(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + finish + `}]}`)
}

// Event is an event of a stream.
func Event(data string) string { return "data: " + data + "\n\n" }

// Done ends a stream of Chat Completions.
const Done = "data: [DONE]\n\n"

// Named is an event of Claude, under its name.
func Named(data string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
	return "event: " + kind + "\n" + Event(data)
}

// Claude is a stream of Claude from its blocks.
func Claude(stop string, blocks ...string) string {
	return Named(`{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":9,"output_tokens":0}}}`) +
		strings.Join(blocks, "") + Named(`{"type":"message_delta","delta":{"stop_reason":`+stop+`},"usage":{"output_tokens":5}}`) + Named(`{"type":"message_stop"}`)
}

// Start begins a block of Claude.
func Start(index int, block string) string {
	return Named(`{"type":"content_block_start","index":` + strconv.Itoa(index) + `,"content_block":` + block + `}`)
}

// Text is a piece of a block of text of Claude.
func Text(index int, s string) string {
	return Named(`{"type":"content_block_delta","index":` + strconv.Itoa(index) + `,"delta":{"type":"text_delta","text":` + strconv.Quote(s) + `}}`)
}

// Stop ends a block of Claude.
func Stop(index int) string {
	return Named(`{"type":"content_block_stop","index":` + strconv.Itoa(index) + `}`)
}

// EmptyText is a block of text of Claude as it begins.
const EmptyText = `{"type":"text","text":""}`

// Said is a message item of Responses.
func Said(s string) string {
	return `{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":` + strconv.Quote(s) + `}]}`
}

// Responses is a whole answer of Responses.
func Responses(status, members string, items ...string) string {
	return `{"object":"response","id":"r1","status":"` + status + `","output":[` + strings.Join(items, ",") + `]` + members + `}`
}

// ResponsesUsage is the token counts of an answer of Responses.
const ResponsesUsage = `,"usage":{"input_tokens":9,"output_tokens":5,"total_tokens":14}`

// Zero are the members of a request of Chat Completions that must be answered in the same way each time, with the tool. TideText is a call of it as
// text, ClaudeTide an answer of Claude with that call.
const (
	Zero       = WithTools + `,"temperature":0`
	TideText   = `<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`
	ClaudeTide = `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_tide","input":{"port":"Vigo"}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":5}}`
)

// ClaudeAsk asks Claude what [Ask] with [Zero] asks Chat Completions.
func ClaudeAsk() string {
	return Ask(`,"temperature":0.0,"tools":[{"name":"get_tide","description":"Tide table","input_schema":` + TideSchema + `}]`)
}

// ClaudeSays is a whole answer of Claude of text.
func ClaudeSays(s string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"text","text":` + strings.ReplaceAll("\""+strings.ReplaceAll(s, `"`, `\"`)+"\"", "\n", `\n`) + `}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":5}}`
}

// Streamed is an answer of Chat Completions of text as a stream.
func Streamed(content string) string {
	return Chunk(`{"content":`+Quote(content)+`}`, `"stop"`) + Done
}

// Quote is a text as JSON, when it has nothing but quotation marks to be escaped.
func Quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }
