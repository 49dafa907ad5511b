package conformancetest_test

import (
	"fmt"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance/conformancetest"
)

func Example() {
	asked := conformancetest.Ask(conformancetest.WithTools + `,"stream":true`)
	x := conformancetest.Chat(asked, conformancetest.Streamed("At noon."))
	fmt.Println(x.API, len(x.Request), "bytes are answered by")
	fmt.Print(x.Response)
	// Output:
	// openai 373 bytes are answered by
	// data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"At noon."},"finish_reason":"stop"}]}
	//
	// data: [DONE]
}

// TestRead: what is read is what a tape of it hands out.
func TestRead(t *testing.T) {
	x := conformancetest.Chat(conformancetest.Ask(""), conformancetest.Streamed("At noon."))
	read := x.Read(t)
	if read.Facts.API != tape.OpenAI || read.Ended != tape.Complete || read.Response.Status != 200 || read.Answer.Text != "At noon." {
		t.Errorf("read %+v", read)
	}
	taped := conformancetest.Record(t, 2, func(int) conformancetest.Exchange { return x.As(503, "text/plain").EndedAs(tape.ClientGone, "gone", 0) })
	n := 0
	for got, err := range taped.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if got.Facts.API != tape.OpenAI || got.Ended != tape.ClientGone || got.Response.Status != 503 {
			t.Errorf("exchange %+v", got)
		}
	}
	if n != 2 {
		t.Errorf("%d exchanges", n)
	}
}
