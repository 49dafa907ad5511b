package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/server"
)

// redacted writes a cassette with one question whose member is taken out.
func redacted(t *testing.T, member, value, answer string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", member: value, "messages": []any{map[string]string{"role": "user", "content": "Who is " + value + "?"}}})
	if err != nil {
		t.Fatal(err)
	}
	src := hand(t, `{"request":{"method":"POST","url":"/v1/chat/completions","headers":{"Content-Type":["application/json"]},"body":`+string(body)+`},"response":{"status":200,"text":"`+answer+`"}}`)
	path, err := redact.ParsePath("$." + member)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := cassette.Export(t.Context(), &text, src, cassette.ExportOptions{Redact: &redact.Rules{JSON: []redact.Path{path}}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), value) {
		t.Fatalf("%s is in %s", value, text.String())
	}
	file := filepath.Join(t.TempDir(), member+".cassette.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// Cassettes that were redacted by different rules answer together what was asked with the real values.
func TestRedactedTogether(t *testing.T) {
	r, err := server.Open(t.Context(), redacted(t, "user", "Ada Lovelace", "first"), redacted(t, "team", "Analytical Engine", "second"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	matching, err := r.Matching(t.Context(), match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, base := serve(t, server.Config{Source: r, Match: matching})
	client := newClient(t)
	for _, tt := range []struct{ body, want string }{
		{`{"model":"m","team":"Analytical Engine","messages":[{"role":"user","content":"Who is Analytical Engine?"}]}`, "second"},
		{`{"model":"m","user":"Ada Lovelace","messages":[{"role":"user","content":"Who is Ada Lovelace?"}]}`, "first"},
	} {
		if got := ask(t, client, base, question{method: "POST", path: chatPath, body: tt.body}); got.Body != tt.want {
			t.Errorf("%s: %q, want %q", tt.body, got.Body, tt.want)
		}
	}
	if report := s.Report(); len(report.Missed) > 0 {
		t.Error(report.Missed[0])
	}
}

func TestOpenFails(t *testing.T) {
	good := redacted(t, "user", "Ada Lovelace", "first")
	if _, err := server.Open(t.Context(), good, filepath.Join(t.TempDir(), "none.tape")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none.tape") {
		t.Errorf("error %v", err)
	}
}
