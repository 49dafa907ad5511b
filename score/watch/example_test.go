package watch_test

import (
	"context"
	"fmt"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/watch"
)

func ExampleWatcher() {
	d := &deck{}
	d.put(1, empty, tape.Complete)
	w := watch.Start(context.Background(), d, conformance.New(conformance.Rules{}), func(r *conformance.Report) {
		for _, p := range r.Problems {
			fmt.Printf("%s/%d: %s (%s)\n", r.Session, r.Seq, p.Code, p.Severity)
		}
	})
	w.Ended(ended(1)) // as a proxy's OnEnd does
	totals := w.Stop(time.Minute)
	fmt.Printf("%d judged, %d dropped\n", totals.Judged, totals.Dropped)
	// Output:
	// s1/1: empty-answer (error)
	// 1 judged, 0 dropped
}
