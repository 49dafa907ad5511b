package follow

import (
	"context"
	"slices"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Last returns the n exchanges that started last, by their start. So that a long tape is not read whole, it looks
// back further and further.
func Last(ctx context.Context, src Source, q tape.Query, n int) ([]*tape.Exchange, error) {
	from := q.From
	for back := time.Minute; ; back *= 8 {
		q.From = time.Now().Add(-back)
		all := q.From.Before(from) || back > 10*365*24*time.Hour
		if all {
			q.From = from
		}
		var found []*tape.Exchange
		for x, err := range src.Exchanges(ctx, q) {
			if err != nil {
				return nil, err
			}
			if found = append(found, x); len(found) > 2*n+1000 {
				found = latest(found, n)
			}
		}
		if len(found) >= n || all {
			return latest(found, n), nil
		}
	}
}

// latest returns the n exchanges that started last, by their start.
func latest(list []*tape.Exchange, n int) []*tape.Exchange {
	slices.SortStableFunc(list, func(a, b *tape.Exchange) int { return a.Started.Compare(b.Started) })
	return list[max(0, len(list)-n):]
}
