package conformance

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// Pairs compares answers to requests that ask the same: streamed with whole, and one API with another. Only deterministic requests count,
// those with temperature 0 or a seed; of others each answer may differ.
//
// Judged exchanges are added, each with a number; afterwards [Pairs.Findings] says what to add to which. It keeps little of each answer,
// and of [remembered] answers at most; the oldest are forgotten.
type Pairs struct {
	groups map[[32]byte][]essence
	order  [][32]byte // key of each essence, in order of its number
	// Forgotten counts answers that could no longer be compared.
	Forgotten int

	limit int // of answers that are kept; 0 is [remembered]
}

// remembered is how many answers are kept.
const remembered = 1 << 16

// essence is what is kept of an answer.
type essence struct {
	number int
	ref    tape.Ref
	api    tape.API
	stream bool
	// question is the digest of what was asked in whatever API, options that of the further settings of the request but for its mode.
	question, options [32]byte
	// Of what is compared, digests.
	text, reasoning, calls [32]byte
	finish                 string
	input, output          int64 // -1 for not told
	right                  bool  // the verdict on its calls
	shown                  string
}

// Finding is what a comparison adds to a report.
type Finding struct {
	Problem Problem
	// Blame is the adapter when the other answer was right where this one is wrong; else "", for the report's own.
	Blame    Side
	Evidence string

	question string // see [askedDigest]
}

// incomparable are problems after which there is nothing to compare.
var incomparable = []string{
	"http-error", "body-not-json", "stream-error-event", "truncated-stream", "upstream-timeout", "client-disconnect", "malformed-event",
}

// Add remembers an answer.
func (p *Pairs) Add(number int, x *reading.Exchange, r *Report) {
	if e := essenceOf(x, r); e != nil {
		p.add(number, e)
	}
}

func (p *Pairs) add(number int, e *essence) {
	e.number = number
	if p.groups == nil {
		p.groups = make(map[[32]byte][]essence)
	}
	if len(p.order) >= cmp.Or(p.limit, remembered) {
		oldest := p.order[0]
		p.order = p.order[1:]
		if p.groups[oldest] = p.groups[oldest][1:]; len(p.groups[oldest]) == 0 {
			delete(p.groups, oldest)
		}
		p.Forgotten++
	}
	p.groups[e.question] = append(p.groups[e.question], *e)
	p.order = append(p.order, e.question)
}

// essenceOf returns what is to be kept of an answer; nil when it is not to be compared with any.
func essenceOf(x *reading.Exchange, r *Report) *essence {
	if x.Request == nil || x.Answer == nil || r.Calls == NotJudged || r.Protocol == NotJudged || !deterministic(x.Request) || slices.ContainsFunc(incomparable, r.Has) {
		return nil
	}
	a := x.Answer
	e := &essence{
		ref: x.Ref, api: a.API, stream: a.Stream, question: question(x.Request), options: optionsOf(x.Request),
		text: sha256.Sum256([]byte(a.Text)), reasoning: sha256.Sum256([]byte(a.Reasoning)),
		input: -1, output: -1, right: r.Calls == OK,
	}
	if a.FinishReason != nil {
		e.finish = *a.FinishReason
	}
	if u := a.Usage; u != nil {
		if u.Input != nil {
			e.input = *u.Input
		}
		if u.Output != nil {
			e.output = *u.Output
		}
	}
	h := sha256.New()
	var calls []string
	for _, c := range r.ToolCalls {
		put(h, c.Name)
		put(h, canonical(c.Arguments))
		calls = append(calls, c.Name+" "+shorten(string(c.Arguments)))
	}
	h.Sum(e.calls[:0])
	e.shown = strings.Join(calls, "; ")
	if a.Text != "" {
		e.shown = strings.TrimPrefix(e.shown+"; "+quoted([]byte(a.Text)), "; ")
	}
	if e.shown == "" {
		e.shown = "nothing"
	}
	return e
}

// put writes a text so that where it ends is a part of it.
func put(h hash.Hash, s string) {
	h.Write(strconv.AppendInt(nil, int64(len(s)), 10))
	h.Write([]byte{':'})
	h.Write([]byte(s))
}

// deterministic reports whether a request asks for the same answer each time.
func deterministic(q *wire.Request) bool {
	for _, f := range q.Options {
		var n float64
		switch f.Name {
		case "temperature":
			if json.Unmarshal(f.Value, &n) == nil && n == 0 {
				return true
			}
		case "seed":
			if f.Value.Kind() == '0' {
				return true
			}
		case "options":
			var o struct {
				Temperature, Seed *float64
			}
			if json.Unmarshal(f.Value, &o) == nil && (o.Seed != nil || o.Temperature != nil && *o.Temperature == 0) {
				return true
			}
		}
	}
	return false
}

