package pairs_test

import (
	"fmt"
	"net/http"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// An answer is judged, then held against another one to the same question: the stream lost the end of it.
func Example() {
	judge := conformance.New(conformance.Rules{})
	var all pairs.Pairs
	var reports []*conformance.Report
	for i, s := range []sent{chat(ask(`,"temperature":0`), says("At noon.")), chat(ask(`,"temperature":0,"stream":true`), streamed("At"))} {
		x := &tape.Exchange{Ref: tape.Ref{Session: "s1", Seq: int64(i + 1)}, Ended: tape.Complete, Facts: tape.Facts{API: s.API}}
		x.Response = tape.Response{Status: 200, Header: http.Header{}}
		read := reading.New(x, []byte(s.Request), []byte(s.Response))
		reports = append(reports, judge.Exchange(read))
		all.Add(i, pairs.AnswerOf(read, reports[i]))
	}
	for i, found := range all.Findings() {
		judge.Apply(reports[i], found)
	}
	for _, p := range reports[1].Problems {
		fmt.Printf("%s, blame %s: %s\n", p.Code, *reports[1].Blame, p.Detail)
	}
	// Output:
	// stream-mismatch, blame adapter: the whole answer s1/1 differs in content: "At noon." there, "At" here
}
