package conformance_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/google/go-cmp/cmp"
)

// bodies is a source of nothing but bodies, by their digest.
type bodies map[[32]byte]string

func (b bodies) put(text string) tape.Body {
	digest := [32]byte{byte(len(b) + 1)}
	b[digest] = text
	return tape.Body{Size: int64(len(text)), SHA256: digest}
}

func (b bodies) Body(_ context.Context, body tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(b[body.SHA256])), nil
}

// paths has an endpoint of each API.
var paths = map[tape.API]string{
	tape.OpenAI: "/v1/chat/completions", tape.Claude: "/v1/messages", tape.Responses: "/v1/responses",
	tape.Ollama: "/ollama/api/chat", tape.OllamaGenerate: "/ollama/api/generate",
}

// sent is an exchange as a test writes it down.
type sent struct {
	api               tape.API
	request, response string
	status            int // 0 is 200; see [noResponse]
	header            http.Header
	ended             tape.Ended // "" is complete
	cause             string
	total             time.Duration
	pieces            []tape.Piece
}

// noResponse is the status of an exchange without a response.
const noResponse = -1

// inMode lets a request that does not say in which mode it wants its answer want that of the response.
func (s sent) inMode() sent {
	if wire.Streamed(s.api, s.header.Get("Content-Type"), []byte(s.response)) && !strings.Contains(s.request, `"stream":`) {
		s.request = strings.Replace(s.request, `{"`, `{"stream":true,"`, 1)
	}
	return s
}

// read makes the exchange that a tape would hand out.
func (s sent) read(t testing.TB) *reading.Exchange {
	t.Helper()
	s = s.inMode()
	src := bodies{}
	x := &tape.Exchange{
		Ref:      tape.Ref{Session: "s", Seq: 1},
		Request:  tape.Request{Method: "POST", URL: paths[s.api], Body: src.put(s.request)},
		Response: tape.Response{Status: s.status, Header: s.header, Body: src.put(s.response)},
		Ended:    s.ended, Cause: s.cause, Total: s.total, Pieces: s.pieces,
		Facts: tape.Facts{API: s.api},
	}
	switch {
	case s.status == noResponse:
		x.Response.Status = 0
	case s.status == 0 && s.ended != tape.UpstreamError:
		x.Response.Status = 200
	}
	if s.ended == "" {
		x.Ended = tape.Complete
	}
	r, err := reading.Of(t.Context(), src, x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// corpusCase is one case of golden/bugreports.
type corpusCase struct {
	ID, Kind, API string
	Stream        bool
	NearMiss      bool `json:"near_miss"`
	Request       json.RawMessage
	Response      corpusResponse
	NonStream     *corpusResponse `json:"response_nonstream"`
	Expect        struct {
		Problems     []string
		OK           *bool
		FinishReason *string `json:"finish_reason"`
		ToolCalls    []struct {
			ID        *string
			Name      string
			Arguments any
		} `json:"tool_calls"`
	}
}

type corpusResponse struct {
	Status  int
	Headers map[string]string
	SSE     string
	Body    json.RawMessage
	End     string
	Wire    struct {
		Chunks []struct {
			B64 string
			MS  float64
		}
	}
}

func (r *corpusResponse) body(t testing.TB) string {
	t.Helper()
	var text string
	switch {
	case len(r.Wire.Chunks) > 0:
		var all []byte
		for _, c := range r.Wire.Chunks {
			piece, err := base64.StdEncoding.DecodeString(c.B64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, piece...)
		}
		return string(all)
	case r.SSE != "":
		return r.SSE
	case string(r.Body) == "null" || json.Unmarshal(r.Body, &text) == nil:
		return text
	}
	return string(r.Body)
}

// exchange makes the exchange of a response, as the recorder would have it.
func (c *corpusCase) exchange(t testing.TB, r *corpusResponse) *reading.Exchange {
	t.Helper()
	s := sent{api: tape.API(c.API), request: string(c.Request), response: r.body(t), status: r.Status, header: http.Header{}}
	if c.API == "chat" {
		s.api = tape.OpenAI
	}
	if r == c.NonStream {
		s.request = strings.Replace(s.request, `"stream": true`, `"stream": false`, 1)
	}
	for k, v := range r.Headers {
		s.header.Set(k, v)
	}
	switch r.End {
	case "client-closed":
		s.ended, s.cause = tape.ClientGone, "context canceled"
	case "client-timeout": // the recorder sees that the client left after a long time without an event
		s.ended, s.cause, s.total = tape.ClientGone, "context canceled", time.Minute
		s.pieces = []tape.Piece{{Offset: 0, At: time.Second}}
	}
	return s.read(t)
}

// corpus calls f with each case of the corpus that has an exchange, and returns how many there are of each kind.
func corpus(t *testing.T, f func(t *testing.T, c *corpusCase)) map[string]int {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "golden", "bugreports"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c corpusCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if c.Kind != "wire" && c.Kind != "record" && c.Kind != "score" || c.Response.Status == 0 {
			continue
		}
		counts[c.Kind]++
		t.Run(c.ID, func(t *testing.T) { f(t, &c) })
	}
	return counts
}

// TestCorpus judges all cases made after public bug reports: exactly the problems, calls and finish reason that are expected.
func TestCorpus(t *testing.T) {
	counts := corpus(t, func(t *testing.T, c *corpusCase) {
		judge := conformance.New(conformance.Rules{})
		x := c.exchange(t, &c.Response)
		report := judge.Exchange(x)
		if c.NonStream != nil {
			whole := c.exchange(t, c.NonStream)
			var pairs conformance.Pairs
			pairs.Add(0, x, report)
			pairs.Add(1, whole, judge.Exchange(whole))
			judge.Apply(report, pairs.Findings()[0])
		}
		checkCodes(t, c, report)
		checkUses(t, c, report)
	})
	if counts["wire"] != 96 {
		t.Errorf("%d wire cases", counts["wire"])
	}
}

func checkCodes(t *testing.T, c *corpusCase, r *conformance.Report) {
	t.Helper()
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Code)
	}
	want := slices.Sorted(slices.Values(c.Expect.Problems))
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s%+v", diff, r.Problems)
	}
}

func checkUses(t *testing.T, c *corpusCase, r *conformance.Report) {
	t.Helper()
	if diff := cmp.Diff(c.Expect.FinishReason, r.FinishReason); diff != "" {
		t.Errorf("finish reason (-want +got):\n%s", diff)
	}
	if len(r.ToolCalls) != len(c.Expect.ToolCalls) {
		t.Fatalf("%d calls, want %d", len(r.ToolCalls), len(c.Expect.ToolCalls))
	}
	for i, want := range c.Expect.ToolCalls {
		got := r.ToolCalls[i]
		var arguments any
		if err := json.Unmarshal(got.Arguments, &arguments); err != nil {
			t.Fatalf("arguments %s: %v", got.Arguments, err)
		}
		if diff := cmp.Diff([]any{want.ID, want.Name, want.Arguments}, []any{got.ID, got.Name, arguments}); diff != "" {
			t.Errorf("call %d (-want +got):\n%s", i, diff)
		}
	}
}
