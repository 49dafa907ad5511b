package show

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// recorded makes an exchange as a recorder leaves it. adjust may be nil.
func recorded(target, request string, status int, contentType, response string, adjust func(*taped)) taped {
	method := http.MethodPost
	if request == "" {
		method = http.MethodGet
	}
	x := taped{requestBody: []byte(request), responseBody: []byte(response), Exchange: &tape.Exchange{
		Ref:      tape.Ref{Session: "20260304T050607Z-abcdef", Seq: 7},
		Started:  time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC),
		Upstream: "http://localhost:52415",
		Request:  tape.Request{Method: method, URL: target, Host: "localhost:52415", Proto: "HTTP/1.1", Header: http.Header{}},
		Response: tape.Response{Status: status, Proto: "HTTP/1.1", NoReason: true, Header: http.Header{"Content-Type": {contentType}}},
		TTFB:     12345 * time.Microsecond,
		Total:    6 * time.Second,
		Pieces:   make([]tape.Piece, 1+strings.Count(response, "\n\n")),
		Ended:    tape.Complete,
	}}
	if request != "" {
		x.Request.Header.Set("Content-Type", "application/json")
	}
	x.Facts = tape.Facts{API: tape.FamilyOf(method, target), Stream: contentType == eventStream || contentType == ndjson}
	if x.Facts.API.Model() {
		x.Facts.Model = "org/Small-1B"
	}
	if adjust != nil {
		adjust(&x)
	}
	x.Request.Body = bodyOf(x.requestBody)
	x.Response.Body = bodyOf(x.responseBody)
	return x
}

// taped is an exchange with its bodies, which it hands out as a tape does.
type taped struct {
	*tape.Exchange
	requestBody, responseBody []byte
}

var _ reading.Source = taped{}

func (x taped) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	switch b.SHA256 {
	case x.Request.Body.SHA256:
		return io.NopCloser(bytes.NewReader(x.requestBody)), nil
	case x.Response.Body.SHA256:
		return io.NopCloser(bytes.NewReader(x.responseBody)), nil
	}
	return nil, errors.New("no such body")
}

func bodyOf(data []byte) tape.Body {
	return tape.Body{Size: int64(len(data)), SHA256: sha256.Sum256(data)}
}

// read reads the exchange as it is read from a tape.
func (x taped) read() *reading.Exchange {
	return reading.New(x.Exchange, x.requestBody, x.responseBody)
}

const (
	asJSON      = "application/json"
	eventStream = "text/event-stream"
	ndjson      = "application/x-ndjson"
)

// png is a picture of 70 bytes.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

var longPNG = base64.StdEncoding.EncodeToString(make([]byte, 200_000))

// sse writes events, one an argument.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		name, data, ok := strings.Cut(e, "|")
		if ok {
			fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, data)
		} else {
			fmt.Fprintf(&b, "data: %s\n\n", e)
		}
	}
	return b.String()
}

