package conformance

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/show"
)

// timedOut reports whether the exchange ended because somebody waited no longer.
func (j *trial) timedOut() bool {
	cause := strings.ToLower(j.Cause)
	return strings.Contains(cause, "timeout") || strings.Contains(cause, "timed out") || strings.Contains(cause, "deadline exceeded")
}

// stopped reports whether whoever ran the client stopped it: the exchange says so when the client was this program, as in `exodeck run`.
// The cause is that of a context which ended by a signal.
func (j *trial) stopped() bool { return strings.HasSuffix(j.Cause, "signal received") }

// longPatience is how long a client must have been waiting for an event, so that its leaving is laid at the server, when the rules allow
// streams that time.
const longPatience = 30 * time.Second

// patience is how long a client must have been waiting for an event by the rules.
func (j *trial) patience() time.Duration { return min(longPatience, j.judge.rules.timeout()) }

// clientGone takes answers whose client did not stay to the end. One that leaves at the end marker has all it needs.
func (j *trial) clientGone() {
	if j.Ended != tape.ClientGone || j.a != nil && j.a.Complete {
		return
	}
	j.over = true
	if gap, where := j.longestGap(); !j.stopped() && (gap >= j.patience() || j.timedOut()) {
		detail := "the client gave up: " + j.Cause
		if gap >= j.patience() {
			detail = fmt.Sprintf("the client gave up after %s without an event", rounded(gap))
		} else {
			where = j.end()
		}
		j.add("upstream-timeout", where, detail)
		if j.a != nil && j.a.Stream {
			j.add("truncated-stream", j.end(), "there is no end marker")
		} else {
			j.noCalls = true
		}
		return
	}
	detail := "before the response began"
	if j.a != nil {
		detail = "after " + show.Count(int(j.a.Size), "byte")
	}
	if wait := j.lastWait(); wait > 0 {
		detail += fmt.Sprintf("; %s had come for %s", j.awaited(), rounded(wait))
	}
	if j.stopped() {
		detail += "; it was stopped: " + j.Cause
	}
	j.add("client-disconnect", j.end(), "the client closed the connection "+detail)
	j.unjudged = true
}

// unease is how long a client must have been waiting, so that its leaving may be the server's fault.
const unease = 5 * time.Second

// blameLeaving tells a client that was being served from one that may have lost patience.
func (j *trial) blameLeaving() (Side, string) {
	if wait := j.lastWait(); wait >= unease && !j.stopped() {
		return Unknown, fmt.Sprintf("%s had come for %s, so that the client may have given up", j.awaited(), rounded(wait))
	}
	return Client, ""
}

// awaited says what had not come when the client left.
func (j *trial) awaited() string {
	if j.a != nil && j.a.Stream {
		return "no event"
	}
	return "nothing"
}

// lastWait is how long the client had been waiting when the exchange ended: for an event of a stream, for a byte of another body. It is 0
// when nobody knows.
func (j *trial) lastWait() time.Duration {
	var last time.Duration
	switch {
	case len(j.Pieces) == 0 && len(j.ResponseBody) > 0:
		return 0
	case j.eventsTimed():
		for at := range j.arrivals() {
			last = at
		}
	case len(j.Pieces) > 0:
		last = j.Pieces[len(j.Pieces)-1].At
	}
	return j.Total - last
}

// rounded shows a time as exactly as a person needs it.
func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// silence looks for a stream that had no event for too long, though it went on.
func (j *trial) silence() {
	if !j.a.Stream {
		return
	}
	if gap, where := j.longestGap(); gap > j.judge.rules.timeout() {
		j.add("upstream-timeout", where, fmt.Sprintf("%s without an event", rounded(gap)))
	}
}

// longestGap returns the longest time without a data event, and the event before which it was; 0 when it is too short to tell of. Comments
// are no events.
func (j *trial) longestGap() (time.Duration, Where) {
	if j.Total < j.patience() { // the usual case, told without a look at the events
		return 0, Where{}
	}
	where := j.end()
	last, longest := time.Duration(0), time.Duration(0)
	gap := func(until time.Duration, w Where) {
		if until-last > longest {
			longest, where = until-last, w
		}
		last = until
	}
	if j.eventsTimed() {
		for at, w := range j.arrivals() {
			gap(at, w)
		}
	}
	if j.a == nil || !j.a.Complete {
		gap(j.Total, j.end())
	}
	return longest, where
}

// eventsTimed reports whether it is known when the events of a stream came.
func (j *trial) eventsTimed() bool {
	return j.a != nil && j.a.Stream && len(j.Pieces) > 0 && len(coding.Of(j.Response.Header)) == 0
}

// arrivals yields when each data event of a stream came, and its place.
func (j *trial) arrivals() iter.Seq2[time.Duration, Where] {
	return func(yield func(time.Duration, Where) bool) {
		piece, number := 0, 0
		for e := range events(j.Exchange) {
			for piece+1 < len(j.Pieces) && j.Pieces[piece+1].Offset < e.End {
				piece++
			}
			number++
			start := e.Start
			if !yield(j.Pieces[piece].At, Where{In: InResponse, Event: number, Offset: &start}) {
				return
			}
		}
	}
}
