package bugreport

import (
	"context"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
)

// Reduce is reduce for tests.
func Reduce(ctx context.Context, x *reading.Exchange, judge *conformance.Judge) (*Reduction, error) {
	return reduce(ctx, x, judge, reduceLimit)
}

// ReduceWithin is [Reduce] with fewer bytes to try.
var ReduceWithin = reduce
