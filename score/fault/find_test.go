package fault_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/exodeck/exodeck/score/fault"
)

// recording is a tape in memory.
type recording struct {
	exchanges []*tape.Exchange
	bodies    map[[32]byte]string
}

func (r *recording) Exchange(_ context.Context, ref tape.Ref) (*tape.Exchange, error) {
	if ref.Seq < 1 || ref.Seq > int64(len(r.exchanges)) {
		return nil, tape.ErrNoExchange
	}
	return r.exchanges[ref.Seq-1], nil
}

func (r *recording) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(r.bodies[b.SHA256])), nil
}

func (r *recording) body(text string) tape.Body {
	sum := sha256.Sum256([]byte(text))
	r.bodies[sum] = text
	return tape.Body{Size: int64(len(text)), SHA256: sum}
}

// add records an exchange and returns its name.
func (r *recording) add(api tape.API, status int, contentType, request, response string) tape.Ref {
	ref := tape.Ref{Session: "s", Seq: int64(len(r.exchanges) + 1)}
	x := &tape.Exchange{Ref: ref, Ended: tape.Complete}
	x.Facts.API = api
	x.Request.Body = r.body(request)
	x.Response.Status, x.Response.Header = status, http.Header{"Content-Type": {contentType}}
	x.Response.Body = r.body(response)
	r.exchanges = append(r.exchanges, x)
	return ref
}

const (
	tools  = `"tools":[{"type":"function","function":{"name":"get_tide","parameters":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}}}]`
	asked  = `{"model":"m","messages":[{"role":"user","content":"When is high tide in Vigo?"}],"max_tokens":64,"temperature":0,` + tools + `}`
	used   = `"usage":{"prompt_tokens":20,"completion_tokens":64,"total_tokens":84}`
	usage  = `"usage":{"prompt_tokens":20,"completion_tokens":9,"total_tokens":29}`
	leaked = `<tool_call>\n{\"name\": \"get_tide\", \"arguments\": {\"port\": \"Vigo\"}}\n</tool_call>`
	event  = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
)

// chat is a whole answer.
func chat(message, finish string) string {
	return `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}],` + usage + `}`
}

