package wire_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// BenchmarkParseResponse reads a stream of a thousand tokens.
func BenchmarkParseResponse(b *testing.B) {
	for _, test := range []struct {
		api  tape.API
		body string
	}{
		{tape.OpenAI, strings.Repeat(sse(chunk(`{"role":"assistant","content":"token"}`, ``)), 1000) + sse("[DONE]")},
		{tape.Claude, strings.Repeat(typed(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"token"}}`), 1000)},
		{tape.Ollama, strings.Repeat(`{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"token"},"done":false}`+"\n", 1000)},
	} {
		b.Run(string(test.api), func(b *testing.B) {
			b.SetBytes(int64(len(test.body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wire.ParseResponse(test.api, true, strings.NewReader(test.body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMeaning writes what a request of 20 messages asks.
func BenchmarkMeaning(b *testing.B) {
	message := `{"role":"user","content":"` + strings.Repeat("How high is the tide in \\\"Staithes\\\" today?\\n", 8) + `"}`
	q, err := wire.ParseRequest(tape.OpenAI, []byte(`{"model":"m","messages":[`+strings.Repeat(message+",", 19)+message+`]}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		q.Meaning(true)
	}
}
