package conformance_test

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// The tools most cases offer, in the form of Chat Completions, Claude and Responses.
const (
	tideSchema = `{"type":"object","properties":{"port":{"type":"string","minLength":2},"day":{"enum":["today","tomorrow"]},"level":{"type":"integer"}},"required":["port"],"additionalProperties":false}`
	chatTools  = `[{"type":"function","function":{"name":"get_tide","description":"Tide table","parameters":` + tideSchema + `}}]`
	tools      = `[{"name":"get_tide","description":"Tide table","input_schema":` + tideSchema + `,"parameters":` + tideSchema + `}]`
)

// ask is a request of Chat Completions or Claude with further members.
func ask(members string) string {
	return `{"model":"m","messages":[{"role":"user","content":"High water in Vigo?"}]` + members + `}`
}

const withTools = `,"tools":` + chatTools

// call is an entry of tool_calls.
func call(id, name, arguments string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + strconv.Quote(arguments) + `}}`
}

// at puts an index into a call.
func at(index int, call string) string {
	return `{"index":` + strconv.Itoa(index) + `,` + call[1:]
}

const usage = `,"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}`

// whole is a whole answer of Chat Completions.
func whole(message, finish string) string {
	return `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":` + finish + `}]` + usage + `}`
}

// calls is a whole answer with calls.
func calls(all ...string) string {
	return whole(`"content":"","tool_calls":[`+strings.Join(all, ",")+`]`, `"tool_calls"`)
}

// tide is a whole answer with one call of get_tide.
func tide(arguments string) string { return calls(call("c1", "get_tide", arguments)) }

// says is a whole answer of text.
func says(text string) string { return whole(`"content":`+strconv.Quote(text), `"stop"`) }

// chunk is an event of Chat Completions.
func chunk(delta, finish string) string {
	if finish != "" {
		finish = `,"finish_reason":` + finish
	}
	return event(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + finish + `}]}`)
}

func event(data string) string { return "data: " + data + "\n\n" }

const done = "data: [DONE]\n\n"

// claude is a stream of Claude from its blocks.
func claude(stop string, blocks ...string) string {
	return event(`{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":9,"output_tokens":0}}}`) +
		strings.Join(blocks, "") + event(`{"type":"message_delta","delta":{"stop_reason":`+stop+`},"usage":{"output_tokens":5}}`) + event(`{"type":"message_stop"}`)
}

func start(index int, block string) string {
	return event(`{"type":"content_block_start","index":` + strconv.Itoa(index) + `,"content_block":` + block + `}`)
}

func text(index int, s string) string {
	return event(`{"type":"content_block_delta","index":` + strconv.Itoa(index) + `,"delta":{"type":"text_delta","text":` + strconv.Quote(s) + `}}`)
}

func stop(index int) string {
	return event(`{"type":"content_block_stop","index":` + strconv.Itoa(index) + `}`)
}

const emptyText = `{"type":"text","text":""}`

// said is a message item of Responses.
func said(s string) string {
	return `{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":` + strconv.Quote(s) + `}]}`
}

// responses is a whole answer of Responses.
func responses(status, members string, items ...string) string {
	return `{"object":"response","id":"r1","status":"` + status + `","output":[` + strings.Join(items, ",") + `]` + members + `}`
}

const responsesUsage = `,"usage":{"input_tokens":9,"output_tokens":5,"total_tokens":14}`

// oneCase is an exchange with what is to be found out about it.
type oneCase struct {
	name string
	sent sent
	// want are the codes, with blanks between; blame is whose fault it is, "" for nobody's.
	want  string
	blame string
}

func chat(request, response string) sent {
	return sent{api: tape.OpenAI, request: request, response: response}
}

// ended is how an exchange ended that was not complete.
func (s sent) endedAs(ended tape.Ended, cause string, total time.Duration) sent {
	s.ended, s.cause, s.total = ended, cause, total
	return s
}

func (s sent) as(status int, contentType string) sent {
	s.status, s.header = status, http.Header{"Content-Type": {contentType}}
	return s
}

