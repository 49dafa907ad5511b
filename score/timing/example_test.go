package timing_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/timing"
)

func ExampleOf() {
	recording := streamed(1, tape.Complete, piece{keepAlive, 2}, piece{word, 100}, piece{word, 120}, piece{word + stats + last + done, 150})
	c, err := cassette.Read(strings.NewReader(recording), "example")
	if err != nil {
		panic(err)
	}
	table, err := timing.Of(context.Background(), c, tape.Query{})
	if err != nil {
		panic(err)
	}
	for _, g := range table.Groups {
		fmt.Printf("%s: first token after %g ms, then %g tokens a second; exo says %g\n", g.Model, g.FirstToken.Median, g.Measured.Median, g.Reported.Median)
	}
	// Output: m: first token after 100 ms, then 40 tokens a second; exo says 40.25
}
