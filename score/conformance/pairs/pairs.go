// Package pairs compares answers to the same question: streamed with whole, and through one API with another. (Package cassette/pairs is a file format.)
//
// One answer by itself is judged by package conformance. Where a model has to say the same each time, a second answer shows more: that a stream
// lost what the whole answer has, or that one API's adapter bent a call that another got right. What is found is added to the reports by
// [conformance.Judge.Apply], under the same rules.
package pairs

import (
	"cmp"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
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
	order     []topic                       // the questions of inquiries, in the order in which they came up
	kept      int                           // answers in inquiries
	past      map[int][]conformance.Finding // what was found in inquiries that are forgotten
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
	question [32]byte // see [conformance.Question.Sum]
	again    string   // the session in which it was asked again; "" when it was not
}

// Change is what an answer brings up about one that came before it.
type Change struct {
	Ref tape.Ref
	// Before are the findings that were told of it until now, New are those to add.
	Before, New []conformance.Finding
}

// Add remembers an answer for [Pairs.Findings]. nil is none. An answer may be added once.
func (p *Pairs) Add(number int, e *Answer) {
	if e != nil {
		p.add(number, e)
	}
}

// Tell remembers an answer and returns what to add to its own report at once, and which problems it brings up in others. nil is none. An answer
// may be told of once.
func (p *Pairs) Tell(e *Answer) (own []conformance.Finding, others []Change) {
	if e == nil {
		return nil, nil
	}
	all := slices.DeleteFunc(p.add(unnumbered, e), func(n news) bool {
		return n.of != e && n.finding.Problem.Code == "" // it only lays the fault of what was told before
	})
	at := make(map[*Answer]int)
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
func (p *Pairs) add(number int, e *Answer) []news {
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
		p.past = make(map[int][]conformance.Finding)
	}
	q.findings(key.question, p.past)
	p.kept -= q.kept
	p.Forgotten += q.kept
}

// Findings returns what the comparisons add to each report, by its number.
func (p *Pairs) Findings() map[int][]conformance.Finding {
	found := make(map[int][]conformance.Finding)
	for n, list := range p.past {
		found[n] = slices.Clone(list)
	}
	for key, q := range p.inquiries {
		q.findings(key.question, found)
	}
	return found
}
