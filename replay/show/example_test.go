package show_test

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
)

// An exchange as a person reads it, and as the command that asks again.
func Example() {
	x := show.Exchange{
		Exchange: &tape.Exchange{
			Ref:      tape.Ref{Session: "20260304T050607Z-abcdef", Seq: 1},
			Started:  time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
			Upstream: "http://localhost:52415",
			Request:  tape.Request{Method: "POST", URL: "/v1/messages", Header: http.Header{"X-Api-Key": {"[fingerprint:0123456789abcdef]"}, "Content-Type": {"application/json"}}},
			Response: tape.Response{Status: 200, NoReason: true},
			TTFB:     20 * time.Millisecond,
			Total:    50 * time.Millisecond,
			Pieces:   []tape.Piece{{At: 20 * time.Millisecond}},
			Ended:    tape.Complete,
			Facts:    tape.Facts{API: tape.Claude, Model: "org/Small-1B"},
		},
		RequestBody:  []byte(`{"model":"org/Small-1B","max_tokens":100,"messages":[{"role":"user","content":"When is low water in Vigo?"}]}`),
		ResponseBody: []byte(`{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_tide","input":{"harbour":"Vigo"}}],"stop_reason":"tool_use","usage":{"input_tokens":40,"output_tokens":9}}`),
	}
	if err := show.Conversation(os.Stdout, x); err != nil {
		fmt.Println(err)
	}
	fmt.Println()
	if err := show.Curl(os.Stdout, x); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 20260304T050607Z-abcdef/1  POST /v1/messages → 200
	//   api       claude, whole
	//   model     org/Small-1B
	//   started   2026-03-04 05:06:07.000 UTC
	//   timing    first byte 20.0ms, total 50.0ms, 1 pieces
	//   ended     complete
	//
	// user
	//   When is low water in Vigo?
	// options
	//   max_tokens=100
	//
	// ──── response ────
	//   calls get_tide {"harbour": "Vigo"}  (toolu_1)
	//
	//   finish    tool_use
	//   usage     40 in, 9 out
	//
	// # X-Api-Key is not on the tape: set X_API_KEY to it
	// curl -sS -N -X 'POST' 'http://localhost:52415/v1/messages' \
	//   -H 'Content-Type: application/json' \
	//   -H 'X-Api-Key: '"$X_API_KEY" \
	//   --data-binary '{"model":"org/Small-1B","max_tokens":100,"messages":[{"role":"user","content":"When is low water in Vigo?"}]}'
}
