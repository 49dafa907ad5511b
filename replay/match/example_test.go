package match_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"net/http"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
)

// memory is a source of two recorded polls, without bodies.
type memory struct{}

func (memory) Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for seq := range int64(2) {
			x := &tape.Exchange{
				Ref:      tape.Ref{Session: "s1", Seq: seq + 1},
				Request:  tape.Request{Method: "GET", URL: "/state/instances/inst-1"},
				Response: tape.Response{Status: 200},
				Ended:    tape.Complete,
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

func (memory) Body(context.Context, tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("")), nil
}

func Example() {
	ctx := context.Background()
	index, err := match.NewIndex(ctx, memory{}, match.Default())
	if err != nil {
		log.Fatal(err)
	}
	poll := match.Request{
		Method: "GET",
		URL:    "/state/instances/inst-1",
		Header: http.Header{record.LabelHeader: {"suite=exo"}},
	}
	for range 3 {
		hit, err := index.Find(ctx, poll)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(hit.Exchange.Seq, hit.Rule, hit.Again)
	}
	poll.URL = "/state/instances/inst-2"
	_, err = index.Find(ctx, poll)
	fmt.Println(err)
	// Output:
	// 1 exact false
	// 2 exact false
	// 2 exact true
	// no recorded answer to GET /state/instances/inst-2 [suite=exo]
	// nearest: exchange s1/1 (- recorded, + asked)
	//   -GET /state/instances/inst-1
	//   +GET /state/instances/inst-2
	// no exchange on this tape has the path /state/instances/inst-2 (it holds 2 control)
}
