package watch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/offline"
	"github.com/exodeck/exodeck/score/watch"
)

// What is asked, through two APIs, and answers to it.
const (
	schema     = `{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}`
	question   = `{"model":"m","messages":[{"role":"user","content":"High water in Vigo?"}],"max_tokens":99,"temperature":0`
	ask        = question + `,"tools":[{"type":"function","function":{"name":"get_tide","parameters":` + schema + `}}]}`
	askStream  = question + `,"stream":true,"tools":[{"type":"function","function":{"name":"get_tide","parameters":` + schema + `}}]}`
	askClaude  = question + `,"tools":[{"name":"get_tide","input_schema":` + schema + `}]}`
	usage      = `"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}`
	called     = `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get_tide","arguments":"{\"port\":\"Vigo\"}"}}]},"finish_reason":"tool_calls"}],` + usage + `}`
	claudeSaid = `{"type":"message","role":"assistant","content":[{"type":"text","text":"At noon."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":5}}`
)

// said is a whole answer with a text.
func said(text string) string {
	return fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],%s}`, text, usage)
}

// streamed is a stream with a text and a count of tokens.
func streamed(text string, tokens int) string {
	return fmt.Sprintf(`data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, text) + "\n\n" +
		fmt.Sprintf(`data: {"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}}`, tokens, 9+tokens) + "\n\n" +
		"data: [DONE]\n\n"
}

// exchanged is a request with its answer.
type exchanged struct {
	url, request, answer string
}

func chat(answer string) exchanged { return exchanged{"/v1/chat/completions", ask, answer} }
func stream(answer string) exchanged {
	return exchanged{"/v1/chat/completions", askStream, answer}
}
func claude(answer string) exchanged { return exchanged{"/v1/messages", askClaude, answer} }

// watchRecording records exchanges with a watcher beside the recorder, and returns what it told, each "SEQ CODE", its totals, and the tape.
func watchRecording(t *testing.T, all []exchanged) (list []string, totals watch.Totals, path string) {
	t.Helper()
	ctx := t.Context()
	path = filepath.Join(t.TempDir(), "test.tape")
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := tape.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	session, err := recorder.StartSession(ctx, tape.Session{Name: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	var l told
	w := watch.Start(ctx, opened, conformance.New(conformance.Rules{}), l.tell)
	for _, x := range all {
		r := session.Begin(tape.Start{Started: time.Now(), Method: "POST", URL: x.url, Proto: "HTTP/1.1"})
		r.RequestBody([]byte(x.request))
		r.RequestEnd(nil)
		kind := "application/json"
		if strings.HasPrefix(x.answer, "data:") {
			kind = "text/event-stream"
		}
		r.ResponseHead(200, "", true, "HTTP/1.1", map[string][]string{"Content-Type": {kind}}, time.Millisecond)
		r.ResponseBody([]byte(x.answer), 2*time.Millisecond)
		r.End(tape.Complete, "", nil, 3*time.Millisecond)
		w.Ended(record.Event{Ref: r.Ref(), API: tape.OpenAI}) // any API of models
	}
	totals = w.Stop(time.Minute)
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	return l.list, totals, path
}

// scored judges the recording afterwards.
func scored(t *testing.T, path string) (list []string, res *offline.Result) {
	t.Helper()
	opened, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if res, err = offline.Run(context.Background(), opened, offline.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	for r, err := range res.Reports() {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Problems {
			list = append(list, fmt.Sprintf("%d %s", r.Seq, p.Code))
		}
	}
	return list, res
}

// TestComparesAsItHappens: what is told while recording is what the score of the recording says, whatever comes first.
func TestComparesAsItHappens(t *testing.T) {
	faro := func(x exchanged) exchanged {
		x.request = strings.Replace(x.request, "Vigo", "Faro", 1)
		return x
	}
	random := chat(said("At one."))
	random.request = strings.Replace(random.request, `"temperature":0`, `"temperature":1`, 1)
	all := []exchanged{
		stream(streamed("At noon", 5)), // 1: unlike 3, which comes later
		chat(empty),                    // 2: wrong by itself, and unlike all others
		chat(said("At noon.")),
		stream(streamed("At noon.", 6)), // 4: like 3, but for its count
		stream(streamed("At one.", 5)),  // 5: unlike all whole answers
		claude(claudeSaid),              // 6: like 3
		faro(chat(called)),              // 7: another question
		faro(claude(claudeSaid)),        // 8: unlike 7
		random,                          // 9: not to be compared
	}
	backwards := slices.Delete(slices.Clone(all), 5, 6)
	slices.Reverse(backwards)
	for _, tt := range []struct {
		name string
		all  []exchanged
		want []string
	}{
		{"as written", all, []string{"1 stream-mismatch", "2 empty-answer", "4 usage-mismatch", "5 stream-mismatch", "8 api-mismatch"}},
		{"backwards", backwards, []string{"3 api-mismatch", "4 stream-mismatch", "5 usage-mismatch", "7 empty-answer", "8 stream-mismatch"}},
		{"two problems of one, one later", []exchanged{claude(claudeSaid), stream(streamed("At two.", 5)), chat(said("At one."))}, []string{"2 api-mismatch", "2 stream-mismatch"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, totals, path := watchRecording(t, tt.all)
			slices.Sort(got)
			list, res := scored(t, path)
			slices.Sort(list)
			if diff := cmp.Diff(list, got); diff != "" {
				t.Errorf("told (-score +watch):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(watch.Totals{Judged: res.Exchanges, Failing: res.Failing, Problems: res.Summary}, totals); diff != "" {
				t.Errorf("totals (-score +watch):\n%s", diff)
			}
		})
	}
}

// TestToldStaysTold: a whole answer like the stream takes back what another one brought up, but not what was told.
func TestToldStaysTold(t *testing.T) {
	got, totals, path := watchRecording(t, []exchanged{stream(streamed("At one.", 5)), chat(said("At noon.")), chat(said("At one."))})
	list, _ := scored(t, path)
	if !slices.Equal(got, []string{"1 stream-mismatch"}) || len(list) != 0 || totals.Failing != 1 {
		t.Errorf("told %q, the score has %q; %d failing", got, list, totals.Failing)
	}
}

// TestComparedIsGone: an exchange that is no longer on the tape when a later answer brings something up is counted.
func TestComparedIsGone(t *testing.T) {
	d := &deck{}
	d.put(1, empty, tape.Complete)
	d.put(2, claudeSaid, tape.Complete)
	d.exchanges[ref(2)].Facts.API = tape.Claude
	for _, tt := range []struct {
		name string
		gone bool
		want []string
	}{
		{"there", false, []string{"1 empty-answer", "1 api-mismatch"}},
		{"gone", true, []string{"1 empty-answer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l told
				w := watch.Start(t.Context(), d, conformance.New(conformance.Rules{}), l.tell)
				w.Ended(ended(1))
				synctest.Wait()
				if tt.gone {
					delete(d.exchanges, ref(1))
				}
				w.Ended(ended(2))
				got := w.Stop(time.Minute)
				if diff := cmp.Diff(tt.want, l.list); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				if (got.Unread == 1) != tt.gone || got.Failing != 1 {
					t.Errorf("got %+v", got)
				}
				if tt.gone && !strings.HasPrefix(fmt.Sprint(got.LastError), "comparing s1/1 with a later answer: ") {
					t.Errorf("the error is %v", got.LastError)
				}
			})
		})
	}
}
