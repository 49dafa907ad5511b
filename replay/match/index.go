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
	// Filled says that Rule holds once the placeholders of the recorded request are filled in.
	Filled bool
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
	redacted map[tape.API][]*redactedRequest // of the families in loaded
	bound    bindings
}

// entry is one exchange of an index.
type entry struct {
	x       *tape.Exchange
	api     tape.API
	target  string
	labels  map[string]string // as they are compared
	codings []string
	raw     key

	claimed bool // by a request that is equal as it is
	filled  bool // claimed by one that is equal once placeholders are filled in
	served  map[how]int
}

// how says what made an exchange answer.
type how struct {
	rule   Rule
	filled bool
}

// content names a body together with what decides how it is read.
type content struct {
	api     tape.API
	codings string
	sum     [sha256.Size]byte
}

// name is how messages name the exchange.
func (e *entry) name() string { return fmt.Sprintf("%s/%d", e.x.Session, e.x.Seq) }

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
		redacted: map[tape.API][]*redactedRequest{},
		bound:    newBindings(),
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
			codings: codingsOf(x.Request.Header),
		}
		e.target, e.labels = opts.head(Request{Method: x.Request.Method, URL: x.Request.URL, Header: x.Request.Header}, x.Labels)
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
	hit, err := ix.find(ctx, q)
	if err != nil || hit.Exchange != nil {
		return hit, err
	}
	miss, err := ix.miss(ctx, q)
	if err != nil {
		return Hit{}, fmt.Errorf("looking for the exchange nearest to a request that none answers: %w", err)
	}
	return Hit{}, miss
}

// find tries the rules. Those that need no body are tried before those that do, but never a lower rule before a higher one. What
// takes long about one question is done while others may use the index.
func (ix *Index) find(ctx context.Context, q *question) (Hit, error) {
	if hit, ok := ix.takeAsSent(q); ok {
		return hit, nil
	}
	q.read(ix.opts)
	hit, err := ix.takeRead(ctx, q)
	if err != nil || hit.Exchange != nil {
		return hit, err
	}
	if ix.opts.Canonical != nil {
		if hit = ix.takeFilled(q, ix.fitting(q)); hit.Exchange != nil {
			return hit, nil
		}
	}
	if ix.opts.Reuse {
		return ix.share(q), nil
	}
	return Hit{}, nil
}

// labelled returns the view of the exchanges with the names of the question's labels, nil when none has their values.
func (ix *Index) labelled(q *question) *view {
	if len(q.names) == 0 {
		return nil
	}
	v := ix.view(q.names)
	if values, _ := v.valuesOf(q.labels); !v.values[values] {
		return nil
	}
	return v
}

// takeAsSent tries what needs no look into the question's body.
func (ix *Index) takeAsSent(q *question) (Hit, bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if labelled := ix.labelled(q); labelled != nil {
		return ix.take(labelled, q, Label, q.raw)
	}
	return ix.take(ix.view(nil), q, Exact, q.raw)
}

// takeRead tries all rules on the requests as they are.
func (ix *Index) takeRead(ctx context.Context, q *question) (Hit, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.load(ctx, q.api); err != nil {
		return Hit{}, err
	}
	type attempt struct {
		view *view
		rule Rule
		keys []key
	}
	all, labelled := ix.view(nil), ix.labelled(q)
	var attempts []attempt
	if labelled != nil {
		attempts = append(attempts, attempt{labelled, Label, []key{q.raw, q.exact(), q.meaning()}})
	}
	attempts = append(attempts, attempt{all, Exact, []key{q.raw, q.exact()}}, attempt{all, Meaning, []key{q.meaning()}})
	if ix.opts.AnyModel {
		if labelled != nil {
			attempts = append(attempts, attempt{labelled, AnyModel, []key{q.anyModel()}})
		}
		attempts = append(attempts, attempt{all, AnyModel, []key{q.anyModel()}})
	}
	for _, a := range attempts {
		if hit, ok := ix.take(a.view, q, a.rule, a.keys...); ok {
			return hit, nil
		}
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
		// Requests that differ in secrets have one key: those that were recorded with the secrets of the question go before others.
		for _, may := range []func(*entry) bool{ix.consistent(q), q.mayTake} {
			e, again := queue.next(may), false
			if e == nil && (ix.opts.Reuse || q.poll()) {
				e, again = queue.last(may), true
			}
			if e == nil {
				continue
			}
			e.claimed = e.claimed || !again
			ix.bind(e, q)
			return e.serve(how{rule: rule}), true
		}
	}
	return Hit{}, false
}

// share returns the first exchange of a key whatever its labels, and does not claim it: so what the request gets does not depend
// on what was asked before, and the request to which the exchange belongs still finds it.
func (ix *Index) share(q *question) Hit {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	all := ix.view(nil)
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
			return queue.entries[0].serve(how{rule: try.rule})
		}
	}
	return Hit{}
}

func (e *entry) serve(by how) Hit {
	hit := Hit{Exchange: e.x, Rule: by.rule, Filled: by.filled, Again: len(e.served) > 0}
	if e.served == nil {
		e.served = map[how]int{}
	}
	e.served[by]++
	return hit
}

// mayTake reports whether no label of the exchange has another value than the question's.
func (q *question) mayTake(e *entry) bool {
	for name, value := range q.labels {
		if other, ok := e.labels[name]; ok && other != value {
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

// load reads the bodies of all exchanges of an API family when that has not been done.
func (ix *Index) load(ctx context.Context, api tape.API) error {
	if slices.Contains(ix.loaded, api) {
		return nil
	}
	readings, err := eachBody(ctx, ix, []tape.API{api}, func(e *entry, body []byte) *reading {
		if body == nil && e.x.Request.Body.Size > 0 { // too large to be read: only its bytes can be equal
			return &reading{canonical: e.x.Request.Body.SHA256}
		}
		return ix.opts.readRecorded(e, body)
	})
	if err != nil {
		return err
	}
	for c, r := range readings {
		ix.readings[c] = r
	}
	ix.loaded = append(ix.loaded, api)
	ix.redacted[api] = ix.redactedRequests(api)
	for _, v := range ix.views {
		for _, e := range ix.order {
			if e.api == api {
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
