package bugreport_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/bugreport"
)

func ExampleOf() {
	recording := line(1, "/v1/chat/completions", chat("", tool("get_wind")+","+tideTool, user("Hi")+","+user("Tide?")), "application/json", said(leakedCall))
	src, err := cassette.Read(strings.NewReader(recording), "example")
	if err != nil {
		panic(err)
	}
	r, err := bugreport.Of(context.Background(), src, tape.Ref{Session: "s1", Seq: 1}, bugreport.Options{Generator: "exodeck v0.0.0"})
	if err != nil {
		panic(err)
	}
	fmt.Println("blame:", *r.Verdict.Blame)
	fmt.Printf("smallest: %d of %d messages, %d of %d tools\n", r.Smallest.Messages.Left, r.Smallest.Messages.Of, r.Smallest.Tools.Left, r.Smallest.Tools.Of)
	// Output:
	// blame: server
	// smallest: 1 of 2 messages, 1 of 2 tools
}
