package match

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// sketch is what is kept of a request body to tell how alike two requests are. Sketches are made at the first miss, since a tape
// that answers everything needs none.
type sketch struct {
	lines []uint64 // digests of the different lines of the outline
	// anyAPI is equal for model calls that ask the same of different API families; the zero key when it is no model call.
	anyAPI key
}

var seed = maphash.MakeSeed()

func newSketch(api tape.API, plain []byte) *sketch {
	s := &sketch{}
	text := ""
	if parsed, ok := parse(api, plain); ok {
		parsed.API = ""
		s.anyAPI = newKey("any-api", string(parsed.Meaning(true)))
		parsed.Options, parsed.Unknown = nil, nil
		text = parsed.Outline()
	} else {
		text = plainOutline(plain)
	}
	for line := range strings.Lines(text) {
		s.lines = append(s.lines, maphash.String(seed, line))
	}
	slices.Sort(s.lines)
	s.lines = slices.Compact(s.lines)
	return s
}

// miss describes a question that no rule answers, and keeps the description for the report. Reading, diffing and the like is done
// while others may use the index.
func (ix *Index) miss(ctx context.Context, q *question) (*Miss, error) {
	m := &Miss{Method: q.method, API: q.api}
	asked := newSketch(q.api, q.plain)
	d := &difference{ix: ix, q: q, anyAPI: asked.anyAPI, hide: newHider()}
	var err error
	if d.nearest, err = ix.nearest(ctx, q, asked); err != nil {
		return nil, err
	}
	if e := d.nearest; e != nil {
		m.Nearest = e.x
		body, err := bodyOf(ctx, ix.src, e.x)
		if err != nil {
			return nil, err
		}
		d.plain = ix.opts.plainRecorded(e, body)
		d.recordedCall, d.askedCall = d.calls(d.plain, q.plain)
	}
	d.show(m) // which learns what is to be hidden
	d.hide.Learned()
	d.show(m)
	m.Diff, m.short = unified(d.recorded, d.asked)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	m.Reason = d.reason()
	ix.missed = append(ix.missed, m)
	return m, nil
}

// sketch makes the sketches of all exchanges, once.
func (ix *Index) sketch(ctx context.Context) error {
	if len(ix.sketches) > 0 || len(ix.entries) == 0 {
		return nil
	}
	apis := append(slices.Clone(tape.APIs), tape.Control, tape.Other)
	sketches, err := eachBody(ctx, ix, apis, func(e *entry, body []byte) *sketch {
		return newSketch(e.api, ix.opts.plainRecorded(e, body))
	})
	if err != nil {
		return err
	}
	ix.sketches = sketches
	return nil
}

// likeness says how near an exchange is to a question. Fields count in the order they stand in. What has been asked before does not count:
// a miss says the same whatever the order of asking.
type likeness struct {
	labels   bool // same labels: the very exchange that was meant
	question bool // same question, perhaps of another API
	endpoint bool // same method and path
	lines    int  // lines of the outline that both have
	prefix   int  // how much of the targets is equal
	others   int  // lines of the exchange that the question has not
}

