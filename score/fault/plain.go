package fault

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

// Plain returns a text without the model markup in it, as a server that takes it out would have sent it: without the reasoning, and without
// all other markers.
func Plain(text string) string {
	return strings.TrimSpace(markup.Strip(markup.WithoutReasoning(text)))
}

// harmless reports whether markup that leaked into the text is all that is wrong with the only answer of a sample, and is not why the
// sample failed: it fails without the markup, too. Where that cannot be tried, no call was lost in it, which can be told where tools were offered.
func harmless(s *Sample, l *look) bool {
	switch {
	case !onlyLeaks(l.report):
		return false
	case s.Without != nil:
		return !s.Without()
	}
	return len(s.Exchanges) == 1 && l.offered
}

// shed reports whether all that is wrong with an answer is markup that leaked into its text, and is gone from what the suite takes for the
// answer. Then the markup changed nothing of what was judged.
func shed(s *Sample, x *reading.Exchange, r *conformance.Report) bool {
	return s.Takes != nil && onlyLeaks(r) && len(markup.Markers(markup.OutsideCode(s.Takes(x)))) == 0
}

// onlyLeaks reports whether markup that leaked into the text, with no call in it, is all that is wrong with an answer.
func onlyLeaks(r *conformance.Report) bool {
	return r.Has(leak) && len(r.Recovered) == 0 && !slices.ContainsFunc(r.Problems, func(p conformance.Problem) bool {
		return p.Severity == conformance.Error && p.Code != leak && (p.Group != conformance.Protocol || slices.Contains(ending, p.Code))
	})
}

const leak = "leaked-markup-in-content"

// ending are the problems of the protocol that say that an answer did not end as it should.
var ending = []string{"stream-error-event", "missing-finish-reason", "finish-reason-mismatch"}
