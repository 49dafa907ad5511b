package conformance_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

var update = flag.Bool("update", false, "rewrite golden files with what was found")

// exoFaults says for each code in the golden list why exo's answers do have it. A code that is not here has not been reviewed.
var exoFaults = map[string]string{
	"arguments-empty":          "the model's empty arguments are passed on as they are",
	"arguments-not-json":       "the model's arguments are passed on as they are, Python's NaN among them",
	"arguments-not-object":     "the model's arguments are passed on as they are",
	"arguments-truncated":      "the model's arguments are passed on as they are",
	"arguments-wrong-encoding": "Ollama: arguments that are no JSON object are passed on as a string",
	"body-not-json":            "a failure while a whole answer is generated is status 200 and no bytes",
	"budget-exhausted":         "the limit came while the model was thinking",
	"duplicate-block-index":    "Claude: an answer of calls alone gets an empty text block, at index 0 once more",
	"duplicate-call-id":        "ids that the model gives are passed on as they are",
	"empty-answer":             "Responses says completed after a failure, Ollama generate drops calls; else the model said nothing",
	"finish-reason-mismatch":   "an empty list of calls is announced as calls",
	"leaked-markup-in-content": "markup that no parser took stays in the text",
	"leaked-markup-in-error":   "a call that cannot be parsed is the text of the error",
	"leaked-markup-in-name":    "harmony's recipient is not cleaned",
	"missing-finish-reason":    "a failure, or an end without a reason, is not told in Claude's and in whole answers",
	"missing-usage":            "usage is on the last token alone; it is lost when that never came",
	"nonstandard-done-reason":  "Ollama: done_reason is tool_call",
	"output-order-mismatch":    "Responses: the final output lists the message before calls that came first",
	"overlapping-blocks":       "Claude: text and thinking are stopped after the calls that follow them",
	"replacement-char":         "tokens that were decoded one by one, and half surrogate pairs in arguments, which are passed on as they are",
	"stray-delta":              "thinking that goes on after text is sent to the block that was stopped",
	"stream-error-event":       "errors inside of streams",
	"truncated-stream":         "a stream that is closed without a finish just ends; so does Ollama's after a last chunk of reasoning",
	"wrong-object-type":        "chat.completion in chunks",
}

// TestGoldenWire judges all answers that exo's own adapters made. What is found is in a list that was reviewed line by line: everything
// in it is a fault of the answer, and nothing else is.
func TestGoldenWire(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "golden", "exo", "wire"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	judge := conformance.New(conformance.Rules{})
	groups := make(map[string][]string) // cases by API, mode and codes
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Case, Endpoint, API, Raw string
			Stream                   bool
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s := sent{API: tape.API(c.API), Response: c.Raw, Header: http.Header{"Content-Type": {"application/json"}}}
		if c.Endpoint != "" {
			s.API = tape.FamilyOf("POST", c.Endpoint)
		}
		mode := "whole"
		if c.Stream {
			mode = "stream"
			s.Header.Set("Content-Type", "text/event-stream; charset=utf-8")
			if s.API == tape.Ollama || s.API == tape.OllamaGenerate {
				s.Header.Set("Content-Type", "application/x-ndjson")
			}
		}
		r := judge.Exchange(s.Read(t))
		for _, p := range r.Problems {
			if exoFaults[p.Code] == "" {
				t.Errorf("%s: %s was not reviewed: %s", filepath.Base(file), p.Code, p.Detail)
			}
		}
		codes := codesOf(r)
		if codes == "" {
			codes = "nothing"
		}
		key := fmt.Sprintf("%s %s: %s", s.API, mode, codes)
		groups[key] = append(groups[key], c.Case)
	}
	if len(files) != 632 {
		t.Errorf("%d files", len(files))
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "%s\n", key)
		for _, c := range slices.Sorted(slices.Values(groups[key])) {
			fmt.Fprintf(&b, "\t%s\n", c)
		}
	}
	golden := filepath.Join("testdata", "golden_wire.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("golden list (-want +got), rewritten by -update:\n%s", diff)
	}
}
