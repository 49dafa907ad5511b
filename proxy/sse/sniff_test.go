package sse_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/sse"
)

func TestFormatOf(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 2*sse.SniffLen) + `"}`
	for _, test := range []struct {
		name, contentType, head string
		want                    sse.Format
	}{
		{"stream", "text/event-stream; charset=utf-8", ": keep-alive\n\n", sse.EventStream},
		{"stream labelled JSON", "application/json", "data: {}\n\n", sse.EventStream},
		{"stream without a label", "", "\ufeffevent: x\n", sse.EventStream},
		{"empty stream", "Text/Event-Stream", "", sse.EventStream},
		{"stream cut in its first field", "text/event-stream", "da", sse.EventStream},
		{"JSON labelled stream", "text/event-stream", "{\"error\":1}", sse.Whole},
		{"page labelled stream", "text/event-stream", "<html>", sse.Whole},
		{"JSON", "application/json", `{"a":1}`, sse.Whole},
		{"JSON over several lines", "application/json", "{\n \"a\": 1\n}\n", sse.Whole},
		{"JSON over several lines, labelled NDJSON", "application/x-ndjson", "{\n \"a\": 1\n}\n", sse.Whole},
		{"JSON with a line feed", "application/json", "{\"a\":1}\n", sse.Whole},
		{"lines", "application/x-ndjson", "{\"a\":1}\n{\"b\":2}\n", sse.NDJSON},
		{"one line", "application/x-ndjson", "{\"a\":1}\n", sse.NDJSON},
		{"one unfinished line", "application/x-ndjson", "{\"a\":", sse.NDJSON},
		{"lines labelled JSON", "application/json", "{\"a\":1}\n{\"b\":2}", sse.NDJSON},
		{"lines labelled text", "text/plain", "{\"a\":1}\n{\"b\":2}", sse.NDJSON},
		{"no lines", "application/x-ndjson", "", sse.NDJSON},
		{"long JSON", "application/json", long, sse.Whole},
		{"long line", "application/x-ndjson", long, sse.NDJSON},
		{"text", "text/plain; charset=utf-8", "Internal Server Error", sse.Whole},
		{"text with a colon", "text/plain", "database: gone", sse.Whole},
		{"broken label", "text/event-stream; charset", "", sse.EventStream},
		{"nothing at all", "", "", sse.Whole},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := sse.FormatOf(test.contentType, []byte(test.head)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
