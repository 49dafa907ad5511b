package conformance_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// fullChunk is an event of Chat Completions with all of its choice, and further members.
func fullChunk(choice, members string) string {
	return event(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[` + choice + `]` + members + `}`)
}

// fromClaude is a stream of Claude for a request with these further members.
func fromClaude(members, response string) sent {
	return sent{API: tape.Claude, Request: ask(`,"max_tokens":100,"stream":true` + members), Response: response}
}

// fromResponses is an exchange of Responses whose request has these further members.
func fromResponses(members, response string) sent {
	return sent{API: tape.Responses, Request: `{"model":"m","input":"High water in Vigo?"` + members + `}`, Response: response}
}

// numbered is a stream of Responses from the data of its events, each without its sequence number.
func numbered(all ...string) string {
	var b strings.Builder
	for i, data := range all {
		b.WriteString(event(strings.TrimSuffix(data, "}") + `,"sequence_number":` + strconv.Itoa(i) + `}`))
	}
	return b.String()
}

// dialects are answers as servers send them, with what each of them adds to its API. Nothing is wrong with any of them.
var dialects = []struct {
	name string
	sent sent
}{
	{"OpenAI, streamed", chat(ask(`,"stream":true,"stream_options":{"include_usage":true}`), fullChunk(`{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}`, `,"service_tier":"default","system_fingerprint":null,"usage":null,"obfuscation":"x"`)+
		fullChunk(`{"index":0,"delta":{"content":"Noon."},"logprobs":{"content":[{"token":"Noon.","logprob":-0.1,"bytes":null,"top_logprobs":[]}],"refusal":null},"finish_reason":null}`, `,"usage":null`)+
		fullChunk(`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`, `,"usage":null`)+
		fullChunk("", `,"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`)+done)},
	{"OpenAI, streamed refusal", chat(ask(`,"stream":true`), chunk(`{"role":"assistant","content":null,"refusal":""}`, "null")+chunk(`{"refusal":"I may not."}`, "null")+chunk(`{}`, `"stop"`)+done)},
	{"vLLM", chat(ask(withTools+`,"stream":true`), chunk(`{"role":"assistant","content":"","reasoning_content":null,"tool_calls":[]}`, "null")+
		fullChunk(`{"index":0,"delta":{"reasoning_content":"Look."},"logprobs":null,"finish_reason":null,"token_ids":null}`, `,"prompt_token_ids":null`)+
		fullChunk(`{"index":0,"delta":{"content":"Noon.","tool_calls":[]},"logprobs":null,"finish_reason":"stop","stop_reason":151645}`, "")+done)},
	{"vLLM, whole", chat(ask(""), `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Noon.","refusal":null,"annotations":null,"audio":null,"function_call":null,"tool_calls":[],"reasoning":null,"reasoning_content":null},"logprobs":null,"finish_reason":"stop","stop_reason":null,"token_ids":null}],"service_tier":null,"system_fingerprint":null,"usage":{"prompt_tokens":9,"total_tokens":14,"completion_tokens":5,"prompt_tokens_details":null},"prompt_logprobs":null,"kv_transfer_params":null}`)},
	{"llama.cpp", chat(ask(withTools+`,"stream":true`), fullChunk(`{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}`, `,"system_fingerprint":"b1"`)+
		fullChunk(`{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_tide","arguments":"{"}}]}}`, "")+
		fullChunk(`{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"port\":\"Vigo\"}"}}]}}`, "")+
		fullChunk(`{"finish_reason":"tool_calls","index":0,"delta":{}}`, "")+
		fullChunk("", `,"usage":{"completion_tokens":5,"prompt_tokens":9,"total_tokens":14},"timings":{"cache_n":0,"prompt_n":9,"predicted_ms":1.5}`)+done)},
	{"LM Studio", chat(ask(""), `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"logprobs":null,"finish_reason":"stop","message":{"role":"assistant","content":"Noon.","reasoning_content":"","tool_calls":[]}}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14},"stats":{},"system_fingerprint":"m"}`)},
	{"OpenRouter", chat(ask(`,"stream":true`), ": OPENROUTER PROCESSING\n\n"+fullChunk(`{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Look.","reasoning_details":[{"type":"reasoning.text","text":"Look."}]},"finish_reason":null,"native_finish_reason":null,"logprobs":null}`, `,"provider":"P"`)+
		fullChunk(`{"index":0,"delta":{"role":"assistant","content":"Noon."},"finish_reason":"stop","native_finish_reason":"STOP","logprobs":null}`, "")+
		fullChunk(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null,"native_finish_reason":null,"logprobs":null}`, `,"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"cost":0.1,"is_byok":false}`)+done)},
	{"a reason of no letters until the end", chat(ask(`,"stream":true`), chunk(`{"content":"At"}`, `""`)+chunk(`{"content":" noon."}`, `"stop"`)+done)},
	{"reasoning that is counted apart", chat(ask(""), strings.Replace(says("Noon."), `"total_tokens":14`, `"total_tokens":214,"completion_tokens_details":{"reasoning_tokens":200}`, 1))},
	{"Azure", chat(ask(`,"stream":true`), event(`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`)+
		fullChunk(`{"content_filter_results":{},"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}`, "")+
		fullChunk(`{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"delta":{"content":"Noon."},"finish_reason":null,"index":0,"logprobs":null}`, "")+
		fullChunk(`{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0,"logprobs":null}`, "")+done)},
	{"Azure, filtered afterwards", chat(ask(`,"stream":true`), chunk(`{"role":"assistant","content":"Noon."}`, "null")+chunk(`{}`, `"stop"`)+
		event(`{"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{"check_offset":9,"start_offset":9,"end_offset":14}}],"usage":null}`)+done)},
	{"Mistral", chat(ask(withTools+`,"stream":true`), chunk(`{"role":"assistant","content":""}`, "null")+chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Look."}]}]}`, "null")+chunk(`{"content":"","tool_calls":[{"id":"D681PevKs","function":{"name":"get_tide","arguments":"{\"port\": \"Vigo\"}"},"index":0}]}`, `"tool_calls"`)+done)},

	{"Claude, thinking", fromClaude("", claude(`"end_turn"`, start(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `"type":"thinking_delta","thinking":"Look."`), delta(0, `"type":"signature_delta","signature":"c2ln"`), stop(0),
		start(1, `{"type":"redacted_thinking","data":"c2ln"}`), stop(1), start(2, emptyText), text(2, "Noon."), stop(2)))},
	{"Claude, citations", fromClaude("", claude(`"end_turn"`, start(0, `{"type":"text","text":"","citations":[]}`), delta(0, `"type":"citations_delta","citation":{"type":"char_location","cited_text":"noon","document_index":0}`), text(0, "Noon."), stop(0)))},
	{"Claude, a search of the server", fromClaude(`,"tools":[{"type":"web_search_20250305","name":"web_search"}]`, claude(`"end_turn"`, start(0, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`), delta(0, `"type":"input_json_delta","partial_json":"{\"query\":\"tide\"}"`), stop(0),
		start(1, `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"https://example.com","title":"Tides","encrypted_content":"c2ln"}]}`), stop(1), start(2, emptyText), text(2, "Noon."), stop(2)))},
	{"Claude, a call by code", fromClaude(`,"tools":`+tools, claude(`"tool_use"`, start(0, `{"type":"tool_use","id":"t1","name":"get_tide","input":{},"caller":{"type":"direct"}}`), delta(0, `"type":"input_json_delta","partial_json":""`), delta(0, `"type":"input_json_delta","partial_json":"{\"port\":\"Vigo\"}"`), stop(0)))},
	{"Claude, counts in full", fromClaude("", strings.Replace(claude(`"end_turn"`, start(0, emptyText), text(0, "Noon."), stop(0)), `"usage":{"output_tokens":5}`, `"usage":{"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0},"output_tokens":5,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"},"context_management":{"applied_edits":[]}`, 1))},
	{"Claude, compacted", fromClaude("", claude(`"compaction"`, start(0, `{"type":"compaction","content":null}`), delta(0, `"type":"compaction_delta","content":"So far."`), stop(0)))},

	{"Responses, sealed reasoning", fromResponses(`,"include":["reasoning.encrypted_content"],"store":false`, responses("completed", responsesUsage, `{"type":"reasoning","id":"rs1","summary":[],"encrypted_content":"c2ln"}`, strings.Replace(said("Noon."), `"text":`, `"annotations":[{"type":"url_citation","start_index":0,"end_index":4,"url":"https://example.com","title":"Tides"}],"logprobs":[],"text":`, 1)))},
	{"Responses, a picture in a stream", fromResponses(`,"stream":true,"tools":[{"type":"image_generation"}]`, numbered(
		`{"type":"response.created","response":`+responses("in_progress", `,"usage":null`)+`}`,
		`{"type":"response.in_progress","response":`+responses("in_progress", `,"usage":null`)+`}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"image_generation_call","id":"ig1","status":"in_progress"}}`,
		`{"type":"response.image_generation_call.in_progress","output_index":0,"item_id":"ig1"}`,
		`{"type":"response.image_generation_call.partial_image","output_index":0,"item_id":"ig1","partial_image_index":0,"partial_image_b64":"iVBORw=="}`,
		`{"type":"keepalive"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"image_generation_call","id":"ig1","status":"completed","result":"iVBORw=="}}`,
		`{"type":"response.completed","response":`+responses("completed", responsesUsage, `{"type":"image_generation_call","id":"ig1","status":"completed","result":"iVBORw=="}`)+`}`))},
	{"Responses, a message in a stream", fromResponses(`,"stream":true`, numbered(
		`{"type":"response.created","response":`+responses("in_progress", `,"usage":null`)+`}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs1","summary":[],"encrypted_content":"c2"}}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs1","summary":[],"encrypted_content":"c2ln"}}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"i1","role":"assistant","status":"in_progress","content":[]}}`,
		`{"type":"response.content_part.added","output_index":1,"item_id":"i1","content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}}`,
		`{"type":"response.output_text.delta","output_index":1,"item_id":"i1","content_index":0,"delta":"Noon.","logprobs":[],"obfuscation":"xy"}`,
		`{"type":"response.output_text.annotation.added","output_index":1,"item_id":"i1","content_index":0,"annotation_index":0,"annotation":{"type":"url_citation"}}`,
		`{"type":"response.output_text.done","output_index":1,"item_id":"i1","content_index":0,"text":"Noon.","logprobs":[]}`,
		`{"type":"response.content_part.done","output_index":1,"item_id":"i1","content_index":0,"part":{"type":"output_text","annotations":[],"text":"Noon."}}`,
		`{"type":"response.output_item.done","output_index":1,"item":`+said("Noon.")+`}`,
		`{"type":"response.completed","response":`+responses("completed", responsesUsage, `{"type":"reasoning","id":"rs1","summary":[],"encrypted_content":"c2ln"}`, said("Noon."))+`}`))},

	{"Ollama, streamed", sent{API: tape.Ollama, Request: ask(withTools), Response: `{"model":"m","created_at":"2026-03-04T05:06:07Z","message":{"role":"assistant","content":"","thinking":"Look."},"done":false}` + "\n" +
		`{"model":"m","created_at":"2026-03-04T05:06:07Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"get_tide","arguments":{"port":"Vigo"}}}]},"done":false}` + "\n" +
		`{"model":"m","created_at":"2026-03-04T05:06:07Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":9,"load_duration":1,"prompt_eval_count":9,"prompt_eval_duration":1,"eval_count":5,"eval_duration":1}` + "\n"}.As(200, "application/x-ndjson")},
	{"Ollama through Chat Completions", chat(ask(`,"stream":true,"stream_options":{"include_usage":true}`), fullChunk(`{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Look."},"finish_reason":null}`, `,"system_fingerprint":"fp_ollama"`)+
		fullChunk(`{"index":0,"delta":{"role":"assistant","content":"Noon."},"finish_reason":null}`, "")+fullChunk(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}`, "")+fullChunk("", usage)+done)},
}

// TestDialects: what real servers add to their APIs is no problem.
func TestDialects(t *testing.T) {
	for _, tt := range dialects {
		t.Run(tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
			if len(r.Problems) > 0 || r.Calls != conformance.OK || r.Protocol != conformance.OK || r.Blame != nil {
				t.Errorf("calls %s, protocol %s, blame %q: %+v", r.Calls, r.Protocol, blameOf(r), r.Problems)
			}
		})
	}
}
