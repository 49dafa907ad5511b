package search_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/search"
)

// report is one case of golden/bugreports, as far as an exchange by itself is concerned.
type report struct {
	ID, Kind, API string
	Request       json.RawMessage
	Response      struct {
		Status  int
		Headers map[string]string
		SSE     string
		Body    json.RawMessage
		End     string
		Wire    struct{ Chunks []struct{ B64 string } }
	}
	Expect struct{ Problems []string }
}

func (r *report) body(t *testing.T) []byte {
	t.Helper()
	var text string
	switch {
	case len(r.Response.Wire.Chunks) > 0:
		var all []byte
		for _, c := range r.Response.Wire.Chunks {
			piece, err := base64.StdEncoding.DecodeString(c.B64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, piece...)
		}
		return all
	case r.Response.SSE != "":
		return []byte(r.Response.SSE)
	case json.Unmarshal(r.Response.Body, &text) == nil:
		return []byte(text)
	}
	return r.Response.Body
}

// finer are the codes that a judge of more than one exchange at a time gives in place of ours.
var finer = map[string][]string{
	"arguments-not-json":   {"arguments-truncated", "arguments-concatenated", "arguments-not-json"},
	"arguments-not-object": {"arguments-double-encoded", "arguments-not-object"},
	"missing-done":         {"missing-done", "partial-final-event"},
	"malformed-event":      {"malformed-event", "partial-final-event"},
}

// TestBugReports: of cases made after public bug reports, those that must have a problem have it, and no others.
func TestBugReports(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "golden", "bugreports"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r report
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		body := r.body(t)
		if r.Kind != "wire" && r.Kind != "record" || len(body) == 0 || r.Response.Headers["content-encoding"] != "" {
			continue
		}
		if r.Response.End == "client-timeout" {
			continue // a tape does not tell it from a client that just leaves
		}
		cases++
		t.Run(r.ID, func(t *testing.T) {
			x := &tape.Exchange{Response: tape.Response{Status: r.Response.Status, Header: http.Header{}}, Ended: tape.Complete}
			if x.Facts.API = tape.API(r.API); r.API == "chat" {
				x.Facts.API = tape.OpenAI
			}
			for k, v := range r.Response.Headers {
				x.Response.Header.Set(k, v)
			}
			if r.Response.End != "" && r.Response.End != "eof" {
				x.Ended = tape.ClientGone
			}
			got := make(map[string]bool)
			for _, p := range search.Problems(reading.New(x, r.Request, body)) {
				got[p.Code] = true
				accepted := finer[p.Code]
				if accepted == nil {
					accepted = []string{p.Code}
				}
				if !slices.ContainsFunc(accepted, func(code string) bool { return slices.Contains(r.Expect.Problems, code) }) {
					t.Errorf("%s, which is not among %v", p.Code, r.Expect.Problems)
				}
			}
			for _, code := range r.Expect.Problems {
				ours := slices.ContainsFunc(search.Codes, func(c search.Code) bool { return c.Name == code })
				if ours && !got[code] {
					t.Errorf("%s is missing among %v", code, got)
				}
			}
		})
	}
	if cases != 108 {
		t.Errorf("%d cases", cases)
	}
}
