package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// deltas are events of each API that carry a text in parts.
var deltas = []struct {
	name        string
	api         tape.API
	contentType string
	event       func(i int, text string) string
	end         string
}{
	{"chat text", tape.OpenAI, "text/event-stream", func(_ int, s string) string {
		return fmt.Sprintf("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n", jsonEscaped(s))
	}, "data: [DONE]\n\n"},
	{"chat arguments", tape.OpenAI, "text/event-stream", func(i int, s string) string {
		name := ""
		if i == 0 {
			name = `"id":"call_1","type":"function",`
		}
		return fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,%s\"function\":{\"name\":\"f\",\"arguments\":\"%s\"}}]},\"index\":0}]}\n\n", name, jsonEscaped(s))
	}, "data: [DONE]\n\n"},
	{"claude", tape.Claude, "text/event-stream", func(_ int, s string) string {
		return fmt.Sprintf("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n: ping\n\n", jsonEscaped(s))
	}, ""},
	{"responses", tape.Responses, "text/event-stream", func(_ int, s string) string {
		return fmt.Sprintf("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\ndata: \"output_index\":0,\"content_index\":0,\"delta\":\"%s\"}\n\n", jsonEscaped(s))
	}, ""},
	{"ollama", tape.Ollama, "application/x-ndjson", func(_ int, s string) string {
		return fmt.Sprintf("{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"done\":false}\n", jsonEscaped(s))
	}, "{\"done\":true}\n"},
	{"lines end with CR", tape.OpenAI, "text/event-stream", func(i int, s string) string {
		return strings.Repeat("\ufeff", max(0, 1-i)) + fmt.Sprintf("data: {\"choices\":[{\"index\":0,\rdata: \"delta\":{\"content\":\"%s\"}}]}\r\r", jsonEscaped(s))
	}, "data: [DONE]\r\r"},
	{"plain", tape.Other, "text/event-stream", func(_ int, s string) string { return "data: " + strings.ReplaceAll(s, "\n", " ") + "\n\n" }, ""},
}

// TestSplit: a secret that is cut into deltas of any size is found, the texts add up to the placeholder, and pieces stay at their bytes.
func TestSplit(t *testing.T) {
	secret := sampleOf("sk-proj-{A:48}", 11)
	const before, behind = "Use the key ", ", then say \"go\"."
	for _, d := range deltas {
		for _, size := range []int{1, 2, 5, 13, 1000} {
			t.Run(fmt.Sprintf("%s/%d", d.name, size), func(t *testing.T) {
				var body strings.Builder
				var offsets []int64
				text := before + secret + behind
				for i := 0; len(text) > 0; i++ {
					n := min(size, len(text))
					offsets = append(offsets, int64(body.Len()))
					body.WriteString(d.event(i, text[:n]))
					text = text[n:]
				}
				body.WriteString(d.end)
				r := New(Rules{})
				r.Body([]byte(body.String()), d.contentType, nil)
				r.Learned()
				got := string(r.Body([]byte(body.String()), d.contentType, offsets))
				if want := before + "[redacted:openai-key:1]" + behind; said(t, got, d.api, d.contentType) != want {
					t.Errorf("the stream says %q, want %q\n%s", said(t, got, d.api, d.contentType), want, got)
				}
				for i, offset := range offsets {
					if first := d.event(i, "")[:6]; !strings.HasPrefix(got[offset:], first) {
						t.Errorf("piece %d begins at %q", i, got[offset:min(len(got), int(offset)+20)])
					}
				}
				if found := NewScanner(Rules{}).ScanBody([]byte(got), d.contentType); len(found) > 0 {
					t.Errorf("still there: %v", found)
				}
				if found := NewScanner(Rules{}).ScanBody([]byte(body.String()), d.contentType); len(found) == 0 {
					t.Error("the scanner does not see it")
				}
			})
		}
	}
}

// said is what a stream adds up to.
func said(t *testing.T, body string, api tape.API, contentType string) string {
	t.Helper()
	if api == tape.Other {
		var b strings.Builder
		for _, p := range payloads([]byte(body), 1) {
			b.Write(p.data)
		}
		return b.String()
	}
	a, err := wire.ParseResponse(api, true, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Malformed) > 0 {
		t.Errorf("malformed: %v", a.Malformed)
	}
	text := a.Text
	for _, c := range a.ToolCalls {
		text += c.Arguments
	}
	return text
}

// TestLogprobs: tokens and their bytes tell a secret too.
func TestLogprobs(t *testing.T) {
	secret := sampleOf("sk-proj-{A:48}", 12)
	type token struct {
		Token string `json:"token"`
		Bytes []int  `json:"bytes"`
	}
	var tokens []token
	for _, part := range []string{"Key: ", secret[:9], secret[9:30], secret[30:], "."} {
		var codes []int
		for _, c := range []byte(part) {
			codes = append(codes, int(c))
		}
		tokens = append(tokens, token{part, codes})
	}
	list, err := json.Marshal(tokens)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"choices":[{"index":0,"message":{"content":"hidden"},"logprobs":{"content":` + string(list) + `}}]}`
	got := redacted(New(Rules{}), body)[0]
	var out struct {
		Choices []struct{ Logprobs struct{ Content []token } }
	}
	if err := json.Unmarshal([]byte(got), &out); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	var texts, bytes string
	for _, tok := range out.Choices[0].Logprobs.Content {
		texts += tok.Token
		for _, c := range tok.Bytes {
			bytes += string(rune(c))
		}
	}
	if want := "Key: [redacted:openai-key:1]."; texts != want || bytes != want {
		t.Errorf("tokens say %q, bytes %q, want %q", texts, bytes, want)
	}
}
