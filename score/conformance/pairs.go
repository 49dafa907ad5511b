package conformance

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// Pairs compares answers to requests that ask the same: streamed with whole, and one API with another. Only deterministic requests count,
// those with temperature 0 or a seed; of others each answer may differ.
//
// Judged exchanges come one by one, in the order of recording. Either they are added, each with a number, and afterwards [Pairs.Findings] says
// what to add to which; or [Pairs.Tell] says of each at once what it brings up. What was told at once is all of what is found afterwards, and
// what a later answer took back: a stream differs no longer when one of several whole answers is like it, and an API no longer when one
// of its answers is like one of the API that all are measured by. That is the API of the first of the best answers: right ones that do not call
// themselves cut come first, then right ones, then others.
//
// A limit of tokens counts when two requests state one, and when an answer came to it: else it changed nothing. What was asked again for a
// comparison (see [AskedAgain]) is compared with what was asked in the same session only, for nobody knows that the same server answered.
//
// Pairs keeps little of each answer, and of [remembered] answers at most; then it forgets those to the question that came up first.
type Pairs struct {
	inquiries map[topic]*inquiry
	order     []topic           // the questions of inquiries, in the order in which they came up
	kept      int               // answers in inquiries
	past      map[int][]Finding // what was found in inquiries that are forgotten
	// Forgotten counts answers that could no longer be compared, or not with all that came after them.
	Forgotten int
	// Together says that what was asked again is compared with all others, too.
	Together bool

	limit int // of answers that are kept; 0 is [remembered]
}

// remembered is how many answers are kept, 60 MiB of them when each is to another question.
const remembered = 1 << 16

// AskedAgain is the label of exchanges that ask once more what others of a recording asked, maybe of another server.
const AskedAgain = "again"

// topic is what answers have in common that may be compared.
type topic struct {
	question [32]byte // the digest of what was asked in whatever API, see [question]
	again    string   // the session in which it was asked again; "" when it was not
}

// essence is what is kept of an answer.
type essence struct {
	number int // [unnumbered] when it will not be asked for
	ref    tape.Ref
	topic
	said

	whole *essence  // of a stream: the first whole answer, which is unlike it
	told  []Finding // see [Change.Before]
	apart bool      // that it is unlike the reference was told, see [inquiry]
}

// unnumbered is the number of an answer whose findings are told at once.
const unnumbered = -1

// said is what is compared of an answer, and shown.
type said struct {
	api    tape.API
	stream bool
	// options is the digest of the further settings of the request but for its mode.
	options [32]byte
	content
	input, output int64 // -1 for not told
	limit         int64 // the most tokens that were asked for; 0 for no limit
	cut           bool  // the answer came to its limit, be it the server's own
	more          bool  // it says so
	right         bool  // the verdict on its calls
	// shown are the calls and the text, shortened, and thought is the reasoning.
	shown, thought string
}

// content is what has to be the same in both modes. Of what may be long it has the digest.
type content struct {
	text, reasoning, calls [32]byte
	finish                 string
}

// Finding is what a comparison adds to a report.
type Finding struct {
	Problem Problem
	// Blame is the adapter when the other answer was right where this one is wrong; else "", for the report's own.
	Blame    Side
	Evidence string

	question string // see [askedDigest]
}

// Change is what an answer brings up about one that came before it.
type Change struct {
	Ref tape.Ref
	// Before are the findings that were told of it until now, New are those to add.
	Before, New []Finding
}

// incomparable are problems after which there is nothing to compare, be it that the rules leave them out.
var incomparable = []string{
	"http-error", "body-not-json", "stream-error-event", "truncated-stream", "upstream-timeout", "client-disconnect", "malformed-event",
}

// Add remembers an answer for [Pairs.Findings].
func (p *Pairs) Add(number int, x *reading.Exchange, r *Report) {
	if e := essenceOf(x, r); e != nil {
		p.add(number, e)
	}
}

// Tell remembers an answer and returns what to add to its own report at once, and which problems it brings up in others.
func (p *Pairs) Tell(x *reading.Exchange, r *Report) (own []Finding, others []Change) {
	e := essenceOf(x, r)
	if e == nil {
		return nil, nil
	}
	all := slices.DeleteFunc(p.add(unnumbered, e), func(n news) bool {
		return n.of != e && n.finding.Problem.Code == "" // it only lays the fault of what was told before
	})
	at := make(map[*essence]int)
	for _, n := range all {
		if n.of == e {
			own = append(own, n.finding)
			continue
		}
		i, ok := at[n.of]
		if !ok {
			i = len(others)
			at[n.of] = i
			others = append(others, Change{Ref: n.of.ref, Before: slices.Clone(n.of.told)})
		}
		others[i].New = append(others[i].New, n.finding)
	}
	for _, n := range all {
		n.of.told = append(n.of.told, n.finding)
	}
	return own, others
}

