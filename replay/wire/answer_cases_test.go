package wire_test

import (
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// answerCase is a body of our own making.
type answerCase struct {
	name   string
	api    tape.API
	stream bool
	body   string
}

// sse makes an event stream of data texts; one that begins with "event: " names its event in its first line.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		if name, data, ok := strings.Cut(e, "\n"); ok && strings.HasPrefix(name, "event: ") {
			b.WriteString(name + "\n")
			e = data
		}
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

// typed makes an event stream whose events are named by their type, as Claude and Responses have it.
func typed(events ...string) string {
	for i, e := range events {
		_, rest, _ := strings.Cut(e, `"type":"`)
		name, _, _ := strings.Cut(rest, `"`)
		events[i] = "event: " + name + "\n" + e
	}
	return sse(events...)
}

// chunk makes a chunk of Chat Completions with one choice, from a delta and what follows it.
func chunk(delta, rest string) string {
	return `{"id":"c-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + delta + rest + `}]}`
}

const chatUsage = `{"id":"c-1","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}`

var answerCases = []answerCase{
	{"two calls in many deltas, usage apart", tape.OpenAI, true, sse(
		chunk(`{"role":"assistant","content":""}`, `,"finish_reason":null`),
		chunk(`{"content":"Let me "}`, ``),
		chunk(`{"content":"look."}`, ``),
		chunk(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get_tide","arguments":""}}]}`, ``),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"port\":"}}]}`, ``),
		chunk(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"get_wind","arguments":"{"}}]}`, ``),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"Vigo\"}"}},{"index":1,"function":{"arguments":"}"}}]}`, ``),
		chunk(`{}`, `,"finish_reason":"tool_calls"`), chatUsage, "[DONE]")},
	{"reasoning under two names", tape.OpenAI, true, sse(
		chunk(`{"reasoning_content":"Think ","reasoning":"Think "}`, ``), chunk(`{"reasoning":"more."}`, ``), chunk(`{"content":"Yes."}`, ``),
		chunk(`{"reasoning":" Again.","reasoning_details":[{"type":"x"}],"audio":null}`, ``), chunk(`{"content":null}`, `,"finish_reason":"stop"`), "[DONE]")},
	{"a second choice", tape.OpenAI, true, sse(
		chunk(`{"content":"first"}`, ``),
		`{"object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"second"}}]}`,
		`{"object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"!"}},{"index":0,"delta":{"content":"!"},"finish_reason":"length"}]}`, "[DONE]")},
	{"a refusal", tape.OpenAI, true, sse(chunk(`{"refusal":"I would "}`, ``), chunk(`{"refusal":"rather not."}`, `,"finish_reason":"stop"`), "[DONE]")},
	{"indexes missing, reused, skipped", tape.OpenAI, true, sse(
		chunk(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}`, ``),
		chunk(`{"tool_calls":[{"function":{"arguments":"}"}}]}`, ``),
		chunk(`{"tool_calls":[{"function":{"name":"g","arguments":"{}"}}]}`, ``),
		chunk(`{"tool_calls":[{"index":4,"id":"c","function":{"name":"h","arguments":"{}"}}]}`, ``),
		chunk(`{"tool_calls":[{"index":4,"id":"d","function":{"name":"h","arguments":"[]"}}]}`, `,"finish_reason":"tool_calls"`), "[DONE]")},
	{"a call that changes its id, a name in two parts", tape.OpenAI, true, sse(
		chunk(`{"tool_calls":[{"index":0,"id":"","type":null,"function":{"name":"get_","arguments":null}}]}`, ``),
		chunk(`{"role":null,"tool_calls":[{"index":0,"id":"x","function":{"name":"tide","arguments":{"n":1.50,"s":"ß"}}}]}`, ``), "[DONE]")},
	{"calls of the old kind and of one's own kind", tape.OpenAI, true, sse(
		chunk(`{"function_call":{"name":"f","arguments":"{"}}`, ``), chunk(`{"function_call":{"arguments":"}"}}`, ``),
		chunk(`{"tool_calls":[{"index":1,"id":"k","type":"custom","custom":{"name":"shell","input":"ls"}}],"function_call":null}`, `,"finish_reason":"tool_calls"`), "[DONE]")},
	{"content in parts", tape.OpenAI, true, sse(
		chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"ok"},{"type":"reference","reference_ids":[1]},{"type":"refusal","refusal":"no"}]}`, ``), "[DONE]")},
	{"an error, then a regular end", tape.OpenAI, true, sse(
		chunk(`{"content":"Half "}`, ``), `{"error":{"message":"runner died","type":"InternalServerError","code":500}}`,
		chunk(`{}`, `,"finish_reason":"stop"`), "[DONE]")},
	{"other errors in a stream", tape.OpenAI, true, sse(`{"error":"busy"}`, `{"object":"error","message":"too long","type":"BadRequestError","code":400}`)},
	{"comments of exo", tape.OpenAI, true, ": keep-alive\n\n: prefill_progress {\"PrefillProgressChunk\":{\"model\":\"m\",\"processed_tokens\":512,\"total_tokens\":2048}}\n\n" +
		": keep-alive\n\n: prefill_progress {\"processed\":1}\n\n:OPENROUTER PROCESSING\n\n" + sse(chunk(`{"content":"Hi"}`, `,"finish_reason":"stop"`)) +
		": generation_stats {\"prompt_tps\":812.5,\"generation_tps\":41.25,\"prompt_tokens\":33,\"generation_tokens\":7,\"peak_memory_usage\":{\"in_bytes\":4096},\"prefix_cache_hit\":\"partial\"}\n\ndata: [DONE]\n\n"},
	{"a byte order mark, CRLF, data on two lines", tape.OpenAI, true, "\ufeffdata:{\"object\":\"chat.completion.chunk\",\r\ndata: \"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\u2028b\u0085c\"},\"finish_reason\":\"stop\"}]}\r\n\r\nid: 7\r\nevent: x\r\ndata: [DONE]\r\n\r\n"},
	{"what is not JSON", tape.OpenAI, true, "<html>\n" + sse(chunk(`{"content":"a"}`, ``), `{"choices":[{"delta":{"content":" b`, `17`, `{"choices":[]} x`, "event: odd\n"+chunk(`{"content":"c"}`, ``)) +
		"event: lonely\n\n" + `data: {"choices":[{"index":0,"de`},
	{"bytes that are not UTF-8, half a pair, a name twice", tape.OpenAI, true, sse(
		chunk("{\"content\":\"mar\xe9e\"}", ``), chunk(`{"content":"\ud83d"}`, ``), chunk(`{"content":"\ude00 \ud83d\ude00 \"\\\/\b\f\n\r\t\u0041"}`, ``),
		chunk(`{"content":"no","content":"yes"}`, ``), "[DONE]")},
	{"events after the end, a last one without its blank line", tape.OpenAI, true, sse("[DONE]", chunk(`{"content":"late"}`, ``)) + "data: [DONE]"},
	{"an end without its blank line", tape.OpenAI, true, sse(chunk(`{"content":"a"}`, `,"finish_reason":"stop"`), chunk(`{}`, `,"finish_reason":"length"`)) + "data: [DONE]"},
	{"values of wrong types", tape.OpenAI, true, sse(
		`{"object":"chat.completion.chunk","id":5,"choices":{},"usage":[]}`, `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":7,"reasoning":[],"tool_calls":"x"},"finish_reason":1}],"usage":{"prompt_tokens":"9","completion_tokens":4.0}}`,
		chunk(`{"tool_calls":["x"]}`, ``), `{"hello":1}`)},
	{"an empty stream", tape.OpenAI, true, ""},

	{"a whole answer", tape.OpenAI, false, `{"id":"c-2","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"hm","refusal":null,"function_call":null,` +
		`"tool_calls":[{"id":"a","index":3,"type":"function","function":{"name":"f","arguments":"{}"}},{"type":"function","function":{"name":"g"}}]},"finish_reason":"tool_calls"},{"index":1,"message":{"content":"no"}}],` +
		`"usage":{"prompt_tokens":0,"completion_tokens":4,"total_tokens":null,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":null}}`},
	{"a whole /bench answer", tape.OpenAI, false, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi!","tool_calls":null},"logprobs":null,"finish_reason":"stop"}],"usage":null,` +
		`"generation_stats":{"prompt_tps":812.5,"generation_tps":41.25,"prompt_tokens":33,"generation_tokens":7,"peak_memory_usage":{"inBytes":4096},"prefix_cache_hit":"none"},"power_usage":{"total_energy_joules":1.5}}`},
	{"nothing at all", tape.OpenAI, false, ""},
	{"an error exo raises", tape.OpenAI, false, `{"error":{"message":"No instance found for model m","type":"Not Found","param":null,"code":404}}`},
	{"an error of exo's validation", tape.OpenAI, false, `{"detail":[{"type":"missing","loc":["body","messages",0,"role"],"msg":"Field required","input":{}},{"type":"x","loc":["body"],"msg":"Odd"}]}`},
	{"an error of exo's router", tape.OpenAI, false, `{"detail":"Not Found"}`},
	{"a text", tape.OpenAI, false, "Internal Server Error"},
	{"a list", tape.OpenAI, false, `[1]`},
	{"two values", tape.OpenAI, false, "{}\n{}"},
	{"an object of another kind", tape.OpenAI, false, "\ufeff{\"object\":\"list\",\"data\":[]}"},

	{"input in many pieces", tape.Claude, true, typed(
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":25,"cache_read_input_tokens":7,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"abc"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Looking"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"get_tide","input":{}}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"port\":"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":" \"Vigo\"}"}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"list_ports","input":{}}}`,
		`{"type":"content_block_stop","index":3}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}`,
		`{"type":"message_stop"}`)},
	{"blocks in disorder", tape.Claude, true, typed(
		`{"type":"message_start","message":{"id":"msg_1","type":"message","model":"m","content":[]}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"T"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"a":1}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"1"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"2"}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}`,
		`{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":2}"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"image_delta"}}`,
		`{"type":"content_block_stop","index":9}`,
		`{"type":"hologram"}`,
		`{"type":"message_delta","delta":{"stop_reason":"refusal"}}`,
		`{"type":"message_stop"}`)},
	{"overloaded", tape.Claude, true, typed(
		`{"type":"message_start","message":{"type":"message","content":[]}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}`,
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)},
	{"events without a type", tape.Claude, true, "event: message_start\ndata: {\"message\":{\"type\":\"message\"}}\n\nevent: ping\ndata: {\"type\":\"message_stop\"}\n\n"},
	{"a whole answer", tape.Claude, false, `{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"a"},{"type":"text","text":"b"},` +
		`{"type":"tool_use","id":"t","name":"f","input":{"b":[1,2.0],"a":"é"}},{"type":"tool_use","id":"u","name":"g","input":[1]},{"type":"tool_use","name":"h","input":null},{"type":"redacted_thinking","data":"x"}],` +
		`"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}`},
	{"content that is a text", tape.Claude, false, `{"id":"msg_3","type":"completion","content":"plain","stop_reason":"stop_sequence"}`},
	{"an error", tape.Claude, false, `{"type":"error","error":{"type":"not_found_error","message":"no such model"}}`},

	{"deltas without their end", tape.Responses, true, typed(
		`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[]}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}`,
		`{"type":"response.reasoning_summary_part.added","sequence_number":2,"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		`{"type":"response.reasoning_summary_text.delta","sequence_number":3,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm"}`,
		`{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]}}`,
		`{"type":"response.output_item.added","sequence_number":5,"output_index":1,"item":{"type":"message","id":"m_1","role":"assistant","content":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":6,"item_id":"m_1","output_index":1,"content_index":0,"delta":"Loo"}`,
		`{"type":"response.output_text.delta","sequence_number":7,"item_id":"m_1","output_index":1,"content_index":0,"delta":"king"}`,
		`{"type":"response.output_item.added","sequence_number":8,"output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"get_tide","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","sequence_number":9,"item_id":"fc_1","output_index":2,"delta":"{\"port\":"}`,
		`{"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_1","output_index":2,"delta":"\"Vi"}`)},
	{"a final answer that differs", tape.Responses, true, typed(
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{}"}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m_1","content":[]}}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"old"}`,
		`{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_3","call_id":"call_3","name":"gone","arguments":""}}`,
		`{"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"m_1","content":[{"type":"output_text","text":"new"}]},`+
			`{"type":"function_call","id":"fc_1","call_id":"call_9","name":"f","arguments":"{\"a\":1}"}],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3,"input_tokens_details":{"cached_tokens":0}}}}`)},
	{"a final answer in another order", tape.Responses, true, typed(
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"custom_tool_call","id":"ct_1","call_id":"call_1","name":"shell","input":""}}`,
		`{"type":"response.custom_tool_call_input.delta","sequence_number":2,"output_index":0,"delta":"ls"}`,
		`{"type":"response.custom_tool_call_input.done","sequence_number":3,"output_index":0,"input":"ls"}`,
		`{"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":{"type":"custom_tool_call","id":"ct_1","call_id":"call_1","name":"shell","input":"ls"}}`,
		`{"type":"response.output_item.added","sequence_number":6,"output_index":1,"item":{"type":"message","id":"m_1","content":[]}}`,
		`{"type":"response.refusal.delta","sequence_number":7,"output_index":1,"content_index":0,"delta":"No."}`,
		`{"type":"response.refusal.done","sequence_number":8,"output_index":1,"content_index":0,"refusal":"No."}`,
		`{"type":"response.output_item.done","sequence_number":9,"output_index":1,"item":{"type":"message","id":"m_1","content":[{"type":"refusal","refusal":"No."}]}}`,
		`{"type":"response.incomplete","sequence_number":10,"response":{"object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},`+
			`"output":[{"type":"message","id":"m_1","content":[{"type":"refusal","refusal":"No."}]},{"type":"custom_tool_call","id":"ct_1","call_id":"call_1","name":"shell","input":"ls"}]}}`)},
	{"a final answer without output", tape.Responses, true, typed(
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"m_1","content":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":2,"output_index":0,"content_index":0,"delta":"kept"}`,
		`{"type":"response.output_text.done","sequence_number":3,"output_index":0,"content_index":0,"text":"kept"}`,
		`{"type":"response.completed","sequence_number":4,"response":{"object":"response","status":"completed","output":[]}}`)},
	{"items that were never announced, or are of another kind", tape.Responses, true, typed(
		`{"type":"response.output_text.delta","sequence_number":1,"output_index":0,"content_index":0,"delta":"a"}`,
		`{"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"fc","output_index":1,"delta":"{}"}`,
		`{"type":"response.output_item.added","sequence_number":3,"output_index":1,"item":{"type":"web_search_call","id":"ws_1"}}`,
		`{"type":"response.web_search_call.searching","sequence_number":4,"output_index":1}`,
		`{"type":"response.output_item.done","sequence_number":5,"output_index":3,"item":{"type":"function_call","id":"fc_3","call_id":"call_3","name":"f","arguments":"{}"}}`,
		`{"type":"response.completed","sequence_number":6,"response":{"object":"response","status":"completed"}}`)},
	{"items named by ids alone, as llama.cpp does", tape.Responses, true, typed(
		`{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress"}}`,
		`{"type":"response.output_item.added","item":{"type":"reasoning","id":"rs_1","summary":[],"content":[]}}`,
		`{"type":"response.reasoning_text.delta","item_id":"rs_1","delta":"Two "}`,
		`{"type":"response.reasoning_text.delta","item_id":"rs_1","delta":"ports."}`,
		`{"type":"response.output_item.added","item":{"type":"message","id":"msg_1","role":"assistant","content":[]}}`,
		`{"type":"response.content_part.added","item_id":"msg_1","part":{"type":"output_text","text":""}}`,
		`{"type":"response.output_text.delta","item_id":"msg_1","delta":"Asking."}`,
		`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_a","name":"get_tide","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_a","delta":"{\"port\":"}`,
		`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_b","name":"get_tide","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_a","delta":"\"Vigo\"}"}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_b","delta":"{\"port\":\"Faro\"}"}`,
		`{"type":"response.output_item.done","item":{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"Two ports."}]}}`,
		`{"type":"response.output_text.done","item_id":"msg_1","text":"Asking."}`,
		`{"type":"response.output_item.done","item":{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Asking."}]}}`,
		`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"fc_a","name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}}`,
		`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"fc_b","name":"get_tide","arguments":"{\"port\":\"Faro\"}"}}`,
		`{"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","model":"m","output":[`+
			`{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"Two ports."}]},`+
			`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Asking."}]},`+
			`{"type":"function_call","call_id":"fc_a","name":"get_tide","arguments":"{\"port\":\"Vigo\"}"},`+
			`{"type":"function_call","call_id":"fc_b","name":"get_tide","arguments":"{\"port\":\"Faro\"}"}]}}`)},
	{"items named by ids that were never announced, or are never done", tape.Responses, true, typed(
		`{"type":"response.output_text.delta","item_id":"msg_1","delta":"a"}`,
		`{"type":"response.output_text.delta","item_id":"msg_1","delta":"b"}`,
		`{"type":"response.output_item.added","item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{}"}`,
		`{"type":"response.output_text.delta","delta":"c"}`,
		`{"type":"response.completed","response":{"object":"response","status":"completed","output":[]}}`)},
	{"items named by ids in a numbered stream", tape.Responses, true, typed(
		`{"type":"response.output_item.added","sequence_number":1,"item":{"type":"message","id":"msg_1","content":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","delta":"a"}`,
		`{"type":"response.output_item.done","sequence_number":4,"output_index":null,"item":{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"b"}]}}`,
		`{"type":"response.completed","sequence_number":5,"response":{"object":"response","status":"completed","output":[{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"b"}]}]}}`)},
	{"a failure", tape.Responses, true, typed(
		`{"type":"response.created","sequence_number":1,"response":{"id":"resp_1","object":"response","status":"in_progress"}}`,
		`{"type":"response.failed","sequence_number":2,"response":{"id":"resp_1","object":"response","status":"failed","error":{"code":"server_error","message":"runner died"},"output":[]}}`)},
	{"an error event", tape.Responses, true, typed(`{"type":"error","sequence_number":1,"code":"rate_limit","message":"slow down","param":null}`)},
	{"a whole answer", tape.Responses, false, `{"id":"resp_2","object":"response","status":"completed","model":"m","output":[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"a"}],"content":[{"type":"reasoning_text","text":"b"}]},` +
		`{"type":"message","id":"m","content":[{"type":"output_text","text":"c"},{"type":"output_audio","data":"x"}]},{"type":"function_call","id":"fc","call_id":"call_1","name":"f","arguments":{"a":1}},{"type":"web_search_call","id":"ws"}],"usage":null}`},
	{"a whole answer that was cut", tape.Responses, false, `{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":"text"}]}`},
	{"a whole failure", tape.Responses, false, `{"object":"response","status":"failed","error":{"code":"server_error","message":"died"},"output":[]}`},

	{"calls on several lines", tape.Ollama, true, `{"model":"m","message":{"role":"assistant","content":"","thinking":"hm "},"done":false}
{"model":"m","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}
{"model":"m","message":{"role":"assistant","content":"Looking"},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{"port":"Vigo"}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"x","function":{"index":1,"name":"get_tide","arguments":{"port":"Faro","n":9007199254740993}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":40,"eval_count":12}
`},
	{"reasoning that is repeated", tape.Ollama, true, `{"message":{"content":"","thinking":"hm"},"done":false}
{"message":{"content":"","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":"{'a"}}]},"done":true,"done_reason":"tool_call"}
{"message":{"content":"late"},"done":true}
`},
	{"a failure of exo", tape.Ollama, true, `{"message":{"content":"Half "},"done":false}
{"message":{"content":"runner died"},"done":true,"done_reason":"error"}
`},
	{"a failure of Ollama, a cut line", tape.Ollama, true, `{"message":{"content":"Half "},"done":false}
{"error":"an error was encountered"}
{"odd":1}
{"message":{"cont`},
	{"a last line without its line feed", tape.Ollama, true, `{"message":{"content":"a","tool_calls":[7]},"done":true,"done_reason":"load"}`},
	{"a whole answer", tape.Ollama, false, `{"model":"m","message":{"role":"assistant","content":"Hi","tool_calls":{}},"done":true,"done_reason":"stop","eval_count":0}`},
	{"a whole answer that is not done", tape.Ollama, false, `{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}`},
	{"an error", tape.Ollama, false, `{"error":"model 'm' not found"}`},
	{"lines", tape.OllamaGenerate, true, "{\"model\":\"m\",\"response\":\"\",\"thinking\":\"hm\",\"done\":false}\r\n\r\n{\"response\":\"Hi\",\"done\":false}\n{\"response\":\"\",\"done\":true,\"done_reason\":\"length\",\"context\":[1,2],\"eval_count\":3}\n"},
	{"a failure of exo", tape.OllamaGenerate, true, "{\"response\":\"\",\"done\":true,\"done_reason\":\"error\"}\n"},
	{"a whole answer", tape.OllamaGenerate, false, `{"model":"m","response":"Hi","done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":2}`},
}