func call(name string) string {
	return chat(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"`+name+`","arguments":"{\"port\":\"Vigo\"}"}}]}`, "tool_calls")
}

func text(s string) string { return chat(`{"role":"assistant","content":"`+s+`"}`, "stop") }

func TestFind(t *testing.T) {
	r := &recording{bodies: map[[32]byte]string{}}
	whole := func(status int, body string) []tape.Ref {
		return []tape.Ref{r.add(tape.OpenAI, status, "application/json", asked, body)}
	}
	wrong := whole(200, text("At noon, I think."))
	left := whole(200, text(leaked))
	named := whole(200, call("get_tide<|channel|>commentary"))
	empty := whole(200, `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`)
	died := whole(500, `{"error":{"message":"the runner died"}}`)
	refused := whole(404, `{"error":{"message":"No instance found for model m"}}`)
	cut := whole(200, strings.Replace(chat(`{"role":"assistant","content":"High tide is at"}`, "length"), usage, used, 1))
	limit := func(answer string) []tape.Ref {
		return whole(200, strings.NewReplacer(usage, used, `"tool_calls"}`, `"length"}`, `"stop"}`, `"length"}`).Replace(answer))
	}
	thinking, invented := limit(text("<think>Is it noon")), limit(call("fly"))
	inside := limit(strings.Replace(call("get_tide"), `Vigo\"}`, `Vi`, 1))
	streamed := []tape.Ref{r.add(tape.OpenAI, 200, "text/event-stream", strings.TrimSuffix(asked, "}")+`,"stream":true}`,
		fmt.Sprintf(event, `{"role":"assistant","content":"`+leaked+`"}`, "null")+fmt.Sprintf(event, "{}", `"stop"`)+"data: [DONE]\n\n")}
	broken := []tape.Ref{r.add(tape.OpenAI, 200, "text/event-stream", strings.TrimSuffix(asked, "}")+`,"stream":true}`,
		fmt.Sprintf(event, `{"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_tide","arguments":"{\"port\":\"Faro\"}"}}]}`, "null"))}
	right := whole(200, call("get_tide"))
	finish := whole(200, chat(`{"role":"assistant","content":"High tide is at noon."}`, "length")) // nine of 64 tokens are no limit
	other := []tape.Ref{r.add(tape.OpenAI, 200, "application/json", strings.Replace(asked, "Vigo", "Faro", 1), call("get_tide"))}
	free := []tape.Ref{r.add(tape.OpenAI, 200, "application/json", strings.Replace(asked, `"temperature":0`, `"temperature":1`, 1), text("At noon."))}
	freeRight := []tape.Ref{r.add(tape.OpenAI, 200, "application/json", strings.Replace(asked, `"temperature":0`, `"temperature":1`, 1), call("get_tide"))}
	thought := whole(200, text("<think>Noon?</think> At noon."))
	toolless := []tape.Ref{r.add(tape.OpenAI, 200, "application/json", strings.Replace(asked, ","+tools, "", 1), text("<think>Noon?</think> At noon."))}
	busy := whole(429, `{"error":{"message":"slow down"}}`)
	user := whole(200, text("<think>I am the user.</think> Thanks."))
	control := []tape.Ref{r.add(tape.Other, 200, "application/json", "", `{"instances":{}}`)}
	rollout := append(append(append([]tape.Ref{}, whole(200, call("get_tide"))...), whole(200, text("<think>Noon?</think> At noon."))...), whole(200, text("<think>Done.</think> Done."))...)

	leak := func(exchange, exchanges int) []score.Problem {
		return []score.Problem{{Code: "leaked-markup-in-content", Severity: "error", Exchange: exchange, Exchanges: exchanges, Place: "response /choices/0/message/content"}}
	}
	withoutThoughts := func(x *reading.Exchange) string { return markup.WithoutReasoning(x.Answer.Text) }

	model := &score.Fault{Blame: "model", Evidence: []string{"the answer arrived whole, and any reader would read it as it was judged"}}
	tests := []struct {
		name   string
		sample fault.Sample
		passed []fault.Sample // asked the same
		want   *score.Fault
	}{
		{"a sample that passed has none", fault.Sample{Passed: true, Exchanges: left}, nil, nil},
		{"a clean answer is the model's", fault.Sample{Exchanges: wrong}, nil, model},
		{"a stream that broke off behind a call is the server's", fault.Sample{Exchanges: broken}, nil, &score.Fault{
			Blame: "server", Exchange: 1,
			Evidence: []string{"the stream broke off behind a finished call, so that the answer may lack what else was said"},
			Problems: []score.Problem{{Code: "truncated-stream", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response event 1 at byte 269"}},
		}},
		{"a call left in the text is the server's", fault.Sample{Exchanges: left}, nil, &score.Fault{
			Blame: "server", Exchange: 1,
			Evidence: []string{
				"leaked-markup-in-content: a well-formed call of get_tide (hermes) stands in the text",
				"call-in-content: a well-formed call of get_tide (hermes) stands in the text",
			},
			Problems: []score.Problem{
				{Code: "leaked-markup-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/content"},
				{Code: "call-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/content"},
			},
			Meant: []score.MeantCall{{Exchange: 1, Family: "hermes", From: "text", Name: "get_tide", Arguments: `{"port": "Vigo"}`}},
		}},
		{"what another API got right is the adapter's", fault.Sample{Exchanges: named, API: tape.OpenAI},
			[]fault.Sample{{API: tape.Responses, Stream: true}, {API: tape.Claude}, {API: tape.Ollama, Stream: true}}, &score.Fault{
				Blame: "adapter", Exchange: 1,
				Evidence: []string{
					"leaked-markup-in-name: without the markup the call is one of get_tide",
					"asked through claude, the same question was answered rightly",
				},
				Problems: []score.Problem{{Code: "leaked-markup-in-name", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/tool_calls/0 call 1"}},
				Meant:    []score.MeantCall{{Exchange: 1, Family: "harmony", From: "name", Name: "get_tide", Arguments: `{"port":"Vigo"}`}},
			}},
		{"the other mode is nearer than another API", fault.Sample{Exchanges: streamed, API: tape.OpenAI, Stream: true},
			[]fault.Sample{{API: tape.Claude, Stream: true}, {API: tape.OpenAI}}, &score.Fault{
				Blame: "adapter", Exchange: 1,
				Evidence: []string{
					"leaked-markup-in-content: a well-formed call of get_tide (hermes) stands in the text",
					"call-in-content: a well-formed call of get_tide (hermes) stands in the text",
					"asked for as a whole, the same question was answered rightly",
				},
				Problems: []score.Problem{
					{Code: "leaked-markup-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response event 1 at byte 0 /choices/0/delta/content"},
					{Code: "call-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response event 1 at byte 0 /choices/0/delta/content"},
				},
				Meant: []score.MeantCall{{Exchange: 1, Family: "hermes", From: "text", Name: "get_tide", Arguments: `{"port": "Vigo"}`}},
			}},
		{"a clean answer that another API gives otherwise is the adapter's", fault.Sample{Exchanges: wrong, API: tape.OpenAI},
			[]fault.Sample{{API: tape.Claude, Stream: true}}, &score.Fault{
				Blame: "adapter", Evidence: []string{"asked through claude and as a stream, the same question was answered rightly"},
			}},
		{"the same question in the same way says nothing", fault.Sample{Exchanges: wrong, API: tape.OpenAI},
			[]fault.Sample{{API: tape.OpenAI}}, model},
		{"nor does an answer that is wrong, too", fault.Sample{Exchanges: wrong, API: tape.OpenAI}, []fault.Sample{{API: tape.Claude, Exchanges: named}}, model},
		{"nor does another question", fault.Sample{Exchanges: wrong, API: tape.OpenAI}, []fault.Sample{{API: tape.Claude, Exchanges: other}}, model},
		{"nor one that asks for another answer each time", fault.Sample{Exchanges: free, API: tape.OpenAI},
			[]fault.Sample{{API: tape.Claude, Exchanges: freeRight}}, model},
		{"a whole answer that is called cut off is the adapter's", fault.Sample{Exchanges: finish, API: tape.OpenAI}, []fault.Sample{{API: tape.Claude}}, &score.Fault{
			Blame: "adapter", Evidence: []string{"asked through claude, the same question was answered rightly"},
		}},
		{"what was tried again does not count", fault.Sample{Exchanges: slices.Concat(busy, died, wrong)}, nil, &score.Fault{
			Blame: "model", Evidence: model.Evidence,
			Problems: []score.Problem{{Code: "http-error", Severity: "error", Exchange: 1, Exchanges: 2, Place: "response"}},
		}},
		{"what was tried in vain does", fault.Sample{Exchanges: slices.Concat(wrong, died, control)}, nil, &score.Fault{
			Blame: "server", Exchange: 2, Evidence: []string{"http-error is laid at the server as long as nothing more is known"},
			Problems: []score.Problem{{Code: "http-error", Severity: "error", Exchange: 2, Exchanges: 1, Place: "response"}},
		}},
		{"a model that plays the user is named", fault.Sample{Exchanges: slices.Concat(wrong, user), Played: user}, nil, &score.Fault{
			Blame: "server", Exchange: 2,
			Evidence: []string{
				"leaked-markup-in-content: no answer should have this markup, whatever the model wrote",
				"it is an answer of the model that plays the user",
			},
			Problems: []score.Problem{{Code: "leaked-markup-in-content", Severity: "error", Exchange: 2, Exchanges: 1, Place: "response /choices/0/message/content"}},
		}},
		{"markup that hides no call is not why it failed", fault.Sample{Exchanges: thought}, nil, &score.Fault{
			Blame: "model", Exchange: 1,
			Evidence: []string{
				"leaked-markup-in-content: no answer should have this markup, whatever the model wrote",
				"the markup hides no call",
			},
			Problems: leak(1, 1),
		}},
		{"nor is markup with which it fails all the same", fault.Sample{Exchanges: thought, Without: func() bool { return false }}, nil, &score.Fault{
			Blame: "model", Exchange: 1,
			Evidence: []string{
				"leaked-markup-in-content: no answer should have this markup, whatever the model wrote",
				"the markup hides no call, and the answer is wrong without it too",
			},
			Problems: leak(1, 1),
		}},
		{"without tools to call nothing tells", fault.Sample{Exchanges: toolless}, nil, &score.Fault{
			Blame: "server", Exchange: 1,
			Evidence: []string{"leaked-markup-in-content: no answer should have this markup, whatever the model wrote"},
			Problems: leak(1, 1),
		}},
		{"markup without which it passes is", fault.Sample{Exchanges: thought, Without: func() bool { return true }}, nil, &score.Fault{
			Blame: "server", Exchange: 1,
			Evidence: []string{"leaked-markup-in-content: no answer should have this markup, whatever the model wrote"},
			Problems: []score.Problem{{Code: "leaked-markup-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/content"}},
		}},
		{"a user who is cut off is none of the model's", fault.Sample{Exchanges: slices.Concat(cut, wrong), Played: cut}, nil, model},
		{"a dead server is no adapter", fault.Sample{Exchanges: died, API: tape.OpenAI}, []fault.Sample{{API: tape.Claude}}, &score.Fault{
			Blame: "server", Exchange: 1,
			Evidence: []string{"http-error is laid at the server as long as nothing more is known"},
			Problems: []score.Problem{{Code: "http-error", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response"}},
		}},
		{"a refusal is the client's", fault.Sample{Exchanges: refused}, nil, &score.Fault{
			Blame: "client", Exchange: 1, Evidence: []string{"http-error: status 404 says that the request was refused"},
			Problems: []score.Problem{{Code: "http-error", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response"}},
		}},
		{"a used-up budget is the model's, whoever passed", fault.Sample{Exchanges: cut, API: tape.OpenAI}, []fault.Sample{{API: tape.Claude}}, &score.Fault{
			Blame: "model", Budget: true, Exchange: 1, Evidence: []string{"the token limit was reached before the answer was over"},
		}},
		{"so it is in the middle", fault.Sample{Exchanges: slices.Concat(right, cut, wrong)}, nil, &score.Fault{
			Blame: "model", Budget: true, Exchange: 2, Evidence: []string{"the token limit was reached before the answer was over"},
		}},
		{"thinking that the limit ended", fault.Sample{Exchanges: thinking}, nil, &score.Fault{
			Blame: "model", Budget: true, Exchange: 1,
			Evidence: []string{
				"leaked-markup-in-content: no answer should have this markup, whatever the model wrote",
				"budget-exhausted: the limit was used up before an answer",
				"the markup hides no call",
				"the token limit was reached before the answer was over",
			},
			Problems: append(leak(1, 1), score.Problem{Code: "budget-exhausted", Severity: "warning", Exchange: 1, Exchanges: 1, Place: "response"}),
		}},
		{"a call that the limit cut", fault.Sample{Exchanges: inside}, nil, &score.Fault{
			Blame: "model", Budget: true, Exchange: 1,
			Evidence: []string{"arguments-truncated: the token limit was reached inside of the call", "budget-exhausted: the limit was used up before an answer"},
			Problems: []score.Problem{
				{Code: "arguments-truncated", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/tool_calls/0 call 1"},
				{Code: "budget-exhausted", Severity: "warning", Exchange: 1, Exchanges: 1, Place: "response"},
			},
		}},
		{"a tool that was made up is no matter of the limit", fault.Sample{Exchanges: invented}, nil, &score.Fault{
			Blame: "model", Exchange: 1,
			Evidence: []string{"unknown-tool: the call is well-formed, and its tool was not offered"},
			Problems: []score.Problem{{Code: "unknown-tool", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/tool_calls/0 call 1"}},
		}},
		{"an empty answer without counts is nobody's", fault.Sample{Exchanges: empty}, nil, &score.Fault{
			Blame: "unknown", Exchange: 1, Evidence: []string{"empty-answer: how much was generated is not told"},
			Problems: []score.Problem{
				{Code: "missing-usage", Severity: "warning", Exchange: 1, Exchanges: 1, Place: "response"},
				{Code: "empty-answer", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response"},
			},
		}},
		{"of a rollout that goes on with markup it is the first exchange that has it", fault.Sample{Exchanges: rollout}, nil, &score.Fault{
			Blame: "server", Exchange: 2,
			Evidence: []string{"leaked-markup-in-content: no answer should have this markup, whatever the model wrote"},
			Problems: leak(2, 2),
		}},
		{"one that goes on without it did not go wrong by it", fault.Sample{Exchanges: rollout, Takes: withoutThoughts}, nil, &score.Fault{
			Blame:    "model",
			Evidence: []string{"the markup in the text was taken off before the answer was judged, and nothing else is wrong with what arrived"},
			Problems: leak(2, 2),
		}},
		{"nor when something else went wrong", fault.Sample{Exchanges: slices.Concat(rollout, named), Takes: withoutThoughts}, nil, &score.Fault{
			Blame: "server", Exchange: 4,
			Evidence: []string{"leaked-markup-in-name: without the markup the call is one of get_tide"},
			Problems: []score.Problem{
				{Code: "leaked-markup-in-name", Severity: "error", Exchange: 4, Exchanges: 1, Place: "response /choices/0/message/tool_calls/0 call 1"},
				leak(2, 2)[0],
			},
			Meant: []score.MeantCall{{Exchange: 4, Family: "harmony", From: "name", Name: "get_tide", Arguments: `{"port":"Vigo"}`}},
		}},
		{"a lost call is none that is taken off", fault.Sample{Exchanges: left, Takes: func(*reading.Exchange) string { return "" }}, nil, &score.Fault{
			Blame: "server", Exchange: 1,
			Evidence: []string{
				"leaked-markup-in-content: a well-formed call of get_tide (hermes) stands in the text",
				"call-in-content: a well-formed call of get_tide (hermes) stands in the text",
			},
			Problems: []score.Problem{
				leak(1, 1)[0],
				{Code: "call-in-content", Severity: "error", Exchange: 1, Exchanges: 1, Place: "response /choices/0/message/content"},
			},
			Meant: []score.MeantCall{{Exchange: 1, Family: "hermes", From: "text", Name: "get_tide", Arguments: `{"port": "Vigo"}`}},
		}},
		{"one that took off something else went wrong by it", fault.Sample{Exchanges: rollout, Takes: func(x *reading.Exchange) string { return x.Answer.Text }}, nil, &score.Fault{
			Blame: "server", Exchange: 2,
			Evidence: []string{"leaked-markup-in-content: no answer should have this markup, whatever the model wrote"},
			Problems: leak(2, 2),
		}},
		{"no model was asked", fault.Sample{Exchanges: control}, nil, &score.Fault{
			Blame: "unknown", Evidence: []string{"no answer of a model is on the recording"},
		}},
		{"nothing was recorded", fault.Sample{}, nil, &score.Fault{
			Blame: "unknown", Evidence: []string{"no answer of a model is on the recording"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.sample.Name = "tide"
			samples := []fault.Sample{tt.sample}
			for _, p := range tt.passed {
				p.Passed, p.Name = true, "tide"
				if p.Exchanges == nil {
					p.Exchanges = right
				}
				samples = append(samples, p)
			}
			samples = append(samples, fault.Sample{Passed: true, Name: "another", API: tape.Ollama, Exchanges: right},
				fault.Sample{Passed: true, Name: "tide", API: tape.Ollama})
			got, err := fault.Find(t.Context(), r, samples)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(samples) {
				t.Fatalf("%d faults of %d samples", len(got), len(samples))
			}
			if got[0] != nil {
				for i := range got[0].Problems {
					if got[0].Problems[i].Detail == "" {
						t.Errorf("%s has no detail", got[0].Problems[i].Code)
					}
					got[0].Problems[i].Detail = "" // conformance's tests see to it
				}
			}
			if diff := cmp.Diff(tt.want, got[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindSaysWhatCannotBeRead(t *testing.T) {
	r := &recording{bodies: map[[32]byte]string{}}
	_, err := fault.Find(t.Context(), r, []fault.Sample{{Exchanges: []tape.Ref{{Session: "s", Seq: 9}}}})
	if err == nil || !strings.HasPrefix(err.Error(), "looking for the fault in exchange s/9: ") {
		t.Errorf("error %v", err)
	}
}

// TestVerdicts: what was not judged has no fault, and only what was judged to pass is held against a failure.
func TestVerdicts(t *testing.T) {
	r := &recording{bodies: map[[32]byte]string{}}
	named := []tape.Ref{r.add(tape.OpenAI, 200, "application/json", asked, call("get_tide<|channel|>commentary"))}
	verdict := func(api tape.API, phase string, repeat int, status score.Status, passed bool) score.Verdict {
		return score.Verdict{Sample: "tide", Phase: phase, API: api, Repeat: repeat, Status: status, Passed: passed, Exchanges: named}
	}
	verdicts := []score.Verdict{
		verdict(tape.OpenAI, "tool_call", 1, score.OK, false),
		verdict(tape.Claude, "tool_call", 1, score.OK, true),
		verdict(tape.OpenAI, "follow_up", 1, score.OK, false),
		verdict(tape.OpenAI, "tool_call", 2, score.OK, false),
		verdict(tape.Claude, "tool_call", 2, score.Missing, false),
	}
	right := []tape.Ref{r.add(tape.OpenAI, 200, "application/json", asked, call("get_tide"))}
	verdicts[1].Exchanges, verdicts[4].Exchanges = right, right
	if err := fault.Verdicts(t.Context(), r, verdicts); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range verdicts {
		if v.Fault == nil {
			got = append(got, "")
			continue
		}
		got = append(got, v.Fault.Blame)
	}
	if diff := cmp.Diff([]string{"adapter", "", "server", "server", ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDoubts: what passed by the checks of a suite is doubted where an agent would go wrong, and only there.
func TestDoubts(t *testing.T) {
	r := &recording{bodies: map[[32]byte]string{}}
	verdict := func(passed bool, exchanges ...tape.Ref) score.Verdict {
		return score.Verdict{Sample: "tide", Phase: "tool_call", API: tape.OpenAI, Repeat: 1, Status: score.OK, Passed: passed, Exchanges: exchanges}
	}
	add := func(body string) tape.Ref { return r.add(tape.OpenAI, 200, "application/json", asked, body) }
	clean, named, left := add(call("get_tide")), add(call("fly")), add(text(leaked))
	// The stream lacks its last event, which changes nothing of the call in it.
	protocol := r.add(tape.OpenAI, 200, "text/event-stream", strings.TrimSuffix(asked, "}")+`,"stream":true}`,
		fmt.Sprintf(event, `{"role":"assistant","content":"At noon."}`, "null")+fmt.Sprintf(event, "{}", `"stop"`))
	verdicts := []score.Verdict{verdict(true, clean), verdict(true, clean, named), verdict(true, protocol), verdict(false, left), verdict(true, left, named)}
	if err := fault.Verdicts(t.Context(), r, verdicts); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range verdicts {
		said := ""
		for _, p := range v.Doubts {
			said += fmt.Sprintf("%s in %d; ", p.Code, p.Exchange)
		}
		got = append(got, said)
	}
	if diff := cmp.Diff([]string{"", "unknown-tool in 2; ", "", "", "unknown-tool in 2; leaked-markup-in-content in 1; call-in-content in 1; "}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	gone := []score.Verdict{verdict(true, tape.Ref{Session: "s", Seq: 99})}
	if err := fault.Verdicts(t.Context(), r, gone); err == nil || !strings.Contains(err.Error(), "s/99") {
		t.Errorf("error %v", err)
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"At noon.":                                  "At noon.",
		"<think>Noon?</think>\n\n[f(a=1)]":          "[f(a=1)]",
		"a <think>b</think> c <think>d</think>e":    "a  c e",
		"<think>never ends [f(a=1)]":                "never ends [f(a=1)]",
		"Noon [1]?\n</think>\n\n[f(a=1)]":           "[f(a=1)]",
		"[THINK]Noon?[/THINK][f(a=1)]</s>":          "[f(a=1)]",
		"[f(a=1)]<|im_end|>\n<|im_start|>assistant": "[f(a=1)]\nassistant",
		"": "",
	} {
		if got := fault.Plain(text); got != want {
			t.Errorf("%q is plainly %q, want %q", text, got, want)
		}
	}
}

func ExampleFind() {
	r := &recording{bodies: map[[32]byte]string{}}
	answer := r.add(tape.OpenAI, 200, "application/json", asked, text(leaked))
	faults, err := fault.Find(context.Background(), r, []fault.Sample{{Exchanges: []tape.Ref{answer}}})
	if err != nil {
		panic(err)
	}
	for _, line := range faults[0].Lines([]tape.Ref{answer})[:2] {
		fmt.Println(line)
	}
	fmt.Println(faults[0].Kind())
	// Output:
	// blame server in s/1
	// error leaked-markup-in-content (response /choices/0/message/content): "<tool_call>" in "<tool_call>\n{\"name\": \"get_tide\", \"arguments\": {\"port\": \"Vigo\"}}\n</tool_call>"
	// server: leaked-markup-in-content, call-in-content
}