func (a likeness) compare(b likeness) int {
	return cmp.Or(
		compareBool(a.labels, b.labels),
		compareBool(a.question, b.question),
		compareBool(a.endpoint, b.endpoint),
		cmp.Compare(a.lines, b.lines),
		cmp.Compare(a.prefix, b.prefix),
		cmp.Compare(b.others, a.others),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// nearest returns the exchange most like the question: of its API family or labels, or else one that asks the same of another
// API; the first recorded of equals; nil when there is none.
func (ix *Index) nearest(ctx context.Context, q *question, asked *sketch) (*entry, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.sketch(ctx); err != nil {
		return nil, err
	}
	lines := make(map[uint64]bool, len(asked.lines))
	for _, line := range asked.lines {
		lines[line] = true
	}
	var best *entry
	var bestLikeness likeness
	for _, e := range ix.entries {
		s := ix.sketches[e.content()]
		sameLabels := len(q.labels) > 0 && hasLabels(e.labels, q.labels)
		sameQuestion := asked.anyAPI != key{} && s.anyAPI == asked.anyAPI
		if e.api != q.api && !sameLabels && !sameQuestion {
			continue
		}
		l := likeness{
			labels:   sameLabels,
			question: sameQuestion,
			endpoint: e.x.Request.Method == q.method && pathOf(e.target) == pathOf(q.target),
			prefix:   commonPrefix(e.target, q.target),
		}
		for _, line := range s.lines {
			if lines[line] {
				l.lines++
			}
		}
		l.others = len(s.lines) - l.lines
		if best == nil || l.compare(bestLikeness) > 0 {
			best, bestLikeness = e, l
		}
	}
	return best, nil
}

func hasLabels(labels, wanted map[string]string) bool {
	for name, value := range wanted {
		if have, ok := labels[name]; !ok || have != value {
			return false
		}
	}
	return true
}

// difference is what is known of a question and the exchange nearest to it.
type difference struct {
	ix      *Index
	q       *question
	anyAPI  key
	nearest *entry // nil when the tape has none of its kind
	plain   []byte // its body as it is compared

	recordedCall, askedCall *wire.Request // nil when not both are model calls

	// What is shown, without secrets.
	hide            hider
	recorded, asked string // outlines
	path            string
}

// calls reads both bodies as model calls. What no rule compares of one is taken from the recorded one, so that the diff holds only what
// counts.
func (d *difference) calls(recorded, asked []byte) (a, b *wire.Request) {
	a, aok := parse(d.nearest.api, recorded)
	b, bok := parse(d.q.api, asked)
	if !aok || !bok {
		return nil, nil
	}
	b.Options, b.Unknown = a.Options, a.Unknown
	if !d.ix.opts.SameMode {
		b.Stream = a.Stream
	}
	if d.ix.opts.AnyModel {
		b.Model = a.Model
	}
	return a, b
}

// show says in m what was asked, and makes the outlines.
func (d *difference) show(m *Miss) {
	e, q := d.nearest, d.q
	m.URL, m.Labels = d.hide.String(q.target), d.hide.labels(q.labels)
	d.path = pathOf(m.URL)
	if e == nil {
		return
	}
	m.beside = d.hide.labels(e.labels)
	recorded := d.hide.RequestBody(d.plain, e.x.Request.Header.Get("Content-Type"))
	asked := d.hide.RequestBody(q.plain, q.request.Header.Get("Content-Type"))
	if a, b := d.calls(recorded, asked); a != nil {
		d.recorded, d.asked = a.Outline(), b.Outline()
	} else {
		d.recorded, d.asked = plainOutline(recorded), plainOutline(asked)
	}
	d.recorded = e.x.Request.Method + " " + d.hide.String(e.target) + "\n" + endLine(d.recorded)
	d.asked = q.method + " " + m.URL + "\n" + endLine(d.asked)
}

// reason says why nothing answers, and what to do: the rule that would have made it match where there is one.
func (d *difference) reason() string {
	if len(d.ix.entries) == 0 {
		return "the tape holds no exchanges: record some first, or choose another tape or session"
	}
	if why := d.taken(); why != "" {
		return why
	}
	if why := d.guessed(); why != "" {
		return why
	}
	if !d.ix.opts.AnyModel {
		if queue := d.queue(d.q.anyModel()); queue != nil {
			flags := "--any-model"
			if queue.next(d.q.mayTake) == nil {
				flags += " and --reuse"
			}
			return "would match with " + flags + ": " + d.models(queue)
		}
	}
	if why := d.inOtherMode(); why != "" {
		return why
	}
	if why := d.elsewhere(); why != "" {
		return why
	}
	return d.kind()
}

func (d *difference) queue(k key) *queue { return d.ix.view(nil).queues[place{key: k}] }

// taken is the reason when the very request is on the tape, but may not answer.
func (d *difference) taken() string {
	tries := []key{d.q.raw, d.q.exact(), d.q.meaning()}
	if d.ix.opts.AnyModel {
		tries = append(tries, d.q.anyModel())
	}
	for _, k := range tries {
		queue := d.queue(k)
		if queue == nil {
			continue
		}
		used := 0
		for _, e := range queue.entries {
			if d.q.mayTake(e) {
				used++
			}
		}
		switch {
		case used == 1:
			return "recorded once, but already used: --reuse lets it answer again"
		case used > 1:
			return fmt.Sprintf("recorded %d times, but all are used: --reuse lets the last answer again", used)
		}
		return "recorded, but under other labels" + labelText(d.hide.labels(conflict(d.q.labels, queue.entries[0].labels))) + ": --reuse lets it answer here too"
	}
	return ""
}

// guessed is the reason when recorded requests become the one that is asked once their placeholders are filled in, but none of them
// may answer.
func (d *difference) guessed() string {
	const tell = "label the requests (" + record.LabelHeader + ": sample=…, when recording and when asking), or redact less"
	meant := d.q.guess.meant
	switch {
	case d.q.guess.gaveUp:
		return "ambiguous: there are too many ways to fill in the placeholders of what is recorded: " + tell
	case len(meant) == 1 && d.q.guess.loosely:
		return "only what exchange " + meant[0].name() + " has a placeholder for differs, but that is not filled in with what is asked, " +
			"which is too short, too long, of several lines, or most of its message: " + tell
	case len(meant) == 1:
		return "recorded with placeholders in exchange " + meant[0].name() +
			", but that has answered already, this request or one that differs in what was redacted: --reuse lets it answer again"
	case len(meant) > 1:
		var names []string
		for _, e := range meant[:min(len(meant), maxNamed)] {
			names = append(names, e.name())
		}
		more := ""
		if n := len(meant) - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return fmt.Sprintf("ambiguous: %d recorded requests become this one when their placeholders are filled in, exchanges %s%s: %s", len(meant),
			strings.Join(names, ", "), more, tell)
	}
	return ""
}

// maxNamed is how many exchanges a reason names.
const maxNamed = 5

// conflict returns the labels of have that are otherwise in want.
func conflict(want, have map[string]string) map[string]string {
	out := maps.Clone(have)
	maps.DeleteFunc(out, func(name, value string) bool {
		wanted, ok := want[name]
		return !ok || wanted == value
	})
	return out
}

func (d *difference) models(queue *queue) string {
	e := queue.entries[0]
	recorded := e.x.Facts.Model
	if parsed, ok := parse(d.q.api, d.q.plain); ok {
		return fmt.Sprintf("recorded with the model %q, asked of %q", recorded, parsed.Model)
	}
	return fmt.Sprintf("recorded with the model %q", recorded)
}

// inOtherMode is the reason when the tape has the request, but with an answer of the other mode.
func (d *difference) inOtherMode() string {
	if !d.ix.opts.SameMode || d.askedCall == nil {
		return ""
	}
	k, anyModel := callKeys(d.askedCall, !d.askedCall.Stream)
	if d.ix.opts.AnyModel {
		k = anyModel
	}
	switch {
	case d.queue(k) == nil:
		return ""
	case d.askedCall.Stream:
		return "recorded as a whole answer only, and this asks for a stream: record it with a stream, or ask without one"
	}
	return "recorded as a stream only, and this asks for a whole answer: record it without a stream, or ask for one"
}

// elsewhere is the reason when the tape has the request for another API, or has nothing under its path or method.
func (d *difference) elsewhere() string {
	if e := d.nearest; e != nil && e.api != d.q.api && d.anyAPI != (key{}) && d.ix.sketches[e.content()].anyAPI == d.anyAPI {
		return fmt.Sprintf("the same request is recorded for another API: %s instead of %s", e.api, d.q.api)
	}
	path := pathOf(d.q.target)
	methods, counts := map[string]bool{}, map[tape.API]int{}
	for _, e := range d.ix.entries {
		counts[e.api]++
		if pathOf(e.target) == path {
			methods[clip(e.x.Request.Method, 0)] = true
		}
	}
	if len(methods) == 0 {
		var has []string
		for _, api := range slices.Sorted(maps.Keys(counts)) {
			has = append(has, fmt.Sprintf("%d %s", counts[api], api))
		}
		return fmt.Sprintf("no exchange on this tape has the path %s (it holds %s)", clip(d.path, 0), strings.Join(has, ", "))
	}
	if method := clip(d.q.method, 0); !methods[method] {
		return fmt.Sprintf("the tape has this path with %s only, not with %s", strings.Join(slices.Sorted(maps.Keys(methods)), " and "), method)
	}
	return ""
}

// kind names the kind of the difference where it is a common one.
func (d *difference) kind() string {
	const again = "record it again, or ask what was recorded"
	switch {
	case d.nearest == nil:
		return "nothing alike is recorded: " + again
	case unblank(d.recorded) == unblank(d.asked):
		return "only white space differs, and no rule forgives that, since a model may answer otherwise: " + again
	case d.toolsReordered():
		return "only the order of the tools differs, and no rule forgives that, since a model may answer otherwise: " + again
	case d.nearest.x.Request.Body.Size > maxRead:
		return "the recorded request is too large to be compared by more than its bytes: " + again
	}
	return "no rule forgives this difference: " + again
}

func (d *difference) toolsReordered() bool {
	if d.askedCall == nil || d.askedCall.API != d.recordedCall.API {
		return false
	}
	sorted := func(r *wire.Request) string {
		s := *r
		s.Tools = slices.SortedStableFunc(slices.Values(r.Tools), func(x, y wire.Tool) int { return cmp.Compare(x.Name, y.Name) })
		return string(s.Meaning(!d.ix.opts.AnyModel))
	}
	return sorted(d.askedCall) == sorted(d.recordedCall)
}
