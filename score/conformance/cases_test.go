package conformance_test

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// unnamed is a stream without the names of its events.
func unnamed(stream string) string { return eventName.ReplaceAllString(stream, "") }

var eventName = regexp.MustCompile(`(?m)^event: .*\n`)

// oneCase is an exchange with what is to be found out about it.
type oneCase struct {
	name string
	sent sent
	// want are the codes, with blanks between; blame is whose fault it is, "" for nobody's.
	want, blame string
	// verdicts are those on the calls and on the protocol.
	verdicts string
}

// cases are of our own making; together they need every check, every note and every rule of blame.
var cases = []oneCase{
	// Nothing wrong. For more of it see nearMisses.
	{"text", chat(ask(""), says("At noon.")), "", "", "ok ok"},
	{"a call", chat(ask(withTools), tide(`{"port":"Vigo"}`)), "", "", "ok ok"},
	{"a streamed call", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"po`))+`]}`, "")+chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"rt\":\"Vigo\"}"}}]}`, `"tool_calls"`)+done), "", "", "ok ok"},
	{"a Claude stream", sent{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, emptyText), text(0, "At noon."), stop(0))}, "", "", "ok ok"},
	{"a request that cannot be read", chat("{", says("Noon.")), "", "", "ok ok"},
	{"a call to a request that cannot be read", chat("{", calls(call("c1", "f", `{"a":"x"}`))), "", "", "ok ok"},
	{"markup for a request that cannot be read", chat("{", says("<tool_call>"+`{"name":"f","arguments":{}}</tool_call>`)), "leaked-markup-in-content", "server", "failed ok"},
	{"an error for a request that cannot be read", chat("{", `{"error":{"code":400}}`).As(400, "application/json"), "http-error", "client", "not_judged not_judged"},
	{"a stream for a request that cannot be read", chat("{", chunk(`{"content":"Noon."}`, `"stop"`)+done).As(200, "text/event-stream"), "", "", "ok ok"},

	// Transport.
	{"refused", chat(ask(""), `{"error":{"message":"No instance found"}}`).As(404, "application/json"), "http-error", "client", "not_judged not_judged"},
	{"refused as invalid", chat(ask(""), `{"error":{"message":"no such field"}}`).As(422, "application/json"), "http-error", "client", "not_judged not_judged"},
	{"too many requests", chat(ask(""), `{"error":{"message":"slow down"}}`).As(429, "application/json"), "http-error", "server", "not_judged not_judged"},
	{"waited no longer", chat(ask(""), `{"error":{"message":"timeout"}}`).As(408, "application/json"), "http-error", "server", "not_judged not_judged"},
	{"too early", chat(ask(""), `{"error":{"message":"later"}}`).As(425, "application/json"), "http-error", "server", "not_judged not_judged"},
	{"failed", chat(ask(""), "Internal Server Error").As(500, "text/plain"), "http-error non-json-error-body", "server", "not_judged not_judged"},
	{"unreachable", sent{API: tape.OpenAI, Request: ask(""), Ended: tape.UpstreamError, Cause: "connection refused"}, "http-error", "server", "not_judged not_judged"},
	{"too slow to begin", sent{API: tape.OpenAI, Request: ask(""), Ended: tape.UpstreamError, Cause: "net/http: timeout awaiting response headers"}, "upstream-timeout", "server", "not_judged not_judged"},
	{"empty", chat(ask(""), ""), "body-not-json", "server", "not_judged failed"},
	{"a page", chat(ask(""), "<html>Sign in</html>").As(200, "text/html"), "body-not-json", "server", "not_judged failed"},
	{"a whole answer broken off", chat(ask(""), says("Noon.")[:60]).EndedAs(tape.UpstreamTruncated, "unexpected EOF", 0), "body-not-json", "server", "not_judged failed"},
	{"a whole answer broken off before its first byte", chat(ask(""), "").As(200, "application/json").EndedAs(tape.UpstreamTruncated, "unexpected EOF", 0), "body-not-json", "server", "not_judged failed"},
	{"mislabelled", chat(ask(""), says("Noon.")).As(200, "text/event-stream"), "wrong-content-type", "server", "ok ok"},
	{"broken off", chat(ask(""), chunk(`{"content":"At"}`, "")).EndedAs(tape.UpstreamTruncated, "unexpected EOF", 0), "truncated-stream", "server", "failed failed"},
	{"a call broken off", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"po`))+`]}`, "")), "truncated-stream", "server", "failed failed"},
	{"no [DONE]", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)), "missing-done", "server", "ok ok"},
	{"[DONE] without its end", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+"data: [DONE]"), "partial-final-event", "server", "ok ok"},
	{"cut inside of an event", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+`data: {"choices":[`), "partial-final-event", "server", "ok ok"},
	{"a long silence", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+chunk(`{"content":" noon."}`, `"stop"`)+done), time.Second, 20*time.Minute), "upstream-timeout", "server", "ok failed"},
	{"a client that gave up", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+": keep-alive\n\n"), time.Second, time.Minute).EndedAs(tape.ClientGone, "context canceled", 2*time.Minute), "truncated-stream upstream-timeout", "server", "failed failed"},
	{"a client that says it gave up", chat(ask(""), "").As(200, "text/event-stream").EndedAs(tape.ClientGone, "client timeout", time.Second), "truncated-stream upstream-timeout", "server", "failed failed"},
	{"a client that left after an oddity", chat(ask(""), chunk(`{"content":"At","tool_calls":null}`, "")).EndedAs(tape.ClientGone, "context canceled", time.Second), "client-disconnect", "client", "not_judged not_judged"},
	{"a client that left", chat(ask(""), chunk(`{"content":"At"}`, "")).EndedAs(tape.ClientGone, "context canceled", time.Second), "client-disconnect", "client", "not_judged not_judged"},
	{"a client that left before long", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+": keep-alive\n\n"), time.Second, 2*time.Second).EndedAs(tape.ClientGone, "context canceled", 5900*time.Millisecond), "client-disconnect", "client", "not_judged not_judged"},
	{"a client that left after long", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+": keep-alive\n\n"), time.Second, 5*time.Second).EndedAs(tape.ClientGone, "context canceled", 6*time.Second), "client-disconnect", "unknown", "not_judged not_judged"},
	{"a client that left long before there was a response", sent{API: tape.OpenAI, Request: ask(""), Status: noResponse, Ended: tape.ClientGone, Cause: "context canceled", Total: 7123 * time.Millisecond}, "client-disconnect", "unknown", "not_judged not_judged"},
	{"a stream of Claude cut before the arguments of a call", sent{API: tape.Claude, Request: ask(`,"stream":true,"tools":[{"name":"get_tide","input_schema":{"type":"object","required":["port"]}}]`), Response: before(claude(`"tool_use"`, start(0, `{"type":"tool_use","id":"t1","name":"get_tide","input":{}}`)), "event: message_delta")}.EndedAs(tape.UpstreamTruncated, "unexpected EOF", 0), "truncated-stream missing-required", "server", "failed failed"},
	{"a stream cut inside of a call in the text", chat(ask(withTools), chunk(`{"content":"<tool_call>{\"name\": \"get_"}`, "")).EndedAs(tape.UpstreamTruncated, "unexpected EOF", 0), "truncated-stream leaked-markup-in-content", "server", "failed failed"},
	{"a run that was stopped while it waited", sent{API: tape.OpenAI, Request: ask(""), Status: noResponse, Ended: tape.ClientGone, Cause: "interrupt signal received", Total: 95 * time.Second}, "client-disconnect", "client", "not_judged not_judged"},
	{"a client that left a whole answer", withPieces(chat(ask(""), "\n\n{").As(200, "application/json"), time.Second, time.Second).EndedAs(tape.ClientGone, "context canceled", 1250*time.Millisecond), "client-disconnect", "client", "not_judged not_judged"},
	{"a stream where a whole answer was asked for", chat(ask(withTools+`,"stream":false`), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", vigo))+`]}`, `"tool_calls"`)+done).As(200, "text/event-stream"), "body-not-json", "server", "failed failed"},
	{"lines where a whole answer of Ollama was asked for", sent{API: tape.Ollama, Request: ask(`,"stream":false`), Response: `{"message":{"role":"assistant","content":"Noon."},"done":false}` + "\n" + `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}` + "\n"}, "body-not-json", "server", "failed failed"},
	{"a whole answer where a stream was asked for", chat(ask(withTools+`,"stream":true`), tide(vigo)).As(200, "application/json"), "truncated-stream", "server", "failed failed"},
	{"a whole answer where a stream of Claude was asked for", sent{API: tape.Claude, Request: ask(`,"stream":true`), Response: claudeSays("Noon.")}, "truncated-stream", "server", "failed failed"},
	{"JSON over several lines where a stream of Ollama was asked for", sent{API: tape.Ollama, Request: ask(""), Response: "{\n\"message\":{\"role\":\"assistant\",\"content\":\"Noon.\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":1,\"eval_count\":1\n}"}, "truncated-stream", "server", "failed failed"},
	{"an event that is not JSON", chat(ask(""), chunk(`{"content":"At"}`, "")+event(`{"choices":[`)+chunk(`{"content":" noon."}`, `"stop"`)+done), "malformed-event", "server", "ok failed"},
	{"an event after the end", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+done+chunk(`{"content":"!"}`, "")), "event-after-terminal", "server", "ok ok"},
	{"Latin-1", chat(ask(""), chunk("{\"content\":\"mar\xe9e\"}", `"stop"`)+done), "invalid-utf8", "server", "ok failed"},
	{"cut characters", chat(ask(""), says("High \ufffd\ufffd")), "replacement-char", "server", "ok ok"},
	{"half a surrogate pair", chat(ask(""), whole(`"content":"High \ud83c"`, `"stop"`)), "replacement-char", "server", "ok ok"},
	{"cut characters at the very beginning", chat(ask(""), says("\ufffd!")), "replacement-char", "server", "ok ok"},
	{"cut characters in a call", chat(ask(withTools), tide(`{"port":"Vigo\ufffd"}`)), "replacement-char", "server", "ok ok"},
	{"cut characters in a call, escaped", chat(ask(withTools), tide(`{"port":"Vigo\uD83C"}`)), "replacement-char", "server", "ok ok"},
	{"cut characters in a name", chat(ask(withTools), calls(call("c1", "get_tide\ufffd", `{}`))), "replacement-char unknown-tool", "model", "failed ok"},
	{"the recorder died", chat(ask(""), says("Noon.")).EndedAs(tape.Interrupted, "", 0), "", "", "not_judged not_judged"},
	{"too slow for a deadline", sent{API: tape.OpenAI, Request: ask(""), Ended: tape.UpstreamError, Cause: "context deadline exceeded"}, "upstream-timeout", "server", "not_judged not_judged"},
	{"too slow to connect", sent{API: tape.OpenAI, Request: ask(""), Ended: tape.UpstreamError, Cause: "dial tcp: connection timed out"}, "upstream-timeout", "server", "not_judged not_judged"},
	{"a client that gave up after just long enough", withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")), time.Second, time.Second).EndedAs(tape.ClientGone, "context canceled", 31*time.Second), "truncated-stream upstream-timeout", "server", "failed failed"},
	{"a client that gave up on a whole answer", chat(ask(""), "").As(200, "application/json").EndedAs(tape.ClientGone, "client timeout", time.Second), "upstream-timeout", "server", "not_judged failed"},
	{"a client that left before there was a response", sent{API: tape.OpenAI, Request: ask(""), Status: noResponse, Ended: tape.ClientGone, Cause: "context canceled"}, "client-disconnect", "client", "not_judged not_judged"},
	{"broken off behind a whole call", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"port":"Vigo"}`))+`]}`, "")), "truncated-stream", "server", "ok failed"},
	{"Claude's stream without message_stop", sent{API: tape.Claude, Request: ask(""), Response: strings.Replace(claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)), named(`{"type":"message_stop"}`), "", 1)}, "truncated-stream", "server", "failed failed"},
	{"broken off though a call was demanded", chat(ask(withTools+`,"tool_choice":"required"`), chunk(`{"content":"At"}`, "")), "truncated-stream", "server", "failed failed"},
	{"a mislabelled stream", chat(ask(`,"stream":true`), chunk(`{"content":"Noon."}`, `"stop"`)+done).As(200, "application/json"), "wrong-content-type", "server", "ok ok"},
	{"a last event that is not JSON", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+event("oops")), "missing-done malformed-event", "server", "ok failed"},
	{"no [DONE] though a call was demanded", chat(ask(withTools+`,"tool_choice":"required"`), chunk(`{"content":"Noon."}`, `"stop"`)), "missing-done tool-choice-ignored", "server", "failed ok"},
	{"a whole answer labelled as lines", chat(ask(""), says("Noon.")).As(200, "application/x-ndjson"), "wrong-content-type", "server", "ok ok"},
	{"not all on the tape", chat(ask(""), says("Noon.")).EndedAs(tape.RecorderError, "disk full", 0), "", "", "not_judged not_judged"},

	// Protocol.
	{"no object in a chunk that has text", chat(ask(""), strings.Replace(chunk(`{"content":"Noon."}`, `"stop"`), "chat.completion.chunk", "", 1)+done), "wrong-object-type", "server", "ok ok"},
	{"another object in a chunk that has none", chat(ask(""), event(`{"choices":[],"object":"list"}`)+chunk(`{"content":"Noon."}`, `"stop"`)+done), "wrong-object-type", "server", "ok ok"},
	{"more cached tokens than input, and no reasoning", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":14,"prompt_tokens_details":{"cached_tokens":10},"completion_tokens_details":{"reasoning_tokens":0}`, 1)), "usage-mismatch", "server", "ok ok"},
	{"a total that is no sum in any way", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":15,"completion_tokens_details":{"reasoning_tokens":2}`, 1)), "usage-mismatch", "server", "ok ok"},
	{"an error in the stream", chat(ask(""), chunk(`{"content":"At"}`, "")+event(`{"error":{"message":"runner died","code":500}}`)+chunk(`{}`, `"stop"`)+done), "stream-error-event", "server", "failed ok"},
	{"a failure without an error", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("failed", responsesUsage+`,"error":null`, said("At"))}, "stream-error-event", "server", "failed ok"},
	{"a failure without an error in a stream", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: event(`{"type":"response.created","sequence_number":1,"response":`+responses("in_progress", "")+`}`) + event(`{"type":"response.failed","sequence_number":2,"response":`+responses("failed", `,"error":null`)+`}`)}, "stream-error-event", "server", "failed ok"},
	{"an error without a text", chat(ask(""), event(`{"error":{"code":500}}`)+done), "stream-error-event", "server", "failed ok"},
	{"an error after an oddity", chat(ask(""), chunk(`{"content":"At","tool_calls":null}`, "")+event(`{"error":{"message":"died"}}`)), "stream-error-event null-delta-field", "server", "failed ok"},
	{"an oddity after an error", chat(ask(""), event(`{"error":{"message":"died"}}`)+chunk(`{"content":"At","tool_calls":null}`, "")), "stream-error-event", "server", "failed ok"},
	{"an error that holds a call", chat(ask(withTools), event(`{"error":{"message":"<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>"}}`)+done), "stream-error-event leaked-markup-in-error", "server", "failed ok"},
	{"an error that holds a cut call", chat(ask(withTools), event(`{"error":{"message":"<tool_call>{\"name\":\"get_t"}}`)+done), "stream-error-event leaked-markup-in-error", "model", "failed ok"},
	{"an error that holds a cut call, after bytes that are not UTF-8", chat(ask(withTools), chunk("{\"content\":\"\xe9\"}", "")+event(`{"error":{"message":"<tool_call>{\"name\":\"get_t"}}`)), "invalid-utf8 stream-error-event leaked-markup-in-error", "model", "failed failed"},
	{"a refusal that holds a call", chat(ask(withTools), `{"error":{"message":"<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>"}}`).As(500, "application/json"), "http-error leaked-markup-in-error", "server", "not_judged not_judged"},
	{"no reason", chat(ask(""), whole(`"content":"Noon."`, `null`)), "missing-finish-reason", "server", "failed ok"},
	{"no reason in a stream", chat(ask(""), chunk(`{"content":"Noon."}`, "")+done), "missing-finish-reason", "server", "failed ok"},
	{"no reason and no text", chat(ask(""), whole(`"content":""`, `null`)), "missing-finish-reason", "server", "failed ok"},
	{"no reason and no counts", chat(ask(""), strings.Replace(whole(`"content":"Noon."`, `null`), usage, "", 1)), "missing-finish-reason", "server", "failed ok"},
	{"no reason though a call was demanded", chat(ask(withTools+`,"tool_choice":"required"`), whole(`"content":"Noon."`, `null`)), "missing-finish-reason tool-choice-ignored", "server", "failed ok"},
	{"no reason at the limit", chat(ask(`,"max_tokens":5`), whole(`"content":""`, `null`)), "missing-finish-reason budget-exhausted", "server", "failed ok"},
	{"an unknown reason", chat(ask(withTools), whole(`"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]`, `"tool_call"`)), "unknown-finish-reason", "server", "ok failed"},
	{"an unknown status", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("done", responsesUsage, said("Noon."))}, "unknown-finish-reason", "server", "ok failed"},
	{"an unknown reason of Claude", sent{API: tape.Claude, Request: ask(""), Response: strings.Replace(claudeSays("Noon."), "end_turn", "done", 1)}, "unknown-finish-reason", "server", "ok failed"},
	{"the reason of another API", chat(ask(""), whole(`"content":"At"`, `"failed"`)), "unknown-finish-reason", "server", "ok failed"},
	{"exo's reason for calls", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"tools":` + chatTools + `,"stream":false}`, Response: `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{"port":"Vigo"}}}]},"done":true,"done_reason":"tool_call","prompt_eval_count":1,"eval_count":1}`}, "nonstandard-done-reason", "server", "ok ok"},
	{"calls and stop", chat(ask(withTools), whole(`"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]`, `"stop"`)), "finish-reason-mismatch", "server", "failed ok"},
	{"a call that was demanded of Claude ends with end_turn", sent{API: tape.Claude, Request: ask(`,"tools":` + tools + `,"tool_choice":{"type":"any"}`), Response: strings.Replace(claudeTide, `"tool_use","usage"`, `"end_turn","usage"`, 1)}, "finish-reason-mismatch", "server", "failed ok"},
	{"no calls but their reason", chat(ask(""), whole(`"content":"Noon."`, `"tool_calls"`)), "finish-reason-mismatch", "server", "failed ok"},
	{"two reasons", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+chunk(`{}`, `"length"`)+done), "finish-reason-mismatch", "server", "failed ok"},
	{"no usage", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("completed", "", said("Noon."))}, "missing-usage", "server", "ok ok"},
	{"no usage though a stream was asked for it", chat(ask(`,"stream":true,"stream_options":{"include_usage":true}`), chunk(`{"content":"Noon."}`, `"stop"`)+done), "missing-usage", "server", "ok ok"},
	{"no usage in Chat Completions", chat(ask(""), strings.Replace(says("Noon."), usage, "", 1)), "missing-usage", "server", "ok ok"},
	{"no usage in Claude's stream", sent{API: tape.Claude, Request: ask(""), Response: strings.NewReplacer(`,"usage":{"input_tokens":9,"output_tokens":0}`, "", `,"usage":{"output_tokens":5}`, "").Replace(claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)))}, "missing-usage", "server", "ok ok"},
	{"no usage in a stream of Responses", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: strings.Replace(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false), responsesUsage, "", 1)}, "missing-usage", "server", "ok ok"},
	{"more reasoning than output", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":6}`, 1)), "usage-mismatch", "server", "ok ok"},
	{"more from the cache than there is input", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":14,"prompt_tokens_details":{"cached_tokens":10}`, 1)), "usage-mismatch", "server", "ok ok"},
	{"a wrong sum in a stream", chat(ask(""), chunk(`{"content":"Noon."}`, `"stop"`)+event(`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":9}}`)+done), "usage-mismatch", "server", "ok ok"},
	{"a wrong sum", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":9`, 1)), "usage-mismatch", "server", "ok ok"},
	{"a negative count", chat(ask(""), strings.Replace(says("Noon."), `"prompt_tokens":9`, `"prompt_tokens":-9`, 1)), "usage-mismatch", "server", "ok ok"},
	{"a wrong object", chat(ask(""), strings.Replace(chunk(`{"content":"Noon."}`, `"stop"`), "chat.completion.chunk", "chat.completion", 1)+done), "wrong-object-type", "server", "ok ok"},
	{"events without names", sent{API: tape.Claude, Request: ask(""), Response: unnamed(claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)))}, "event-name-missing", "server", "ok failed"},
	{"one event without a name", sent{API: tape.Claude, Request: ask(""), Response: strings.Replace(claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)), "event: message_delta\n", "", 1)}, "event-name-missing", "server", "ok failed"},
	{"an event under another name", sent{API: tape.Claude, Request: ask(""), Response: strings.Replace(claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)), "message_start", "ping", 1)}, "wrong-object-type", "server", "ok ok"},
	{"a field of another type", chat(ask(""), strings.Replace(says("Noon."), `"finish_reason":"stop"}]`, `"finish_reason":"stop"}],"model":7`, 1)), "wrong-field-type", "server", "ok ok"},
	{"null in a delta", chat(ask(""), chunk(`{"content":"Noon.","tool_calls":null}`, `"stop"`)+done), "null-delta-field", "server", "ok ok"},
	{"null in a delta, and the client leaves at the end", chat(ask(""), chunk(`{"content":"Noon.","tool_calls":null}`, `"stop"`)+done).EndedAs(tape.ClientGone, "context canceled", 0), "null-delta-field", "server", "ok ok"},
	{"null in a delta, and U+FFFD in the request", chat(strings.Replace(ask(""), "Vigo", "\ufffd", 1), chunk(`{"content":"Noon.","tool_calls":null}`, `"stop"`)+done), "null-delta-field", "server", "ok ok"},
	{"no index", chat(ask(withTools), chunk(`{"tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo"}`)+`]}`, `"tool_calls"`)+done), "index-missing", "server", "ok failed"},
	{"an index left out", chat(ask(withTools), chunk(`{"tool_calls":[`+at(1, call("c1", "get_tide", `{"port":"Vigo"}`))+`]}`, `"tool_calls"`)+done), "index-gap", "server", "ok ok"},
	{"an index again", chat(ask(withTools), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", `{"port":"Vigo"}`))+`]}`, "")+chunk(`{"tool_calls":[`+at(0, call("c2", "get_tide", `{"port":"Faro"}`))+`]}`, `"tool_calls"`)+done), "index-reused", "server", "ok failed"},
	{"a message that begins late", sent{API: tape.Claude, Request: ask(""), Response: start(0, emptyText) + claude(`"end_turn"`, text(0, "Noon."), stop(0))}, "event-out-of-order", "server", "ok failed"},
	{"a block index again", sent{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, emptyText), text(0, "At "), stop(0), start(0, emptyText), text(0, "noon."), stop(0))}, "duplicate-block-index", "server", "ok failed"},
	{"blocks that overlap", sent{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, emptyText), text(0, "At "), start(1, emptyText), text(1, "noon."), stop(1), stop(0))}, "overlapping-blocks", "server", "ok ok"},
	{"a block that is left open", sent{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."))}, "unclosed-block", "server", "ok ok"},
	{"a piece too late", sent{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, emptyText), text(0, "At "), stop(0), text(0, "noon."))}, "stray-delta", "server", "ok ok"},
	{"items in another order", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), true)}, "output-order-mismatch snapshot-mismatch", "server", "ok failed"},
	{"a number left out", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: strings.Replace(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false), `"sequence_number":5`, `"sequence_number":7`, 1)}, "sequence-gap", "server", "ok ok"},
	{"another text at the end", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: strings.Replace(itemStream(said("At "), strings.Replace(said("noon."), "i1", "i2", 1), false), `"text":"At "`, `"text":"By "`, 1)}, "snapshot-mismatch", "server", "ok failed"},
	{"a call that is renamed", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":` + tools + `}`, Response: renamedCall}, "call-id-changed", "server", "ok failed"},

	// Tool calls.
	{"another tool of a namespace", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"namespace","name":"sea","tools":` + strings.Replace(responsesTools, "get_tide", "get_wind", 1) + `}]}`, Response: responses("completed", responsesUsage, responsesTide)}, "unknown-tool", "model", "failed ok"},
	{"wrong arguments of a tool of a namespace", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"namespace","name":"sea","tools":` + responsesTools + `}]}`, Response: responses("completed", responsesUsage, strings.Replace(responsesTide, "Vigo", "V", 1))}, "constraint-violation", "model", "failed ok"},
	{"a call that is forbidden, with a stored prompt", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","prompt":{"id":"pmpt_1"},"tool_choice":"none"}`, Response: responses("completed", responsesUsage, responsesTide)}, "call-when-forbidden", "server", "failed ok"},
	{"no stored prompt", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","prompt":null}`, Response: responses("completed", responsesUsage, responsesTide)}, "call-when-forbidden", "server", "failed ok"},
	{"a tool of the server where another was demanded", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":` + responsesTools + `,"tool_choice":{"type":"function","name":"get_tide"}}`, Response: responses("completed", responsesUsage, `{"type":"web_search_call","id":"w1","status":"completed"}`, said("Noon."))}, "tool-choice-ignored", "server", "failed ok"},
	{"a list of tools where a call was demanded", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"mcp","server_label":"sea"}],"tool_choice":"required"}`, Response: responses("completed", responsesUsage, `{"type":"mcp_list_tools","id":"l1","server_label":"sea","tools":[]}`, said("Noon."))}, "tool-choice-ignored", "server", "failed ok"},
	{"markup in arguments that only the stop sequences have", chat(ask(tool(`{}`)+`,"stop":["<|im_end|>"]`), calls(call("c1", "f", `{"a":"x<|im_end|>"}`))), "leaked-markup-in-arguments", "unknown", "failed ok"},
	{"another tool", chat(ask(withTools), calls(call("c1", "Get_Tide", `{}`))), "unknown-tool", "model", "failed ok"},
	{"a function where the server has tools of its own", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"web_search"}]}`, Response: responses("completed", responsesUsage, `{"type":"function_call","id":"f1","call_id":"c1","name":"f","arguments":"{}","status":"completed"}`)}, "unknown-tool", "model", "failed ok"},
	{"another tool, and wrong values", chat(ask(withTools), calls(call("c1", "get_time", `{}`), call("c2", "get_tide", `{"port":"Vigo","level":"40"}`))), "unknown-tool type-mismatch", "model", "failed ok"},
	{"no name", chat(ask(withTools), calls(call("c1", "", "{}"))), "unknown-tool", "model", "failed ok"},
	{"a namespace before the name", chat(ask(withTools), calls(call("c1", "functions.get_tide", `{"port":"Vigo"}`))), "unknown-tool", "server", "failed ok"},
	{"a namespace before the name, a number behind it", chat(ask(withTools), calls(call("c1", "functions.get_tide:0", `{"port":"Vigo"}`))), "unknown-tool", "server", "failed ok"},
	{"blanks around the name", chat(ask(withTools), calls(call("c1", " get_tide", `{"port":"Vigo"}`))), "unknown-tool", "server", "failed ok"},
	{"a number behind the name", chat(ask(withTools), calls(call("c1", "get_tide:12", `{"port":"Vigo"}`))), "unknown-tool", "server", "failed ok"},
	{"a namespace that nobody knows", chat(ask(withTools), calls(call("c1", "harbour/get_tide", `{"port":"Vigo"}`))), "unknown-tool", "unknown", "failed ok"},
	{"a namespace before another name", chat(ask(withTools), calls(call("c1", "functions.get_time", `{"port":"Vigo"}`))), "unknown-tool", "model", "failed ok"},
	{"another name that ends alike", chat(ask(withTools), calls(call("c1", "forget_tide", `{"port":"Vigo"}`))), "unknown-tool", "model", "failed ok"},
	{"a namespace before the name that was demanded", chat(ask(withTools+`,"tool_choice":{"type":"function","function":{"name":"get_tide"}}`), calls(call("c1", "functions.get_tide", `{"port":"Vigo"}`))), "unknown-tool", "server", "failed ok"},
	{"a tool twice over", chat(ask(withTools), calls(call("c1", "get_tideget_tide", `{}`))), "unknown-tool", "server", "failed ok"},
	{"markup in the name", chat(ask(withTools), calls(call("c1", "get_tide<|channel|>commentary", `{"port":"Vigo"}`))), "leaked-markup-in-name", "server", "failed ok"},
	{"markup around the name", chat(ask(withTools), calls(call("c1", "<function=get_tide", `{}`))), "leaked-markup-in-name missing-required", "server", "failed ok"},
	{"markup in a wrong name", chat(ask(withTools), calls(call("c1", "tides<|channel|>", `{}`))), "unknown-tool leaked-markup-in-name", "model", "failed ok"},
	{"no id", chat(ask(withTools), calls(call("", "get_tide", `{"port":"Vigo"}`))), "missing-call-id", "server", "failed ok"},
	{"no id and no reason", chat(ask(withTools), whole(`"content":"","tool_calls":[`+call("", "get_tide", `{"port":"Vigo"}`)+`]`, `null`)), "missing-finish-reason missing-call-id", "server", "failed ok"},
	{"an id twice", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo"}`), call("c1", "get_tide", `{"port":"Faro"}`))), "duplicate-call-id", "server", "failed ok"},
	{"an id of an earlier turn", chat(`{"model":"m","tools":`+chatTools+`,"messages":[{"role":"assistant","content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Faro"}`)+`]},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"user","content":"And Vigo?"}]}`, tide(`{"port":"Vigo"}`)), "call-id-reused", "server", "ok ok"},
	{"a call twice", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo","day":"today"}`), call("c2", "get_tide", `{ "day":"today","port":"Vigo"}`))), "duplicate-call", "unknown", "ok ok"},
	{"an object for a string", chat(ask(withTools), whole(`"content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_tide","arguments":{"port":"Vigo"}}}]`, `"tool_calls"`)), "arguments-wrong-encoding", "server", "failed ok"},
	{"a string for an object", sent{API: tape.Claude, Request: ask(`,"tools":` + tools), Response: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_tide","input":"{\"port\":\"Vigo\"}"}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}, "arguments-wrong-encoding", "server", "failed ok"},
	{"no arguments", chat(ask(`,"tools":[{"type":"function","function":{"name":"list"}}]`), calls(call("c1", "list", ""))), "arguments-empty", "server", "ok ok"},
	{"no arguments in a whole answer of Claude", sent{API: tape.Claude, Request: ask(`,"tools":[{"name":"get_tide","input_schema":{}}]`), Response: strings.Replace(claudeTide, `,"input":{"port":"Vigo"}`, "", 1)}, "arguments-empty", "server", "ok ok"},
	{"no arguments in a stream", chat(ask(`,"tools":[{"type":"function","function":{"name":"list"}}]`), chunk(`{"tool_calls":[`+at(0, call("c1", "list", ""))+`]}`, `"tool_calls"`)+done), "arguments-empty", "server", "ok ok"},
	{"no arguments that were needed", chat(ask(withTools), tide("")), "arguments-empty missing-required", "unknown", "failed ok"},
	{"no JSON", chat(ask(withTools), tide("port=Vigo")), "arguments-not-json", "model", "failed ok"},
	{"cut arguments", chat(ask(withTools), tide(`{"port":"Vi`)), "arguments-truncated", "unknown", "failed ok"},
	{"cut arguments beside wrong values", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vi`), call("c2", "get_tide", `{"port":"Vigo","day":"soon"}`))), "arguments-truncated enum-violation", "model", "failed ok"},
	{"cut arguments beside a call too many", chat(ask(withTools+`,"parallel_tool_calls":false,"tool_choice":{"type":"function","function":{"name":"get_tide"}}`), calls(call("c1", "get_tide", `{"port":"Vi`), call("c2", "get_tide", `{"port":"Vigo"}`))), "arguments-truncated parallel-when-forbidden", "unknown", "failed ok"},
	{"arguments cut at the limit", chat(ask(withTools+`,"max_tokens":5`), whole(`"content":"","tool_calls":[`+call("c1", "get_tide", `{"port":"Vi`)+`]`, `"length"`)), "arguments-truncated budget-exhausted", "model", "failed ok"},
	{"two objects", chat(ask(withTools), tide(`{"port":"Vigo"}{"port":"Faro"}`)), "arguments-concatenated", "server", "failed ok"},
	{"a piece and the whole", chat(ask(withTools), tide(`{"port": {"port": "Vigo"}`)), "arguments-concatenated", "server", "failed ok"},
	{"a custom tool that is called with JSON beside one that is not offered", chat(ask(`,"tools":[{"type":"custom","custom":{"name":"shell"}}]`), whole(`"content":null,"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"shell","input":"[1]"}},`+call("c2", "f", "{}")+`]`, `"tool_calls"`)), "unknown-tool", "model", "failed ok"},
	{"cut arguments that repeat a name", chat(ask(withTools), tide(`{"port": {"port": "Vi`)), "arguments-truncated", "unknown", "failed ok"},
	{"arguments of another kind", chat(ask(withTools), whole(`"content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_tide","arguments":["Vigo"]}}]`, `"tool_calls"`)), "arguments-wrong-encoding arguments-not-object", "server", "failed ok"},
	{"null for arguments", chat(ask(`,"tools":[{"type":"function","function":{"name":"list"}}]`), whole(`"content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"list","arguments":null}}]`, `"tool_calls"`)), "arguments-empty", "server", "ok ok"},
	{"a string for an object of Ollama", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"tools":` + chatTools + `,"stream":false}`, Response: `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}}]},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "arguments-wrong-encoding", "server", "failed ok"},
	{"a name without quotes", chat(ask(withTools), tide(`{port:1`)), "arguments-not-json", "model", "failed ok"},
	{"a cut list", chat(ask(withTools), tide(`["Vi`)), "arguments-not-json", "model", "failed ok"},
	{"a number and words", chat(ask(withTools), tide(`7 or so`)), "arguments-not-json", "model", "failed ok"},
	{"a text", chat(ask(withTools), tide(`"Vigo"`)), "arguments-not-object", "model", "failed ok"},
	{"two lists", chat(ask(withTools), tide(`["Vigo"]["Faro"]`)), "arguments-concatenated", "server", "failed ok"},
	{"a piece that ends in a name, and the whole", chat(ask(withTools), tide(`{"po{"port":"Vigo"}`)), "arguments-concatenated", "server", "failed ok"},
	{"an object in a string", chat(ask(withTools), tide(`"{\"port\":\"Vigo\"}"`)), "arguments-double-encoded", "server", "failed ok"},
	{"a list", chat(ask(withTools), tide(`["Vigo"]`)), "arguments-not-object", "model", "failed ok"},
	{"markup in a value", chat(ask(withTools), tide(`{"port":"Vigo</arg_value>"}`)), "leaked-markup-in-arguments", "unknown", "failed ok"},
	{"markup in a list of values", chat(ask(tool(`{}`)), calls(call("c1", "f", `{"ports":["Vigo","Faro<|im_end|>"]}`))), "leaked-markup-in-arguments", "unknown", "failed ok"},
	{"markup in a key", chat(ask(withTools), tide(`{"port<arg_key":"Vigo"}`)), "leaked-markup-in-arguments missing-required extra-property", "unknown", "failed ok"},
	{"escaped markup in a value", chat(ask(withTools), tide(`{"port":"Vigo\u003c|im_end|\u003e"}`)), "leaked-markup-in-arguments", "unknown", "failed ok"},
	{"a property is missing", chat(ask(withTools), tide(`{"day":"today"}`)), "missing-required", "model", "failed ok"},
	{"a number for a text", chat(ask(withTools), tide(`{"port":7}`)), "type-mismatch", "model", "failed ok"},
	{"a text for a number", chat(ask(withTools), tide(`{"port":"Vigo","level":"40"}`)), "type-mismatch", "server", "failed ok"},
	{"a text for a number, and a text that may be null", chat(ask(tool(`{"properties":{"x":{"type":["string","null"]},"n":{"type":"integer"}}}`)), calls(call("c1", "f", `{"x":"7"}`), call("c2", "f", `{"n":"40","note":"abc"}`))), "type-mismatch", "server", "failed ok"},
	{"a text for a number, and a text of digits", chat(ask(withTools), tide(`{"port":"77","level":"40"}`)), "type-mismatch", "server", "failed ok"},
	{"a text for a number, and a text that is too short", chat(ask(withTools), tide(`{"port":"V","level":"40"}`)), "type-mismatch constraint-violation", "server", "failed ok"},
	{"a text for a number beside cut arguments", chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vi`), call("c2", "get_tide", `{"port":"Vigo","level":"40"}`))), "arguments-truncated type-mismatch", "server", "failed ok"},
	{"wrong values in bytes that are not UTF-8", chat(ask(withTools), strings.Replace(tide(`{"port":"Vigo","day":"soon"}`), `"content":""`, "\"content\":\"\xe9\"", 1)), "invalid-utf8 enum-violation", "model", "failed failed"},
	{"half a call in bytes that are not UTF-8", chat(ask(withTools), strings.Replace(says("é <tool_call>{\"name\":\"get_t"), "é", "\xe9", 1)), "invalid-utf8 leaked-markup-in-content", "model", "failed failed"},
	{"values of a broken stream", chat(ask(withTools), chunk(`{"tool_calls":[`+call("c1", "get_tide", `{"day":"soon","x":1,"level":"a"}`)+`]}`, `"tool_calls"`)+done), "index-missing missing-required type-mismatch enum-violation extra-property", "server", "failed failed"},
	{"a text for a number in a broken stream", chat(ask(withTools), chunk(`{"tool_calls":[`+call("c1", "get_tide", `{"port":"Vigo","level":"40"}`)+`]}`, `"tool_calls"`)+done), "index-missing type-mismatch", "server", "failed failed"},
	{"none of those listed", chat(ask(withTools), tide(`{"port":"Vigo","day":"Today"}`)), "enum-violation", "model", "failed ok"},
	{"one property too many", chat(ask(withTools), tide(`{"port":"Vigo","unit":"m"}`)), "extra-property", "model", "failed ok"},
	{"too short", chat(ask(withTools), tide(`{"port":"V"}`)), "constraint-violation", "model", "failed ok"},
	{"a call of the old form that was forbidden", chat(ask(`,"functions":[{"name":"get_tide","parameters":`+tideSchema+`}],"function_call":"none"`), strings.Replace(whole(`"content":null,"function_call":{"name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}`, `"stop"`), `"stop"`, `"function_call"`, 1)), "call-when-forbidden", "server", "failed ok"},
	{"a call of the old form that was demanded", chat(ask(`,"functions":[{"name":"get_tide","parameters":`+tideSchema+`}],"function_call":{"name":"get_tide"}`), says("Noon.")), "tool-choice-ignored", "server", "failed ok"},
	{"a call of the new form without an id beside functions", chat(ask(withTools+`,"functions":[{"name":"get_tide","parameters":`+tideSchema+`}],"function_call":"auto"`), strings.Replace(tide(vigo), `"id":"c1",`, "", 1)), "missing-call-id", "server", "failed ok"},
	{"another tool than Claude's own", sent{API: tape.Claude, Request: ask(`,"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"web_fetch_20250910","name":"web_fetch"}],"tool_choice":{"type":"tool","name":"web_search"}`), Response: claude(`"end_turn"`, start(0, `{"type":"server_tool_use","id":"s1","name":"web_fetch","input":{}}`), stop(0), start(1, emptyText), text(1, "Noon."), stop(1))}, "tool-choice-ignored", "server", "failed ok"},
	{"a tool that was not allowed", chat(ask(`,"tools":[{"type":"function","function":{"name":"get_tide"}},{"type":"function","function":{"name":"get_moon"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"get_moon"}}]}}`), tide(vigo)), "tool-choice-ignored", "server", "failed ok"},
	{"a tool that was not allowed in Responses", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","tools":[{"type":"function","name":"get_tide","parameters":{}},{"type":"web_search"}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"web_search"}]}}`, Response: responses("completed", responsesUsage, `{"type":"function_call","id":"f1","call_id":"c1","name":"get_tide","arguments":"{}","status":"completed"}`)}, "tool-choice-ignored", "server", "failed ok"},
	{"no call though one of the allowed tools was required", chat(ask(withTools+`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"get_tide"}}]}}`), says("Noon.")), "tool-choice-ignored", "server", "failed ok"},
	{"a number as text beside a pattern of JavaScript", checked(`{"properties":{"s":{"pattern":"^(?!x)"},"n":{"type":"integer"}}}`, `{"s":"x","n":"1"}`), "type-mismatch", "server", "failed ok"},
	{"a schema that is none", chat(ask(`,"tools":[{"type":"function","function":{"name":"get_tide","parameters":{"type":"any"}}}]`), tide(`{}`)), "schema-unusable", "client", "ok ok"},
	{"no call though one was demanded", chat(ask(withTools+`,"tool_choice":"required"`), says("At noon.")), "tool-choice-ignored", "server", "failed ok"},
	{"no call though one of the allowed tools was demanded", chat(ask(withTools+`,"tool_choice":{"type":"allowed_tools","mode":"required","tools":[]}`), says("At noon.")), "tool-choice-ignored", "server", "failed ok"},
	{"the call that was demanded, with markup in its name", chat(ask(withTools+`,"tool_choice":{"type":"function","function":{"name":"get_tide"}}`), calls(call("c1", "get_tide<|channel|>", `{"port":"Vigo"}`))), "leaked-markup-in-name", "server", "failed ok"},
	{"another call than was demanded", chat(ask(`,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"tool_choice":{"type":"function","function":{"name":"a"}}`), calls(call("c1", "b", "{}"))), "tool-choice-ignored", "server", "failed ok"},
	{"a call though none was allowed", chat(ask(withTools+`,"tool_choice":"none"`), tide(`{"port":"Vigo"}`)), "call-when-forbidden", "server", "failed ok"},
	{"a call without tools", chat(ask(""), tide(`{}`)), "call-when-forbidden", "server", "failed ok"},
	{"two calls though one was allowed", sent{API: tape.Claude, Request: ask(`,"tools":` + tools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`), Response: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_tide","input":{"port":"Vigo"}},{"type":"tool_use","id":"t2","name":"get_tide","input":{"port":"Faro"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}, "parallel-when-forbidden", "server", "ok ok"},

	// Content.
	{"markup that the assistant had left in its text before", chat(`{"model":"m","messages":[{"role":"user","content":"?"},{"role":"assistant","content":"<think>Hm.</think> One."},{"role":"user","content":"And?"}]}`, says("<think>Hm.</think> Two.")), "leaked-markup-in-content", "server", "failed ok"},
	{"markup that is indented, but no code", chat(ask(""), says("So:\n    <|im_end|>")), "leaked-markup-in-content", "server", "failed ok"},
	{"a call in markup where JSON was asked for", chat(ask(withTools+`,"response_format":{"type":"json_object"}`), says(tideText)), "leaked-markup-in-content call-in-content", "server", "failed ok"},
	{"a call where text was asked for", chat(ask(withTools+`,"response_format":{"type":"text"}`), says(`{"name":"get_tide","arguments":{"port":"Vigo"}}`)), "call-in-content", "server", "failed ok"},
	{"nothing, with many tokens before a stop sequence", chat(ask(`,"stop":["END"]`), strings.Replace(says(""), `"completion_tokens":5,"total_tokens":14`, `"completion_tokens":33,"total_tokens":42`, 1)), "empty-answer", "server", "failed ok"},
	{"nothing, and no stop sequence", chat(ask(`,"stop":[]`), says("")), "empty-answer", "server", "failed ok"},
	{"nothing, and an empty stop sequence", chat(ask(`,"stop":""`), says("")), "empty-answer", "server", "failed ok"},
	{"nothing, and no stop sequence was met", sent{API: tape.Claude, Request: ask(`,"stop_sequences":["END"]`), Response: claude(`"end_turn"`)}, "empty-answer", "server", "failed ok"},
	{"nothing, and a stop sequence that was not asked for", sent{API: tape.Claude, Request: ask(""), Response: claude(`"stop_sequence"`)}, "empty-answer", "server", "failed ok"},
	{"nothing, and no suffix", sent{API: tape.OllamaGenerate, Request: `{"model":"m","stream":false,"prompt":"a"}`, Response: `{"response":"","done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":5}`}, "empty-answer", "server", "failed ok"},
	{"two answers that used up their tokens", chat(ask(`,"n":2,"max_tokens":2`), says("")), "finish-reason-mismatch budget-exhausted", "server", "failed ok"},
	{"no room in the context window", sent{API: tape.Claude, Request: ask(""), Response: claude(`"model_context_window_exceeded"`)}, "budget-exhausted", "model", "ok ok"},
	{"thinking as text", chat(ask(""), says("<think>Easy.</think>At noon.")), "leaked-markup-in-content", "server", "failed ok"},
	{"thinking as text, as it was before", chat(`{"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"<think>Easy.</think>Hi."},{"role":"user","content":"And?"}]}`, says("<think>Easy.</think>At noon.")), "leaked-markup-in-content", "server", "failed ok"},
	{"markup that no tool told", chat(`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[`+call("a", "f", "{}")+`]},{"role":"tool","tool_call_id":"a","content":"1"}]}`, says("Noon.<|im_end|>")), "leaked-markup-in-content", "server", "failed ok"},
	{"markup far behind", chat(ask(""), says("In the old harbour at the end of the bay it is high àééé at noon.<|im_end|>")), "leaked-markup-in-content", "server", "failed ok"},
	{"markup behind thinking", sent{API: tape.Claude, Request: ask(""), Response: `{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Easy, I think."},{"type":"text","text":"Noon.<|im_end|>"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`}, "leaked-markup-in-content", "server", "failed ok"},
	{"markup in Ollama's stream", sent{API: tape.Ollama, Request: `{"model":"m","messages":[]}`, Response: `{"message":{"role":"assistant","content":"Noon."},"done":false}` + "\n" + `{"message":{"role":"assistant","content":"<|im_end|>"},"done":false}` + "\n" + `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}` + "\n"}, "leaked-markup-in-content", "server", "failed ok"},
	{"markup between comments", chat(ask(""), ": prefill\n\n"+chunk(`{"content":"Noon."}`, "")+": keep-alive\n\n"+chunk(`{"content":"<|im_end|>"}`, `"stop"`)+done), "leaked-markup-in-content", "server", "failed ok"},
	{"an end token behind a word for channels", chat(ask(withTools), says("Noon, without commentary.<|im_end|>")), "leaked-markup-in-content", "server", "failed ok"},
	{"a channel as text", chat(ask(withTools), says("<|channel|>analysis<|message|>Easy.")), "leaked-markup-in-content", "server", "failed ok"},
	{"Kimi K3's response as text", chat(ask(withTools), says(`<|open|>response<|sep|>Noon.<|close|>response<|sep|>`)), "leaked-markup-in-content", "server", "failed ok"},
	{"the end of a role before no call", chat(ask(withTools), says("assistant<|role_sep|>Noon, without a function call.")), "leaked-markup-in-content", "server", "failed ok"},
	{"half a call in a channel as text", chat(ask(withTools), says(`<|channel|>commentary<|message|>{"port":"Vi`)), "leaked-markup-in-content", "model", "failed ok"},
	{"a call as text beside a call", chat(ask(withTools), whole(`"content":`+quote(tideText)+`,"tool_calls":[`+call("c1", "get_tide", `{"port":"Faro"}`)+`]`, `"tool_calls"`)), "leaked-markup-in-content", "server", "failed ok"},
	{"a call as text at the limit", chat(ask(withTools), whole(`"content":`+quote(tideText), `"length"`)), "leaked-markup-in-content call-in-content", "server", "failed ok"},
	{"thinking as text at the limit", chat(ask(""), whole(`"content":"<think>Let me"`, `"length"`)), "leaked-markup-in-content budget-exhausted", "server", "failed ok"},
	{"channels without tokens", chat(ask(""), says("analysisEasy.assistantfinalAt noon.")), "leaked-markup-in-content", "server", "failed ok"},
	{"half a call as text", chat(ask(withTools), says("<tool_call>{\"name\":\"get_t")), "leaked-markup-in-content", "model", "failed ok"},
	{"a call of another tool as text", chat(ask(withTools), says("<tool_call>{\"name\":\"get_time\",\"arguments\":{}}</tool_call>")), "leaked-markup-in-content", "model", "failed ok"},
	{"a call as text", chat(ask(withTools), says(`<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`)), "leaked-markup-in-content call-in-content", "server", "failed ok"},
	{"calls as one list", chat(ask(withTools), says(`<|tool_call_start|>[get_tide(port="Vigo"), get_tide(port="Faro")]<|tool_call_end|>`)), "leaked-markup-in-content call-in-content", "server", "failed ok"},
	{"a call as plain JSON", chat(ask(withTools), says(`{"name":"get_tide","arguments":{"port":"Vigo"}}`)), "call-in-content", "server", "failed ok"},
	{"a call in a fence of JSON that is all of the text", chat(ask(withTools), says("```json\n{\"name\": \"get_tide\", \"parameters\": {\"port\": \"Vigo\"}}\n```\n")), "call-in-content", "server", "failed ok"},
	{"a text that begins with what no word is", chat(ask(""), says("<unk>Noon.")), "leaked-markup-in-content", "server", "failed ok"},
	{"the end of an argument of Qwen-Coder in a value", chat(ask(withTools), tide(`{"port":"Vigo</parameter>\n</function>"}`)), "leaked-markup-in-arguments", "unknown", "failed ok"},
	{"the end of an argument of Qwen-Coder in a name", chat(ask(`,"tools":[{"type":"function","function":{"name":"get_tide","parameters":{"type":"object"}}}]`), tide(`{"port</parameter>":"V","port":"x"}`)), "leaked-markup-in-arguments", "unknown", "failed ok"},
	{"a call in Gemma's fence", chat(ask(withTools), says("```tool_code\nprint(get_tide(port=\"Vigo\"))\n```")), "call-in-content", "server", "failed ok"},
	{"a call in the reasoning", chat(ask(withTools), whole(`"content":"","reasoning_content":"<tool_call>{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}</tool_call>"`, `"stop"`)), "call-in-reasoning empty-answer", "server", "failed ok"},
	{"nothing, though tokens were made", chat(ask(""), says("")), "empty-answer", "server", "failed ok"},
	{"nothing, and one token was made", chat(ask(""), strings.NewReplacer(`completion_tokens":5`, `completion_tokens":1`, "14", "10").Replace(says(""))), "empty-answer", "model", "failed ok"},
	{"nothing, and no token was made", chat(ask(""), strings.NewReplacer(`completion_tokens":5`, `completion_tokens":0`, "14", "9").Replace(says(""))), "empty-answer", "model", "failed ok"},
	{"nothing, and only the prompt is counted", chat(ask(`,"max_tokens":5`), strings.Replace(says(""), `"completion_tokens":5,"total_tokens":14`, `"total_tokens":9`, 1)), "empty-answer", "unknown", "failed ok"},
	{"nothing but a member nobody knows", chat(ask(""), whole(`"content":"","mood":"calm"`, `"stop"`)), "empty-answer", "server", "failed ok"},
	{"nothing after reasoning", chat(ask(""), whole(`"content":"","reasoning_content":"Easy."`, `"stop"`)), "empty-answer", "model", "failed ok"},
	{"nothing, and nothing told", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("completed", "", said(""))}, "missing-usage empty-answer", "unknown", "failed ok"},
	{"the limit came first", chat(ask(`,"max_tokens":5`), whole(`"content":"","reasoning_content":"Let me"`, `"length"`)), "budget-exhausted", "model", "ok ok"},
	{"the limit came first and is not told", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi","max_output_tokens":5}`, Response: responses("completed", responsesUsage, said(""))}, "finish-reason-mismatch budget-exhausted", "server", "failed ok"},
	{"Ollama's limit came first and is not told", sent{API: tape.Ollama, Request: `{"model":"m","messages":[],"stream":false,"options":{"num_predict":5}}`, Response: `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":5}`}, "finish-reason-mismatch budget-exhausted", "server", "failed ok"},
	{"an unknown limit came first", chat(ask(""), whole(`"content":""`, `"length"`)), "budget-exhausted", "model", "ok ok"},

	// History.
	{"a result without its call", chat(`{"model":"m","messages":[{"role":"user","content":"?"},{"role":"tool","tool_call_id":"c2","content":"1"}]}`, says("Fine.")), "orphan-tool-result", "client", "ok failed"},
	{"a call without its result", chat(`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[`+call("c1", "f", "{}")+`]},{"role":"user","content":"Hello?"}]}`, says("Fine.")), "unanswered-tool-call", "client", "ok failed"},
	{"a result without an id", chat(`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[`+call("a", "f", "{}")+`]},{"role":"tool","content":"1"}]}`, says("Fine.")), "orphan-tool-result", "client", "ok failed"},
	{"a result without its call in Responses", sent{API: tape.Responses, Request: `{"model":"m","previous_response_id":null,"input":[{"role":"user","content":"item_reference"},{"type":"web_search_call","id":"w1"},{"type":"function_call_output","call_id":"c9","output":"1"}]}`, Response: responses("completed", responsesUsage, said("Fine."))}, "orphan-tool-result", "client", "ok failed"},
	{"a call without its result, and the user goes on twice", chat(`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[`+call("c1", "f", "{}")+`]},{"role":"user","content":"Hello?"},{"role":"user","content":"Anybody?"}]}`, says("Fine.")), "unanswered-tool-call", "client", "ok failed"},
	{"one of two results in two turns of the user", messages(`[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},{"role":"user","content":"Well?"}]`), "unanswered-tool-call", "client", "ok failed"},
	{"a result that comes after the next answer", messages(`[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"Well?"},{"role":"assistant","content":"Wait."},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}]`), "unanswered-tool-call", "client", "ok failed"},
	{"one of two results of Ollama", sent{API: tape.Ollama, Request: `{"model":"m","stream":false,"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}},{"function":{"name":"g","arguments":{}}}]},{"role":"tool","content":"1"},{"role":"user","content":"Well?"}]}`, Response: `{"model":"m","message":{"role":"assistant","content":"Fine."},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`}, "unanswered-tool-call", "client", "ok failed"},
	{"one of two results", sent{API: tape.Claude, Request: `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}]}`, Response: `{"type":"message","role":"assistant","content":[{"type":"text","text":"Fine."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`}, "unanswered-tool-call", "client", "ok failed"},
}

// withPieces lets the bytes of a response arrive in two halves, at these times.
func withPieces(s sent, first, second time.Duration) sent {
	half := int64(strings.Index(s.Response, "\n\n") + 2)
	s.Pieces = []tape.Piece{{Offset: 0, At: first}, {Offset: half, At: second}}
	s.Total = second
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

// before is the part of a text in front of a mark.
func before(text, mark string) string {
	text, _, _ = strings.Cut(text, mark)
	return text
}
