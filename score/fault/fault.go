package fault

import (
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/conformance"
)

// faultOf lays the fault for a failed sample. rival is one that asked the same in another way and passed; nil for none.
func faultOf(s *Sample, looks []look, rival *Sample) *score.Fault {
	f := &score.Fault{Problems: problems(looks, func(*conformance.Report) bool { return true })}
	for i, l := range looks {
		if l.report == nil {
			continue
		}
		for _, c := range l.report.Recovered {
			f.Meant = append(f.Meant, score.MeantCall{Exchange: i + 1, Family: c.Family, From: c.From, Name: c.Name, Arguments: string(c.Arguments)})
		}
	}
	at, side, evidence := wrong(looks), conformance.Unknown, []string(nil)
	if at >= 0 {
		side, evidence = bent(s, &looks[at], rival)
	} else {
		at, side, evidence = sound(s, looks, rival)
	}
	f.Budget = side == conformance.Model && at >= 0 && looks[at].spent()
	f.Blame, f.Exchange, f.Evidence = string(side), at+1, evidence
	return f
}

// wrong returns the number of the exchange at which a sample went wrong, counted from 0; -1 when what arrived is sound. That is the first
// whose answer an agent would read wrongly, unless the suite took off what is wrong with it. One without an answer counts only when nothing
// came after it: else it was tried again.
func wrong(looks []look) int {
	at := slices.IndexFunc(looks, func(l look) bool { return l.report != nil && l.report.Calls == conformance.Failed && !l.shed })
	if at >= 0 {
		return at
	}
	for i, l := range slices.Backward(looks) {
		if l.report != nil {
			if l.report.Calls == conformance.NotJudged {
				return i
			}
			break
		}
	}
	return -1
}

// budgetSpent is the evidence against an answer that was cut.
const budgetSpent = "the token limit was reached before the answer was over"

// sound lays the fault where nothing is wrong with what arrived. at is the exchange that tells it, -1 for none.
func sound(s *Sample, looks []look, rival *Sample) (at int, side conformance.Side, evidence []string) {
	cut := slices.IndexFunc(looks, func(l look) bool { return l.cut && !l.played })
	broken := slices.IndexFunc(looks, func(l look) bool { return l.report != nil && l.report.Has("truncated-stream") })
	switch {
	case !slices.ContainsFunc(looks, func(l look) bool { return l.report != nil }):
		return -1, conformance.Unknown, []string{"no answer of a model is on the recording"}
	case broken >= 0:
		return broken, conformance.Server, []string{"the stream broke off behind a finished call, so that the answer may lack what else was said"}
	case cut >= 0:
		return cut, conformance.Model, []string{budgetSpent}
	case rival != nil:
		return -1, conformance.Adapter, []string{otherWay(s, rival)}
	case slices.ContainsFunc(looks, func(l look) bool { return l.shed }):
		return -1, conformance.Model, []string{"the markup in the text was taken off before the answer was judged, and nothing else is wrong with what arrived"}
	}
	return -1, conformance.Model, []string{"the answer arrived whole, and any reader would read it as it was judged"}
}

// bent lays the fault for an exchange with which something is wrong.
func bent(s *Sample, l *look, rival *Sample) (conformance.Side, []string) {
	r := l.report
	side, evidence := conformance.Unknown, slices.Clone(r.Evidence)
	if r.Blame != nil {
		side = *r.Blame
	}
	switch {
	case rival != nil && arrived(r):
		side, evidence = conformance.Adapter, append(evidence, otherWay(s, rival))
	case side == conformance.Server && harmless(s, l):
		why := "the markup hides no call"
		if s.Without != nil {
			why += ", and the answer is wrong without it too"
		}
		side, evidence = conformance.Model, append(evidence, why)
		if l.cut {
			evidence = append(evidence, budgetSpent)
		}
	}
	if len(evidence) == 0 {
		evidence = []string{plain(r)}
	}
	if l.played {
		evidence = append(evidence, "it is an answer of the model that plays the user")
	}
	return side, evidence
}

// arrived reports whether an answer came and said something, so that how it was asked for may be what bent it. Where there was none, or
// none that is whole, the way it was asked for is not the reason.
func arrived(r *conformance.Report) bool {
	return r.Calls == conformance.Failed && !slices.ContainsFunc(r.Problems, func(p conformance.Problem) bool {
		return p.Severity == conformance.Error && (p.Group == conformance.Transport || p.Code == "stream-error-event" || p.Code == "missing-finish-reason")
	})
}

// otherWay says how the sample that passed was asked.
func otherWay(s, passed *Sample) string {
	mode := "as a whole"
	if passed.Stream {
		mode = "as a stream"
	}
	switch {
	case passed.API == s.API:
		return "asked for " + mode + ", the same question was answered rightly"
	case passed.Stream == s.Stream:
		return "asked through " + string(passed.API) + ", the same question was answered rightly"
	}
	return "asked through " + string(passed.API) + " and " + mode + ", the same question was answered rightly"
}

// plain is the evidence where a report has none: its gravest problem is laid at the side of the table of codes.
func plain(r *conformance.Report) string {
	if len(r.Problems) == 0 {
		return "the answer cannot be judged"
	}
	first := slices.IndexFunc(r.Problems, func(p conformance.Problem) bool { return p.Severity == conformance.Error })
	p := r.Problems[max(first, 0)]
	return fmt.Sprintf("%s is laid at the %s as long as nothing more is known", p.Code, p.Side)
}

// problems lists the problems of the reports that keep returns true for, each code once, in the order of the codes.
func problems(looks []look, keep func(*conformance.Report) bool) []score.Problem {
	var all []score.Problem
	for i, l := range looks {
		if l.report == nil || !keep(l.report) {
			continue
		}
		for _, p := range l.report.Problems {
			k := slices.IndexFunc(all, func(have score.Problem) bool { return have.Code == p.Code })
			if k < 0 {
				all = append(all, score.Problem{
					Code: p.Code, Severity: string(p.Severity), Exchange: i + 1, Exchanges: 1, Place: p.Where.String(), Detail: p.Detail,
				})
				continue
			}
			all[k].Exchanges++
		}
	}
	place := func(p score.Problem) int {
		return slices.IndexFunc(conformance.Codes, func(c conformance.Code) bool { return c.Name == p.Code })
	}
	slices.SortStableFunc(all, func(a, b score.Problem) int { return place(a) - place(b) })
	return all
}
