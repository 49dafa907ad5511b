package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/score/scenario"
)

// askMain is a client that asks one question through every base URL the environment names, says what came, and exits as it was
// told to.
func askMain() {
	status := flag.Int("exit", 0, "exit status")
	key := flag.String("key", "", "a secret to send in every place that is for one")
	only := flag.String("only", "", "the one variable to use")
	flag.Parse()
	for _, q := range []struct{ name, path, body string }{
		{"OPENAI_BASE_URL", "/chat/completions", `{"model":%q,"messages":[{"role":"user","content":"Which ocean lies between Africa and Australia?"}]}`},
		{"ANTHROPIC_BASE_URL", "/v1/messages", `{"model":%q,"max_tokens":64,"messages":[{"role":"user","content":"Which ocean lies between Africa and Australia?"}]}`},
		{"OLLAMA_HOST", "/api/chat", `{"model":%q,"stream":false,"messages":[{"role":"user","content":"Which ocean lies between Africa and Australia?"}]}`},
		{"EXO_HOST", "/models", ""},
	} {
		if *only != "" && *only != q.name {
			continue
		}
		base := os.Getenv(q.name)
		if q.name == "EXO_HOST" {
			base = "http://" + net.JoinHostPort(base, os.Getenv("EXO_PORT"))
		}
		answer, err := post(base+q.path, q.body, *key)
		if err != nil {
			answer = err.Error()
		}
		fmt.Printf("%s %s\n", q.name, answer)
	}
	os.Exit(*status)
}

// post sends a question, or gets when there is none, and returns the status and the answer.
func post(url, body, key string) (string, error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
		body = fmt.Sprintf(body, standin.DefaultModel)
	}
	if key != "" {
		url += "?api_key=" + key
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Cookie", "session="+key)
		for _, name := range []string{"X-Api-Key", "Api-Key", "Proxy-Authorization", "X-Tenant"} {
			req.Header.Set(name, key)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.Status[:3] + " " + string(answer), err
}

// suiteMain is a client that is not exodeck: it asks the built-in scenarios of EXO_HOST:EXO_PORT without labels, with the keys
// of its requests in another order and with sampling options of its own.
func suiteMain() {
	stream := flag.String("stream", "off", "off, on or both")
	api := flag.String("api", "all", "as exodeck has it")
	flag.Parse()
	if err := askSuite(context.Background(), scenario.Stream(*stream), *api); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func askSuite(ctx context.Context, stream scenario.Stream, api string) error {
	file, err := scenario.Parse("built-in scenarios", fixtures.Scenarios)
	if err != nil {
		return err
	}
	apis, err := scenario.APIsOf(api)
	if err != nil {
		return err
	}
	suite := &scenario.Suite{
		Client:    foreign{http.DefaultTransport},
		BaseURL:   "http://" + net.JoinHostPort(os.Getenv("EXO_HOST"), os.Getenv("EXO_PORT")),
		Model:     standin.DefaultModel,
		APIs:      apis,
		Scenarios: file.Scenarios,
		Stream:    stream,
	}
	verdicts, err := suite.Run(ctx, nil)
	passed := 0
	for _, v := range verdicts {
		if v.Passed {
			passed++
		}
	}
	fmt.Printf("%d/%d passed\n", passed, len(verdicts))
	return err
}

// foreign turns requests of our own into those of another client.
type foreign struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (f foreign) RoundTrip(req *http.Request) (*http.Response, error) {
	var body map[string]any
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return nil, err
	}
	req.Body.Close()
	body["temperature"], body["top_p"], body["seed"] = 0.7, 0.95, 7
	// A map is written with its keys sorted.
	data, err := json.MarshalIndent(body, "", " ")
	if err != nil {
		return nil, err
	}
	out, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out.Header = req.Header.Clone()
	out.Header.Del(record.LabelHeader)
	out.Header.Set("User-Agent", "another-client/1.0")
	return f.base.RoundTrip(out)
}
