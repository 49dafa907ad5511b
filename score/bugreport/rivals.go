package bugreport

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// compared is what comparing an answer with others to the same question brought up.
type compared struct {
	// findings tell it as the recording has it.
	findings []conformance.Finding
	// exchanges are the one in question and those that suffice to find it again, in recorded order.
	exchanges []tape.Ref
	// when is the time in which they started.
	when tape.Query
}

// keep adds an exchange to those that are needed.
func (c *compared) keep(x *tape.Exchange) {
	c.exchanges = append(c.exchanges, x.Ref)
	if c.when.From.IsZero() || x.Started.Before(c.when.From) {
		c.when.From = x.Started
	}
	if to := x.Started.Add(1); to.After(c.when.To) {
		c.when.To = to
	}
}

// rival is another answer, with its place in the recording.
type rival struct {
	number int
	*tape.Exchange
}

// brought is what a comparison may bring up.
type brought struct {
	code  string
	blame conformance.Side
}

func broughtBy(f conformance.Finding) brought { return brought{f.Problem.Code, f.Blame} }

// compare compares an exchange with all others of a recording that ask the same.
func compare(ctx context.Context, src cassette.Source, x *reading.Exchange, report *conformance.Report, judge *conformance.Judge) (c compared, err error) {
	asks, ok := conformance.QuestionOf(x)
	if !ok {
		c.keep(x.Exchange) // each answer may differ, so that there is nothing to compare
		return c, nil
	}
	question := question{asks.Sum, plainRun(x.Request)}
	var all pairs.Pairs
	number, own := 0, -1
	rivals := make(map[brought]rival) // the first that brings it up
	for other, err := range src.Exchanges(ctx, tape.Query{Model: x.Facts.Model}) {
		if err != nil {
			return compared{}, err
		}
		if !other.Facts.API.Model() {
			continue
		}
		number++
		if other.Ref == x.Ref {
			own = number
			all.Add(number, pairs.AnswerOf(x, report))
			continue
		}
		asked, err := question.asked(ctx, src, other)
		if err != nil {
			return compared{}, err
		}
		if !asked {
			continue
		}
		y, err := reading.Of(ctx, src, other)
		if err != nil {
			return compared{}, err
		}
		verdict := judge.Exchange(y)
		if verdict == nil {
			continue
		}
		all.Add(number, pairs.AnswerOf(y, verdict))
		for _, f := range beside(x, report, y, verdict, own >= 0) {
			if _, ok := rivals[broughtBy(f)]; !ok {
				rivals[broughtBy(f)] = rival{number, other}
			}
		}
	}
	c.findings = all.Findings()[own]
	needed := []rival{{own, x.Exchange}}
	for _, f := range c.findings {
		if r, ok := rivals[broughtBy(f)]; ok && !slices.Contains(needed, r) {
			needed = append(needed, r)
		}
	}
	slices.SortFunc(needed, func(a, b rival) int { return a.number - b.number })
	for _, r := range needed {
		c.keep(r.Exchange)
	}
	return c, nil
}

// question is what an exchange asks, to be found in others.
type question struct {
	digest [32]byte
	run    []byte // see [plainRun]
}

// asked reports whether an exchange asks the question. Its answer, which may be a hundred times as long, is not read for that, and most
// requests tell without being parsed.
func (q *question) asked(ctx context.Context, src cassette.Source, x *tape.Exchange) (bool, error) {
	request, err := reading.Body(ctx, src, x.Request.Body, x.Request.Header)
	if err != nil {
		return false, fmt.Errorf("reading the request of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	if !bytes.Contains(request, q.run) && !escapedASCII.Match(request) {
		return false, nil
	}
	asks, ok := conformance.QuestionOf(reading.New(x, request, nil))
	return ok && asks.Sum == q.digest, nil
}

// escapedASCII finds characters that most clients write as they are.
var escapedASCII = regexp.MustCompile(`\\u00[2-7]`)

// plainRun returns the longest run of characters, in the last message that has one, which JSON has as they are unless it has [escapedASCII].
// It is nil when there is none.
func plainRun(q *wire.Request) []byte {
	longest := ""
	for _, m := range slices.Backward(q.Messages) {
		for _, p := range m.Parts {
			if p.Kind != wire.PartText {
				continue
			}
			for run := range strings.FieldsFuncSeq(p.Text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\/`, r) }) {
				if len(run) > len(longest) {
					longest = run
				}
			}
		}
		if longest != "" {
			break
		}
	}
	return []byte(longest)
}

// beside returns what comparing two answers tells about the first. xFirst says that it was recorded first.
func beside(x *reading.Exchange, rx *conformance.Report, y *reading.Exchange, ry *conformance.Report, xFirst bool) []conformance.Finding {
	var pair pairs.Pairs
	if xFirst {
		pair.Add(0, pairs.AnswerOf(x, rx))
	}
	pair.Add(1, pairs.AnswerOf(y, ry))
	if !xFirst {
		pair.Add(0, pairs.AnswerOf(x, rx))
	}
	return pair.Findings()[0]
}
