package conformance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// nearMiss is an exchange that is one small step away from having a problem, and has not.
type nearMiss struct {
	near string // the code of the problem
	name string
	sent sent
	want string // codes of others that it does have, with blanks between
}

// quotes is an exchange in which the user asks about something and the answer speaks of it.
func quotes(user, answer string) sent {
	return chat(`{"model":"m","tools":`+chatTools+`,"messages":[{"role":"user","content":`+quote(user)+`}]}`, says(answer))
}

// tool are the members of a request that offer one tool with this schema.
func tool(schema string) string {
	return `,"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]`
}

// checked is an exchange in which that tool is called with these arguments.
func checked(schema, arguments string) sent {
	return chat(ask(tool(schema)), calls(call("c1", "f", arguments)))
}

// ollama is a whole answer of Ollama.
func ollama(message, members string) sent {
	return sent{
		API: tape.Ollama, Request: `{"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":false,"tools":` + chatTools + `}`,
		Response: `{"model":"m","created_at":"2026-03-04T05:06:07Z","message":{"role":"assistant",` + message + `},"done":true` + members + "}\n",
	}
}

const ollamaCounts = `,"prompt_eval_count":9,"eval_count":5`

// messages is an exchange of Claude with these messages and a plain answer.
func messages(all string) sent {
	return sent{API: tape.Claude, Request: `{"model":"m","max_tokens":9,"messages":` + all + `}`, Response: claudeSays("Fine.")}
}

// chatMessages is an exchange of Chat Completions with these messages and a plain answer.
func chatMessages(all string) sent { return chat(`{"model":"m","messages":`+all+`}`, says("Fine.")) }

// input is an exchange of Responses with this input and a plain answer.
func input(all string) sent {
	return sent{API: tape.Responses, Request: `{"model":"m","input":` + all + `}`, Response: responses("completed", responsesUsage, said("Fine."))}
}

// claudeStream is an exchange of Claude whose answer is made of these blocks.
func claudeStream(stop string, blocks ...string) sent {
	return sent{API: tape.Claude, Request: ask(`,"tools":` + tools), Response: claude(stop, blocks...)}
}

// delta is a piece of a block of Claude.
func delta(index int, members string) string {
	return named(`{"type":"content_block_delta","index":` + string(rune('0'+index)) + `,"delta":{` + members + `}}`)
}