const (
	chatRequest = `{"model":"org/Small-1B","temperature":0.2,"max_tokens":100,"tool_choice":"auto","harbour_mode":true,"messages":[
		{"role":"system","content":"Be brief.\nName the harbour."},
		{"role":"user","content":[{"type":"text","text":"What does this chart show?"},
			{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}},
			{"type":"image_url","image_url":{"url":"https://charts.example/vigo.png"}},
			{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]},
		{"role":"assistant","content":null,"reasoning_content":"A tide table is needed.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_tide","arguments":"{\"harbour\": \"Vigo\"}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"{\"low\": \"06:10\",\n \"high\": \"12:20\"}"},
		{"role":"user","name":"ada","content":""}],
		"tools":[{"type":"function","function":{"name":"get_tide","description":"Tell the tide.\nIn local time.","parameters":{"type":"object","properties":{"harbour":{"type":"string"},"day":{"type":"string"}},"required":["harbour"]}}},
			{"type":"function","function":{"name":"now"}},
			{"type":"web_search","region":"north"}]}`
	claudeRequest = `{"model":"org/Small-1B","max_tokens":100,"system":[{"type":"text","text":"Be brief."}],"messages":[
		{"role":"user","content":[{"type":"text","text":"What does this chart show?"},{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"` + png + `"}}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"A tide table is needed.","signature":"s"},{"type":"tool_use","id":"toolu_1","name":"get_tide","input":{"harbour":"Vigo"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"no such harbour"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png + `"}}]}]}],
		"tools":[{"name":"get_tide","description":"Tell the tide","input_schema":{"type":"object","properties":{"harbour":{"type":"string"}},"required":["harbour"]}}]}`
	responsesRequest = `{"model":"org/Small-1B","instructions":"Be brief.","input":[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"Low water?"},{"type":"input_image","image_url":"data:image/png;base64,` + png + `"}]},
		{"type":"function_call","call_id":"call_1","name":"get_tide","arguments":"{\"harbour\":\"Vigo\"}"},
		{"type":"function_call_output","call_id":"call_1","output":"06:10"}],
		"tools":[{"type":"function","name":"get_tide","parameters":{"type":"object","properties":{"harbour":{"type":"string"}}}}]}`
	ollamaRequest = `{"model":"org/Small-1B","messages":[{"role":"system","content":"Be brief."},
		{"role":"user","content":"What is this?","images":["` + png + `"]},
		{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_tide","arguments":{"harbour":"Vigo"}}}]},
		{"role":"tool","tool_name":"get_tide","content":"06:10"}],"options":{"temperature":0}}`
)

var conversations = []struct {
	name string
	x    taped
}{
	{"openai_whole", recorded("/v1/chat/completions", chatRequest, 200, asJSON,
		`{"id":"c","object":"chat.completion","model":"org/Small-1B","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"Vigo it is.","content":"Low water is at\nten past six.","tool_calls":[{"id":"call_2","type":"function","function":{"name":"get_tide","arguments":"{\"harbour\": \"Baiona\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":40,"completion_tokens":9,"total_tokens":49,"prompt_tokens_details":{"cached_tokens":32},"completion_tokens_details":{"reasoning_tokens":4}}}`,
		func(x *taped) { x.Labels = map[string]string{"suite": "exo", "sample": "tide"} })},
	{"openai_streamed", recorded("/v1/chat/completions", `{"model":"org/Small-1B","stream":true,"messages":[{"role":"user","content":"Low water?"}]}`, 200, eventStream,
		": prefill_progress {\"processed\":1,\"total\":1}\n\n"+sse(
			`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Hm."},"finish_reason":null}]}`,
			`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"At ten "},"finish_reason":null}]}`,
			`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"past six."},"finish_reason":"stop"}]}`)+
			": generation_stats {\"prompt_tps\":100.0,\"generation_tps\":42.25,\"prompt_tokens\":4,\"generation_tokens\":5,\"peak_memory_usage\":{\"inBytes\":1}}\n\ndata: [DONE]\n\n", nil)},
	{"openai_refusal", recorded("/v1/chat/completions", `{"model":"org/Small-1B","messages":[{"role":"user","content":"Sink it."}]}`, 200, asJSON,
		`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`, nil)},
	{"openai_odd_finish", recorded("/v1/chat/completions", `{"model":"org/Small-1B","messages":[]}`, 200, asJSON,
		`{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"tide\u001b[2Jout"}]}`, nil)},
	{"openai_truncated", recorded("/v1/chat/completions", `{"model":"org/Small-1B","stream":true,"messages":[{"role":"user","content":"Count."}]}`, 200, eventStream,
		sse(`{"choices":[{"index":0,"delta":{"content":"One, "},"finish_reason":null}]}`)+`data: {"choices":[{"index":0,"delta":{"content":"t`,
		func(x *taped) { x.Ended, x.Cause = tape.UpstreamTruncated, "unexpected EOF" })},
	{"openai_error_chunk", recorded("/v1/chat/completions", `{"model":"org/Small-1B","stream":true,"messages":[{"role":"user","content":"Count."}]}`, 200, eventStream,
		sse(`{"choices":[{"index":0,"delta":{"content":"One"},"finish_reason":null}]}`, `{"error":{"message":"the runner is gone","type":"InternalServerError","code":500}}`, "[DONE]"), nil)},
	{"openai_error_body", recorded("/v1/chat/completions", `{"model":"org/Small-1B","messages":[{"role":"user","content":"Count."}]}`, 404, asJSON,
		`{"error":{"message":"No instance found for model org/Small-1B","type":"Not Found","param":null,"code":404}}`, nil)},
	{"openai_empty_body", recorded("/v1/chat/completions", `{"model":"org/Small-1B","messages":[{"role":"user","content":"Count."}]}`, 200, asJSON, "", nil)},
	{"openai_not_json", recorded("/v1/chat/completions", `{"model":"org/Small-1B","messages":[{"role":"user","content":"Count."}]}`, 502, "text/html", "<html>\r\n<h1>Bad Gateway</h1>\r\n</html>\r\n", nil)},
	{"openai_request_not_json", recorded("/v1/chat/completions", `{"model":"org/Small-1B","messages":[`, 422, asJSON, `{"error":{"message":"unexpected end","code":422}}`, nil)},
	{"openai_unknown_events", recorded("/v1/chat/completions", `{"model":"org/Small-1B","stream":true,"messages":[{"role":"user","content":"Count."}]}`, 200, eventStream,
		sse("weather|{\"wind\":7}", `{"choices":[{"index":0,"delta":{"content":"One"},"finish_reason":"stop"}]}`, `{not json`, "[DONE]"), nil)},
	{"openai_large_parts", recorded("/v1/chat/completions", `{"model":"org/Small-1B","logit_bias":{"1":"`+strings.Repeat("0", 500)+`"},"blob":"`+longPNG+`","messages":[{"role":"user","content":[
		{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,`+longPNG+`"}},{"type":"image_url","image_url":{"url":"`+longPNG+`"}},{"type":"input_audio","input_audio":{"data":"`+longPNG+`"}}]}],
		"tools":[{"type":"custom","grammar":"`+longPNG+`"}]}`, 200, asJSON, `{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`, nil)},
	{"claude_whole", recorded("/v1/messages", claudeRequest, 200, asJSON,
		`{"id":"m","type":"message","role":"assistant","model":"org/Small-1B","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_2","name":"get_tide","input":{"harbour":"Baiona"}}],"stop_reason":"tool_use","usage":{"input_tokens":40,"output_tokens":9,"cache_read_input_tokens":8}}`, nil)},
	{"claude_streamed", recorded("/v1/messages?beta=true", `{"model":"org/Small-1B","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Low water?"}]}`, 200, eventStream, sse(
		`message_start|{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"org/Small-1B","content":[],"usage":{"input_tokens":4,"output_tokens":0}}}`,
		`content_block_start|{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`content_block_delta|{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"At ten past six."}}`,
		`content_block_stop|{"type":"content_block_stop","index":0}`,
		`content_block_start|{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"ring","input":{}}}`,
		`content_block_delta|{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"bell\": 2}"}}`,
		`content_block_stop|{"type":"content_block_stop","index":1}`,
		`message_delta|{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":6}}`,
		`message_stop|{"type":"message_stop"}`), nil)},
	{"claude_error", recorded("/v1/messages", `{"model":"org/Small-1B","messages":[]}`, 400, asJSON, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens is missing"}}`,
		func(x *taped) { x.Response.NoReason = false })},
	{"responses_whole", recorded("/v1/responses", responsesRequest, 200, asJSON,
		`{"id":"r","object":"response","status":"completed","output":[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"At ten past six."}]},{"type":"function_call","id":"f","call_id":"call_2","name":"ring","arguments":"{}"}],"usage":{"input_tokens":4,"output_tokens":6,"total_tokens":10}}`, nil)},
	{"responses_streamed", recorded("/v1/responses", `{"model":"org/Small-1B","stream":true,"input":"Low water?"}`, 200, eventStream, sse(
		`response.created|{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`,
		`response.output_item.added|{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[]}}`,
		`response.content_part.added|{"type":"response.content_part.added","item_id":"m","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}`,
		`response.output_text.delta|{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"At ten past six."}`,
		`response.completed|{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"At ten past six."}]}],"usage":{"input_tokens":4,"output_tokens":6,"total_tokens":10}}}`), nil)},
	{"responses_final_differs", recorded("/v1/responses", `{"model":"org/Small-1B","stream":true,"input":"Low water?"}`, 200, eventStream, sse(
		`response.output_item.added|{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"call_1","name":"ring","arguments":""}}`,
		`response.function_call_arguments.delta|{"type":"response.function_call_arguments.delta","item_id":"f","output_index":0,"delta":"{}"}`,
		`response.output_item.done|{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"f","call_id":"call_1","name":"ring","arguments":"{}"}}`,
		`response.completed|{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"No bell."}]}]}}`), nil)},
	{"responses_final_only", recorded("/v1/responses", `{"model":"org/Small-1B","stream":true,"input":"Low water?"}`, 200, eventStream, sse(
		`response.completed|{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"At six."}]},{"type":"function_call","id":"f","call_id":"call_1","name":"ring","arguments":"{}"}]}}`), nil)},
	{"ollama_whole", recorded("/ollama/api/chat", ollamaRequest, 200, asJSON,
		`{"model":"org/Small-1B","message":{"role":"assistant","thinking":"Hm.","content":"","tool_calls":[{"id":"c1","function":{"name":"get_tide","arguments":{"harbour":"Baiona"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":40,"eval_count":9}`, nil)},
	{"ollama_streamed", recorded("/ollama/api/chat", `{"model":"org/Small-1B","messages":[{"role":"user","content":"Count."}]}`, 200, ndjson,
		`{"model":"org/Small-1B","message":{"role":"assistant","content":"One, "},"done":false}`+"\n"+
			`{"model":"org/Small-1B","message":{"role":"assistant","content":"two"},"done":false}`+"\n",
		func(x *taped) { x.Ended, x.Cause = tape.ClientGone, "the client closed the connection" })},
	{"ollama_error", recorded("/ollama/api/chat", `{"model":"org/Small-1B","messages":[]}`, 500, "text/plain", "Internal Server Error", nil)},
	{"ollama_generate_whole", recorded("/ollama/api/generate", `{"model":"org/Small-1B","stream":false,"system":"Be brief.","prompt":"Count.","suffix":"three","context":[1,2]}`, 200, asJSON,
		`{"model":"org/Small-1B","response":"One, two","done":true,"done_reason":"stop","prompt_eval_count":4,"eval_count":3}`, nil)},
	{"ollama_generate_streamed", recorded("/ollama/api/generate", `{"model":"org/Small-1B","prompt":"Count."}`, 200, ndjson,
		`{"model":"org/Small-1B","response":"One","done":false}`+"\n"+`{"model":"org/Small-1B","response":"","done":true,"done_reason":"length"}`+"\n", nil)},
	{"no_response", recorded("/v1/messages", claudeRequest, 0, "", "", func(x *taped) {
		x.Ended, x.Cause, x.TTFB, x.Pieces = tape.UpstreamError, "dial tcp 127.0.0.1:52415: connect: connection refused", 0, nil
	})},
	{"in_flight", recorded("/events", "", 0, "", "", func(x *taped) { x.Ended, x.TTFB, x.Total, x.Pieces = tape.InFlight, 0, 0, nil })},
	{"control", recorded("/place_instance", `{"model_id":"org/Small-1B","sharding":"Pipeline","min_nodes":1}`, 200, asJSON, `{"message":"Command received.","command_id":"c1","nodes":[{"id":1},{"id":2}]}`, nil)},
	{"control_text", recorded("/node_id", "", 200, asJSON, `"12D3KooW"`, nil)},
	{"control_large", recorded("/state", "", 200, asJSON, `{"nodes":[`+strings.Repeat(`{"id":"node","free":1},`, 4000)+`null]}`, nil)},
	{"control_large_request", recorded("/instance", `{"instance":[`+strings.Repeat(`{"id":"node","free":1},`, 4000)+`null]}`, 200, asJSON, `{}`, nil)},
	{"control_large_text", recorded("/v1/traces/t/raw", "", 200, "text/plain; charset=utf-8", strings.Repeat("søndag\n", 2000), nil)},
	{"image_request", recorded("/v1/images/edits", "--b\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n\x00--b--", 200, asJSON, `{"created":1,"data":[{"b64_json":"`+longPNG+`","url":"data:image/png;base64,`+longPNG+`"}]}`,
		func(x *taped) { x.Request.Header.Set("Content-Type", `multipart/form-data; boundary="b"`) })},
	{"image_response", recorded("/images/1", "", 200, "image/png", "\x89PNG\r\n\x1a\n\x00\x00", nil)},
	{"untyped_response", recorded("/images/1", "", 200, "", "\x89PNG", nil)},
	{"hostile", recorded("/x\x1b]0;gone\x07?\u202e", "\x1b[2J\u009b1m\r\n\x9b2m tab\tstays \u2066", 200, "text/\x1b[0m", "ok\x08\x08\x7f\u2028\u2029 \u061c\u200f", func(x *taped) {
		x.Request.Method = "G\x1b[31mET"
		x.Session = "s\x1b"
		x.Response.Reason, x.Response.NoReason = "fine\x1b[A", false
		x.Ended, x.Cause = "odd\x1b", "because\nof\x1b[1A"
		x.Labels = map[string]string{"a\x1b": "b\u202e"}
		x.Facts.Model = "m\x1b"
	})},
	{"hostile_conversation", recorded("/v1/messages", `{"model":"m","max_tokens":1,"\u001b":"\u009b","messages":[{"role":"us\u001ber","content":[{"type":"text","text":"a\u001b[2Jb\nc\rd"},
		{"type":"tool_use","id":"\u001b","name":"\u001b","input":{"\u202e":1}},{"type":"tool_result","tool_use_id":"\u001b[1A","content":"x"},{"type":"thing\u001b"},{"type":"image","source":{"type":"base64","media_type":"\u001b","data":"AA=="}}]}],
		"tools":[{"name":"\u001b","description":"\u001b","input_schema":{"properties":{"\u001b":{}}}}]}`, 200, asJSON,
		`{"type":"message","role":"assistant","content":[{"type":"text","text":"\u001b"},{"type":"tool_use","id":"\u001b","name":"\u001b","input":{}}],"stop_reason":"\u001b"}`, nil)},
}

