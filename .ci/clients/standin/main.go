// Command standin runs a stand-in for exo until its standard input is closed, for clients that are no Go programs. It prints its base
// URL, and with -questions the plain questions of the built-in scenarios as JSON instead. With -agents FILE it replies to the tasks of
// that file, too.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/simenv/pyjson"
)

func main() {
	log.SetFlags(0)
	questions := flag.Bool("questions", false, "print the questions and end")
	tasks := flag.String("agents", "", "reply to the tasks of this `FILE`, too")
	flag.Parse()
	var err error
	if *questions {
		err = printQuestions(os.Stdout)
	} else {
		err = serve(context.Background(), *tasks, os.Stdin, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, tasks string, stdin io.Reader, stdout io.Writer) error {
	script := standin.ForScenarios()
	if tasks != "" {
		told, err := readAgents(tasks)
		if err != nil {
			return err
		}
		script = told.script(script)
	}
	server := standin.New(standin.Options{Script: script})
	if err := server.Start(ctx); err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintln(stdout, server.URL())
	_, err := io.Copy(io.Discard, stdin)
	return err
}

// question is a scenario that any client can ask: at most one system message, one user message, tools.
type question struct {
	Name   string  `json:"name"`
	System *string `json:"system"`
	User   string  `json:"user"`
	Tools  []tool  `json:"tools"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func printQuestions(w io.Writer) error {
	file, err := scenario.Parse("built-in scenarios", fixtures.Scenarios)
	if err != nil {
		return err
	}
	list := struct {
		Model     string     `json:"model"`
		Questions []question `json:"questions"`
	}{Model: standin.DefaultModel}
	for _, s := range file.Scenarios {
		if q, ok := questionOf(s); ok {
			list.Questions = append(list.Questions, q)
		}
	}
	return json.NewEncoder(w).Encode(list)
}

// questionOf leaves out scenarios with tool calls in their history, and those that go on when the first answer is there.
func questionOf(s scenario.Scenario) (question, bool) {
	q := question{Name: s.Name}
	for _, m := range s.Messages {
		switch {
		case m.Role == "system" && q.System == nil:
			q.System = m.Content
		case m.Role == "user" && q.User == "":
			q.User = *m.Content
		default:
			return q, false
		}
	}
	for _, t := range s.Tools {
		properties, err := pyjson.Encode(t.Properties, pyjson.Options{})
		if err != nil {
			return q, false
		}
		required, err := json.Marshal(t.Required)
		if err != nil {
			return q, false
		}
		q.Tools = append(q.Tools, tool{t.Name, t.Description,
			json.RawMessage(fmt.Sprintf(`{"type":"object","properties":%s,"required":%s}`, properties, required))})
	}
	return q, s.ToolResult == nil
}
