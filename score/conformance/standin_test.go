package conformance_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// TestStandin asks the stand-in server over HTTP what clients ask: whole and streamed, through each API, for text and for calls. Nothing is
// wrong but what exo's formats always have wrong, and no verdict on calls fails.
func TestStandin(t *testing.T) {
	found := make(map[string]bool)
	calls := standin.Calls{
		Calls: []standin.Call{{ID: "c1", Name: "get_tide", Arguments: `{"port": "Vigo"}`}},
		Usage: &standin.Usage{Prompt: 9, Completion: 5, Total: 14},
	}
	for name, reply := range map[string]standin.Reply{
		"text": standin.Say("High tide is at nine."),
		"thought, text and a call": {Steps: []standin.Step{
			standin.Token{Text: "Which port?", Thinking: true}, standin.Token{Text: "Let me look."}, calls,
		}},
		"a call": {Steps: []standin.Step{calls}},
	} {
		srv := standin.New(standin.Options{Script: standin.Always(reply)})
		if err := srv.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		for api, request := range map[tape.API]string{
			tape.OpenAI:    ask(withTools + `,"stream":%v`),
			tape.Claude:    ask(`,"max_tokens":100,"stream":%v,"tools":[{"name":"get_tide","input_schema":` + tideSchema + `}]`),
			tape.Responses: `{"model":"m","input":"High water in Vigo?","stream":%v,"tools":[{"type":"function","name":"get_tide","parameters":` + tideSchema + `}]}`,
			tape.Ollama:    ask(withTools + `,"stream":%v`),
		} {
			for _, stream := range []bool{false, true} {
				request := strings.Replace(fmt.Sprintf(request, stream), `"m"`, `"`+standin.DefaultModel+`"`, 1)
				resp, err := http.Post(srv.URL()+paths[api], "application/json", strings.NewReader(request))
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				r := conformance.New(conformance.Rules{}).Exchange(sent{API: api, Request: request, Response: string(body), Status: resp.StatusCode, Header: resp.Header}.Read(t))
				if r.Stream != stream || r.Calls != conformance.OK {
					t.Errorf("%s through %s, stream %v: calls %s: %+v", name, api, r.Stream, r.Calls, r.Problems)
				}
				for _, p := range r.Problems {
					found[fmt.Sprintf("%s %v %s", api, stream, p.Code)] = true
				}
			}
		}
		http.DefaultClient.CloseIdleConnections()
		srv.Close()
	}
	want := []string{
		"claude true duplicate-block-index", "claude true overlapping-blocks", "ollama false nonstandard-done-reason", "ollama true nonstandard-done-reason",
		"openai true wrong-object-type", "responses true output-order-mismatch",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
