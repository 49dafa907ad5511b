package show_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
)

// bodies are recorded bodies by their digest. A [tape.Tape] is a source too.
type bodies map[[32]byte]string

func (b bodies) Body(_ context.Context, body tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(b[body.SHA256])), nil
}

// An exchange as a person reads it, and as the command that asks again.
func Example() {
	ctx := context.Background()
	src := bodies{
		{1}: `{"model":"org/Small-1B","max_tokens":100,"messages":[{"role":"user","content":"When is low water in Vigo?"}]}`,
		{2}: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_tide","input":{"harbour":"Vigo"}}],"stop_reason":"tool_use","usage":{"input_tokens":40,"output_tokens":9}}`,
	}
	x := &tape.Exchange{
		Ref:      tape.Ref{Session: "20260304T050607Z-abcdef", Seq: 1},
		Started:  time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Upstream: "http://localhost:52415",
		Request:  tape.Request{Method: "POST", URL: "/v1/messages", Header: http.Header{"X-Api-Key": {"[fingerprint:0123456789abcdef]"}, "Content-Type": {"application/json"}}, Body: tape.Body{SHA256: [32]byte{1}}},
		Response: tape.Response{Status: 200, NoReason: true, Body: tape.Body{SHA256: [32]byte{2}}},
		TTFB:     20 * time.Millisecond,
		Total:    50 * time.Millisecond,
		Pieces:   []tape.Piece{{At: 20 * time.Millisecond}},
		Ended:    tape.Complete,
		Facts:    tape.Facts{API: tape.Claude, Model: "org/Small-1B"},
	}
	read, err := reading.Of(ctx, src, x)
	if err == nil {
		err = show.Conversation(os.Stdout, read)
	}
	if err == nil {
		fmt.Println()
		err = show.Curl(ctx, os.Stdout, src, x)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 20260304T050607Z-abcdef/1  POST /v1/messages → 200
	//   api       claude, whole
	//   model     org/Small-1B
	//   started   2026-03-04 05:06:07.000 UTC
	//   timing    first byte 20.0ms, total 50.0ms, 1 piece
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
	// # X-Api-Key is left out: set X_API_KEY to it
	// curl -sS -N -X 'POST' 'http://localhost:52415/v1/messages' \
	//   -H 'Content-Type: application/json' \
	//   -H 'X-Api-Key: '"$X_API_KEY" \
	//   --data-binary '{"model":"org/Small-1B","max_tokens":100,"messages":[{"role":"user","content":"When is low water in Vigo?"}]}'
}