// cases are of our own making; together they need every check, every note and every rule of blame.
var cases = []oneCase{
	// Nothing wrong.
	{"text", chat(ask(""), says("At noon.")), "", ""},
	{"a call", chat(ask(withTools), tide(`{"port":"Vigo"}`)), "", ""},
	{"a streamed call", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"po`))+`]}`, "")+chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"rt\":\"Vigo\"}"}}]}`, `"tool_calls"`)+done), "", ""},
	{"a Claude stream", sent{api: tape.Claude, request: ask(""), response: claude(`"end_turn"`, start(0, emptyText), text(0, "At noon."), stop(0))}, "", ""},
	{"content is filtered", chat(ask(""), whole(`"content":""`, `"content_filter"`)), "", ""},
	{"Ollama loads a model", sent{api: tape.Ollama, request: `{"model":"m","messages":[],"stream":false}`, response: `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load","prompt_eval_count":1,"eval_count":1}`}, "", ""},
	{"cut text", chat(ask(`,"max_tokens":5`), whole(`"content":"Once upon a"`, `"length"`)), "", ""},
	{"a whole call at the limit", chat(ask(withTools+`,"max_tokens":5`), tide(`{"port":"Vigo"}`)), "", ""},
	{"a forced call that ends with stop", chat(ask(withTools+`,"tool_choice":"required"`), whole(`"content":null,"tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]`, `"stop"`)), "", ""},
	{"a client that leaves at the end", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+done).endedAs(tape.ClientGone, "context canceled", 0), "", ""},
	{"the usage line of a command", chat(ask(""), says("tide [OPTIONS] [ARGS]")), "", ""},
	{"markup in code", chat(ask(withTools), says("Hermes writes `<tool_call>`:\n```\n<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>\n```")), "", ""},
	{"markup the user asked for", chat(`{"model":"m","messages":[{"role":"user","content":"What is <think> for?"}]}`, says("<think> begins reasoning.")), "", ""},
	{"JSON that is no call", chat(ask(withTools), says(`{"port":"Vigo","name":"get_tide"}`)), "", ""},
	{"a custom tool takes text", chat(ask(`,"tools":[{"type":"custom","custom":{"name":"shell"}}]`), whole(`"content":null,"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"shell","input":"ls -l"}}]`, `"tool_calls"`)), "", ""},
	{"results in any order", chat(`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[`+call("a", "f", "{}")+`,`+call("b", "f", `{"x":1}`)+`]},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"user","content":"Well?"}]}`, says("Fine.")), "", ""},
	{"a conversation that the server keeps", sent{api: tape.Responses, request: `{"model":"m","previous_response_id":"r0","input":[{"type":"function_call_output","call_id":"c9","output":"1"}]}`, response: responses("completed", responsesUsage, said("Fine."))}, "", ""},
	{"Ollama's results have no ids", sent{api: tape.Ollama, request: `{"model":"m","stream":false,"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"1"},{"role":"user","content":"Well?"}]}`, response: `{"model":"m","message":{"role":"assistant","content":"Fine."},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "", ""},

	// Transport.
	{"refused", chat(ask(""), `{"error":{"message":"No instance found"}}`).as(404, "application/json"), "http-error", "client"},
	{"failed", chat(ask(""), "Internal Server Error").as(500, "text/plain"), "http-error non-json-error-body", "server"},
	{"unreachable", sent{api: tape.OpenAI, request: ask(""), ended: tape.UpstreamError, cause: "connection refused"}, "http-error", "server"},
	{"too slow to begin", sent{api: tape.OpenAI, request: ask(""), ended: tape.UpstreamError, cause: "net/http: timeout awaiting response headers"}, "upstream-timeout", "server"},
	{"empty", chat(ask(""), ""), "body-not-json", "server"},
	{"a page", chat(ask(""), "<html>Sign in</html>").as(200, "text/html"), "body-not-json", "server"},
	{"mislabelled", chat(ask(""), says("Noon.")).as(200, "text/event-stream"), "wrong-content-type", "server"},
	{"broken off", chat(ask(""), chunk(`{"content":"At"}`, "")).endedAs(tape.UpstreamTruncated, "unexpected EOF", 0), "truncated-stream", "server"},
	{"a call broken off", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"po`))+`]}`, "")), "truncated-stream", "server"},
	{"no [DONE]", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)), "missing-done", "server"},
	{"[DONE] without its end", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+"data: [DONE]"), "partial-final-event", "server"},
	{"cut inside of an event", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+`data: {"choices":[`), "partial-final-event", "server"},
	{"a long silence", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+chunk(`{"content":" noon."}`, `"stop"`)+done), time.Second, 20*time.Minute), "upstream-timeout", "server"},
	{"a client that gave up", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+": keep-alive\n\n"), time.Second, time.Minute).endedAs(tape.ClientGone, "context canceled", 2*time.Minute), "truncated-stream upstream-timeout", "server"},
	{"a client that says it gave up", chat(ask(""), "").as(200, "text/event-stream").endedAs(tape.ClientGone, "client timeout", time.Second), "truncated-stream upstream-timeout", "server"},
	{"a client that left", chat(ask(""), chunk(`{"content":"At"}`, "")).endedAs(tape.ClientGone, "context canceled", time.Second), "client-disconnect", "client"},
	{"an event that is not JSON", chat(ask(""), chunk(`{"content":"At"}`, "")+event(`{"choices":[`)+chunk(`{"content":" noon."}`, `"stop"`)+done), "malformed-event", "server"},
	{"an event after the end", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+done+chunk(`{"content":"!"}`, "")), "event-after-terminal", "server"},
	{"Latin-1", chat(ask(""), chunk("{\"content\":\"mar\xe9e\"}", `"stop"`)+done), "invalid-utf8", "server"},
	{"cut characters", chat(ask(""), says("High \ufffd\ufffd")), "replacement-char", "server"},
	{"half a surrogate pair", chat(ask(""), whole(`"content":"High \ud83c"`, `"stop"`)), "replacement-char", "server"},
	{"not all on the tape", chat(ask(""), says("Noon.")).endedAs(tape.RecorderError, "disk full", 0), "", ""},

	// Protocol.
	{"an error in the stream", chat(ask(""), chunk(`{"content":"At"}`, "")+event(`{"error":{"message":"runner died","code":500}}`)+chunk(`{}`, `"stop"`)+done), "stream-error-event", "server"},
	{"an error that holds a call", chat(ask(withTools), event(`{"error":{"message":"<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>"}}`)+done), "stream-error-event leaked-markup-in-error", "server"},
	{"an error that holds a cut call", chat(ask(withTools), event(`{"error":{"message":"<tool_call>{\"name\":\"get_t"}}`)+done), "stream-error-event leaked-markup-in-error", "model"},
	{"a refusal that holds a call", chat(ask(withTools), `{"error":{"message":"<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>"}}`).as(500, "application/json"), "http-error leaked-markup-in-error", "server"},
	{"no reason", chat(ask(""), whole(`"content":"Noon."`, `null`)), "missing-finish-reason", "server"},
	{"an unknown reason", chat(ask(withTools), whole(`"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]`, `"tool_call"`)), "unknown-finish-reason", "server"},
	{"exo's reason for calls", sent{api: tape.Ollama, request: `{"model":"m","messages":[],"tools":` + chatTools + `,"stream":false}`, response: `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{"port":"Vigo"}}}]},"done":true,"done_reason":"tool_call","prompt_eval_count":1,"eval_count":1}`}, "nonstandard-done-reason", "server"},
	{"calls and stop", chat(ask(withTools), whole(`"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]`, `"stop"`)), "finish-reason-mismatch", "server"},
	{"no calls but their reason", chat(ask(""), whole(`"content":"Noon."`, `"tool_calls"`)), "finish-reason-mismatch", "server"},
	{"two reasons", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+chunk(`{}`, `"length"`)+done), "finish-reason-mismatch", "server"},
	{"no usage", sent{api: tape.Responses, request: `{"model":"m","input":"Hi"}`, response: responses("completed", "", said("Noon."))}, "missing-usage", "server"},
	{"no usage though a stream was asked for it", chat(ask(`,"stream":true,"stream_options":{"include_usage":true}`), chunk(`{"content":"Noon."}`, `"stop"`)+done), "missing-usage", "server"},
	{"a wrong sum", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":9`, 1)), "usage-mismatch", "server"},
	{"a negative count", chat(ask(""), strings.Replace(says("Noon."), `"prompt_tokens":9`, `"prompt_tokens":-9`, 1)), "usage-mismatch", "server"},
	{"a wrong object", chat(ask(""), strings.Replace(chunk(`{"content":"Noon."}`, `"stop"`), "chat.completion.chunk", "chat.completion", 1)+done), "wrong-object-type", "server"},
	{"an event under another name", sent{api: tape.Claude, request: ask(""), response: "event: ping\n" + claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0))}, "wrong-object-type", "server"},
	{"a field of another type", chat(ask(""), strings.Replace(says("Noon."), `"finish_reason":"stop"}]`, `"finish_reason":"stop"}],"model":7`, 1)), "wrong-field-type", "server"},
	{"null in a delta", chat(ask(""), chunk(`{"content":"Noon.","tool_calls":null}`, `"stop"`)+done), "null-delta-field", "server"},
	{"no index", chat(ask(withTools), chunk(`{"tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]}`, `"tool_calls"`)+done), "index-missing", "server"},
	{"an index left out", chat(ask(withTools), chunk(`{"tool_calls":[`+at(1, call("c1", "get_tide", `{"port":"Vigo"}`))+`]}`, `"tool_calls"`)+done), "index-gap", "server"},
	{"an index again", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"port":"Vigo"}`))+`]}`, "")+chunk(`{"tool_calls":[`+at(0, call("c2", "get_tide", `{"port":"Faro"}`))+`]}`, `"tool_calls"`)+done), "index-reused", "server"},
	{"a block index again", sent{api: tape.Claude, request: ask(""), response: claude(`"end_turn"`, start(0, emptyText), text(0, "At "), stop(0), start(0, emptyText), text(0, "noon."), stop(0))}, "duplicate-block-index", "server"},
	{"blocks that overlap", sent{api: tape.Claude, request: ask(""), response: claude(`"end_turn"`, start(0, emptyText), text(0, "At "), start(1, emptyText), text(1, "noon."), stop(1), stop(0))}, "overlapping-blocks", "server"},
	{"a block that is left open", sent{api: tape.Claude, request: ask(""), response: claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."))}, "unclosed-block", "server"},
	{"a piece too late", sent{api: tape.Claude, request: ask(""), response: claude(`"end_turn"`, start(0, emptyText), text(0, "At "), stop(0), text(0, "noon."))}, "stray-delta", "server"},
	{"items in another order", sent{api: tape.Responses, request: `{"model":"m","input":"Hi"}`, response: itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), true)}, "output-order-mismatch snapshot-mismatch", "server"},
	{"a number left out", sent{api: tape.Responses, request: `{"model":"m","input":"Hi"}`, response: strings.Replace(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false), `"sequence_number":5`, `"sequence_number":7`, 1)}, "sequence-gap", "server"},
	{"another text at the end", sent{api: tape.Responses, request: `{"model":"m","input":"Hi"}`, response: strings.Replace(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false), `"text":"At "`, `"text":"By "`, 1)}, "snapshot-mismatch", "server"},
	{"a call that is renamed", sent{api: tape.Responses, request: `{"model":"m","input":"Hi","tools":` + tools + `}`, response: renamedCall}, "call-id-changed", "server"},

	// Tool calls.
	{"another tool", chat(ask(withTools), calls(call("c1", "Get_Tide", `{}`))), "unknown-tool", "model"},
	{"a tool twice over", chat(ask(withTools), calls(call("c1", "get_tideget_tide", `{}`))), "unknown-tool", "server"},
	{"markup in the name", chat(ask(withTools), calls(call("c1", "get_tide<|channel|>commentary", `{"port":"Vigo"}`))), "leaked-markup-in-name", "server"},
	{"markup around the name", chat(ask(withTools), calls(call("c1", "<function=get_tide", `{}`))), "leaked-markup-in-name missing-required", "server"},
	{"markup in a wrong name", chat(ask(withTools), calls(call("c1", "tides<|channel|>", `{}`))), "unknown-tool leaked-markup-in-name", "model"},
	{"no id", chat(ask(withTools), calls(call("", "get_tide", `{"port":"Vigo"}`))), "missing-call-id", "server"},
	{"an id twice", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo"}`), call("c1", "get_tide", `{"port":"Faro"}`))), "duplicate-call-id", "server"},
	{"an id of an earlier turn", chat(`{"model":"m","tools":`+chatTools+`,"messages":[{"role":"assistant","content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Faro"}`)+`]},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"user","content":"And Vigo?"}]}`, tide(`{"port":"Vigo"}`)), "call-id-reused", "server"},
	{"a call twice", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo","day":"today"}`), call("c2", "get_tide", `{ "day":"today","port":"Vigo"}`))), "duplicate-call", "unknown"},
	{"an object for a string", chat(ask(withTools), whole(`"content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_tide","arguments":{"port":"Vigo"}}}]`, `"tool_calls"`)), "arguments-wrong-encoding", "server"},
	{"a string for an object", sent{api: tape.Claude, request: ask(`,"tools":` + tools), response: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_tide","input":"{\"port\":\"Vigo\"}"}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}, "arguments-wrong-encoding", "server"},
	{"no arguments", chat(ask(`,"tools":[{"type":"function","function":{"name":"list"}}]`), calls(call("c1", "list", ""))), "arguments-empty", "server"},
	{"no arguments that were needed", chat(ask(withTools), tide("")), "arguments-empty missing-required", "unknown"},
	{"no JSON", chat(ask(withTools), tide("port=Vigo")), "arguments-not-json", "model"},
	{"cut arguments", chat(ask(withTools), tide(`{"port":"Vi`)), "arguments-truncated", "unknown"},
	{"arguments cut at the limit", chat(ask(withTools+`,"max_tokens":5`), whole(`"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Vi`)+`]`, `"length"`)), "arguments-truncated budget-exhausted", "model"},
	{"two objects", chat(ask(withTools), tide(`{"port":"Vigo"}{"port":"Faro"}`)), "arguments-concatenated", "server"},
	{"a piece and the whole", chat(ask(withTools), tide(`{"port": {"port": "Vigo"}`)), "arguments-concatenated", "server"},
	{"an object in a string", chat(ask(withTools), tide(`"{\"port\":\"Vigo\"}"`)), "arguments-double-encoded", "server"},
	{"a list", chat(ask(withTools), tide(`["Vigo"]`)), "arguments-not-object", "model"},
	{"markup in a value", chat(ask(withTools), tide(`{"port":"Vigo</arg_value>"}`)), "leaked-markup-in-arguments", "unknown"},
	{"markup in a key", chat(ask(withTools), tide(`{"port<arg_key":"Vigo"}`)), "leaked-markup-in-arguments missing-required extra-property", "unknown"},
	{"escaped markup in a value", chat(ask(withTools), tide(`{"port":"Vigo\u003c|im_end|\u003e"}`)), "leaked-markup-in-arguments", "unknown"},
	{"a property is missing", chat(ask(withTools), tide(`{"day":"today"}`)), "missing-required", "model"},
	{"a number for a text", chat(ask(withTools), tide(`{"port":7}`)), "type-mismatch", "model"},
	{"a text for a number", chat(ask(withTools), tide(`{"port":"Vigo","level":"40"}`)), "type-mismatch", "server"},
	{"values of a broken stream", chat(ask(withTools), chunk(`{"tool_calls":[`+call("c1", "get_tide", `{"day":"soon","x":1,"level":"a"}`)+`]}`, `"tool_calls"`)+done), "index-missing missing-required type-mismatch enum-violation extra-property", "server"},
	{"none of those listed", chat(ask(withTools), tide(`{"port":"Vigo","day":"Today"}`)), "enum-violation", "model"},
	{"one property too many", chat(ask(withTools), tide(`{"port":"Vigo","unit":"m"}`)), "extra-property", "model"},
	{"too short", chat(ask(withTools), tide(`{"port":"V"}`)), "constraint-violation", "model"},
	{"a schema that is none", chat(ask(`,"tools":[{"type":"function","function":{"name":"get_tide","parameters":{"type":"any"}}}]`), tide(`{}`)), "schema-unusable", "client"},
	{"no call though one was demanded", chat(ask(withTools+`,"tool_choice":"required"`), says("At noon.")), "tool-choice-ignored", "server"},
	{"another call than was demanded", chat(ask(`,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"tool_choice":{"type":"function","function":{"name":"a"}}`), calls(call("c1", "b", "{}"))), "tool-choice-ignored", "server"},
	{"a call though none was allowed", chat(ask(withTools+`,"tool_choice":"none"`), tide(`{"port":"Vigo"}`)), "call-when-forbidden", "server"},
	{"a call without tools", chat(ask(""), tide(`{}`)), "call-when-forbidden", "server"},
	{"two calls though one was allowed", sent{api: tape.Claude, request: ask(`,"tools":` + tools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`), response: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_tide","input":{"port":"Vigo"}},{"type":"tool_use","id":"t2","name":"get_tide","input":{"port":"Faro"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}, "parallel-when-forbidden", "server"},

	// Content.
	{"thinking as text", chat(ask(""), says("<think>Easy.</think>At noon.")), "leaked-markup-in-content", "server"},
	{"channels without tokens", chat(ask(""), says("analysisEasy.assistantfinalAt noon.")), "leaked-markup-in-content", "server"},
	{"half a call as text", chat(ask(withTools), says("<tool_call>{\"name\":\"get_t")), "leaked-markup-in-content", "model"},
	{"a call of another tool as text", chat(ask(withTools), says("<tool_call>{\"name\":\"get_time\",\"arguments\":{}}</tool_call>")), "leaked-markup-in-content", "model"},
	{"a call as text", chat(ask(withTools), says(`<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`)), "leaked-markup-in-content call-in-content", "server"},
	{"calls as one list", chat(ask(withTools), says(`<|tool_call_start|>[get_tide(port="Vigo"), get_tide(port="Faro")]<|tool_call_end|>`)), "leaked-markup-in-content call-in-content", "server"},
	{"a call as plain JSON", chat(ask(withTools), says(`{"name":"get_tide","arguments":{"port":"Vigo"}}`)), "call-in-content", "server"},
	{"a call in Gemma's fence", chat(ask(withTools), says("```tool_code\nprint(get_tide(port=\"Vigo\"))\n```")), "call-in-content", "server"},
	{"a call in the reasoning", chat(ask(withTools), whole(`"content":"","reasoning_content":"<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>"`, `"stop"`)), "call-in-reasoning empty-answer", "server"},
	{"nothing, though tokens were made", chat(ask(""), says("")), "empty-answer", "server"},
	{"nothing after reasoning", chat(ask(""), whole(`"content":"","reasoning_content":"Easy."`, `"stop"`)), "empty-answer", "model"},
	{"nothing, and nothing told", sent{api: tape.Responses, request: `{"model":"m","input":"Hi"}`, response: responses("completed", "", said(""))}, "missing-usage empty-answer", "unknown"},
	{"the limit came first", chat(ask(`,"max_tokens":5`), whole(`"content":"","reasoning_content":"Let me"`, `"length"`)), "budget-exhausted", "model"},
	{"the limit came first and is not told", sent{api: tape.Responses, request: `{"model":"m","input":"Hi","max_output_tokens":5}`, response: responses("completed", responsesUsage, said(""))}, "finish-reason-mismatch budget-exhausted", "server"},

	// History.
	{"a result without its call", chat(`{"model":"m","messages":[{"role":"user","content":"?"},{"role":"tool","tool_call_id":"c2","content":"1"}]}`, says("Fine.")), "orphan-tool-result", "client"},
	{"a call without its result", chat(`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[`+call("c1", "f", "{}")+`]},{"role":"user","content":"Hello?"}]}`, says("Fine.")), "unanswered-tool-call", "client"},
	{"one of two results", sent{api: tape.Claude, request: `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}]}`, response: `{"type":"message","role":"assistant","content":[{"type":"text","text":"Fine."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`}, "unanswered-tool-call", "client"},
}

// withPieces lets the bytes of a response arrive in two halves, at these times.
func withPieces(s sent, first, second time.Duration) sent {
	half := int64(strings.Index(s.response, "\n\n") + 2)
	s.pieces = []tape.Piece{{Offset: 0, At: first}, {Offset: half, At: second}}
	s.total = second
	return s
}

// itemStream is a stream of Responses with two items, which stand in their order, or the other way round, in the final response.
func itemStream(first, second string, swapped bool) string {
	var b strings.Builder
	n := 0
	add := func(kind, members string) {
		n++
		b.WriteString(event(`{"type":"` + kind + `","sequence_number":` + strconv.Itoa(n) + members + `}`))
	}
	add("response.created", `,"response":`+responses("in_progress", ""))
	for i, item := range []string{first, second} {
		index := strconv.Itoa(i)
		add("response.output_item.added", `,"output_index":`+index+`,"item":`+item[:strings.Index(item, `,"status"`)]+`,"content":[]}`)
		textOf := item[strings.Index(item, `"text":`)+len(`"text":`) : len(item)-len(`}]}`)]
		add("response.output_text.delta", `,"output_index":`+index+`,"content_index":0,"delta":`+textOf)
		add("response.output_item.done", `,"output_index":`+index+`,"item":`+item)
	}
	if swapped {
		first, second = second, first
	}
	add("response.completed", `,"response":`+responses("completed", responsesUsage, first, second))
	return b.String()
}

// renamedCall is a stream of Responses whose call has another id in the final response.
var renamedCall = func() string {
	item := `{"type":"function_call","id":"f1","call_id":"c1","name":"get_tide","arguments":"{\"port\":\"Vigo\"}","status":"completed"}`
	return event(`{"type":"response.created","sequence_number":1,"response":`+responses("in_progress", "")+`}`) +
		event(`{"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":`+strings.Replace(item, `{\"port\":\"Vigo\"}`, "", 1)+`}`) +
		event(`{"type":"response.function_call_arguments.delta","sequence_number":3,"output_index":0,"delta":"{\"port\":\"Vigo\"}"}`) +
		event(`{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":`+item+`}`) +
		event(`{"type":"response.completed","sequence_number":5,"response":`+responses("completed", responsesUsage, strings.Replace(item, "c1", "c9", 1))+`}`)
}()
