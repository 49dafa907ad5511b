package match

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/exodeck/exodeck/proxy/tape"
	"golang.org/x/sync/errgroup"
)

// Source is what an [Index] reads. [tape.Tape] is one.
type Source interface {
	// Exchanges yields exchanges in recorded order.
	Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error]
	// Body opens a body for reading. It is called by several goroutines at a time.
	Body(context.Context, tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Hit is the answer to a request.
type Hit struct {
	// Exchange answers. It is shared, so it is not to be changed, and its Pieces are left out, since an index keeps no more than
	// it needs.
	Exchange *tape.Exchange
	Rule     Rule
	// Again says that the exchange has answered before.
	Again bool
}

// Index finds the recorded exchange that answers a request. It holds heads and digests of the exchanges, never bodies: those are
// read when a rule needs them, which a request that is equal byte by byte does not. It may be used by several goroutines at a time.
type Index struct {
	src     Source
	opts    Options
	entries []*entry // in recorded order
	order   []*entry // in the order in which they answer

	mu       sync.Mutex // guards all below, and the entries
	views    map[string]*view
	readings map[content]*reading
	loaded   []tape.API // families whose bodies have been read
	sketches map[content]*sketch
	missed   []*Miss
}

// entry is one exchange of an index.
type entry struct {
	x       *tape.Exchange
	api     tape.API
	target  string
	codings []string
	raw     key

	claimed bool
	served  map[Rule]int
}

// content names a body together with what decides how it is read.
type content struct {
	api     tape.API
	codings string
	sum     [sha256.Size]byte
}

func (e *entry) complete() bool { return e.x.Ended == tape.Complete }

func (e *entry) content() content {
	return content{e.api, strings.Join(e.codings, ","), e.x.Request.Body.SHA256}
}

// NewIndex reads the heads of the exchanges of src that opts.Query asks for.
func NewIndex(ctx context.Context, src Source, opts Options) (*Index, error) {
	ix := &Index{
		src:      src,
		opts:     opts,
		views:    map[string]*view{},
		readings: map[content]*reading{},
		sketches: map[content]*sketch{},
	}
	for x, err := range src.Exchanges(ctx, opts.Query) {
		if err != nil {
			return nil, fmt.Errorf("reading the recorded exchanges: %w", err)
		}
		if x.Request.Body.Size > 0 && x.Request.Body.SHA256 == [sha256.Size]byte{} {
			continue // its request is still coming in
		}
		head := *x
		head.Pieces = nil
		e := &entry{
			x:       &head,
			api:     tape.FamilyOf(x.Request.Method, x.Request.URL),
			target:  opts.target(Request{Method: x.Request.Method, URL: x.Request.URL, Header: x.Request.Header}),
			codings: codingsOf(x.Request.Header),
		}
		e.raw = rawKey(x.Request.Method, e.target, e.codings, x.Request.Body.SHA256)
		ix.entries = append(ix.entries, e)
	}
	ix.order = slices.Clone(ix.entries)
	slices.SortStableFunc(ix.order, func(a, b *entry) int { return a.rank() - b.rank() })
	return ix, nil
}

// rank sorts exchanges of one key by the order in which they answer; recorded order decides among equals.
func (e *entry) rank() int {
	rank := 0
	if e.api.Model() && !e.complete() {
		rank = 1
	}
	if len(e.x.Labels) > 0 {
		rank += 2
	}
	return rank
}

// Len returns the number of exchanges in the index.
func (ix *Index) Len() int { return len(ix.entries) }

// Find returns the exchange that answers r and marks it as used. The error is a [*Miss] when no rule hits; other errors are those of
// the source.
func (ix *Index) Find(ctx context.Context, r Request) (Hit, error) {
	q := newQuestion(r, ix.opts)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	hit, err := ix.find(ctx, q)
	if err != nil {
		return Hit{}, err
	}
	if hit.Exchange != nil {
		return hit, nil
	}
	miss, err := ix.miss(ctx, q)
	if err != nil {
		return Hit{}, fmt.Errorf("looking for the exchange nearest to a request that none answers: %w", err)
	}
	ix.missed = append(ix.missed, miss)
	return Hit{}, miss
}

// find tries the rules. Rules that need no body are tried before those that do, but never a lower rule before a higher one.
func (ix *Index) find(ctx context.Context, q *question) (Hit, error) {
	all := ix.view(nil)
	var labelled *view
	if len(q.names) > 0 {
		labelled = ix.view(q.names)
		if values, _ := labelled.valuesOf(q.labels); !labelled.values[values] {
			labelled = nil
		}
	}
	if labelled != nil {
		if hit, ok := ix.take(labelled, q, Label, q.raw); ok {
			return hit, nil
		}
		if err := ix.load(ctx, q); err != nil {
			return Hit{}, err
		}
		if hit, ok := ix.take(labelled, q, Label, q.exact(), q.meaning()); ok {
			return hit, nil
		}
	}
	if hit, ok := ix.take(all, q, Exact, q.raw); ok {
		return hit, nil
	}
	if err := ix.load(ctx, q); err != nil {
		return Hit{}, err
	}
	if hit, ok := ix.take(all, q, Exact, q.exact()); ok {
		return hit, nil
	}
	if hit, ok := ix.take(all, q, Meaning, q.meaning()); ok {
		return hit, nil
	}
	if ix.opts.AnyModel {
		if labelled != nil {
			if hit, ok := ix.take(labelled, q, AnyModel, q.anyModel()); ok {
				return hit, nil
			}
		}
		if hit, ok := ix.take(all, q, AnyModel, q.anyModel()); ok {
			return hit, nil
		}
	}
	if ix.opts.Reuse {
		return ix.share(all, q), nil
	}
	return Hit{}, nil
}

// take claims the next exchange of the first key that has one.
func (ix *Index) take(v *view, q *question, rule Rule, keys ...key) (Hit, bool) {
	values, _ := v.valuesOf(q.labels)
	for _, k := range keys {
		queue := v.queues[place{values, k}]
		if queue == nil {
			continue
		}
		if e := queue.next(q.mayTake); e != nil {
			e.claimed = true
			return e.serve(rule), true
		}
		if ix.opts.Reuse || q.poll() {
			if e := queue.last(q.mayTake); e != nil {
				return e.serve(rule), true
			}
		}
	}
	return Hit{}, false
}

// share returns the first exchange of a key whatever its labels, and does not claim it: so what the request gets does not depend
// on what was asked before, and the request to which the exchange belongs still finds it.
func (ix *Index) share(all *view, q *question) Hit {
	tries := []struct {
		rule Rule
		key  key
	}{{Exact, q.raw}, {Exact, q.exact()}, {Meaning, q.meaning()}}
	if ix.opts.AnyModel {
		tries = append(tries, struct {
			rule Rule
			key  key
		}{AnyModel, q.anyModel()})
	}
	for _, try := range tries {
		if queue := all.queues[place{key: try.key}]; queue != nil {
			return queue.entries[0].serve(try.rule)
		}
	}
	return Hit{}
}

func (e *entry) serve(rule Rule) Hit {
	hit := Hit{Exchange: e.x, Rule: rule, Again: len(e.served) > 0}
	if e.served == nil {
		e.served = map[Rule]int{}
	}
	e.served[rule]++
	return hit
}

// mayTake reports whether no label of the exchange has another value than the question's.
func (q *question) mayTake(e *entry) bool {
	for name, value := range q.labels {
		if other, ok := e.x.Labels[name]; ok && other != value {
			return false
		}
	}
	return true
}

func (q *question) exact() key { return q.body.exact(q.method, q.target) }

// meaning and anyModel are keys that no exchange has when the request is not a model call.
func (q *question) meaning() key  { return q.body.meaning }
func (q *question) anyModel() key { return q.body.anyModel }

// view returns the view of a set of label names, making it when it is asked for the first time.
func (ix *Index) view(names []string) *view {
	v := ix.views[joined(names)]
	if v != nil {
		return v
	}
	v = &view{names: names, values: map[string]bool{}, queues: map[place]*queue{}}
	for _, e := range ix.order {
		v.add(e, e.raw)
		if slices.Contains(ix.loaded, e.api) {
			ix.addRead(v, e)
		}
	}
	ix.views[joined(names)] = v
	return v
}

// addRead adds an exchange under the keys that its body gives.
func (ix *Index) addRead(v *view, e *entry) {
	r := ix.readings[e.content()]
	v.add(e, r.exact(e.x.Request.Method, e.target))
	if r.model {
		v.add(e, r.meaning)
		v.add(e, r.anyModel)
	}
}

// load reads the question's body, and those of all exchanges of its API family when that has not been done.
func (ix *Index) load(ctx context.Context, q *question) error {
	switch {
	case q.body != nil:
	case len(q.request.Body) > maxRead:
		q.body = &reading{canonical: sha256.Sum256(q.request.Body)}
	default:
		q.body = read(q.api, ix.opts.plain(q.codings, q.request), ix.opts.SameMode)
	}
	if slices.Contains(ix.loaded, q.api) {
		return nil
	}
	readings, err := eachBody(ctx, ix, []tape.API{q.api}, func(e *entry, body []byte) *reading {
		if body == nil && e.x.Request.Body.Size > 0 { // too large to be read: only its bytes can be equal
			return &reading{canonical: e.x.Request.Body.SHA256}
		}
		return read(e.api, ix.opts.plainRecorded(e, body), ix.opts.SameMode)
	})
	if err != nil {
		return err
	}
	for c, r := range readings {
		ix.readings[c] = r
	}
	ix.loaded = append(ix.loaded, q.api)
	for _, v := range ix.views {
		for _, e := range ix.order {
			if e.api == q.api {
				ix.addRead(v, e)
			}
		}
	}
	return nil
}

// eachBody calls f with every different request body of some API families, on all processors, and returns what it made.
func eachBody[T any](ctx context.Context, ix *Index, apis []tape.API, f func(*entry, []byte) T) (map[content]T, error) {
	var different []*entry
	seen := map[content]bool{}
	for _, e := range ix.entries {
		if c := e.content(); slices.Contains(apis, e.api) && !seen[c] {
			seen[c] = true
			different = append(different, e)
		}
	}
	made := make([]T, len(different))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, e := range different {
		group.Go(func() error {
			body, err := bodyOf(ctx, ix.src, e.x)
			if err == nil {
				made[i] = f(e, body)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := make(map[content]T, len(different))
	for i, e := range different {
		out[e.content()] = made[i]
	}
	return out, nil
}
