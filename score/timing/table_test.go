package timing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/timing"
)

// The events of a stream, as exo sends them.
const (
	keepAlive = ": keep-alive\n\n"
	prefill   = ": prefill_progress {\"PrefillProgressChunk\":{\"processed_tokens\":5,\"total_tokens\":9}}\n\n"
	word      = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"ebb "}}]}` + "\n\n"
	stats     = `: generation_stats {"prompt_tps":200.5,"generation_tps":40.25,"prompt_tokens":9,"generation_tokens":3}` + "\n\n"
	last      = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}` + "\n\n"
	done      = "data: [DONE]\n\n"
)

// piece is a part of a stream and when it came, in milliseconds.
type piece struct {
	text string
	at   float64
}

// streamed writes a line of a cassette: a streamed answer.
func streamed(seq int, ended tape.Ended, pieces ...piece) string {
	var body strings.Builder
	var arrivals []string
	for _, p := range pieces {
		arrivals = append(arrivals, fmt.Sprintf("[%d,%.3f]", body.Len(), p.at))
		body.WriteString(p.text)
	}
	text, _ := json.Marshal(body.String())
	total := pieces[len(pieces)-1].at
	return fmt.Sprintf(`{"seq":%d,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","stream":true,"messages":[]}},`+
		`"response":{"status":200,"headers":{"Content-Type":["text/event-stream"]},"text":%s},"timing":{"ttfb_ms":%.3f,"total_ms":%.3f,"pieces":[%s]},"ended":%q}`+"\n",
		seq, text, pieces[0].at, total, strings.Join(arrivals, ","), ended)
}

// whole writes a line of a cassette: an answer that is not streamed.
func whole(seq int, status int, response string, ms float64) string {
	return fmt.Sprintf(`{"seq":%d,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[]}},`+
		`"response":{"status":%d,"headers":{"Content-Type":["application/json"]},"body":%s},"timing":{"ttfb_ms":%.3f,"total_ms":%.3f},"ended":"complete"}`+"\n",
		seq, status, response, ms, ms)
}

