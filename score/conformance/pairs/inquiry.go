package pairs

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// inquiry has the answers to one question. It keeps those that the next one may have to be compared with. Most questions are asked once, so
// that its maps are made only when they are needed.
type inquiry struct {
	requests []*answers           // in the order in which they came up
	by       map[request]*answers // requests, when there are several
	kept     int                  // answers in requests
	// forgotten counts answers that were not kept: see [different].
	forgotten int

	settled []news    // what was found and no later answer takes back
	circles []*circle // in the order in which they came up
}

// request is what answers have in common that are compared between the modes.
type request struct {
	api     tape.API
	options [32]byte
}

// different is how many different answers to a request are kept in each mode. A server that says something else each time does not repeat
// itself, though it was asked to, and there is nothing to learn from yet another of its answers for those that follow: it is forgotten.
const different = 64

// answers are those to one request.
type answers struct {
	request
	// wholes are whole answers, one of those that say the same. Streams are those that no whole answer is like so far; those that say the same
	// stand together.
	wholes  []*Answer
	streams [][]*Answer
	// forgot says that whole answers were not kept, so that a stream that is like none may be like one of those.
	forgot bool
}

// news is a finding about an answer.
type news struct {
	of      *Answer
	finding conformance.Finding
}

// add compares an answer with those before it.
func (q *inquiry) add(e *Answer) []news {
	var all []news
	if a := q.answersTo(request{e.api, e.options}); e.stream {
		all = q.addStream(a, e)
	} else {
		all = q.addWhole(a, e)
	}
	return append(all, q.addAPIs(e)...)
}

// answersTo returns the answers to a request.
func (q *inquiry) answersTo(r request) *answers {
	if len(q.requests) == 1 && q.requests[0].request == r {
		return q.requests[0]
	}
	if a := q.by[r]; a != nil {
		return a
	}
	a := &answers{request: r}
	q.requests = append(q.requests, a)
	switch len(q.requests) {
	case 1:
	case 2:
		q.by = map[request]*answers{q.requests[0].request: q.requests[0], r: a}
	default:
		q.by[r] = a
	}
	return a
}

// addStream compares a stream with the whole answers of the same request. Where those differ among themselves, it may be like any of them.
func (q *inquiry) addStream(a *answers, s *Answer) []news {
	if i := a.whole(s); i >= 0 {
		return q.compareCounts(s, a.wholes[i])
	}
	if a.forgot {
		q.forgotten++
		return nil
	}
	if len(a.wholes) > 0 {
		s.whole = a.wholes[0]
	}
	switch i := a.waiting(s); {
	case i >= 0:
		a.streams[i] = append(a.streams[i], s)
	case len(a.streams) < different:
		a.streams = append(a.streams, []*Answer{s})
	default:
		q.forgotten++
		return q.settle(mismatch(s))
	}
	q.kept++
	return mismatch(s)
}

// addWhole compares a whole answer with the streams that none was like.
func (q *inquiry) addWhole(a *answers, w *Answer) (all []news) {
	if a.whole(w) >= 0 {
		return nil
	}
	if i := a.waiting(w); i >= 0 {
		for _, s := range a.streams[i] {
			all = append(all, q.compareCounts(s, w)...)
		}
		q.kept -= len(a.streams[i])
		a.streams = slices.Delete(a.streams, i, i+1)
	}
	if len(a.wholes) == different {
		a.forgot = true
		q.forgotten++
		return all
	}
	a.wholes = append(a.wholes, w)
	q.kept++
	if len(a.wholes) == 1 {
		for _, s := range slices.Concat(a.streams...) {
			s.whole = w
			all = append(all, mismatch(s)...)
		}
	}
	return all
}

// whole returns the place of the whole answer that says what e says; -1 for none.
func (a *answers) whole(e *Answer) int {
	return slices.IndexFunc(a.wholes, func(w *Answer) bool { return w.content == e.content })
}

// waiting returns the place of the streams that say what e says; -1 for none.
func (a *answers) waiting(e *Answer) int {
	return slices.IndexFunc(a.streams, func(same []*Answer) bool { return same[0].content == e.content })
}

// findings adds what stands of the comparisons of all answers to key.
func (q *inquiry) findings(key [32]byte, found map[int][]conformance.Finding) {
	add := func(all ...news) {
		for _, n := range all {
			if n.of.number != unnumbered {
				n.finding.Asked = conformance.Question{Sum: key, Limit: n.of.limit}.Limited()
				found[n.of.number] = append(found[n.of.number], n.finding)
			}
		}
	}
	add(q.settled...)
	for _, a := range q.requests {
		for _, s := range slices.Concat(a.streams...) {
			add(mismatch(s)...)
		}
	}
	told := make(map[*Answer]bool)
	for _, c := range q.circles {
		for _, f := range c.firsts {
			if q.unlike(c, f) && !told[f] {
				told[f] = true
				add(news{f, c.mismatch(f)})
			}
		}
	}
}

// remembered yields the answers that are kept.
func (q *inquiry) remembered() iter.Seq[*Answer] {
	return func(yield func(*Answer) bool) {
		for _, a := range q.requests {
			for _, e := range slices.Concat(slices.Concat(a.streams...), a.wholes) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// difference lists in what two answers differ.
func difference(a, b *Answer) []string {
	var d []string
	for _, part := range []struct {
		name   string
		differ bool
	}{
		{"content", a.text != b.text}, {"reasoning", a.reasoning != b.reasoning}, {"calls", a.calls != b.calls}, {"finish reason", a.finish != b.finish},
	} {
		if part.differ {
			d = append(d, part.name)
		}
	}
	return d
}

// part shows a part of an answer that [difference] names.
func (s *said) part(name string) string {
	switch name {
	case "reasoning":
		return s.thought
	case "finish reason":
		return fmt.Sprintf("%q", s.finish)
	}
	return s.shown
}

// compareCounts compares the token counts of a stream with those of the whole answer that it is like.
func (q *inquiry) compareCounts(s, w *Answer) []news {
	differ := func(a, b int64) bool { return a >= 0 && b >= 0 && a != b }
	if !differ(s.input, w.input) && !differ(s.output, w.output) {
		return nil
	}
	return q.settle([]news{{s, newFinding("usage-mismatch", fmt.Sprintf("%d and %d tokens, %d and %d in the whole answer %s/%d", s.input, s.output, w.input, w.output, w.ref.Session, w.ref.Seq))}})
}

// settle keeps what is found for good, and returns it.
func (q *inquiry) settle(found []news) []news {
	for _, n := range found {
		if n.of.number != unnumbered {
			q.settled = append(q.settled, n)
		}
	}
	return found
}

// mismatch tells how a stream differs from the whole answer; nothing when there is none.
func mismatch(s *Answer) []news {
	w := s.whole
	if w == nil {
		return nil
	}
	d := difference(s, w)
	f := newFinding("stream-mismatch", fmt.Sprintf("the whole answer %s/%d differs in %s: %s there, %s here", w.ref.Session, w.ref.Seq, strings.Join(d, ", "), w.part(d[0]), s.part(d[0])))
	blameAdapter(&f, s, w, "the whole answer")
	all := []news{{s, f}}
	if s.right && !w.right {
		f := conformance.Finding{}
		blameAdapter(&f, w, s, "the stream")
		all = append(all, news{w, f})
	}
	return all
}
