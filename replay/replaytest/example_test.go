package replaytest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/replaytest"
)

// askTide is the code under test: it asks an OpenAI-compatible server for the tide.
func askTide(client *http.Client, base, harbour string) (string, error) {
	question := fmt.Sprintf(`{"model":"standin/Echo-1B-4bit","messages":[{"role":"user","content":"When is high tide in %s?"}]}`, harbour)
	resp, err := client.Post(base+"/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
		Error   struct{ Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK || len(answer.Choices) == 0 {
		return "", fmt.Errorf("%s: %s", resp.Status, answer.Error.Message)
	}
	return answer.Choices[0].Message.Content, nil
}

// In a test, t is the test's own.
var t *testing.T

func Example() {
	exo := replaytest.Open(t, "testdata/tide.cassette.jsonl")
	answer, err := askTide(exo.Client(), exo.URL()+"/v1", "Whitby")
	if err != nil {
		t.Fatal(err)
	}
	if answer != "At nine." {
		t.Errorf("answer %q", answer)
	}
}

func ExampleAllUsed() {
	exo := replaytest.Open(t, "testdata/tide.cassette.jsonl", replaytest.AllUsed())
	if _, err := askTide(http.DefaultClient, exo.URL()+"/v1", "Whitby"); err != nil {
		t.Fatal(err)
	}
	// The test fails: the cassette has one more exchange, which nothing asked for.
}

func ExampleMatch() {
	exo := replaytest.Open(t, "testdata/tide.cassette.jsonl", replaytest.Match(match.Options{Reuse: true}))
	for range 3 {
		if _, err := askTide(exo.Client(), exo.URL()+"/v1", "Whitby"); err != nil {
			t.Fatal(err)
		}
	}
}
