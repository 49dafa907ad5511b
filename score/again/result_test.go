package again_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/again"
	"github.com/exodeck/exodeck/score/conformance"
)

const tideTool = `{"type":"function","function":{"name":"get_tide","parameters":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"],"additionalProperties":false}}}`

// answered is a whole Chat answer, or with another status what came in its place.
type answered struct {
	text, call string // the call is of get_tide, with these arguments
	finish     string
	status     int
}

// recording has the answers, each to a question of its own.
func recording(t *testing.T, answers ...answered) *cassette.Cassette {
	t.Helper()
	var lines strings.Builder
	for i, a := range answers {
		message := map[string]any{"role": "assistant", "content": a.text}
		if a.call != "" {
			message["tool_calls"] = []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "get_tide", "arguments": a.call}}}
		}
		body, err := json.Marshal(map[string]any{
			"object": "chat.completion", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish}},
			"usage": map[string]any{"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52},
		})
		if err != nil {
			t.Fatal(err)
		}
		status := 200
		if a.status != 0 {
			status, body = a.status, []byte(`{"error":{"message":"gone"}}`)
		}
		fmt.Fprintf(&lines, `{"seq":%d,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Question %d"}],"tools":[%s]}},`+
			`"response":{"status":%d,"headers":{"Content-Type":["application/json"]},"body":%s},"ended":"complete"}`+"\n", i+1, i+1, tideTool, status, body)
	}
	c, err := cassette.Read(strings.NewReader(lines.String()), "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// quote is a text as JSON.
func quote(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func compare(t *testing.T, reference, now []answered) *again.Result {
	t.Helper()
	var pairs []again.Pair
	for i := range reference {
		ref := tape.Ref{Session: "s1", Seq: int64(i + 1)}
		pairs = append(pairs, again.Pair{Reference: ref, Now: ref})
	}
	got, err := again.Compare(t.Context(), recording(t, reference...), recording(t, now...), pairs, conformance.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

var (
	right   = answered{call: `{"port":"Vigo"}`, finish: "tool_calls"}
	misfit  = answered{call: `{"prt":"Vigo"}`, finish: "tool_calls"}
	stopped = answered{call: `{"prt":"Vigo"}`, finish: "stop"}
	leaked  = answered{text: `<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`, finish: "stop"}
	said    = answered{text: "High tide is at six.", finish: "stop"}
	cut     = answered{text: "High tide", finish: "length"}
	failed  = answered{status: 500}
)

// A base taken from the finish reason hides calls that were left in the text: both bases are shown.
func TestRates(t *testing.T) {
	got := compare(t, []answered{right, right, right, right}, []answered{right, leaked, stopped, cut})
	want := again.Rates{SchemaAccuracy: again.Share{Right: 1, Of: 1}, RightOfAttempted: again.Share{Right: 1, Of: 3}, Attempted: again.Share{Right: 3, Of: 4}}
	if diff := cmp.Diff(want, got.Now); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
}

func TestTrigger(t *testing.T) {
	got := compare(t,
		[]answered{right, right, right, said, said, said, right},
		[]answered{right, misfit, said, right, said, cut, failed})
	if want := 6; got.Compared != want {
		t.Errorf("compared %d, want %d: the failed one says nothing", got.Compared, want)
	}
	twoThirds := 2. / 3
	want := again.Trigger{Both: 2, New: 1, Reference: 1, Neither: 2, Precision: &twoThirds, Recall: &twoThirds, F1: &twoThirds}
	if diff := cmp.Diff(want, got.Trigger, cmp.Transformer("rounded", func(f float64) string { return fmt.Sprintf("%.9f", f) })); diff != "" {
		t.Errorf("trigger (-want +got):\n%s", diff)
	}
	if want := (again.Share{Right: 2, Of: 3}); got.Now.SchemaAccuracy != want {
		t.Errorf("schema accuracy is %v, want %v", got.Now.SchemaAccuracy, want)
	}
}

func TestChanges(t *testing.T) {
	got := compare(t, []answered{right, leaked, said, right, leaked}, []answered{leaked, right, said, failed, stopped})
	want := []string{
		"1 failed 1: gone [], new [leaked-markup-in-content call-in-content]",
		"2 ok 2: gone [leaked-markup-in-content call-in-content], new []",
		"4 not_judged 4: gone [], new [http-error]",
		"5 failed 5: gone [leaked-markup-in-content call-in-content], new [finish-reason-mismatch missing-required extra-property]",
	}
	var changes []string
	for _, c := range got.Changes {
		changes = append(changes, fmt.Sprintf("%d %s %d: gone %v, new %v", c.Reference.Seq, c.Now.Calls, c.Now.Seq, c.Gone, c.New))
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if got.Asked != 5 || got.Worse != 2 || got.Better != 1 {
		t.Errorf("asked %d, worse %d, better %d; want 5, 2, 1", got.Asked, got.Worse, got.Better)
	}
}

// TestRules: what the rules leave out is no change and makes no verdict worse, but an answer that failed altogether is worse by any. The
// figures stay what they are.
func TestRules(t *testing.T) {
	before, after := recording(t, right, right, right), recording(t, misfit, leaked, failed)
	var pairs []again.Pair
	for i := range 3 {
		ref := tape.Ref{Session: "s1", Seq: int64(i + 1)}
		pairs = append(pairs, again.Pair{Reference: ref, Now: ref})
	}
	all, err := again.Compare(t.Context(), before, after, pairs, conformance.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	some, err := again.Compare(t.Context(), before, after, pairs, conformance.Rules{Only: []string{"call-in-content"}})
	if err != nil {
		t.Fatal(err)
	}
	if all.Worse != 3 || some.Worse != 2 || len(some.Changes) != 2 || strings.Join(some.Changes[0].New, " ") != "call-in-content" {
		t.Errorf("by all rules %d got worse; by some %d: %+v", all.Worse, some.Worse, some.Changes)
	}
	some.Changes, some.Worse = all.Changes, all.Worse
	if diff := cmp.Diff(all, some); diff != "" {
		t.Errorf("figures (-by all rules +by some):\n%s", diff)
	}
}

// Where nobody calls there is no figure, not the worst one.
func TestTriggerWithoutCalls(t *testing.T) {
	got := compare(t, []answered{said, cut}, []answered{said, said}).Trigger
	if diff := cmp.Diff(again.Trigger{Neither: 2}, got); diff != "" {
		t.Errorf("trigger (-want +got):\n%s", diff)
	}
}

// The same answers change nothing.
func TestSame(t *testing.T) {
	all := []answered{right, leaked, stopped, said, cut, failed, misfit}
	got := compare(t, all, all)
	if len(got.Changes) != 0 || got.Worse != 0 || got.Better != 0 || got.Trigger.F1 == nil || *got.Trigger.F1 != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestSharedScore is the case of the base of schema accuracy.
func TestSharedScore(t *testing.T) {
	var vector struct {
		Input []struct {
			FinishReason string `json:"finish_reason"`
			Content      string `json:"content"`
			ToolCalls    []struct {
				Arguments json.RawMessage `json:"arguments"`
			} `json:"tool_calls"`
		} `json:"score_input"`
		Expect struct {
			Score struct {
				Schema    string `json:"schema_accuracy_by_finish_reason"`
				Right     string `json:"right_of_attempted"`
				Triggered string `json:"triggered_of_all"`
			}
		}
	}
	if err := json.Unmarshal(shared.Read(t, "golden/bugreports/162-score-denominator-not-by-finish-reason.json"), &vector); err != nil {
		t.Fatal(err)
	}
	var answers []answered
	for _, in := range vector.Input {
		a := answered{text: in.Content, finish: in.FinishReason}
		if len(in.ToolCalls) > 0 {
			a.call = string(in.ToolCalls[0].Arguments)
		}
		answers = append(answers, a)
	}
	got := compare(t, answers, answers).Now
	written := func(s again.Share) string { return fmt.Sprintf("%d/%d", s.Right, s.Of) }
	want := []string{vector.Expect.Score.Schema, vector.Expect.Score.Right, vector.Expect.Score.Triggered}
	if diff := cmp.Diff(want, []string{written(got.SchemaAccuracy), written(got.RightOfAttempted), written(got.Attempted)}); diff != "" {
		t.Errorf("schema accuracy, right of attempted, attempted (-want +got):\n%s", diff)
	}
}
