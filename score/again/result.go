package again

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
)

// Source hands out recorded exchanges and their bodies. [tape.Tape] is one.
type Source interface {
	Exchange(ctx context.Context, ref tape.Ref) (*tape.Exchange, error)
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Pair names an exchange and the one in which it was asked again.
type Pair struct {
	Reference, Now tape.Ref
}

// Result is what asking again brought up.
type Result struct {
	Asked int `json:"asked"`
	// Refused counts new answers with status 401 or 403: what the server says when it wants a credential, or another one.
	Refused int `json:"refused"`
	// Changes are the questions with another verdict, with other problems or with differences between the modes of the answers, in the
	// order in which they were asked.
	Changes []Change `json:"changes"`
	// Worse and Better count questions of which a verdict is no longer ok, or is ok now. One may be both.
	Worse  int `json:"worse"`
	Better int `json:"better"`
	// Compared counts questions of which both answers could be judged: those that the figures below are of.
	Compared  int     `json:"compared"`
	Modes     Modes   `json:"stream_and_whole"`
	Trigger   Trigger `json:"tool_trigger"`
	Reference Rates   `json:"reference"`
	Now       Rates   `json:"now"`
}

// Change is a question that is judged otherwise than before.
type Change struct {
	Reference Verdicts `json:"reference"`
	Now       Verdicts `json:"now"`
	// Gone and New are problems.
	Gone []string `json:"gone"`
	New  []string `json:"new"`
	// Differences are those between stream and whole answer, when one was asked for and then the other.
	Differences []Difference `json:"differences,omitempty"`
}

// Verdicts are those of one exchange.
type Verdicts struct {
	Session  string              `json:"session"`
	Seq      int64               `json:"seq"`
	API      tape.API            `json:"api"`
	Stream   bool                `json:"stream"`
	Calls    conformance.Verdict `json:"calls"`
	Protocol conformance.Verdict `json:"protocol"`
}

// Compare judges both exchanges of each pair: rules say which problems count as changes. The figures are those that people compare servers
// by, so they rest on all problems whatever the rules. Both sources must be complete: recording has ended.
func Compare(ctx context.Context, reference, now Source, pairs []Pair, rules conformance.Rules) (*Result, error) {
	judge, all := conformance.New(rules), conformance.New(conformance.Rules{})
	r := &Result{Changes: []Change{}}
	for _, p := range pairs {
		before, err := judged(ctx, reference, p.Reference, judge, all)
		if err != nil {
			return nil, err
		}
		after, err := judged(ctx, now, p.Now, judge, all)
		if err != nil {
			return nil, err
		}
		r.add(before, after, judge)
	}
	r.Trigger.finish()
	return r, nil
}

// answer is an exchange with its verdicts.
type answer struct {
	*reading.Exchange
	report *conformance.Report // by the rules
	all    *conformance.Report // by none that leave something out
}

func judged(ctx context.Context, src Source, ref tape.Ref, judge, all *conformance.Judge) (answer, error) {
	recorded, err := src.Exchange(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	x, err := reading.Of(ctx, src, recorded)
	if err != nil {
		return answer{}, err
	}
	report := judge.Exchange(x)
	if report == nil {
		return answer{}, fmt.Errorf("judging %s/%d: it is no model call that has ended", ref.Session, ref.Seq)
	}
	return answer{x, report, all.Exchange(x)}, nil
}

func (r *Result) add(before, after answer, judge *conformance.Judge) {
	r.Asked++
	if status := after.Exchange.Response.Status; status == http.StatusUnauthorized || status == http.StatusForbidden {
		r.Refused++
	}
	c := Change{
		Reference: before.verdicts(), Now: after.verdicts(),
		Gone: without(before.report, after.report), New: without(after.report, before.report),
		Differences: r.Modes.add(before, after, judge),
	}
	worse, better := moved(before.report.Calls, after.report.Calls)
	w, b := moved(before.report.Protocol, after.report.Protocol)
	if worse || w {
		r.Worse++
	}
	if better || b {
		r.Better++
	}
	if len(c.Gone)+len(c.New)+len(c.Differences) > 0 || c.Reference.Calls != c.Now.Calls || c.Reference.Protocol != c.Now.Protocol {
		r.Changes = append(r.Changes, c)
	}
	if before.unjudged() || after.unjudged() {
		return
	}
	r.Compared++
	r.Trigger.add(triggers(before.Answer), triggers(after.Answer))
	r.Reference.add(before)
	r.Now.add(after)
}

// unjudged reports whether there is no answer to count.
func (a answer) unjudged() bool { return a.Answer == nil || a.all.Calls == conformance.NotJudged }

func (a answer) verdicts() Verdicts {
	r := a.report
	return Verdicts{r.Session, r.Seq, r.API, r.Stream, r.Calls, r.Protocol}
}

// moved says whether a verdict got worse or better. That there is nothing to judge any more is worse.
func moved(before, after conformance.Verdict) (worse, better bool) {
	was, is := before == conformance.OK, after == conformance.OK
	return was && !is, !was && is
}

// without returns the problems of one report that the other has not.
func without(a, b *conformance.Report) []string {
	codes := []string{}
	for _, p := range a.Problems {
		if !b.Has(p.Code) {
			codes = append(codes, p.Code)
		}
	}
	return slices.Clip(codes)
}
