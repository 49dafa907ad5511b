package again

import (
	"context"
	"iter"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Lister lists the exchanges of a recording; a [tape.Tape] is one.
type Lister interface {
	Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error]
}

var _ Lister = (*tape.Tape)(nil)

// Questions names the model calls to ask again, of those that q asks for. What was itself asked again is left out, unless its session is
// asked for, or there is nothing else: of a recording only the session of a later run may have been kept.
func Questions(ctx context.Context, src Lister, q tape.Query) ([]tape.Ref, error) {
	var first, again []tape.Ref
	for x, err := range src.Exchanges(ctx, q) {
		switch {
		case err != nil:
			return nil, err
		case !x.Facts.API.Model() || x.Ended == tape.InFlight:
		case x.Labels[Label] == "" || q.Session != "":
			first = append(first, x.Ref)
		default:
			again = append(again, x.Ref)
		}
	}
	if first == nil {
		return again, nil
	}
	return first, nil
}
