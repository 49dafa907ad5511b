package bugreport_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/bugreport"
	"github.com/exodeck/exodeck/score/conformance"
)

// FuzzReduce reduces any request: what is left must be no larger in its parts and show the same problems.
func FuzzReduce(f *testing.F) {
	f.Add(chat("", tool("get_wind")+","+tideTool, user("Hi")+","+windCall+","+windResult+","+user("Tide?")), said(leakedCall))
	f.Add(`{"model":"m","messages":[{}],"messages":[],"tools":[null]}`, said(""))
	f.Add(`{"messages":"none"} {}`, "")
	c := conformance.New(conformance.Rules{})
	f.Fuzz(func(t *testing.T, request, response string) {
		if len(request) > 4<<10 {
			return // the time is that of the many tries
		}
		x := reading.New(exchange(t), []byte(request), []byte(response))
		r, err := bugreport.Reduce(t.Context(), x, c)
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			return
		}
		if r.Messages.Left > r.Messages.Of || r.Tools.Left > r.Tools.Of {
			t.Errorf("left are %+v and %+v", r.Messages, r.Tools)
		}
		whole := c.Exchange(x)
		smallest := c.Exchange(reading.New(exchange(t), r.Body, []byte(response)))
		if diff := cmp.Diff(codes(whole), codes(smallest)); diff != "" {
			t.Errorf("%s\nreduced to\n%s\n(-whole +smallest):\n%s", request, r.Body, diff)
		}
	})
}