// add remembers an answer and returns what is new with it.
func (p *Pairs) add(number int, e *essence) []news {
	e.number = number
	if p.Together {
		e.again = ""
	}
	for len(p.order) > 0 && p.kept >= cmp.Or(p.limit, remembered) {
		p.forget()
	}
	q := p.inquiries[e.topic]
	if q == nil {
		if p.inquiries == nil {
			p.inquiries = make(map[topic]*inquiry)
		}
		q = &inquiry{}
		p.inquiries[e.topic] = q
		p.order = append(p.order, e.topic)
	}
	kept, forgotten := q.kept, q.forgotten
	all := q.add(e)
	p.kept += q.kept - kept
	p.Forgotten += q.forgotten - forgotten
	return all
}

// forget forgets the oldest question. What was found about its answers stays.
func (p *Pairs) forget() {
	key := p.order[0]
	p.order = p.order[1:]
	q := p.inquiries[key]
	delete(p.inquiries, key)
	if p.past == nil {
		p.past = make(map[int][]Finding)
	}
	q.findings(key.question, p.past)
	p.kept -= q.kept
	p.Forgotten += q.kept
}

// Findings returns what the comparisons add to each report, by its number.
func (p *Pairs) Findings() map[int][]Finding {
	found := make(map[int][]Finding)
	for n, list := range p.past {
		found[n] = slices.Clone(list)
	}
	for key, q := range p.inquiries {
		q.findings(key.question, found)
	}
	return found
}

// Comparable reports whether two judged answers are compared with each other, so that a finding says that they differ: one is a stream and one
// a whole answer to requests that are the same but for that, and ask for the same answer each time; and both are whole. Whether one of them
// was asked again does not matter.
func Comparable(a *reading.Exchange, ofA *Report, b *reading.Exchange, ofB *Report) bool {
	e, f := essenceOf(a, ofA), essenceOf(b, ofB)
	return e != nil && f != nil && e.stream != f.stream && e.question == f.question && e.api == f.api && e.options == f.options
}

// essenceOf returns what is to be kept of an answer; nil when it is not to be compared with any.
func essenceOf(x *reading.Exchange, r *Report) *essence {
	if x.Request == nil || x.Answer == nil || r.Calls == NotJudged || r.Protocol == NotJudged || !deterministic(x.Request) || r.broken {
		return nil
	}
	a, q := x.Answer, askedOf(x.Request)
	e := &essence{ref: x.Ref, topic: topic{question: question(q)}, said: said{
		api: a.API, stream: a.Stream, options: optionsOf(x.Request), cut: ranOut(a), more: ranOut(a),
		content: content{text: sha256.Sum256([]byte(a.Text)), reasoning: sha256.Sum256([]byte(a.Reasoning))},
		input:   -1, output: -1, right: r.Calls == OK, thought: quote.Text(a.Reasoning),
	}}
	if x.Labels[AskedAgain] != "" {
		e.again = x.Ref.Session
	}
	if a.FinishReason != nil {
		e.finish = *a.FinishReason
	}
	if u := a.Usage; u != nil {
		if u.Input != nil {
			e.input = *u.Input + cachedApart(x)
		}
		if u.Output != nil {
			e.output = *u.Output
		}
	}
	if q.limit != nil {
		e.limit = *q.limit
		e.cut = e.cut || q.spent(a.Usage)
	}
	d := jsonvalue.NewDigest()
	var calls []string
	for i, c := range r.ToolCalls {
		calls = append(calls, c.Name+" "+quote.Short(string(c.Arguments)))
		// What the report has of a call has its secrets taken out.
		d.Put(strings.ToValidUTF8(a.ToolCalls[i].Name, "\ufffd"))
		d.PutValue(sentArguments(&a.ToolCalls[i]))
	}
	e.calls = d.Sum()
	e.shown = strings.Join(calls, "; ")
	if a.Text != "" {
		e.shown = strings.TrimPrefix(e.shown+"; "+quote.Text(a.Text), "; ")
	}
	if e.shown == "" {
		e.shown = "nothing"
	}
	return e
}

// sentArguments returns the arguments of a call as they are compared.
func sentArguments(c *wire.ToolCall) []byte {
	switch {
	case len(bytes.TrimSpace(c.RawArguments)) == 0:
		return []byte("{}")
	case utf8.Valid(c.RawArguments):
		return c.RawArguments
	}
	return bytes.ToValidUTF8(c.RawArguments, []byte("\ufffd"))
}

// cachedApart returns the tokens of input that Claude counts beside the others: those read from the cache of prompts, and those put into it.
func cachedApart(x *reading.Exchange) int64 {
	u := x.Answer.Usage
	if x.Answer.API != tape.Claude {
		return 0
	}
	var counts struct {
		Tokens int64 `json:"cache_creation_input_tokens"`
	}
	_ = json.Unmarshal(u.Raw, &counts) // without a number, none is told
	if x.Answer.Stream && counts.Tokens == 0 {
		for e := range events(x) { // the last event with counts need not repeat those of the first
			var start struct {
				Message struct{ Usage json.RawMessage }
			}
			if json.Unmarshal(e.Data, &start) == nil && start.Message.Usage != nil {
				_ = json.Unmarshal(start.Message.Usage, &counts)
				break
			}
		}
	}
	if u.Cached != nil {
		counts.Tokens += *u.Cached
	}
	return counts.Tokens
}

func newFinding(code, detail string) Finding {
	return Finding{Problem: Problem{Code: code, Where: Where{In: InResponse}, Detail: redact.Text(detail), Count: 1}}
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
