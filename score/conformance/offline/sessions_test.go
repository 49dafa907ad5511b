package offline_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

// TestSDKSessions judges what the official SDKs and a stand-in for exo said to each other: agents at work, whole and streamed, with
// reasoning, parallel calls, pictures, strict schemas, markup in arguments, every tool_choice. Nothing is wrong with the calls, and
// nothing else but what exo's formats always have wrong:
//
//   - Chat Completions: chunks say chat.completion
//   - Claude: a stream of calls alone gets an empty text block at index 0 once more; reasoning and text before calls are closed too late; a
//     stream tells of 0 tokens of input, which is seen where the whole answer was had, too, and must be the same
//   - Responses: the final output lists the message before calls that came first
//   - Ollama: the reason for calls is tool_call
func TestSDKSessions(t *testing.T) {
	want := map[string][]string{
		"claude_python": {
			"1 stream of calls: duplicate-block-index", "2 stream of calls: overlapping-blocks", "7 stream of calls: usage-mismatch duplicate-block-index",
			"2 stream of text: ", "8 stream of text: usage-mismatch", "10 whole of calls: ", "10 whole of text: ",
		},
		"ollama_javascript": {
			"10 stream of calls: nonstandard-done-reason", "10 stream of text: ", "10 whole of calls: nonstandard-done-reason", "10 whole of text: ",
		},
		"openai_python": {
			"10 stream of calls: wrong-object-type", "10 stream of text: wrong-object-type", "10 whole of calls: ", "10 whole of text: ",
		},
		"responses_javascript": {
			"1 stream of calls: ", "9 stream of calls: output-order-mismatch", "10 stream of text: ", "10 whole of calls: ", "10 whole of text: ",
		},
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "fixtures", "cassettes", "sdk", "*.cassette.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	for _, file := range files {
		tape, err := cassette.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tape.Close() })
		name := strings.TrimSuffix(filepath.Base(file), ".cassette.jsonl")
		counts := make(map[string]int)
		for r, err := range run(t, tape, offline.Options{}).Reports() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Calls != conformance.OK {
				t.Errorf("%s, exchange %d: calls %s: %+v", name, r.Seq, r.Calls, r.Problems)
			}
			mode, kind := "whole", "text"
			if r.Stream {
				mode = "stream"
			}
			if len(r.ToolCalls) > 0 {
				kind = "calls"
			}
			counts[fmt.Sprintf("%s of %s: %s", mode, kind, codesOf(r))]++
		}
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			got[name] = append(got[name], fmt.Sprintf("%d %s", counts[key], key))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exchanges by what is wrong with them (-want +got):\n%s", diff)
	}
}
