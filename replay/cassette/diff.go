package cassette

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/aymanbagabas/go-udiff"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// Change is one difference between two recordings.
type Change struct {
	// Old is nil for a new exchange, New for one that is gone.
	Old, New *tape.Exchange
	// Diff is a unified diff of the outlines of a changed exchange.
	Diff string
}

// Difference is what two recordings differ in.
type Difference struct {
	// Changes are in the order of the new recording; what is gone comes last.
	Changes []Change
	// Same is how many exchanges say the same in both.
	Same int
}

// compared is an exchange that looks for its counterpart.
type compared struct {
	x       *tape.Exchange
	request string // equal for the same request, labels included
	place   string // equal for requests that may be counterparts although they differ
	outline [sha256.Size]byte
	partner int // number of the counterpart, -1 without one
}

// Diff compares two recordings by what was asked and what the answers say: see [Entry.Outline]. Exchanges with equal requests and
// labels are counterparts, in recorded order; of the others those with equal labels, method and URL. Sessions, times and headers do
// not count.
func Diff(ctx context.Context, before, after Source) (*Difference, error) {
	old, err := compare(ctx, before)
	if err != nil {
		return nil, err
	}
	fresh, err := compare(ctx, after)
	if err != nil {
		return nil, err
	}
	pair(old, fresh, func(c *compared) string { return c.request })
	pair(old, fresh, func(c *compared) string { return c.place })
	d := &Difference{}
	for i := range fresh {
		c := &fresh[i]
		switch {
		case c.partner < 0:
			d.Changes = append(d.Changes, Change{New: c.x})
		case old[c.partner].outline == c.outline:
			d.Same++
		default:
			x := old[c.partner].x
			diff, err := diffOf(ctx, before, after, x, c.x)
			if err != nil {
				return nil, err
			}
			d.Changes = append(d.Changes, Change{Old: x, New: c.x, Diff: diff})
		}
	}
	for _, c := range old {
		if c.partner < 0 {
			d.Changes = append(d.Changes, Change{Old: c.x})
		}
	}
	return d, nil
}

// compare reads what is compared of a recording.
func compare(ctx context.Context, src Source) ([]compared, error) {
	var all []compared
	for x, err := range entriesOf(ctx, src) {
		if err != nil {
			return nil, err
		}
		labels := ""
		for _, name := range slices.Sorted(maps.Keys(x.Labels)) {
			labels += strconv.Quote(name) + "=" + strconv.Quote(x.Labels[name]) + " "
		}
		place := labels + x.Request.Method + " " + x.Request.URL
		body := jsontext.Value(bytes.Clone(x.RequestBody))
		if body.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil {
			body = x.RequestBody
		}
		exchange := x.Exchange
		exchange.Pieces = nil
		all = append(all, compared{
			x: &exchange, place: place, request: fmt.Sprintf("%s %x", place, sha256.Sum256(body)), outline: sha256.Sum256([]byte(x.Outline())), partner: -1,
		})
	}
	return all, nil
}

func entriesOf(ctx context.Context, src Source) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		r, err := readRecorded(ctx, src)
		if err != nil {
			yield(nil, err)
			return
		}
		for x, err := range r.entries(ctx, tape.Query{}, nil) {
			if !yield(x, err) {
				return
			}
		}
	}
}

// pair makes counterparts of exchanges that have none and whose keys are equal, in order.
func pair(old, fresh []compared, key func(*compared) string) {
	waiting := map[string][]int{}
	for i := range old {
		if old[i].partner < 0 {
			k := key(&old[i])
			waiting[k] = append(waiting[k], i)
		}
	}
	for i := range fresh {
		if fresh[i].partner >= 0 {
			continue
		}
		if queue := waiting[key(&fresh[i])]; len(queue) > 0 {
			fresh[i].partner, old[queue[0]].partner = queue[0], i
			waiting[key(&fresh[i])] = queue[1:]
		}
	}
}

// diffOf is the unified diff of the outlines of two exchanges.
func diffOf(ctx context.Context, before, after Source, x, y *tape.Exchange) (string, error) {
	a, err := outlineOf(ctx, before, x)
	if err != nil {
		return "", err
	}
	b, err := outlineOf(ctx, after, y)
	if err != nil {
		return "", err
	}
	return udiff.Unified(fmt.Sprintf("%s/%d", x.Session, x.Seq), fmt.Sprintf("%s/%d", y.Session, y.Seq), a, b), nil
}

func outlineOf(ctx context.Context, src Source, x *tape.Exchange) (string, error) {
	x, err := src.Exchange(ctx, x.Ref)
	if err != nil {
		return "", err
	}
	e, err := (&recorded{src: src}).entry(ctx, x)
	if err != nil {
		return "", err
	}
	return e.Outline(), nil
}
