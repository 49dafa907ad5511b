package ask_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/simenv/rollout"
)

func TestRequests(t *testing.T) {
	messages := []rollout.Message{{Role: "system", Content: "Be short."}, {Role: "user", Content: "Grüße"}}
	// The simulated user's own lines are system messages.
	user := append(messages[:2:2], rollout.Message{Role: "system", Content: "Hello."}, rollout.Message{Role: "user", Content: "And?"})
	all := ask.Sampling{Temperature: new(0.5), TopP: new(1.0), MaxTokens: new(int64(90)), Seed: new(int64(7))}
	noSeed := ask.Sampling{Temperature: new(0.001), MaxTokens: new(int64(90))}
	for _, tt := range []struct {
		name      string
		api       tape.API
		base      string
		sampling  ask.Sampling
		messages  []rollout.Message
		stream    bool
		url, body string
	}{
		{"openai", tape.OpenAI, "http://h:1", ask.Sampling{}, messages, false, "http://h:1/v1/chat/completions",
			`{"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"Grüße"}],"model":"m"}`},
		{"openai, all flags, base with /v1", tape.OpenAI, "http://h:1/v1/", all, messages, true, "http://h:1/v1/chat/completions",
			`{"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"Grüße"}],"model":"m","temperature":0.5,"top_p":1.0,"max_tokens":90,"seed":7,"stream":true}`},
		{"claude", tape.Claude, "http://h:1", ask.Sampling{}, messages, false, "http://h:1/v1/messages",
			`{"model":"m","system":"Be short.","messages":[{"role":"user","content":"Grüße"}],"max_tokens":4096}`},
		{"claude, user", tape.Claude, "http://h:1", noSeed, user, true, "http://h:1/v1/messages",
			`{"model":"m","system":"Be short.","messages":[{"role":"user","content":"Grüße"},{"role":"assistant","content":"Hello."},{"role":"user","content":"And?"}],"temperature":0.001,"max_tokens":90,"stream":true}`},
		{"responses", tape.Responses, "http://h:1", noSeed, user, false, "http://h:1/v1/responses",
			`{"model":"m","instructions":"Be short.","input":[{"type":"message","role":"user","content":"Grüße"},{"type":"message","role":"system","content":"Hello."},{"type":"message","role":"user","content":"And?"}],"temperature":0.001,"max_output_tokens":90}`},
		{"ollama", tape.Ollama, "http://h:1", ask.Sampling{}, messages[1:], false, "http://h:1/ollama/api/chat",
			`{"model":"m","messages":[{"role":"user","content":"Grüße"}],"stream":false}`},
		{"ollama, all flags", tape.Ollama, "http://h:1", all, messages[1:], true, "http://h:1/ollama/api/chat",
			`{"model":"m","messages":[{"role":"user","content":"Grüße"}],"stream":true,"options":{"temperature":0.5,"top_p":1.0,"num_predict":90,"seed":7}}`},
		{"lone surrogate", tape.Ollama, "http://h:1", ask.Sampling{}, []rollout.Message{{Role: "user", Content: "\xed\xa0\x80"}}, false,
			"http://h:1/ollama/api/chat", `{"model":"m","messages":[{"role":"user","content":"\ud800"}],"stream":false}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := ask.Endpoint{BaseURL: tt.base, API: tt.api, Model: "m", Sampling: tt.sampling, Key: "secret"}
			if err := e.Validate(); err != nil {
				t.Error(err)
			}
			req, err := e.NewRequest(tt.messages, tt.stream)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(req.Body)
			if err != nil {
				t.Fatal(err)
			}
			if req.URL.String() != tt.url || req.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("URL %s, header %v", req.URL, req.Header)
			}
			if diff := cmp.Diff(tt.body, string(body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndpointsThatCannotBeAsked(t *testing.T) {
	for _, tt := range []struct {
		e    ask.Endpoint
		want string
	}{
		{ask.Endpoint{API: "gopher", Model: "m"}, `unknown API "gopher": choose one of openai, claude, responses, ollama`},
		{ask.Endpoint{API: tape.OpenAI}, "no model is named"},
		{ask.Endpoint{API: tape.Claude, Model: "m", Sampling: ask.Sampling{Seed: new(int64(1))}}, "the API claude has no seed"},
		{ask.Endpoint{API: tape.OpenAI, Model: "m", BaseURL: "http://my host:1"},
			`the endpoint cannot be asked: parse "http://my host:1/v1/chat/completions": invalid character " " in host name`},
	} {
		if err := tt.e.Validate(); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

func TestRead(t *testing.T) {
	chat := func(message string) string {
		return `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"stop"}]}`
	}
	const stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"[f()]\"}}]}\n\n"
	for _, tt := range []struct {
		name   string
		status int
		kind   string
		body   string
		broken error
		want   string // the text, or the error when it begins with "!"
	}{
		{"text", 200, "application/json", chat(`"content":"[f(a=1)]"`), nil, "[f(a=1)]"},
		{"no text", 200, "application/json", chat(`"content":null`), nil, ""},
		{"reasoning apart", 200, "application/json", chat(`"reasoning_content":"hm","content":"<think>a</think> [f()]"`), nil, "<think>a</think> [f()]"},
		{"reasoning in the text", 200, "application/json", chat(`"content":"<think>hm</think>\n[f()]"`), nil, "[f()]"},
		{"refusal", 200, "application/json", chat(`"content":null,"refusal":"I will not."`), nil, "I will not."},
		{"cut by its length", 200, "application/json", `{"choices":[{"index":0,"message":{"role":"assistant","content":"[f("},"finish_reason":"length"}]}`, nil, "[f("},
		{"stream", 200, "text/event-stream", stream + "data: [DONE]\n\n", nil, "[f()]"},
		{"client left at the end marker", 200, "text/event-stream", stream + "data: [DONE]\n\n", io.ErrUnexpectedEOF, "[f()]"},
		{"stream without an end", 200, "text/event-stream", stream, nil, "!the answer broke off before its end marker"},
		{"broken stream", 200, "text/event-stream", stream, io.ErrUnexpectedEOF, "!unexpected EOF"},
		{"broken body", 200, "application/json", chat(`"content":"x"`)[:60], io.ErrUnexpectedEOF, "!unexpected EOF"},
		{"error in the body", 200, "application/json", `{"error":{"message":"out of memory","type":"x"}}`, nil, "!the server reported an error: out of memory"},
		{"no JSON", 200, "text/html", "<html>Bad\n gateway</html>", nil, "!the answer is none of the API openai: <html>Bad gateway</html>"},
		{"status", 503, "text/plain", "busy", nil, "!the server answered 503 Service Unavailable: busy"},
		{"odd status, nothing said", 599, "", "", nil, "!the server answered 599: no text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said, err := ask.Read(tape.OpenAI, tt.status, tt.kind, []byte(tt.body), tt.broken)
			text := said.Text
			if err != nil {
				text = "!" + err.Error()
			}
			if text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

// TestReadAsSent: the official runner is handed think tags and all, but no reasoning that came apart.
func TestReadAsSent(t *testing.T) {
	for message, want := range map[string]string{
		`{"content":"<think>hm</think>\n[f()]"}`:                      "<think>hm</think>\n[f()]",
		`{"reasoning_content":"hm","content":"[f()]"}`:                "[f()]",
		`{"reasoning_content":"hm","content":"<think>a</think> [f]"}`: "<think>a</think> [f]",
		`{"content":null,"refusal":"No."}`:                            "No.",
	} {
		said, err := ask.Read(tape.OpenAI, 200, "application/json", []byte(`{"choices":[{"index":0,"message":`+message+`,"finish_reason":"stop"}]}`), nil)
		if err != nil || said.Sent != want {
			t.Errorf("%s: sent %q, %v, want %q", message, said.Sent, err, want)
		}
	}
}
