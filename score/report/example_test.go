package report_test

import (
	"os"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
)

func Example() {
	verdict := score.Verdict{
		Sample: "tide", Description: "Ask for a tide", API: tape.OpenAI, Repeat: 1, Phase: "tool_call",
		Status: score.OK, Checks: []score.Check{{Name: "has_tool_call"}}, Error: new("No tool call returned"), LatencyMS: 12.5,
	}
	text := report.NewText(os.Stdout, report.Header{Model: "org/model", Endpoint: "http://localhost:52415",
		APIs: []tape.API{tape.OpenAI}, Scenarios: 1, Repeats: 1})
	text.Task([]score.Verdict{verdict})
	text.Summary([]score.Verdict{verdict})
	// Output:
	// Model:     org/model
	// Endpoint:  http://localhost:52415
	// APIs:      openai
	// Scenarios: 1 x 1 repeats x 1 APIs = 1 runs
	// ========================================================================
	//
	//   [   openai] tide: Ask for a tide
	//     [ tool_call] FAIL  (12ms)
	//       - has_tool_call
	//       ! No tool call returned
	//
	// ========================================================================
	// Total:       0/1 passed (0%)
	// Tool call:   0/1 passed
	// Avg latency: 12ms
	//      openai: 0/1 passed
	//
	// Failed:
	//   - tide [openai/tool_call]: No tool call returned
}
