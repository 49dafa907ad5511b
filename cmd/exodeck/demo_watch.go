package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/scenario"
)

// The questions of the demonstration: the call that answers the first one is left in the text, that of the second one is right.
const (
	leftQuestion  = "tide_simple"
	rightQuestion = "tide_system"
)

// runDemoWatch records two streams and prints the report on each as soon as it has ended, by the watcher of `record --watch`.
func runDemoWatch(ctx context.Context, path string, e env) error {
	file, err := scenario.Parse("built-in scenarios", fixtures.Scenarios)
	if err != nil {
		return err
	}
	names := []string{leftQuestion, rightQuestion}
	right := standin.ForScenarios()
	run := demoRun{
		path: path,
		script: func(a standin.Ask) standin.Reply {
			reply := right(a)
			if sc, _ := standin.Find(a); sc.Name == leftQuestion {
				reply = standin.CallText.Apply(reply)
			}
			return standin.Slow.Apply(reply)
		},
		settings:    scenario.Settings{Model: standin.DefaultModel, APIs: []tape.API{tape.OpenAI}, Repeat: 1, Stream: scenario.StreamOn, Scenarios: names},
		scenarios:   slices.DeleteFunc(file.Scenarios, func(s scenario.Scenario) bool { return !slices.Contains(names, s.Name) }),
		concurrency: 1, // so that reports come in one order
		// All streams of exo have that, and the stand-in's like them.
		rules: conformance.Rules{Ignore: []string{"wrong-object-type"}},
		tell: func(r *conformance.Report) {
			_ = r.WriteText(e.stdout) // when nobody reads it any more, the recording is finished all the same
		},
	}
	fmt.Fprintln(e.stderr, "A stand-in for exo streams two answers through the proxy. Found in each as soon as it has ended:")
	if _, err := run.record(ctx, e); err != nil {
		return fmt.Errorf("recording the demo: %w", err)
	}
	t := run.totals
	if _, err := fmt.Fprintf(e.stdout, "%d judged, %d failing, %d dropped\n", t.Judged, t.Failing, t.Dropped); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s holds both; exodeck bugreport --tape %s 1 makes the first a report for an issue tracker\n", path, shellWord(path))
	return nil
}
