package conformance_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/conformancetest"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

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
	s := sent{API: tape.API(c.API), Request: string(c.Request), Response: r.body(t), Status: r.Status, Header: http.Header{}}
	if c.API == "chat" {
		s.API = tape.OpenAI
	}
	if r == c.NonStream {
		s.Request = strings.Replace(s.Request, `"stream": true`, `"stream": false`, 1)
	}
	for k, v := range r.Headers {
		s.Header.Set(k, v)
	}
	switch r.End {
	case "client-closed":
		s.Ended, s.Cause = tape.ClientGone, "context canceled"
	case "client-timeout": // the recorder sees that the client left after a long time without an event
		s.Ended, s.Cause, s.Total = tape.ClientGone, "context canceled", time.Minute
		s.Pieces = []tape.Piece{{Offset: 0, At: time.Second}}
	}
	return s.Read(t)
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
			var both pairs.Pairs
			both.Add(0, pairs.AnswerOf(x, report))
			both.Add(1, pairs.AnswerOf(whole, judge.Exchange(whole)))
			judge.Apply(report, both.Findings()[0])
		}
		checkCodes(t, c, report)
		checkUses(t, c, report)
	})
	if counts["wire"] != 96 {
		t.Errorf("%d wire cases", counts["wire"])
	}
}

// TestOnly: rules that keep one code only tell of it what is told without them, of each case of the corpus and of our own.
func TestOnly(t *testing.T) {
	both := func(rules conformance.Rules, exchanges []*reading.Exchange) []*conformance.Report {
		judge := conformance.New(rules)
		var all pairs.Pairs
		var reports []*conformance.Report
		for i, x := range exchanges {
			reports = append(reports, judge.Exchange(x))
			all.Add(i, pairs.AnswerOf(x, reports[i]))
		}
		for i, found := range all.Findings() {
			judge.Apply(reports[i], found)
		}
		return reports
	}
	check := func(t *testing.T, exchanges ...*reading.Exchange) {
		t.Helper()
		full := both(conformance.Rules{}, exchanges)
		codes := []string{"api-mismatch", "missing-usage"} // also where they are not
		for _, r := range full {
			for _, p := range r.Problems {
				codes = append(codes, p.Code)
			}
		}
		for _, code := range codes {
			for i, only := range both(conformance.Rules{Only: []string{code}}, exchanges) {
				if diff := conformancetest.OnlyDiff(full[i], only, code); diff != "" {
					t.Errorf("exchange %d, only %s (-full +only):\n%s", i, code, diff)
				}
			}
		}
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.sent.Read(t)) })
	}
	corpus(t, func(t *testing.T, c *corpusCase) {
		exchanges := []*reading.Exchange{c.exchange(t, &c.Response)}
		if c.NonStream != nil {
			exchanges = append(exchanges, c.exchange(t, c.NonStream))
		}
		check(t, exchanges...)
	})
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
