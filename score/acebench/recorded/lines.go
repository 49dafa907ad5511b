package recorded

import (
	"slices"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// lines are the recorded answers of one text to one question. Which of them a rollout got makes no difference to what it does next.
type lines struct {
	calls []*call // by the time of asking
}

// after returns, of the calls that nobody has and that were made at a time or later, the one that was answered first; nil when there is
// none.
func (l *lines) after(at time.Time, taken map[*call]bool) *call {
	var first *call
	for _, c := range l.calls {
		if !taken[c] && !c.x.Started.Before(at) && (first == nil || c.answered().Before(first.answered())) {
			first = c
		}
	}
	return first
}

// answered is when the last of an answer came.
func (c *call) answered() time.Time {
	at := c.x.TTFB
	if n := len(c.x.Pieces); n > 0 {
		at = c.x.Pieces[n-1].At
	}
	return c.x.Started.Add(at)
}

// chain finds calls for the lines that a rollout took, such that each was made after the one before was answered: of all that can
// be, the quickest, since a client asks on when it has its answer. It returns nil when none can be.
func (b *board) chain(uses []*lines) []*call {
	var best []*call
	span := func(calls []*call) time.Duration { return calls[len(calls)-1].x.Started.Sub(calls[0].x.Started) }
	for _, start := range uses[0].calls {
		if b.taken[start] {
			continue
		}
		calls := []*call{start}
		for _, l := range uses[1:] {
			next := b.next(calls[len(calls)-1], l)
			if next == nil {
				break
			}
			calls = append(calls, next)
		}
		if len(calls) == len(uses) && (best == nil || span(calls) < span(best)) {
			best = calls
		}
	}
	return best
}

// next returns a call that has one of the lines and may follow another in a rollout, nil when there is none. A client that never has two
// questions under way plays one rollout after the other, so there it is the very next.
func (b *board) next(last *call, l *lines) *call {
	if !b.oneByOne {
		return l.after(last.answered(), b.taken)
	}
	if i := b.place[last.x.Ref] + 1; i < len(b.calls) && !b.taken[b.calls[i]] && slices.Contains(l.calls, b.calls[i]) {
		return b.calls[i]
	}
	return nil
}

// lineUp numbers the calls.
func (b *board) lineUp() {
	b.oneByOne = oneByOne(b.calls)
	b.place = map[tape.Ref]int{}
	for i, c := range b.calls {
		b.place[c.x.Ref] = i
	}
}

// oneByOne reports whether calls, by the time of asking, were each made after the one before was answered.
func oneByOne(calls []*call) bool {
	for i := 1; i < len(calls); i++ {
		if calls[i].x.Started.Before(calls[i-1].answered()) {
			return false
		}
	}
	return true
}

// byTime returns calls by the time of asking.
func byTime(calls []*call) []*call {
	return slices.SortedStableFunc(slices.Values(calls), func(x, y *call) int { return x.x.Started.Compare(y.x.Started) })
}