// TestConversation compares with testdata; -update writes it anew.
func TestConversation(t *testing.T) {
	for _, tt := range conversations {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Conversation(&b, tt.x.read()); err != nil {
				t.Fatal(err)
			}
			assertPrintable(t, b.String())
			if n := b.Len(); n > 3*bodyShown {
				t.Errorf("%d bytes are printed", n)
			}
			name := filepath.Join("testdata", tt.name+".txt")
			if *update {
				if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// assertPrintable holds each line against what a terminal could take for a command.
func assertPrintable(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("%q reaches the terminal in %q", r, text)
		}
	}
}

func TestConversationReportsErrors(t *testing.T) {
	full := errors.New("no space left")
	x := conversations[0].x
	for name, err := range map[string]error{
		"Conversation": Conversation(failing{full}, x.read()),
		"Raw":          Raw(t.Context(), failing{full}, x, x.Exchange),
		"Curl":         Curl(t.Context(), failing{full}, x, x.Exchange),
	} {
		if !errors.Is(err, full) {
			t.Errorf("%s returned %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain ÄÖ 日本 👩‍🚀 a\u0301":  "plain ÄÖ 日本 👩‍🚀 a\u0301",
		"tab\tstays":               "tab\tstays",
		"\x1b[31mred":              `\x1b[31mred`,
		"\x00\a\b\r\n\x7f":         `\x00\a\b\r\n\x7f`,
		"\u0085\u009b":             `\u0085\u009b`,
		"\x9b31m\xff":              `\x9b31m\xff`,
		"\xed\xa0\x80":             `\xed\xa0\x80`,
		"\u2028\u2029":             `\u2028\u2029`,
		"\u202a\u202e\u2066\u2069": `\u202a\u202e\u2066\u2069`,
		"\u061c\u200e\u200f":       `\u061c\u200e\u200f`,
		"\uFFFD":                   "\uFFFD",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

// FuzzConversation prints any bodies as exchanges of every API: it must not panic, and nothing may reach the terminal unmade safe.
func FuzzConversation(f *testing.F) {
	paths := []string{"/v1/chat/completions", "/v1/messages", "/v1/responses", "/ollama/api/chat", "/ollama/api/generate", "/state"}
	for _, c := range conversations {
		if len(c.x.requestBody)+len(c.x.responseBody) < 5000 {
			f.Add(c.x.requestBody, c.x.responseBody, c.x.Request.URL)
		}
	}
	f.Fuzz(func(t *testing.T, request, response []byte, other string) {
		for _, path := range append(paths, other) {
			for _, contentType := range []string{asJSON, eventStream} {
				x := recorded(path, "", 200, contentType, string(response), nil)
				x.Request.Method, x.requestBody, x.Facts.API = "POST", request, tape.FamilyOf("POST", path)
				var b bytes.Buffer
				if err := Conversation(&b, x.read()); err != nil {
					t.Fatal(err)
				}
				assertPrintable(t, b.String())
			}
		}
	})
}
