package har_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/har"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// TestExport: an archive holds what was asked for, without secrets, and says how much of both there was.
func TestExport(t *testing.T) {
	const secret = "sk-of-the-harbour-master-0123456789"
	c := read(t, `{"request":{"method":"POST","url":"/v1/chat/completions","headers":{"Authorization":["Bearer `+secret+`"]},"body":{"model":"m"}},"response":{"status":200,"body":{}}}
{"request":{"method":"GET","url":"/state"},"response":{"status":200,"body":{}}}
`)
	var text bytes.Buffer
	done, err := har.Export(t.Context(), &text, c, cassette.ExportOptions{
		Fallback: "harbour", Redact: &redact.Rules{}, Keep: func(x *tape.Exchange) bool { return x.Request.Method == "POST" },
	}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), secret) || !strings.Contains(text.String(), "[redacted:") || strings.Contains(text.String(), "/state") {
		t.Errorf("written:\n%s", text.String())
	}
	if done.Exchanges != 1 || done.Secrets != 1 {
		t.Errorf("%+v", done)
	}
}