func answer(promptTokens int) string {
	return fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ebb"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":1,"total_tokens":%d}}`, promptTokens, promptTokens+1)
}

func one(n int64, v float64) *timing.Quantiles {
	return &timing.Quantiles{Count: n, Median: v, P90: v, P99: v}
}

func TestOf(t *testing.T) {
	// Three tokens: the first after 100 ms, the others within 50 ms of it.
	stream := streamed(1, tape.Complete, piece{keepAlive, 2}, piece{prefill, 60}, piece{word, 100}, piece{word, 120}, piece{word + stats + last + done, 150})
	streamFacts := timing.Group{
		Model: "m", API: tape.OpenAI, Stream: true, Prompt: "to 256", Exchanges: 1,
		FirstPiece: one(1, 2), FirstToken: one(1, 100), Gap: &timing.Quantiles{Count: 2, Median: 20, P90: 30, P99: 30},
		ReportedPrompt: one(1, 200.5), Reported: one(1, 40.25), Measured: one(1, 40),
	}
	for _, test := range []struct {
		name     string
		cassette string
		want     timing.Table
	}{
		{"stream", stream, timing.Table{Groups: []timing.Group{streamFacts}}},
		{
			"an event that comes in two pieces is there with the second",
			streamed(1, tape.Complete, piece{keepAlive + word[:20], 5}, piece{word[20:], 40}, piece{last + done, 45}),
			timing.Table{Groups: []timing.Group{{
				Model: "m", API: tape.OpenAI, Stream: true, Prompt: "unknown", Exchanges: 1,
				FirstPiece: one(1, 5), FirstToken: one(1, 40), Gap: one(1, 5),
			}}},
		},
		{
			"a client that leaves at the end marker has the whole answer",
			strings.Replace(stream, `"ended":"complete"`, `"ended":"client_gone"`, 1),
			timing.Table{Groups: []timing.Group{streamFacts}},
		},
		{
			"a burst has no rate",
			streamed(1, tape.Complete, piece{keepAlive, 2}, piece{word, 100}, piece{word + stats + last + done, 104.999}),
			timing.Table{Groups: []timing.Group{{
				Model: "m", API: tape.OpenAI, Stream: true, Prompt: "to 256", Exchanges: 1,
				FirstPiece: one(1, 2), FirstToken: one(1, 100), Gap: one(1, 4.999), ReportedPrompt: one(1, 200.5), Reported: one(1, 40.25),
			}}},
		},
		{
			"the shortest time that has a rate",
			streamed(1, tape.Complete, piece{keepAlive, 2}, piece{word, 100}, piece{word + stats + last + done, 105}),
			timing.Table{Groups: []timing.Group{{
				Model: "m", API: tape.OpenAI, Stream: true, Prompt: "to 256", Exchanges: 1,
				FirstPiece: one(1, 2), FirstToken: one(1, 100), Gap: one(1, 5), ReportedPrompt: one(1, 200.5), Reported: one(1, 40.25), Measured: one(1, 400),
			}}},
		},
		{
			"whole answers have no pieces to time",
			whole(1, 200, answer(300), 80),
			timing.Table{Groups: []timing.Group{{Model: "m", API: tape.OpenAI, Prompt: "to 1k", Exchanges: 1, FirstPiece: one(1, 80)}}},
		},
		{
			"groups by size, whole before streamed",
			stream + whole(2, 200, answer(70000), 90) + whole(3, 200, answer(256), 10) + whole(4, 200, answer(257), 30) + whole(5, 200, answer(65536), 50),
			timing.Table{Groups: []timing.Group{
				{Model: "m", API: tape.OpenAI, Prompt: "to 256", Exchanges: 1, FirstPiece: one(1, 10)},
				{Model: "m", API: tape.OpenAI, Prompt: "to 1k", Exchanges: 1, FirstPiece: one(1, 30)},
				{Model: "m", API: tape.OpenAI, Prompt: "to 64k", Exchanges: 1, FirstPiece: one(1, 50)},
				{Model: "m", API: tape.OpenAI, Prompt: "over 64k", Exchanges: 1, FirstPiece: one(1, 90)},
				streamFacts,
			}},
		},
		{
			"no whole answer: broken off, an error, without end",
			streamed(1, tape.ClientGone, piece{word, 5}) + whole(2, 500, `{"error":{"message":"gone"}}`, 5) + streamed(3, tape.Complete, piece{word, 5}) + whole(4, 200, `{"error":{"message":"gone"}}`, 5),
			timing.Table{Groups: []timing.Group{}, LeftOut: 4},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := tableOf(t, test.cassette)
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

// control is an exchange that asks no model.
const control = `{"seq":2,"session":"s1","started":"2026-03-04T05:06:08Z","request":{"method":"GET","url":"/models"},` +
	`"response":{"status":200,"headers":{"Content-Type":["application/json"]},"body":{"data":[]}},"timing":{"ttfb_ms":1,"total_ms":2},"ended":"complete"}` + "\n"

// flying is a recording of which one exchange has not ended yet.
type flying struct {
	timing.Source
	seq int64
}

func (f flying) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for x, err := range f.Source.Exchanges(ctx, q) {
			if err == nil && x.Seq == f.seq {
				x.Ended = tape.InFlight
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// TestOfOthers: what asks no model, and what is still under way, is neither measured nor counted as left out.
func TestOfOthers(t *testing.T) {
	c, err := cassette.Read(strings.NewReader(whole(1, 200, answer(300), 80)+control+whole(3, 200, answer(300), 90)), "test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := timing.Of(t.Context(), flying{c, 3}, tape.Query{})
	if err != nil {
		t.Fatal(err)
	}
	want := &timing.Table{Groups: []timing.Group{{Model: "m", API: tape.OpenAI, Prompt: "to 1k", Exchanges: 1, FirstPiece: one(1, 80)}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// Ranks are counted over all answers: of 1 to 100 ms the 90th is 90 ms, however they were recorded.
func TestPercentiles(t *testing.T) {
	var lines strings.Builder
	for i := range 100 {
		lines.WriteString(whole(i+1, 200, answer(1), float64(i*37%100+1)))
	}
	got := tableOf(t, lines.String()).Groups[0].FirstPiece
	if diff := cmp.Diff(&timing.Quantiles{Count: 100, Median: 50, P90: 90, P99: 99}, got); diff != "" {
		t.Errorf("quantiles (-want +got):\n%s", diff)
	}
}

func tableOf(t *testing.T, lines string) *timing.Table {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(lines), "test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := timing.Of(t.Context(), c, tape.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