// toolUse is the beginning of a block with a call.
func toolUse(id string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"get_tide","input":{}}`
}

const (
	responsesTools = `[{"type":"function","name":"get_tide","parameters":` + tideSchema + `}]`
	responsesTide  = `{"type":"function_call","id":"f1","call_id":"c1","namespace":"sea","name":"get_tide","arguments":"{\"port\":\"Vigo\"}","status":"completed"}`

	vigo = `{"port":"Vigo"}`
	ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
	noon = `{"content":"Noon."}`
)

var nearMisses = []nearMiss{
	// Transport.
	{"http-error", "another status of success", chat(ask(""), says("Noon.")).As(201, "application/json"), ""},
	{"http-error", "an answer about errors", chat(ask(""), says(`{"error":{"message":"not found","code":404}}`)), ""},
	{"http-error", "too many requests are not the client's fault alone", chat(ask(""), `{"error":{"message":"slow down"}}`).As(429, "application/json"), "http-error"},
	{"non-json-error-body", "an error in JSON", chat(ask(""), `{"detail":"no"}`).As(422, "application/json"), "http-error"},
	{"body-not-json", "blanks around the body", chat(ask(""), "\n\n"+says("Noon.")+"\r\n"), ""},
	{"body-not-json", "a line is a whole answer of Ollama", ollama(`"content":"Noon."`, `,"done_reason":"stop"`+ollamaCounts).As(200, "application/x-ndjson"), ""},
	{"body-not-json", "an error as a stream where a whole answer was asked for", chat(ask(`,"stream":false`), event(`{"error":{"message":"runner died"}}`)+done), "stream-error-event"},
	{"truncated-stream", "a whole answer of Ollama is a line", sent{API: tape.Ollama, Request: ask(""), Response: `{"message":{"role":"assistant","content":"Noon."},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}.As(200, "application/json"), ""},
	{"truncated-stream", "null asks for no stream", chat(ask(`,"stream":null`), says("Noon.")), ""},
	{"truncated-stream", "nobody can tell what was asked for", chat(ask(`,"stream":"yes"`), says("Noon.")), ""},
	{"truncated-stream", "an error where a stream was asked for", chat(ask(`,"stream":true`), `{"error":{"message":"overloaded"}}`), "stream-error-event"},
	{"truncated-stream", "a refusal where a stream was asked for", chat(ask(`,"stream":true`), `{"error":{"message":"slow down"}}`).As(429, "application/json"), "http-error"},
	{"wrong-content-type", "with a charset", chat(ask(""), says("Noon.")).As(200, "application/json; charset=utf-8"), ""},
	{"wrong-content-type", "in capitals", chat(ask(""), chunk(noon, `"stop"`)+done).As(200, "Text/Event-Stream;charset=UTF-8"), ""},
	{"wrong-content-type", "another kind of JSON", chat(ask(""), says("Noon.")).As(200, "application/vnd.tide+json"), ""},
	{"wrong-content-type", "none", chat(ask(""), chunk(noon, `"stop"`)+done), ""},
	{"wrong-content-type", "one that is none", chat(ask(""), says("Noon.")).As(200, ";"), ""},
	{"wrong-content-type", "a line of NDJSON is a whole body", ollama(`"content":"Noon."`, `,"done_reason":"stop"`+ollamaCounts).As(200, "application/x-ndjson"), ""},
	{"wrong-content-type", "lines of JSON under their other name", sent{API: tape.OllamaGenerate, Request: `{"model":"m","prompt":"Hi"}`, Response: `{"response":"Noon.","done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}` + "\n"}.As(200, "application/jsonl"), ""},
	{"wrong-content-type", "a sequence of JSON", sent{API: tape.Ollama, Request: `{"model":"m","messages":[]}`, Response: `{"message":{"role":"assistant","content":"Noon."},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}` + "\n"}.As(200, "application/json-seq"), ""},
	{"truncated-stream", "broken off behind its end", chat(ask(""), chunk(noon, `"stop"`)+done).EndedAs(tape.UpstreamTruncated, "unexpected EOF", 0), ""},
	{"truncated-stream", "the client leaves at the end marker", claudeStream(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)).EndedAs(tape.ClientGone, "context canceled", 0), ""},
	{"truncated-stream", "a stream of Responses that ends at the limit", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","max_output_tokens":5}`, Response: incomplete}, ""},
	{"missing-done", "no blank before it", chat(ask(""), chunk(noon, `"stop"`)+"data:[DONE]\n\n"), ""},
	{"missing-done", "lines that end with CR and LF", chat(ask(""), strings.ReplaceAll(chunk(noon, `"stop"`)+done, "\n", "\r\n")), ""},
	{"missing-done", "other APIs have none", claudeStream(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)), ""},
	{"partial-final-event", "a comment at the end", chat(ask(""), chunk(noon, `"stop"`)+done+": bye\n"), ""},
	{"partial-final-event", "the client left inside of an event", chat(ask(""), chunk(noon, `"stop"`)+"data: [DONE]").EndedAs(tape.ClientGone, "context canceled", 0), ""},
	{"upstream-timeout", "a long prefill", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+chunk(`{"content":" noon."}`, `"stop"`)+done), 299*time.Second, 598*time.Second), ""},
	{"upstream-timeout", "a whole answer after long", chat(ask(""), says("Noon.")).EndedAs(tape.Complete, "", time.Hour), ""},
	{"upstream-timeout", "a whole answer in pieces", withPieces(chat(ask(""), "\n\n"+says("Noon.")), time.Second, time.Hour), ""},
	{"upstream-timeout", "a long stream whose pieces are not known", chat(ask(""), chunk(noon, `"stop"`)+done).EndedAs(tape.Complete, "", time.Hour), ""},
	{"upstream-timeout", "the client leaves in time", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")), time.Second, time.Second).EndedAs(tape.ClientGone, "context canceled", 30*time.Second), "client-disconnect"},
	{"client-disconnect", "the client leaves at the end", chat(ask(""), chunk(noon, `"stop"`)+done).EndedAs(tape.ClientGone, "context canceled", 0), ""},
	{"client-disconnect", "the client leaves behind a whole answer", chat(ask(""), says("Noon.")).EndedAs(tape.ClientGone, "context canceled", 0), ""},
	{"malformed-event", "comments, retry and id", chat(ask(""), ": prefill 3/9\n\nretry: 100\n\nid: 7\n\n:\n\n"+chunk(noon, `"stop"`)+done), ""},
	{"malformed-event", "a byte order mark", chat(ask(""), "\ufeff"+chunk(noon, `"stop"`)+done), ""},
	{"malformed-event", "data over two lines", chat(ask(""), "data: {\"object\":\"chat.completion.chunk\",\ndata: \"choices\":[{\"index\":0,\"delta\":{\"content\":\"Noon.\"},\"finish_reason\":\"stop\"}]}\n\n"+done), ""},
	{"malformed-event", "Claude's pings", sent{API: tape.Claude, Request: ask(""), Response: ping + claude(`"end_turn"`, ping, start(0, emptyText), ping, text(0, "Noon."), stop(0), ping)}, ""},
	{"event-after-terminal", "exo's statistics and a comment", chat(ask(""), chunk(noon, `"stop"`)+done+": generation_stats {\"tokens\":3}\n\n\n\n"), ""},
	{"event-after-terminal", "usage behind the finish reason", chat(ask(`,"stream":true,"stream_options":{"include_usage":true}`), chunk(noon, `"stop"`)+event(`{"object":"chat.completion.chunk","choices":[]`+usage+`}`)+done), ""},
	{"invalid-utf8", "a character that came in two pieces", withPieces(chat(ask(""), chunk(`{"content":"青島"}`, `"stop"`)+done), time.Second, 2*time.Second), ""},
	{"replacement-char", "the user wrote one", quotes("What is \ufffd?", "\ufffd stands for lost characters."), ""},
	{"replacement-char", "the user wrote one as an escape", quotes(`What is \ufffD?`, "\ufffd stands for lost characters."), ""},
	{"replacement-char", "the user wrote half a pair", chat(strings.Replace(ask(""), "Vigo", `\ud83c`, 1), whole(`"content":"\ud83c is half a pair."`, `"stop"`)), ""},
	{"replacement-char", "a whole surrogate pair", chat(ask(""), whole(`"content":"High \ud83c\udf0a"`, `"stop"`)), ""},
	{"replacement-char", "a pattern in arguments that names it", checked(`{}`, `{"pattern":"[^\\ufffd]"}`), ""},

	// Protocol.
	{"stream-error-event", "no error", chat(ask(""), strings.Replace(chunk(noon, `"stop"`), `{"object"`, `{"error":null,"object"`, 1)+done), ""},
	{"stream-error-event", "no error in a whole answer", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("completed", responsesUsage+`,"error":null,"incomplete_details":null`, said("Noon."))}, ""},
	{"missing-finish-reason", "null until the last chunk", chat(ask(""), chunk(`{"content":"At"}`, `null`)+chunk(`{"content":" noon."}`, `"stop"`)+done), ""},
	{"unknown-finish-reason", "a stop sequence", claudeStream(`"stop_sequence"`, start(0, emptyText), text(0, "Noon."), stop(0)), ""},
	{"unknown-finish-reason", "a refusal", claudeStream(`"refusal"`, start(0, emptyText), text(0, "I may not."), stop(0)), ""},
	{"unknown-finish-reason", "a pause", claudeStream(`"pause_turn"`), ""},
	{"unknown-finish-reason", "at the limit", claudeStream(`"max_tokens"`, start(0, emptyText), text(0, "At"), stop(0)), ""},
	{"unknown-finish-reason", "a filter", chat(ask(""), whole(`"content":""`, `"content_filter"`)), ""},
	{"unknown-finish-reason", "the old reason for calls", chat(ask(`,"functions":[{"name":"f","parameters":{}}]`), whole(`"content":null,"function_call":{"name":"f","arguments":"{}"}`, `"function_call"`)), ""},
	{"unknown-finish-reason", "incomplete", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("incomplete", responsesUsage+`,"incomplete_details":{"reason":"max_output_tokens"}`, said("At"))}, ""},
	{"unknown-finish-reason", "in the queue", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","background":true}`, Response: responses("queued", `,"usage":null`)}, ""},
	{"unknown-finish-reason", "in progress", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","background":true}`, Response: responses("in_progress", `,"usage":null`)}, ""},
	{"unknown-finish-reason", "cancelled", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("cancelled", `,"usage":null`)}, ""},
	{"unknown-finish-reason", "the context window is full", claudeStream(`"model_context_window_exceeded"`, start(0, emptyText), text(0, "At"), stop(0)), ""},
	{"unknown-finish-reason", "a pause to compact", claudeStream(`"compaction"`), ""},
	{"nonstandard-done-reason", "a model is loaded", ollama(`"content":""`, `,"done_reason":"load"`), ""},
	{"nonstandard-done-reason", "a model is unloaded", ollama(`"content":""`, `,"done_reason":"unload"`), ""},
	{"nonstandard-done-reason", "at the limit", ollama(`"content":"At"`, `,"done_reason":"length"`+ollamaCounts), ""},
	{"finish-reason-mismatch", "a call was demanded", chat(ask(withTools+`,"tool_choice":"required"`), whole(`"content":null,"tool_calls":[`+call("c1", "get_tide", vigo)+`]`, `"stop"`)), ""},
	{"finish-reason-mismatch", "a named call was demanded", chat(ask(withTools+`,"tool_choice":{"type":"function","function":{"name":"get_tide"}}`), whole(`"content":null,"tool_calls":[`+call("c1", "get_tide", vigo)+`]`, `"stop"`)), ""},
	{"finish-reason-mismatch", "a whole call at the limit", chat(ask(withTools+`,"max_tokens":5`), whole(`"content":null,"tool_calls":[`+call("c1", "get_tide", vigo)+`]`, `"length"`)), ""},
	{"finish-reason-mismatch", "Ollama says stop", ollama(`"content":"","tool_calls":[{"function":{"name":"get_tide","arguments":`+vigo+`}}]`, `,"done_reason":"stop"`+ollamaCounts), ""},
	{"finish-reason-mismatch", "the same reason again", chat(ask(""), chunk(noon, `"stop"`)+chunk(`{}`, `"stop"`)+done), ""},
	{"finish-reason-mismatch", "an empty reason before it", chat(ask(""), chunk(`{"content":"At"}`, `""`)+chunk(`{"content":" noon."}`, `"stop"`)+done), ""},
	{"missing-usage", "a stream that was not asked for it", chat(ask(`,"stream":true,"stream_options":{"include_usage":false}`), chunk(noon, `"stop"`)+done), ""},
	{"missing-usage", "null until the end", chat(ask(`,"stream":true,"stream_options":{"include_usage":true}`), strings.Replace(chunk(noon, `"stop"`), `}]}`, `}],"usage":null}`, 1)+event(`{"object":"chat.completion.chunk","choices":[]`+usage+`}`)+done), ""},
	{"missing-usage", "Ollama leaves out what is 0", ollama(`"content":"Noon."`, `,"done_reason":"stop","eval_count":5`), ""},
	{"usage-mismatch", "two chunks of it", chat(ask(""), strings.Replace(chunk(noon, `"stop"`), `}]}`, `}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`, 1)+event(`{"object":"chat.completion.chunk","choices":[]`+usage+`}`)+done), ""},
	{"usage-mismatch", "parts of the whole", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":14,"prompt_tokens_details":{"cached_tokens":9},"completion_tokens_details":{"reasoning_tokens":5}`, 1)), ""},
	{"usage-mismatch", "Claude counts cached tokens apart", sent{API: tape.Claude, Request: ask(""), Response: strings.Replace(claudeSays("Noon."), `"input_tokens":9`, `"input_tokens":9,"cache_read_input_tokens":900,"cache_creation_input_tokens":0`, 1)}, ""},
	{"usage-mismatch", "a total alone", chat(ask(""), strings.Replace(says("Noon."), `"prompt_tokens":9,"completion_tokens":5,`, "", 1)), ""},
	{"usage-mismatch", "parts without a whole", chat(ask(""), strings.Replace(says("Noon."), `"prompt_tokens":9,"completion_tokens":5,"total_tokens":14`, `"prompt_tokens_details":{"cached_tokens":9},"completion_tokens_details":{"reasoning_tokens":5}`, 1)), ""},
	{"usage-mismatch", "a total with the output alone", chat(ask(""), strings.Replace(says("Noon."), `"prompt_tokens":9,`, "", 1)), ""},
	{"usage-mismatch", "a total with the prompt alone", chat(ask(""), strings.Replace(says("Noon."), `"completion_tokens":5,`, "", 1)), ""},
	{"usage-mismatch", "zeros", chat(ask(""), strings.NewReplacer("9", "0", "14", "0", `:5`, ":0").Replace(says("Noon."))), ""},
	{"usage-mismatch", "reasoning is counted apart", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":214,"completion_tokens_details":{"reasoning_tokens":200}`, 1)), ""},
	{"wrong-object-type", "events under their names", sent{API: tape.Claude, Request: ask(""), Response: "event: message_start\n" + claude(`"end_turn"`, ping, "event: content_block_start\n"+start(0, emptyText), text(0, "Noon."), stop(0))}, ""},
	{"wrong-object-type", "Azure's filter speaks first", chat(ask(""), event(`{"choices":[],"object":"","prompt_filter_results":[]}`)+chunk(noon, `"stop"`)+done), ""},
	{"wrong-field-type", "null for what is not there", chat(ask(""), `{"object":"chat.completion","system_fingerprint":null,"service_tier":null,"choices":[{"index":0,"message":{"role":"assistant","content":"Noon.","refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":null,"reasoning_content":null},"logprobs":null,"finish_reason":"stop"}]`+usage+`}`), ""},
	{"wrong-field-type", "no calls", chat(ask(""), whole(`"content":"Noon.","tool_calls":[]`, `"stop"`)), ""},
	{"wrong-field-type", "a text in parts", chat(ask(""), whole(`"content":[{"type":"text","text":"Noon."}]`, `"stop"`)), ""},
	{"null-delta-field", "null where it is allowed", chat(ask(""), chunk(`{"role":"assistant","content":null,"refusal":null}`, `null`)+strings.Replace(chunk(noon, `"stop"`), `}]}`, `,"logprobs":null}],"usage":null,"system_fingerprint":null}`, 1)+done), ""},
	{"index-missing", "a whole answer has none", chat(ask(withTools), tide(vigo)), ""},
	{"index-gap", "pieces of two calls in turns", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"port"`))+`]}`, "")+chunk(`{"tool_calls":[`+at(1, call("c2", "get_tide", `{"port"`))+`]}`, "")+chunk(`{"tool_calls":[{"index":0,"function":{"arguments":":\"Vigo\"}"}},{"index":1,"function":{"arguments":":\"Faro\"}"}}]}`, `"tool_calls"`)+done), ""},
	{"index-reused", "the same id in each piece", chat(ask(withTools), chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_tide","arguments":"{\"port\":"}}]}`, "")+chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"arguments":"\"Vigo\"}"}}]}`, `"tool_calls"`)+done), ""},
	{"index-reused", "an empty id in later pieces", chat(ask(withTools), chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_tide","arguments":"{\"port\":"}}]}`, "")+chunk(`{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":"\"Vigo\"}"}}]}`, `"tool_calls"`)+done), ""},
	{"event-name-missing", "pings without a name", sent{API: tape.Claude, Request: ask(""), Response: event(`{"type":"ping"}`) + claude(`"end_turn"`, start(0, emptyText), event(`{"type":"ping"}`), text(0, "Noon."), stop(0))}, ""},
	{"event-name-missing", "Responses is read by the type", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false)}, ""},
	{"event-out-of-order", "pings between all events", pinged(claudeStream(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0))), ""},
	{"event-out-of-order", "counts twice before the end", claudeStream(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0), named(`{"type":"message_delta","delta":{},"usage":{"output_tokens":3}}`)), ""},
	{"event-after-terminal", "fields that are empty behind the finish reason", chat(ask(""), chunk(noon, `"stop"`)+chunk(`{"role":"assistant","content":"","tool_calls":[],"refusal":null}`, `"stop"`)+done), ""},
	{"index-gap", "three blocks of Claude", claudeStream(`"end_turn"`, start(0, emptyText), text(0, "At "), stop(0), start(1, emptyText), text(1, "noon"), stop(1), start(2, emptyText), text(2, "."), stop(2)), ""},
	{"duplicate-block-index", "text, then a call", claudeStream(`"tool_use"`, start(0, emptyText), text(0, "So:"), stop(0), start(1, toolUse("t1")), delta(1, `"type":"input_json_delta","partial_json":"{\"port\":\"Vigo\"}"`), stop(1)), ""},
	{"overlapping-blocks", "thinking, then text", claudeStream(`"end_turn"`, start(0, `{"type":"thinking","thinking":""}`), delta(0, `"type":"thinking_delta","thinking":"Easy."`), stop(0), start(1, emptyText), text(1, "Noon."), stop(1)), ""},
	{"unclosed-block", "no block at all", claudeStream(`"refusal"`), ""},
	{"stray-delta", "a signature", claudeStream(`"end_turn"`, start(0, `{"type":"thinking","thinking":""}`), delta(0, `"type":"thinking_delta","thinking":"Easy."`), delta(0, `"type":"signature_delta","signature":"c2ln"`), stop(0), start(1, emptyText), text(1, "Noon."), stop(1)), ""},
	{"output-order-mismatch", "in order", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false)}, ""},
	{"sequence-gap", "from 0 on", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: numberedFromZero(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false))}, ""},
	{"snapshot-mismatch", "other escapes for the same text", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: strings.Replace(itemStream(said("Vigo "), strings.Replace(said("noon."), "i1", "i2", 1), false), `"text":"Vigo "`, `"text":"\u0056igo\u0020"`, 1)}, ""},
	{"call-id-changed", "the same id all along", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":` + tools + `}`, Response: strings.ReplaceAll(renamedCall, "c9", "c1")}, ""},

	// Tool calls.
	{"unknown-tool", "a tool of the server", sent{API: tape.Claude, Request: ask(`,"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3}]`), Response: `{"type":"message","role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"tide"}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]},{"type":"text","text":"Noon."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`}, ""},
	{"missing-call-id", "two choices with a call each", chat(ask(withTools+`,"n":2`), strings.Replace(tide(vigo), `"choices":[`, `"choices":[{"index":1,"message":{"role":"assistant","tool_calls":[`+call("c1", "get_tide", vigo)+`]},"finish_reason":"tool_calls"},`, 1)), ""},
	{"unknown-tool", "a custom tool", chat(ask(`,"tools":[{"type":"custom","custom":{"name":"shell"}}]`), whole(`"content":null,"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"shell","input":"ls -l"}}]`, `"tool_calls"`)), ""},
	{"unknown-tool", "in a namespace", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"namespace","name":"sea","tools":` + responsesTools + `}]}`, Response: responses("completed", responsesUsage, responsesTide)}, ""},
	{"unknown-tool", "found by the client's search", sent{API: tape.Responses, Request: `{"model":"m","tools":[{"type":"function","name":"f"}],"input":[{"role":"user","content":"Hi"},{"type":"tool_search_output","call_id":"s1","status":"completed","tools":[{"type":"namespace","name":"sea","tools":` + responsesTools + `}]}]}`, Response: responses("completed", responsesUsage, responsesTide)}, ""},
	{"unknown-tool", "found by the server's search", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"tool_search"},{"type":"function","name":"f","defer_loading":true}]}`, Response: responses("completed", responsesUsage, `{"type":"tool_search_call","id":"s1","status":"completed"}`, responsesTide)}, ""},
	{"leaked-markup-in-name", "dots, colons and dashes", chat(ask(`,"tools":[{"type":"function","function":{"name":"files.read-v2:0"}}]`), calls(call("c1", "files.read-v2:0", `{}`))), ""},
	{"missing-call-id", "Ollama has none", ollama(`"content":"","tool_calls":[{"function":{"name":"get_tide","arguments":`+vigo+`}}]`, `,"done_reason":"stop"`+ollamaCounts), ""},
	{"missing-call-id", "the old form has none", chat(ask(`,"functions":[{"name":"f","parameters":{}}]`), whole(`"content":null,"function_call":{"name":"f","arguments":"{}"}`, `"function_call"`)), ""},
	{"duplicate-call-id", "ids that differ in case", chat(ask(withTools), calls(call("c1", "get_tide", vigo), call("C1", "get_tide", `{"port":"Faro"}`))), ""},
	{"call-id-reused", "an id that begins like an earlier one", chat(`{"model":"m","tools":`+chatTools+`,"messages":[{"role":"assistant","content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Faro"}`)+`]},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"user","content":"And Vigo?"}]}`, calls(call("c11", "get_tide", vigo))), ""},
	{"duplicate-call", "other arguments", chat(ask(withTools), calls(call("c1", "get_tide", vigo), call("c2", "get_tide", `{"port":"vigo"}`))), ""},
	{"duplicate-call", "another tool", chat(ask(`,"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}]`), calls(call("c1", "f", "{}"), call("c2", "g", "{}"))), ""},
	{"duplicate-call", "another order of a list", chat(ask(tool(`{}`)), calls(call("c1", "f", `{"l":[1,2]}`), call("c2", "f", `{"l":[2,1]}`))), ""},
	{"duplicate-call", "numbers that differ far behind", chat(ask(tool(`{}`)), calls(call("c1", "f", `{"n":9007199254740992}`), call("c2", "f", `{"n":9007199254740993}`))), ""},
	{"arguments-wrong-encoding", "a stream of Claude has text", claudeStream(`"tool_use"`, start(0, toolUse("t1")), delta(0, `"type":"input_json_delta","partial_json":"{\"port\":"`), delta(0, `"type":"input_json_delta","partial_json":"\"Vigo\"}"`), stop(0)), ""},
	{"arguments-empty", "no arguments are {}", chat(ask(`,"tools":[{"type":"function","function":{"name":"list","parameters":{"type":"object","properties":{}}}}]`), calls(call("c1", "list", "{}"))), ""},
	{"arguments-empty", "a stream of Claude without arguments", sent{API: tape.Claude, Request: ask(`,"tools":[{"name":"get_tide","input_schema":{"type":"object"}}]`), Response: claude(`"tool_use"`, start(0, toolUse("t1")), delta(0, `"type":"input_json_delta","partial_json":""`), stop(0))}, ""},
	{"arguments-empty", "a call of Ollama without arguments", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"stream":false,"tools":[{"type":"function","function":{"name":"list"}}]}`, Response: `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"list"}}]},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"arguments-not-json", "blanks, lines and a name twice", chat(ask(withTools), tide("\n { \"port\" : \"Faro\",\n\t\"port\" : \"Vigo\" }\n")), ""},
	{"arguments-truncated", "brackets in a text", chat(ask(withTools), tide(`{"port":"{[\"Vigo"}`)), ""},
	{"arguments-concatenated", "objects in a text", chat(ask(withTools), tide(`{"port":"{\"a\":1}{\"a\":1}"}`)), ""},
	{"arguments-concatenated", "an object in its like", checked(`{}`, `{"a":{"a":{"a":1}}}`), ""},
	{"arguments-double-encoded", "a text that holds an object", chat(ask(withTools), tide(`{"port":"{\"port\":\"Vigo\"}"}`)), ""},
	{"arguments-not-object", "a text for a custom tool", chat(ask(`,"tools":[{"type":"custom","custom":{"name":"shell"}}]`), whole(`"content":null,"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"shell","input":"[1]"}}]`, `"tool_calls"`)), ""},
	{"leaked-markup-in-arguments", "HTML and code", checked(`{}`, `{"html":"<div class=\"a\"><tool>x</tool></div>","code":"if a <| b |> c { return <T>x }","<b>":1}`), ""},
	{"leaked-markup-in-arguments", "what the user wants saved", chat(`{"model":"m",`+tool(`{}`)[1:]+`,"messages":[{"role":"user","content":"Save: <think> opens, </think> closes."}]}`, calls(call("c1", "f", `{"text":"<think> opens, </think> closes."}`))), ""},
	{"leaked-markup-in-arguments", "what a tool told", chat(`{"model":"m",`+tool(`{}`)[1:]+`,"messages":[{"role":"user","content":"Copy it."},{"role":"assistant","content":"","tool_calls":[`+call("c0", "f", "{}")+`]},{"role":"tool","tool_call_id":"c0","content":"say <|im_end|>"}]}`, calls(call("c1", "f", `{"text":"say <|im_end|>"}`))), ""},
	{"leaked-markup-in-arguments", "what the tool's description speaks of", chat(ask(`,"tools":[{"type":"function","function":{"name":"f","description":"Removes <think> from a text"}}]`), calls(call("c1", "f", `{"tag":"<think>"}`))), ""},
	{"leaked-markup-in-arguments", "what the tool's schema speaks of", chat(ask(tool(`{"properties":{"tag":{"enum":["<think>","<b>"]}}}`)), calls(call("c1", "f", `{"tag":"<think>"}`))), ""},
	{"leaked-markup-in-arguments", "what the tool's schema speaks of in escapes", chat(ask(tool(`{"properties":{"tag":{"enum":["\u003cthink\u003e"]}}}`)), calls(call("c1", "f", `{"tag":"<think>"}`))), ""},
	{"leaked-markup-in-arguments", "what an earlier call wrote", chat(`{"model":"m",`+tool(`{}`)[1:]+`,"messages":[{"role":"user","content":"Write a parser."},{"role":"assistant","content":"","tool_calls":[`+call("c0", "f", `{"code":"END = '\u003c|im_end|>'"}`)+`]},{"role":"tool","tool_call_id":"c0","content":"saved"}]}`, calls(call("c1", "f", `{"old":"END = '<|im_end|>'","new":"STOP = '<|im_end|>'"}`))), ""},
	{"leaked-markup-in-arguments", "what the assistant said before", chat(`{"model":"m",`+tool(`{}`)[1:]+`,"messages":[{"role":"assistant","content":"The end is <|im_end|>."},{"role":"user","content":"Save that."}]}`, calls(call("c1", "f", `{"text":"The end is <|im_end|>."}`))), ""},
	{"leaked-markup-in-arguments", "what a document has that a tool gave", sent{API: tape.Claude, Request: `{"model":"m","max_tokens":9,"tools":` + tools + `,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t0","name":"get_tide","input":{"port":"Faro"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"<|im_end|>"}}]}]}]}`, Response: strings.Replace(claudeTide, "Vigo", "<|im_end|>", 1)}, ""},
	{"leaked-markup-in-arguments", "what a document has", sent{API: tape.Claude, Request: `{"model":"m","max_tokens":9,"tools":` + tools + `,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"port <|im_end|>"}},{"type":"text","text":"Look it up."}]}]}`, Response: strings.Replace(claudeTide, "Vigo", "<|im_end|>", 1)}, ""},
	{"leaked-markup-in-arguments", "operators, and places to fill in", checked(`{}`, `{"fs":"f <|x|> y","mail":"Dear <|customer_name|>","note":"<|v|>"}`), ""},
	{"missing-required", "null, which is allowed", checked(`{"properties":{"a":{"type":["string","null"]}},"required":["a"]}`, `{"a":null}`), ""},
	{"missing-required", "required in the other branch", checked(`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`), ""},
	{"type-mismatch", "an integer with a point", chat(ask(withTools), tide(`{"port":"Vigo","level":40.0}`)), ""},
	{"type-mismatch", "one of several types", checked(`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{"type":["number","string"]}}}`, `{"a":null,"b":"7"}`), ""},
	{"type-mismatch", "large integers", checked(`{"properties":{"a":{"type":"integer"},"b":{"type":"integer","maximum":9007199254740993}}}`, `{"a":123456789012345678901234567890,"b":9007199254740993}`), ""},
	{"enum-violation", "null among the values", checked(`{"properties":{"a":{"enum":["x",null]},"b":{"const":1}}}`, `{"a":null,"b":1.0}`), ""},
	{"extra-property", "properties that are not forbidden", checked(`{"properties":{"a":{}}}`, `{"a":1,"b":2}`), ""},
	{"extra-property", "properties of a pattern or a schema", checked(`{"patternProperties":{"^x-":{}},"additionalProperties":{"type":"integer"}}`, `{"x-a":"y","b":2}`), ""},
	{"constraint-violation", "at the bounds", checked(`{"properties":{"n":{"minimum":0,"maximum":100},"m":{"multipleOf":0.1},"s":{"maxLength":3},"l":{"minItems":1,"uniqueItems":true},"p":{"pattern":"^\\d{4}$"}}}`, `{"n":100,"m":0.3,"s":"🌊é青","l":[1,"1",[1]],"p":"2026"}`), ""},
	{"constraint-violation", "formats are no rules", checked(`{"properties":{"d":{"type":"string","format":"date"}}}`, `{"d":"soon"}`), ""},
	{"schema-unusable", "patterns of JavaScript", checked(`{"properties":{"s":{"pattern":"^(?=.{1,2000}$)(a)\\1\\u0041$"}}}`, `{"s":"aaA"}`), ""},
	{"schema-unusable", "a tuple of a draft that is not told", checked(`{"properties":{"p":{"type":"array","items":[{"type":"number"},{"type":"number"}]}}}`, `{"p":[1,2]}`), ""},
	{"schema-unusable", "drafts as schema libraries declare them", checked(`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.com/f","definitions":{"a":{"type":"string"}},"type":"object","properties":{"a":{"$ref":"#/definitions/a"}}}`, `{"a":"x"}`), ""},
	{"schema-unusable", "the newest draft, and words of others", checked(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string","nullable":true,"example":"x","title":"A","default":null}},"required":[]}`, `{}`), ""},
	{"schema-unusable", "none", chat(ask(`,"tools":[{"type":"function","function":{"name":"f","parameters":null}},{"type":"function","function":{"name":"g","parameters":{}}}]`), calls(call("c1", "f", `{"a":1}`))), ""},
	{"schema-unusable", "none for a tool under its old name", chat(ask(`,"functions":[{"name":"f","parameters":null}]`), whole(`"content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}`, `"function_call"`)), ""},
	{"missing-call-id", "a call of the old form that was demanded by name", chat(ask(`,"functions":[{"name":"get_tide","parameters":`+tideSchema+`}],"function_call":{"name":"get_tide"}`), whole(`"content":null,"function_call":{"name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}`, `"stop"`)), ""},
	{"call-when-forbidden", "a call of the old form that was left to the model", chat(ask(`,"functions":[{"name":"get_tide","parameters":`+tideSchema+`}],"function_call":"auto"`), strings.Replace(whole(`"content":null,"function_call":{"name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}`, `"stop"`), `"stop"`, `"function_call"`, 1)), ""},
	{"tool-choice-ignored", "Claude's own tool was demanded", sent{API: tape.Claude, Request: ask(`,"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"tool","name":"web_search"}`), Response: claude(`"end_turn"`, start(0, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`), stop(0), start(1, emptyText), text(1, "Noon."), stop(1))}, ""},
	{"tool-choice-ignored", "Claude's own tool was demanded, and another is called after it", sent{API: tape.Claude, Request: ask(`,"tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"get_tide","input_schema":` + tideSchema + `}],"tool_choice":{"type":"tool","name":"web_search"}`), Response: claude(`"tool_use"`, start(0, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`), stop(0), start(1, toolUse("c1")), delta(1, `"type":"input_json_delta","partial_json":"{\"port\":\"Vigo\"}"`), stop(1))}, ""},
	{"tool-choice-ignored", "one of the allowed tools", chat(ask(withTools+`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"get_tide"}}]}}`), whole(`"content":null,"tool_calls":[`+call("c1", "get_tide", vigo)+`]`, `"stop"`)), ""},
	{"tool-choice-ignored", "one of the allowed tools with a namespace", chat(ask(withTools+`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"get_tide"}}]}}`), calls(call("c1", "functions.get_tide", vigo))), "unknown-tool"},
	{"tool-choice-ignored", "auto", chat(ask(withTools+`,"tool_choice":"auto"`), says("Noon.")), ""},
	{"tool-choice-ignored", "allowed tools, but none demanded", chat(ask(withTools+`,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[]}`), says("Noon.")), ""},
	{"tool-choice-ignored", "the tool that was demanded", sent{API: tape.Claude, Request: ask(`,"tools":` + tools + `,"tool_choice":{"type":"tool","name":"get_tide"}`), Response: claudeTide}, ""},
	{"tool-choice-ignored", "the limit came first", chat(ask(withTools+`,"tool_choice":"required","max_tokens":5`), whole(`"content":"Let me look at the"`, `"length"`)), ""},
	{"tool-choice-ignored", "a tool of the server is demanded", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"web_search"}],"tool_choice":{"type":"web_search"}}`, Response: responses("completed", responsesUsage, `{"type":"web_search_call","id":"w1","status":"completed"}`, said("Noon."))}, ""},
	{"tool-choice-ignored", "a tool of the server is used", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"web_search"}],"tool_choice":"required"}`, Response: responses("completed", responsesUsage, `{"type":"web_search_call","id":"w1","status":"completed"}`, said("Noon."))}, ""},
	{"tool-choice-ignored", "a tool of the server is used through Claude", sent{API: tape.Claude, Request: ask(`,"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"any"}`), Response: claude(`"end_turn"`, start(0, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`), stop(0), start(1, emptyText), text(1, "Noon."), stop(1))}, ""},
	{"tool-choice-ignored", "the server asks whether it may", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"mcp","server_label":"sea"}],"tool_choice":"required"}`, Response: responses("completed", responsesUsage, `{"type":"mcp_approval_request","id":"a1","server_label":"sea","name":"get_tide","arguments":"{}"}`)}, ""},
	{"tool-choice-ignored", "a refusal", chat(ask(withTools+`,"tool_choice":"required"`), whole(`"content":null,"refusal":"I may not."`, `"stop"`)), ""},
	{"tool-choice-ignored", "a filter", chat(ask(withTools+`,"tool_choice":"required"`), whole(`"content":""`, `"content_filter"`)), ""},
	{"tool-choice-ignored", "a pause", sent{API: tape.Claude, Request: ask(`,"tools":` + tools + `,"tool_choice":{"type":"any"}`), Response: claude(`"pause_turn"`)}, ""},
	{"call-when-forbidden", "tools under their old name", chat(ask(`,"functions":[{"name":"f","parameters":{}}]`), whole(`"content":null,"function_call":{"name":"f","arguments":"{}"}`, `"function_call"`)), ""},
	{"call-when-forbidden", "text where calls are forbidden", chat(ask(withTools+`,"tool_choice":"none"`), says("Noon.")), ""},
	{"call-when-forbidden", "the tools are in a stored prompt", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","prompt":{"id":"pmpt_1"}}`, Response: responses("completed", responsesUsage, responsesTide)}, ""},
	{"parallel-when-forbidden", "one call", chat(ask(withTools+`,"parallel_tool_calls":false`), tide(vigo)), ""},
	{"parallel-when-forbidden", "several are allowed", chat(ask(withTools+`,"parallel_tool_calls":true`), calls(call("c1", "get_tide", vigo), call("c2", "get_tide", `{"port":"Faro"}`))), ""},
	{"leaked-markup-in-arguments", "a value that begins to strike out", chat(ask(withTools), tide(`{"port":"<s>Vigo"}`)), ""},
	{"leaked-markup-in-arguments", "a value that strikes out", chat(ask(withTools), tide(`{"port":"Faro <s>Vigo</s>"}`)), ""},

	// Content.
	{"leaked-markup-in-content", "the words of it", chat(ask(""), says("I think the tool call [INST or <tool>] of the assistant is final; see <thinking>, <|>, </b> and List<invoke>.")), ""},
	{"leaked-markup-in-content", "the usage line of a command", chat(ask(""), says("tide [OPTIONS] [ARGS]")), ""},
	{"leaked-markup-in-content", "code", chat(ask(""), says("Hermes writes `<tool_call>`:\n~~~\n<tool_call>\n~~~\nand `` <|im_end|> ``.")), ""},
	{"leaked-markup-in-content", "code that is cut at the limit", chat(ask(`,"max_tokens":5`), whole(`"content":"So:\n`+"```"+`xml\n<tool_call>\n<fun"`, `"length"`)), ""},
	{"leaked-markup-in-content", "the user asked about it", quotes("What is <think> for?", "<think> begins reasoning."), ""},
	{"leaked-markup-in-content", "the user asked about it, and the answer quotes its end, too", quotes("How do I write a <tool_call>?", "You write <tool_call>, then JSON with name and arguments, then </tool_call>."), ""},
	{"leaked-markup-in-content", "the system message has it", chat(`{"model":"m","messages":[{"role":"system","content":"Never write [TOOL_CALLS]."},{"role":"user","content":"What must you not write?"}]}`, says("[TOOL_CALLS], that is.")), ""},
	{"leaked-markup-in-content", "it is in the reasoning", chat(ask(""), whole(`"content":"Noon.","reasoning_content":"<think>Easy.</think>"`, `"stop"`)), ""},
	{"leaked-markup-in-content", "analysis and final as words", chat(ask(""), says("analysis of the tide; the assistant's final word: noon.")), ""},
	{"leaked-markup-in-content", "a speed, a place to fill in, operators", chat(ask(""), says("The mean speed <|v|> is 3 m/s. Dear <|customer_name|>, thank you. f <|x|> y. <｜引用｜>")), ""},
	{"leaked-markup-in-content", "text that is struck out", chat(ask(""), says("<s>Noon.</s> One, since the clocks changed; see [|1|], <|user:name|> and Vec<s>.")), ""},
	{"leaked-markup-in-content", "the tag that ends what is struck out", chat(ask(""), says("What <s> began ends at </s> and not before (</s>).")), ""},
	{"leaked-markup-in-content", "XML of something else", chat(ask(""), says("<function name=\"main\"><param name=\"x\">1</param></function> and <step:invoke name=\"x\"/>")), ""},
	{"leaked-markup-in-content", "indented code", chat(ask(""), says("Hermes writes:\n\n    <tool_call>\n    {}\n    </tool_call>\n\nand ends with:\n\n\t<|im_end|>")), ""},
	{"leaked-markup-in-content", "code of HTML", chat(ask(""), says("Hermes writes <code>&lt;tool_call> or <tool_call></code>:\n<pre>\n<|im_end|>\n</pre>")), ""},
	{"leaked-markup-in-content", "what the agent wrote into a file", chat(`{"model":"m","messages":[{"role":"user","content":"Write a parser."},{"role":"assistant","content":"","tool_calls":[`+call("c0", "f", `{"code":"END = '<|im_end|>'"}`)+`]},{"role":"tool","tool_call_id":"c0","content":"saved"}]}`, says("It looks for <|im_end|>.")), ""},
	{"call-in-content", "JSON that is no call", chat(ask(withTools), says(`{"port":"Vigo","name":"get_tide"}`)), ""},
	{"call-in-content", "JSON of something else in a fence that is all of the text", chat(ask(withTools), says("```json\n{\"port\": \"Vigo\"}\n```")), ""},
	{"call-in-content", "a call of no tool on offer in such a fence", chat(ask(withTools), says("```json\n{\"name\": \"get_time\", \"arguments\": {}}\n```")), ""},
	{"call-in-content", "a fence of JSON behind words", chat(ask(withTools), says("So:\n```json\n{\"name\": \"get_tide\", \"parameters\": {\"port\": \"Vigo\"}}\n```\n")), ""},
	{"leaked-markup-in-arguments", "XML that has the tags of Qwen-Coder", checked(`{}`, `{"xml":"<function name=\"a\"><parameter name=\"b\">1</parameter></function>","pom":"<x></parameter></x>"}`), ""},
	{"leaked-markup-in-content", "the user asks about it", quotes("What is <unk>?", "<unk> stands for unknown words."), ""},
	{"call-in-content", "a call in a fence", chat(ask(withTools), says("So you would write it:\n```json\n{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}\n```")), ""},
	{"call-in-content", "a call of a tool that is not offered", chat(ask(withTools), says(`{"name":"get_time","arguments":{}}`)), ""},
	{"call-in-content", "a call in a sentence", chat(ask(withTools), says(`I would call get_tide(port="Vigo") for it.`)), ""},
	{"call-in-content", "a name, JSON, and words", chat(ask(withTools), says("get_tide\n{\"port\": \"Vigo\"}\nwould be the call.")), ""},
	{"call-in-content", "a name and JSON below words", chat(ask(withTools), says("I would call:\nget_tide\n{\"port\": \"Vigo\"}")), ""},
	{"call-in-content", "a name and JSON, and no tool of the name", chat(ask(withTools), says("tides\n{\"port\": \"Vigo\"}")), ""},
	{"call-in-content", "XML of a function that is not offered", chat(ask(withTools), says(`<function name="get_time"><param name="port">Vigo</param></function>`)), ""},
	{"call-in-content", "XML of a function that is not called", chat(ask(withTools), says(`<function name="get_tide"><returns>metres</returns></function>`)), ""},
	{"call-in-content", "a module of Python", chat(ask(withTools), says(`functools[0] of get_tide(port="Vigo")`)), ""},
	{"call-in-content", "lines of Python that are more than calls", chat(ask(withTools), says("tide = get_tide(port=\"Vigo\")\nprint(tide)")), ""},
	{"call-in-content", "the tools and their schemas", quotes("Which tools have you?", "[{\"name\":\"get_tide\",\"parameters\":{\"type\":\"object\",\"properties\":{\"port\":{\"type\":\"string\"}}}}]"), ""},
	{"call-in-content", "what the user wrote", quotes(`Say exactly: {"name":"get_tide","arguments":{}}`, `{"name":"get_tide","arguments":{}}`), ""},
	{"call-in-content", "text beside a call", chat(ask(withTools), whole(`"content":"{\"name\":\"get_tide\",\"arguments\":{}}","tool_calls":[`+call("c1", "get_tide", vigo)+`]`, `"tool_calls"`)), ""},
	{"call-in-content", "JSON was asked for", chat(ask(withTools+`,"response_format":{"type":"json_object"}`), says(`{"name":"get_tide","arguments":{"port":"Vigo"}}`)), ""},
	{"call-in-content", "JSON was asked for through Responses", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":` + tools + `,"text":{"format":{"type":"json_schema","name":"s","schema":{}}}}`, Response: responses("completed", responsesUsage, said(`{"name":"get_tide","arguments":{"port":"Vigo"}}`))}, ""},
	{"call-in-content", "JSON of a schema was asked for through Ollama", sent{API: tape.Ollama, Request: ask(withTools + `,"stream":false,"format":{"type":"object","format":"x"}`), Response: `{"message":{"role":"assistant","content":"{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"call-in-content", "JSON was asked for through Claude", sent{API: tape.Claude, Request: ask(`,"tools":` + tools + `,"output_config":{"format":{"type":"json_schema","schema":{}}}`), Response: claudeSays(`{"name":"get_tide","arguments":{"port":"Vigo"}}`)}, ""},
	{"call-in-content", "JSON was asked for through Ollama", sent{API: tape.Ollama, Request: ask(withTools + `,"stream":false,"format":"json"`), Response: `{"message":{"role":"assistant","content":"{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"call-in-reasoning", "there is text, too", chat(ask(withTools), whole(`"content":"Noon.","reasoning_content":`+quote(tideText), `"stop"`)), ""},
	{"call-in-reasoning", "there is a call, too", chat(ask(withTools), whole(`"content":"","reasoning_content":`+quote(tideText)+`,"tool_calls":[`+call("c1", "get_tide", vigo)+`]`, `"tool_calls"`)), ""},
	{"call-in-reasoning", "a refusal", chat(ask(withTools), whole(`"content":null,"refusal":"I may not.","reasoning_content":`+quote(tideText), `"stop"`)), ""},
	{"leaked-markup-in-error", "the error quotes the user", chat(`{"model":"m","messages":[{"role":"user","content":"<think>"}]}`, `{"error":{"message":"\"<think>\" is too short"}}`).As(400, "application/json"), "http-error"},
	{"empty-answer", "empty text beside a call", chat(ask(withTools), tide(vigo)), ""},
	{"empty-answer", "an empty message item beside a call", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":` + tools + `}`, Response: responses("completed", responsesUsage, said(""), `{"type":"function_call","id":"f1","call_id":"c1","name":"get_tide","arguments":"{\"port\":\"Vigo\"}","status":"completed"}`)}, ""},
	{"empty-answer", "a refusal", chat(ask(""), whole(`"content":null,"refusal":"I may not."`, `"stop"`)), ""},
	{"empty-answer", "a picture", sent{API: tape.Responses, Request: `{"model":"m","input":"Paint","tools":[{"type":"image_generation"}]}`, Response: responses("completed", responsesUsage, `{"type":"image_generation_call","id":"g1","status":"completed","result":"iVBORw=="}`)}, ""},
	{"empty-answer", "speech", chat(ask(`,"modalities":["text","audio"]`), whole(`"content":null,"audio":{"id":"a1","data":"UklGRg==","transcript":"Noon.","expires_at":1}`, `"stop"`)), ""},
	{"empty-answer", "content is filtered", chat(ask(""), whole(`"content":""`, `"content_filter"`)), ""},
	{"empty-answer", "a stop sequence of Claude at once", sent{API: tape.Claude, Request: ask(`,"stop_sequences":["\n\n"]`), Response: claude(`"stop_sequence"`)}, ""},
	{"empty-answer", "a stop sequence at once", chat(ask(`,"stop":["\n\n"]`), whole(`"content":""`, `"stop"`)), ""},
	{"empty-answer", "a stop sequence at once, alone", chat(ask(`,"stop":"END"`), whole(`"content":""`, `"stop"`)), ""},
	{"empty-answer", "a stop sequence behind reasoning", chat(ask(`,"stop":"END"`), strings.Replace(whole(`"content":"","reasoning_content":"Easy."`, `"stop"`), `"completion_tokens":5,"total_tokens":14`, `"completion_tokens":50,"total_tokens":59`, 1)), ""},
	{"empty-answer", "a stop sequence of Ollama at once", sent{API: tape.Ollama, Request: ask(`,"stream":false,"options":{"stop":["END"]}`), Response: `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"empty-answer", "nothing belongs before the suffix", sent{API: tape.OllamaGenerate, Request: `{"model":"m","stream":false,"prompt":"a","suffix":"b"}`, Response: `{"response":"","done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"budget-exhausted", "text that was cut", chat(ask(`,"max_tokens":5`), whole(`"content":"Once upon a"`, `"length"`)), ""},
	{"budget-exhausted", "a whole call at the limit", chat(ask(withTools+`,"max_tokens":5`), tide(vigo)), ""},
	{"budget-exhausted", "a limit, and no counts", chat(ask(`,"max_tokens":5`), chunk(noon, `"stop"`)+done), ""},
	{"budget-exhausted", "text that just fits", chat(ask(`,"max_tokens":5`), says("Noon.")), ""},
	{"budget-exhausted", "an empty answer one token below the limit", chat(ask(`,"max_tokens":6`), says("")), "empty-answer"},
	{"budget-exhausted", "a limit of 0 is none", chat(ask(`,"max_tokens":0`), says("")), "empty-answer"},
	{"budget-exhausted", "two answers share the counts", chat(ask(withTools+`,"n":2,"max_tokens":3`), whole(`"content":""`, `"stop"`)), "empty-answer"},
	{"budget-exhausted", "two answers, and no limit to speak of", chat(ask(withTools+`,"n":2,"max_tokens":9223372036854775807`), whole(`"content":""`, `"stop"`)), "empty-answer"},

	// History.
	{"orphan-tool-result", "results in any order", chatMessages(`[{"role":"assistant","content":"","tool_calls":[` + call("a", "f", "{}") + `,` + call("b", "f", `{"x":1}`) + `]},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"user","content":"Well?"}]`), ""},
	{"orphan-tool-result", "a result twice", chatMessages(`[{"role":"assistant","content":"","tool_calls":[` + call("a", "f", "{}") + `]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"a","content":"1"}]`), ""},
	{"orphan-tool-result", "a conversation that the server keeps", sent{API: tape.Responses, Request: `{"model":"m","previous_response_id":"r0","input":[{"type":"function_call_output","call_id":"c9","output":"1"}]}`, Response: responses("completed", responsesUsage, said("Fine."))}, ""},
	{"orphan-tool-result", "another conversation that the server keeps", sent{API: tape.Responses, Request: `{"model":"m","conversation":"v1","input":[{"type":"function_call_output","call_id":"c9","output":"1"}]}`, Response: responses("completed", responsesUsage, said("Fine."))}, ""},
	{"orphan-tool-result", "Ollama cannot tell whose result it is", sent{API: tape.Ollama, Request: `{"model":"m","stream":false,"messages":[{"role":"tool","content":"1"},{"role":"user","content":"Well?"}]}`, Response: `{"model":"m","message":{"role":"assistant","content":"Fine."},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"orphan-tool-result", "a call that the server keeps", input(`[{"role":"user","content":"Hi"},{"type":"item_reference","id":"fc_1"},{"type":"function_call_output","call_id":"c9","output":"1"}]`), ""},
	{"orphan-tool-result", "Ollama's results have no ids", sent{API: tape.Ollama, Request: `{"model":"m","stream":false,"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"1"},{"role":"user","content":"Well?"}]}`, Response: `{"model":"m","message":{"role":"assistant","content":"Fine."},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, ""},
	{"orphan-tool-result", "results of the old form have a name", chatMessages(`[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"1"},{"role":"user","content":"Well?"}]`), ""},
	{"unanswered-tool-call", "nobody has gone on yet", chatMessages(`[{"role":"user","content":"?"},{"role":"assistant","content":"","tool_calls":[` + call("a", "f", "{}") + `]}]`), ""},
	{"unanswered-tool-call", "an empty turn of the user", chatMessages(`[{"role":"assistant","content":"","tool_calls":[` + call("a", "f", "{}") + `]},{"role":"user","content":""},{"role":"tool","tool_call_id":"a","content":"1"}]`), ""},
	{"unanswered-tool-call", "a note of the developer before the result", chatMessages(`[{"role":"assistant","content":"","tool_calls":[` + call("a", "f", "{}") + `]},{"role":"developer","content":"Be brief."},{"role":"tool","tool_call_id":"a","content":""},{"role":"user","content":"Well?"}]`), ""},
	{"unanswered-tool-call", "results and words in one turn", messages(`[{"role":"assistant","content":[{"type":"text","text":"So:"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"1"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}]},{"type":"text","text":"Well?"}]}]`), ""},
	{"unanswered-tool-call", "results in two turns of the user that Claude joins", messages(`[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]}]`), ""},
	{"unanswered-tool-call", "words before results", messages(`[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"text","text":"Here:"},{"type":"tool_result","tool_use_id":"a"}]}]`), ""},
	{"unanswered-tool-call", "tools of the server answer by themselves", messages(`[{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"Noon."}]},{"role":"user","content":"Thanks"}]`), ""},
	{"unanswered-tool-call", "reasoning between call and result", input(`[{"role":"user","content":"Hi"},{"type":"reasoning","id":"r1","summary":[{"type":"summary_text","text":"Look."}]},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"reasoning","id":"r2","summary":[]},{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"1"}]},{"role":"user","content":"Well?"}]`), ""},
}

// incomplete is a stream of Responses that ends with response.incomplete.
var incomplete = strings.NewReplacer(`"type":"response.completed"`, `"type":"response.incomplete"`, `"id":"r1","status":"completed"`, `"id":"r1","status":"incomplete"`).
	Replace(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false))

// pinged has a ping before each event, also before the first one.
func pinged(s sent) sent {
	s.Response = strings.ReplaceAll(s.Response, "event: ", ping+"event: ")
	return s
}

// numberedFromZero counts the events of a stream of Responses from 0 on, which counts them from 1.
func numberedFromZero(stream string) string {
	for n := 1; n < 10; n++ {
		stream = strings.Replace(stream, `"sequence_number":`+string(rune('0'+n)), `"sequence_number":`+string(rune('0'+n-1)), 1)
	}
	return stream
}

// TestNearMisses: what is one small step away from a problem has none, and is nobody's fault.
func TestNearMisses(t *testing.T) {
	near := make(map[string]bool)
	for _, tt := range nearMisses {
		near[tt.near] = true
		t.Run(tt.near+", "+tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
			if diff := cmp.Diff(tt.want, codesOf(r)); diff != "" {
				t.Errorf("problems (-want +got):\n%s%+v", diff, r.Problems)
			}
			if tt.want == "" && (r.Calls != conformance.OK || r.Protocol != conformance.OK || r.Blame != nil) {
				t.Errorf("calls %s, protocol %s, blame %q", r.Calls, r.Protocol, blameOf(r))
			}
		})
	}
	for _, c := range conformance.Codes {
		if !near[c.Name] && c.Name != "stream-mismatch" && c.Name != "api-mismatch" { // for these see TestPairs
			t.Errorf("no near miss of %s", c.Name)
		}
	}
}
