package pairs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/cassettetest"
	"github.com/exodeck/exodeck/replay/cassette/pairs"
)

const log = `{"id":"tide-1","request":{"model":"m", "messages":[]},"response":{"id":"1","choices":[{"message":{"content":"At nine."}}]}}

{"request":{"model":"m","stream":true,"messages":[]},"response":[{"choices":[{"delta":{"content":"At "}}]},{"choices": [{"delta":{"content":"nine."},"finish_reason":"stop"}]}]}
{"custom_id":"x","request":{"model":"m","input":"Hi"},"response":[{"type":"response.completed","response":{"status":"completed"}}]}
{"url":"/bench/chat/completions","status":503,"request":{"model":"m"},"response":{"error":{"message":"busy"}}}
{"request":{"model":"m"},"response":"data: {}\n\n"}
`

func Example() {
	c, err := pairs.Read(strings.NewReader(log), "log.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	for x := range c.Exchanges(context.Background(), tape.Query{}) {
		fmt.Println(x.Request.URL, x.Response.Status, x.Facts.API, x.Facts.Stream, x.Labels)
	}
	// Output:
	// /v1/chat/completions 200 openai false map[sample:tide-1]
	// /v1/chat/completions 200 openai true map[]
	// /v1/responses 200 responses true map[sample:x]
	// /bench/chat/completions 503 openai false map[]
	// /v1/chat/completions 200 openai true map[]
}

func TestBodies(t *testing.T) {
	c, err := pairs.Read(strings.NewReader(log), "log.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for x, err := range c.Entries(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(x.RequestBody), string(x.ResponseBody))
	}
	want := []string{
		`{"model":"m", "messages":[]}`, `{"id":"1","choices":[{"message":{"content":"At nine."}}]}`,
		`{"model":"m","stream":true,"messages":[]}`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"At \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"nine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		`{"model":"m","input":"Hi"}`, "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
		`{"model":"m"}`, `{"error":{"message":"busy"}}`, `{"model":"m"}`, "data: {}\n\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "\n", "reading pairs of requests and responses from x.jsonl: there is no exchange in it"},
		{"no JSON", "{}\nx", "line 1: \"request\" is no object"},
		{"no response", `{"request":{}}`, `line 1: "response" is missing`},
		{"a number", `{"request":{},"response":1}`, "neither an object, a list of chunks"},
		{"a key twice", `{"request":{},"request":{},"response":{}}`, "duplicate"},
		{"a status that is none", `{"status":1000,"request":{},"response":{}}`, "1000 is no status"},
		{"broken off", `{"request":{},"response":{`, "line 1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pairs.Read(strings.NewReader(tt.text), "x.jsonl")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzRead: what can be read has whole exchanges, and is a cassette.
func FuzzRead(f *testing.F) {
	f.Add(log)
	for line := range strings.Lines(log) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := pairs.Read(strings.NewReader(text), "fuzz.jsonl")
		if err != nil {
			return
		}
		for x, err := range c.Entries(t.Context(), tape.Query{}) {
			if err != nil || len(x.RequestBody) == 0 {
				t.Errorf("%v: %+v", err, x)
			}
		}
		cassettetest.ExportsTheSame(t, c)
	})
}
