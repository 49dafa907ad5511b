package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
)

// item is an answer, and what was expected.
type item struct {
	ID           string            `json:"id"`
	Expected     string            `json:"expected"`
	Call         *bugreports.Call  `json:"expected_call"`
	Function     string            `json:"expected_function"`
	Keys         []string          `json:"required_arg_keys"`
	Offered      string            `json:"offered"`
	Content      string            `json:"content"`
	ToolCalls    []bugreports.Call `json:"tool_calls"`
	FinishReason json.RawMessage   `json:"finish_reason"`
	Status       int               `json:"status"`
	End          string            `json:"end"`
	Verdict      string            `json:"verdict"`

	// again is what is answered when the item is asked for the second time; nil when that is the same.
	again *item
}

// answer is the body that the server gives for an item.
func (i *item) answer() string {
	finish := string(i.FinishReason)
	calls := []any{}
	for n, c := range i.ToolCalls {
		arguments, _ := json.Marshal(c.Arguments) // it was JSON
		calls = append(calls, map[string]any{"id": fmt.Sprintf("call_%d", n+1), "type": "function", "function": map[string]any{"name": c.Name, "arguments": string(arguments)}})
	}
	message := map[string]any{"role": "assistant", "content": i.Content}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	switch {
	case finish != "":
	case len(calls) > 0:
		finish = `"tool_calls"`
	default:
		finish = `"stop"`
	}
	text, _ := json.Marshal(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "demo/model-a",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": json.RawMessage(finish)}},
		"usage":   map[string]int{"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52},
	})
	return string(text)
}

// asking is what the user says: it tells the server which item is meant.
func (i *item) asking() string { return "Question " + i.ID + "?" }

// scenario is the item as a scenario. All of them offer the same tools.
func (i *item) scenario() string {
	text := fmt.Sprintf("[[scenarios]]\nname = %q\ndescription = \"as reported\"\nexpect_tool_call = %v\nmessages = [{role = \"user\", content = %q}]\n", i.ID, i.Expected != "no_call", i.asking())
	if name := i.function(); name != "" {
		text += fmt.Sprintf("expected_function = %q\n", name)
	}
	if len(i.Keys) > 0 {
		text += fmt.Sprintf("required_arg_keys = [%q]\n", strings.Join(i.Keys, `", "`))
	}
	return text + "\n"
}

// function is the name of the function that is expected, as it was offered.
func (i *item) function() string {
	switch {
	case i.Offered != "":
		return i.Offered
	case i.Call != nil:
		return i.Call.Name
	}
	return i.Function
}

// asked are items that were recorded.
type asked struct {
	url             string
	tape, scenarios string // paths
}

// askItems asks the items of a server, as scenarios, and records that. get_tide is offered, and any function that is expected.
func askItems(t *testing.T, items []item, flags ...string) asked {
	t.Helper()
	var times sync.Map // the items that were asked before
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) != 1 {
			t.Errorf("asked %+v, %v", q, err)
			return
		}
		for _, i := range items {
			if i.again != nil && i.asking() == q.Messages[0].Content {
				if _, before := times.Swap(i.ID, true); before {
					i = *i.again
				}
			}
			switch {
			case i.asking() != q.Messages[0].Content:
			case i.End == "client-timeout":
				<-r.Context().Done()
			case i.Status >= 300:
				w.WriteHeader(i.Status)
			default:
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, i.answer())
			}
		}
	}))
	t.Cleanup(server.Close)
	names := []string{"get_tide"}
	text := ""
	for _, i := range items {
		if name := i.function(); name != "" && name != "get_tide" && len(names) == 1 {
			names = append(names, name)
		}
		text += i.scenario()
	}
	for _, name := range names {
		text = fmt.Sprintf("[tools.%s]\ndescription = \"Tide table for a port\"\nrequired = [\"port\"]\n[tools.%s.properties.port]\ntype = \"string\"\n\n", name, name) + text
	}
	dir := t.TempDir()
	a := asked{server.URL, filepath.Join(dir, "run.tape"), filepath.Join(dir, "scenarios.toml")}
	if err := os.WriteFile(a.scenarios, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	args := []string{"run", "exo", "--no-instance", "--host", host, "--port", port, "--model", "demo/model-a", "--api", "openai",
		"--scenarios-file", a.scenarios, "--tape", a.tape, "--json-out", filepath.Join(dir, "run.json")}
	if slices.ContainsFunc(items, func(i item) bool { return i.End == "client-timeout" }) {
		args = append(args, "--timeout", "1")
	}
	status, out, stderr := exodeck(t.Context(), t, append(args, flags...)...)
	if status > 1 {
		t.Fatalf("asking: exit status %d\n%s%s", status, out, stderr)
	}
	return a
}

// scored is what score exo says.
type scored struct {
	status       int
	passed       map[string]bool
	checks       map[string]map[string]bool
	text, stderr string // of the format text
	json, junit  string
}

// scoreItems scores the recording in several formats, each of them twice.
func scoreItems(t *testing.T, a asked) scored {
	t.Helper()
	var s scored
	formats := map[string]string{}
	for _, format := range []string{"text", "json", "junit", "md", "github"} {
		args := []string{"score", "exo", "--tape", a.tape, "--scenarios-file", a.scenarios, "--format", format}
		status, out, stderr := exodeck(t.Context(), t, args...)
		if again, twice, _ := exodeck(t.Context(), t, args...); again != status || twice != out {
			t.Errorf("%s is another the second time:\n%s", format, cmp.Diff(out, twice))
		}
		formats[format], s.status = out, status
		if format == "text" {
			s.stderr = stderr
		}
	}
	s.text, s.json, s.junit = formats["text"], formats["json"], formats["junit"]
	var file struct {
		Results []struct {
			Name   string
			Passed bool
			Checks map[string]bool
		}
	}
	if err := json.Unmarshal([]byte(s.json), &file); err != nil {
		t.Fatalf("%v:\n%s", err, s.json)
	}
	s.passed, s.checks = map[string]bool{}, map[string]map[string]bool{}
	for _, r := range file.Results {
		s.passed[r.Name], s.checks[r.Name] = r.Passed, r.Checks
	}
	return s
}

// judgedItems is what score conformance says: the verdict on the calls of each exchange, its codes, and the text.
func judgedItems(t *testing.T, a asked) (calls []string, codes [][]string, text string) {
	t.Helper()
	_, out, _ := exodeck(t.Context(), t, "score", "conformance", "--tape", a.tape, "--format", "json")
	_, text, _ = exodeck(t.Context(), t, "score", "conformance", "--tape", a.tape)
	var result struct{ Exchanges []caseVerdict }
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, x := range result.Exchanges {
		calls, codes = append(calls, x.Calls), append(codes, x.codes())
	}
	return calls, codes, text
}

// has checks that a report says something.
func has(t *testing.T, report string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(report, text) {
			t.Errorf("%q is not in\n%s", text, report)
		}
	}
}

// passFails is the "pass" and "fail" of a case as booleans.
func passFails(want map[string]string) map[string]bool {
	passed := map[string]bool{}
	for id, word := range want {
		passed[id] = word == "pass"
	}
	return passed
}

// accurate takes the accuracy out of what a case expects, and leaves the items.
func accurate(want map[string]string) (map[string]bool, string) {
	accuracy := want["accuracy"]
	delete(want, "accuracy")
	return passFails(want), accuracy
}
