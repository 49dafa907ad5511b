package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/google/go-cmp/cmp"
)

// report is one case of golden/bugreports, as far as the normal form is concerned.
type report struct {
	ID, Kind, API string
	Stream        bool
	Request       json.RawMessage
	Response      struct {
		Status  int
		Headers map[string]string
		SSE     string
		Body    json.RawMessage
		Wire    struct {
			Chunks []struct {
				B64 string
			}
		}
	}
	Expect struct {
		Problems     []string
		FinishReason any `json:"finish_reason"`
		ToolCalls    []struct {
			ID, Name  any
			Arguments any
		} `json:"tool_calls"`
	}
}

// body returns the bytes of the response.
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

// noteCodes says which notes are the evidence of a problem code of the protocol, by API where it matters.
var noteCodes = map[string][]wire.NoteKind{
	"null-delta-field":      {wire.NoteNull},
	"index-missing":         {wire.NoteIndexMissing},
	"index-gap":             {wire.NoteIndexGap},
	"index-reused":          {wire.NoteIndexReused},
	"duplicate-block-index": {wire.NoteDuplicateBlock},
	"overlapping-blocks":    {wire.NoteOverlap},
	"unclosed-block":        {wire.NoteUnclosed},
	"output-order-mismatch": {wire.NoteOrder},
	"snapshot-mismatch":     {wire.NoteSnapshot},
	"call-id-changed":       {wire.NoteCallID},
	"wrong-object-type":     {wire.NoteWrongObject},
	"invalid-utf8":          {wire.NoteInvalidUTF8},
	"partial-final-event":   {wire.NoteNoBlankLine},
}

// TestBugReports checks that calls and finish reason of cases made after public bug reports are read as they must be, and that the
// normal form holds the evidence of what is wrong with the protocol: all of it, and no other.
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
		if r.Kind != "wire" && r.Kind != "record" {
			continue
		}
		api := tape.API(r.API)
		if r.API == "chat" {
			api = tape.OpenAI
		}
		body := r.body(t)
		if len(body) == 0 || r.Response.Headers["content-encoding"] != "" {
			continue // what is recorded matters there, not how it reads
		}
		cases++
		t.Run(r.ID, func(t *testing.T) {
			stream := wire.Streamed(api, r.Response.Headers["content-type"], body)
			a, err := wire.ParseResponse(api, stream, strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			checkReport(t, &r, a)
			if _, err := wire.ParseRequest(api, r.Request); err != nil {
				t.Error(err)
			}
		})
	}
	if cases != 109 {
		t.Errorf("%d cases", cases)
	}
}

func checkReport(t *testing.T, r *report, a *wire.Answer) {
	if a.Stream != r.Stream && r.Response.Status == 200 && a.Error == nil {
		t.Errorf("stream is %v, want %v", a.Stream, r.Stream)
	}
	if len(a.Malformed) == 0 && (slices.Contains(r.Expect.Problems, "malformed-event") || slices.Contains(r.Expect.Problems, "body-not-json")) {
		t.Error("nothing is malformed")
	}
	var reason any
	if a.FinishReason != nil {
		reason = *a.FinishReason
	}
	if diff := cmp.Diff(r.Expect.FinishReason, reason); diff != "" {
		t.Errorf("finish reason (-want +got):\n%s", diff)
	}
	if len(a.ToolCalls) != len(r.Expect.ToolCalls) {
		t.Fatalf("%d calls, want %d: %s", len(a.ToolCalls), len(r.Expect.ToolCalls), a.Normalized())
	}
	for i, want := range r.Expect.ToolCalls {
		got := a.ToolCalls[i]
		var id any
		if got.HasID {
			id = got.ID
		}
		var arguments any = map[string]any{}
		if got.Arguments != "" && json.Unmarshal([]byte(got.Arguments), &arguments) != nil {
			arguments = got.Arguments
		}
		if diff := cmp.Diff([]any{want.ID, want.Name, want.Arguments}, []any{id, got.Name, arguments}); diff != "" {
			t.Errorf("call %d (-want +got):\n%s", i, diff)
		}
	}
	for code, kinds := range noteCodes {
		noted := slices.ContainsFunc(a.Notes, func(n wire.Note) bool { return slices.Contains(kinds, n.Kind) })
		if expected := slices.Contains(r.Expect.Problems, code); expected != noted {
			t.Errorf("evidence of %s: %v, want %v; notes %+v", code, noted, expected, a.Notes)
		}
	}
}
