package wire_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/google/go-cmp/cmp"
)

// reading is what is compared between the APIs.
type reading struct {
	Text, Reasoning string
	Calls           []string // name and arguments
	Finish          wire.Finish
	Complete        bool
	Error           string
}

var standinPaths = map[tape.API]string{
	tape.OpenAI: "/v1/chat/completions", tape.Claude: "/v1/messages", tape.Responses: "/v1/responses", tape.Ollama: "/ollama/api/chat",
}

// TestStandin asks the stand-in server the same of every API, whole and streamed, and compares what is read with what was scripted.
// The stand-in writes its bodies itself.
func TestStandin(t *testing.T) {
	thought := standin.Token{Text: "Which harbour?", Thinking: true}
	for _, test := range []struct {
		name  string
		reply standin.Reply
		want  reading
	}{
		{"text", standin.Say("High tide is at nine."), reading{Text: "High tide is at nine.", Finish: wire.FinishStop, Complete: true}},
		{"reasoning and text", standin.Reply{Steps: []standin.Step{thought, standin.Token{Text: "Nine.", Finish: standin.Stop}}},
			reading{Text: "Nine.", Reasoning: "Which harbour?", Finish: wire.FinishStop, Complete: true}},
		{"reasoning, text and calls", standin.Reply{Steps: []standin.Step{thought, standin.Token{Text: "Let me look."}, standin.Calls{Calls: []standin.Call{
			{ID: "c1", Name: "get_tide", Arguments: `{"harbour": "Whitby", "days": 2}`}, {ID: "c2", Name: "list_harbours", Arguments: `{}`},
		}}}}, reading{
			Text: "Let me look.", Reasoning: "Which harbour?", Calls: []string{`get_tide {"harbour": "Whitby", "days": 2}`, "list_harbours {}"},
			Finish: wire.FinishToolCalls, Complete: true,
		}},
	} {
		srv := startStandin(t, test.reply)
		for api, path := range standinPaths {
			for _, stream := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/stream=%v", test.name, api, stream), func(t *testing.T) {
					if diff := cmp.Diff(test.want, ask(t, api, srv.URL()+path, stream)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

// TestStandinFailure shows what is left of a failed generation: each API tells it in its own way, or not at all.
func TestStandinFailure(t *testing.T) {
	srv := startStandin(t, standin.Reply{Steps: []standin.Step{standin.Token{Text: "Half"}, standin.Failure{Message: "runner died"}}})
	for api, want := range map[tape.API]reading{
		tape.OpenAI:    {Text: "Half", Complete: true, Error: "error_chunk: runner died"},
		tape.Claude:    {Text: "Half", Complete: true},
		tape.Responses: {Text: "Half", Complete: true, Finish: wire.FinishStop},
		tape.Ollama:    {Text: "Half", Complete: true, Finish: wire.FinishError, Error: "error_chunk: runner died"},
	} {
		t.Run(string(api), func(t *testing.T) {
			if diff := cmp.Diff(want, ask(t, api, srv.URL()+standinPaths[api], true)); diff != "" {
				t.Errorf("streamed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(reading{Error: "exception: "}, ask(t, api, srv.URL()+standinPaths[api], false)); diff != "" {
				t.Errorf("whole (-want +got):\n%s", diff)
			}
		})
	}
}

func startStandin(t *testing.T, reply standin.Reply) *standin.Server {
	t.Helper()
	srv := standin.New(standin.Options{Script: standin.Always(reply)})
	if err := srv.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return srv
}

// ask posts a question and reads the answer in the way its own headers ask for.
func ask(t *testing.T, api tape.API, url string, stream bool) reading {
	t.Helper()
	question := `"messages":[{"role":"user","content":"When is high tide?"}]`
	if api == tape.Responses {
		question = `"input":"When is high tide?"`
	}
	resp, err := http.Post(url, "application/json", strings.NewReader(
		fmt.Sprintf(`{"model":%q,"max_tokens":100,"stream":%v,%s}`, standin.DefaultModel, stream, question)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := wire.Streamed(api, resp.Header.Get("Content-Type"), nil); got != stream {
		t.Errorf("streamed is %v for the Content-Type %q", got, resp.Header.Get("Content-Type"))
	}
	a, err := wire.ParseResponse(api, stream, resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Unknown)+len(a.Malformed) > 0 {
		t.Errorf("unknown %v, malformed %v", a.Unknown, a.Malformed)
	}
	got := reading{Text: a.Text, Reasoning: a.Reasoning, Finish: a.Finish, Complete: a.Complete}
	for _, c := range a.ToolCalls {
		got.Calls = append(got.Calls, c.Name+" "+c.Arguments)
	}
	if a.Error != nil {
		got.Error = string(a.Error.Kind) + ": "
		if a.Error.Message != nil {
			got.Error += *a.Error.Message
		}
	}
	return got
}
