package pairs

import (
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// circle has the answers to one question that are compared between APIs. Those of requests with the same limit of tokens are one; those of
// requests without one, which Claude does not take, are another, and in it are, as guests, those with a limit that did not come to it. Guests
// are compared with the others only.
type circle struct {
	limit int64 // 0 for none
	// firsts are the first answers through each API; the first guest stands beside the first of the others.
	firsts []*Answer
	known  map[throughAPI]bool // what was said through each API, when there are several
	// reference is the first of the best answers so far.
	reference *Answer
	// alike are the pairs of APIs, both ways round, of which one answer is like one of the other.
	alike [][2]tape.API
}

// throughAPI is what is compared between APIs.
type throughAPI struct {
	api         tape.API
	text, calls [32]byte
	// more says that the answer calls itself cut. The APIs have other words for how answers end, and this is what all of them tell.
	more bool
}

// heard is what is compared of an answer, as if it came through an API.
func (e *Answer) heard(through tape.API) throughAPI {
	return throughAPI{through, e.text, e.calls, e.more}
}

// better reports whether others are to be measured by an answer rather than by the one before it: by one that is right, and then by one that
// does not call itself cut.
func (e *Answer) better(before *Answer) bool {
	if e.right != before.right {
		return e.right
	}
	return !e.more && before.more
}

// has reports whether an answer belongs to the circle.
func (c *circle) has(e *Answer) bool { return e.limit == c.limit || c.limit == 0 && !e.cut }

// addAPIs compares an answer with those through other APIs. Of those with limits, most have no answer without one beside them: its circle is
// made when the first comes.
func (q *inquiry) addAPIs(e *Answer) (all []news) {
	own := q.circle(e.limit)
	if own == nil {
		if len(q.circles) == different {
			q.forgotten++
			return nil
		}
		own = &circle{limit: e.limit}
		q.circles = append(q.circles, own)
		if own.limit == 0 {
			for k := range q.remembered() {
				if k != e && own.has(k) {
					q.compareAPIs(own, k) // nothing is told: a guest is not held against guests
				}
			}
		}
	}
	all = q.compareAPIs(own, e)
	if open := q.circle(0); open != nil && open != own && open.has(e) {
		all = append(all, q.compareAPIs(open, e)...)
	}
	return all
}

// circle returns the circle of a limit; nil when there is none.
func (q *inquiry) circle(limit int64) *circle {
	if i := slices.IndexFunc(q.circles, func(c *circle) bool { return c.limit == limit }); i >= 0 {
		return q.circles[i]
	}
	return nil
}

// compareAPIs compares the first answer through each API with those through that of the reference.
func (q *inquiry) compareAPIs(c *circle, e *Answer) (all []news) {
	if c.reference == nil || e.better(c.reference) {
		c.reference = e
	}
	if !slices.ContainsFunc(c.firsts, func(f *Answer) bool { return f.api == e.api && (f.limit == 0) == (e.limit == 0) }) {
		c.firsts = append(c.firsts, e)
	}
	if len(c.firsts) == 1 || q.forgotten > 0 {
		return nil
	}
	if c.known == nil {
		c.known = make(map[throughAPI]bool)
		for k := range q.remembered() {
			if c.has(k) {
				c.known[k.heard(k.api)] = true
			}
		}
	}
	c.known[e.heard(e.api)] = true
	for _, f := range c.firsts {
		pair := [2]tape.API{e.api, f.api}
		if f.api != e.api && !slices.Contains(c.alike, pair) && c.known[e.heard(f.api)] {
			c.alike = append(c.alike, pair, [2]tape.API{f.api, e.api})
		}
	}
	for _, f := range c.firsts {
		if q.unlike(c, f) && !f.apart {
			f.apart = true
			all = append(all, news{f, c.mismatch(f)})
		}
	}
	return all
}

// unlike reports whether the first answer through an API, and all others through it, are unlike those that they are measured by. Nothing is
// known of those that are forgotten.
func (q *inquiry) unlike(c *circle, f *Answer) bool {
	r := c.reference
	return q.forgotten == 0 && f.api != r.api && !slices.Contains(c.alike, [2]tape.API{f.api, r.api}) && c.comparable(f, r)
}

// comparable reports whether the limits of two answers do not tell them apart.
func (c *circle) comparable(a, b *Answer) bool {
	if c.limit != 0 || a.limit == 0 && b.limit == 0 {
		return true
	}
	return (a.limit == 0 || b.limit == 0) && !a.cut && !b.cut
}

// mismatch tells how the answer through an API differs from the reference.
func (c *circle) mismatch(e *Answer) conformance.Finding {
	r := c.reference
	if r.text == e.text && r.calls == e.calls {
		return newFinding("api-mismatch", fmt.Sprintf("the answer is the same through %s (%s/%d), and ends there with %q, here with %q", r.api, r.ref.Session, r.ref.Seq, r.finish, e.finish))
	}
	f := newFinding("api-mismatch", fmt.Sprintf("through %s (%s/%d) the answer is %s, here it is %s", r.api, r.ref.Session, r.ref.Seq, r.shown, e.shown))
	blameAdapter(&f, e, r, "the answer through "+string(r.api))
	return f
}