// optionsOf returns the digest of all settings of a request but for the mode of the answer.
func optionsOf(q *wire.Request) (sum [32]byte) {
	h := sha256.New()
	options := slices.Clone(q.Options)
	slices.SortStableFunc(options, func(a, b wire.Field) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range options {
		if f.Name != "stream_options" {
			put(h, f.Name)
			put(h, canonical(f.Value))
		}
	}
	h.Sum(sum[:0])
	return sum
}

// question returns the digest of what a request asks, whatever API it asks.
func question(q *wire.Request) (sum [32]byte) {
	h := sha256.New()
	put(h, q.Model)
	put(h, q.System)
	for i := range q.Messages {
		m := &q.Messages[i]
		for _, p := range m.Parts {
			switch {
			case p.Kind == wire.PartText && p.Text != "":
				put(h, m.Role)
				put(h, p.Text)
			case p.Call != nil:
				put(h, p.Call.Name)
				put(h, canonical([]byte(p.Call.Arguments)))
			case p.Result != nil:
				put(h, p.Result.Text)
			case p.Kind == wire.PartOther:
				put(h, string(p.Raw))
			case p.Image != nil:
				put(h, p.Image.SHA256+p.Image.URL)
			}
		}
	}
	for _, t := range q.Tools {
		put(h, t.Name)
		put(h, t.Description)
		put(h, canonical(bytes.TrimSpace(t.Schema)))
	}
	if limit := askedOf(q).limit; limit != nil {
		put(h, strconv.FormatInt(*limit, 10))
	}
	h.Sum(sum[:0])
	return sum
}

// Findings returns what the comparisons add to each report, by its number.
func (p *Pairs) Findings() map[int][]Finding {
	found := make(map[int][]Finding)
	for key, group := range p.groups {
		modes(group, found)
		apis(group, found)
		for i := range group {
			for k := range found[group[i].number] {
				found[group[i].number][k].question = hex.EncodeToString(key[:8])
			}
		}
	}
	return found
}

// modes compares streamed answers with the whole answers of the same requests. Where whole answers differ among themselves, a stream
// may be like any of them.
func modes(group []essence, found map[int][]Finding) {
	for _, s := range group {
		if !s.stream {
			continue
		}
		var first *essence
		var differs []string
		for i := range group {
			w := &group[i]
			if w.stream || w.api != s.api || w.options != s.options {
				continue
			}
			d := difference(&s, w)
			if len(d) == 0 {
				first = nil
				if s.input >= 0 && w.input >= 0 && s.input != w.input || s.output >= 0 && w.output >= 0 && s.output != w.output {
					found[s.number] = append(found[s.number], newFinding("usage-mismatch", fmt.Sprintf("%d and %d tokens, %d and %d in the whole answer %s/%d", s.input, s.output, w.input, w.output, w.ref.Session, w.ref.Seq)))
				}
				break
			}
			if first == nil {
				first, differs = w, d
			}
		}
		if first == nil {
			continue
		}
		f := newFinding("stream-mismatch", fmt.Sprintf("the whole answer %s/%d differs in %s: %s there, %s here", first.ref.Session, first.ref.Seq, strings.Join(differs, ", "), first.shown, s.shown))
		f.adapter(&s, first, "the whole answer")
		found[s.number] = append(found[s.number], f)
		if first.right != s.right && !first.right {
			f := Finding{}
			f.adapter(first, &s, "the stream")
			found[first.number] = append(found[first.number], f)
		}
	}
}

func difference(a, b *essence) []string {
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

// apis compares the first answer through each API with the others'. The one all are compared with is the first that is right.
func apis(group []essence, found map[int][]Finding) {
	reference := &group[0]
	for i := range group {
		if group[i].right {
			reference = &group[i]
			break
		}
	}
	told := map[tape.API]bool{reference.api: true}
	for i := range group {
		e := &group[i]
		if told[e.api] {
			continue
		}
		told[e.api] = true
		alike := slices.ContainsFunc(group, func(x essence) bool {
			return x.api == e.api && slices.ContainsFunc(group, func(y essence) bool {
				return y.api == reference.api && x.text == y.text && x.calls == y.calls
			})
		})
		if alike {
			continue
		}
		f := newFinding("api-mismatch", fmt.Sprintf("through %s (%s/%d) the answer is %s, here it is %s", reference.api, reference.ref.Session, reference.ref.Seq, reference.shown, e.shown))
		f.adapter(e, reference, "the answer through "+string(reference.api))
		found[e.number] = append(found[e.number], f)
	}
}

func newFinding(code, detail string) Finding {
	return Finding{Problem: Problem{Code: code, Where: Where{In: InResponse}, Detail: detail, Count: 1}}
}

// adapter lays the fault at the adapter when the other answer is right where this one is wrong.
func (f *Finding) adapter(e, other *essence, what string) {
	if !e.right && other.right {
		f.Blame = Adapter
		f.Evidence = fmt.Sprintf("%s (%s/%d) got it right: %s", what, other.ref.Session, other.ref.Seq, other.shown)
	}
}

// Apply adds findings to a report.
func (g *Judge) Apply(r *Report, findings []Finding) {
	for _, f := range findings {
		if c, ok := CodeOf(f.Problem.Code); ok && g.rules.Wants(c) && !r.Has(c.Name) {
			p := f.Problem
			p.Severity, p.Group, p.Side = g.rules.severity(c), c.Group, c.Side
			r.Problems = append(r.Problems, p)
			if p.Severity == Error {
				r.Protocol = Failed
			}
			side := Adapter
			if c.Name == "usage-mismatch" {
				side = c.Side
			}
			if r.Blame == nil || r.Calls == OK && side == Adapter {
				r.Blame = &side
			}
		}
		if f.Blame != "" && r.Calls == Failed {
			side := f.Blame
			r.Blame = &side
			r.Evidence = append(r.Evidence, f.Evidence)
		}
	}
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return rank[a.Code] - rank[b.Code] })
}
