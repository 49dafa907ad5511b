package cassette_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
)

// TestReplayRedacted: a redacted cassette, and a tape made of it, answer the requests with the real secrets, each with its own answer.
func TestReplayRedacted(t *testing.T) {
	const key, other = "sk-proj-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4", "sk-proj-QUJDREVGR0hJSktMTU5PUFFSU1RVVldY"
	bodies := []string{
		`{"model":"m","user":"Ada Lovelace","messages":[{"role":"user","content":"store ` + other + ` please"}]}`,
		`{"model":"m","user":"Ada Lovelace","messages":[{"role":"user","content":"use ` + key + ` for Ada Lovelace"}]}`,
		`{"model":"m","user":"Grace Hopper","messages":[{"role":"user","content":"no key"}]}`,
	}
	var session recordedSession
	session.Name = "s"
	for i, body := range bodies {
		session.exchanges = append(session.exchanges, recordedExchange{
			Start:   tape.Start{Method: "POST", URL: "/v1/chat/completions?q=" + key, Started: time.Unix(int64(i), 0), Header: http.Header{"Content-Type": {"application/json"}}},
			request: []byte(body), status: 200, header: http.Header{}, pieces: [][]byte{[]byte(`{"answer":` + string(rune('1'+i)) + `}`)}, at: []time.Duration{1}, ended: tape.Complete,
		})
	}
	path := filepath.Join(t.TempDir(), "a.tape")
	if err := record(t.Context(), path, []recordedSession{session}); err != nil {
		t.Fatal(err)
	}
	src := open(t, path)
	defer src.Close()
	user, err := redact.ParsePath("$.user")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	done, err := cassette.Export(t.Context(), &text, src, cassette.ExportOptions{Redact: &redact.Rules{JSON: []redact.Path{user}}})
	if err != nil {
		t.Fatal(err)
	}
	if done.Secrets != 4 {
		t.Errorf("%d secrets were found, want 4", done.Secrets)
	}
	for _, secret := range []string{key, other, "Ada Lovelace", "Grace Hopper"} {
		if strings.Contains(text.String(), secret) {
			t.Errorf("%s is in\n%s", secret, text.String())
		}
	}
	c, err := cassette.Read(&text, "redacted.cassette.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	imported := filepath.Join(t.TempDir(), "b.tape")
	if err := cassette.Import(t.Context(), c, imported); err != nil {
		t.Fatal(err)
	}
	again := open(t, imported)
	defer again.Close()
	for name, src := range map[string]cassette.Source{"cassette": c, "tape": again} {
		t.Run(name, func(t *testing.T) {
			options, err := cassette.Matching(t.Context(), src, match.Default())
			if err != nil {
				t.Fatal(err)
			}
			transport, err := replay.NewTransport(t.Context(), src, options)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: transport}
			for _, i := range []int{2, 1, 0} {
				resp, err := client.Post("http://exo/v1/chat/completions?q="+key, "application/json", strings.NewReader(bodies[i]))
				if err != nil {
					t.Fatal(err)
				}
				answer, err := io.ReadAll(resp.Body)
				if want := `{"answer":` + string(rune('1'+i)) + `}`; err != nil || string(answer) != want {
					t.Errorf("request %d got %s, want %s (%v)", i+1, answer, want, err)
				}
				resp.Body.Close()
			}
			if report := transport.Report(); report.Answered(match.Exact) != 3 {
				t.Errorf("%v", report)
			}
			// What it cannot answer it does not show either.
			_, err = client.Post("http://exo/v1/chat/completions?q="+key, "application/json", strings.NewReader(bodies[1]))
			miss, ok := errors.AsType[*match.Miss](err)
			if !ok || strings.Contains(miss.Error(), key) {
				t.Errorf("a request too many: %v", err)
			}
		})
	}
}
