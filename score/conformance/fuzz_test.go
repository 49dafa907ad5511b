package conformance_test

import (
	"slices"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

// FuzzJudge judges any two bodies: the report can be written, is the same again, and its verdicts follow from its problems.
func FuzzJudge(f *testing.F) {
	add := func(s sent) { f.Add(slices.Index(tape.APIs, s.API), s.Request, s.Response) }
	for _, c := range cases {
		add(c.sent)
	}
	for _, c := range nearMisses {
		add(c.sent)
	}
	for _, family := range markup.Families {
		for _, example := range family.Examples {
			f.Add(0, ask(withTools), says(example+"\n"+example))
		}
	}
	judge := conformance.New(conformance.Rules{})
	f.Fuzz(func(t *testing.T, api int, request, response string) {
		if api < 0 || api >= len(tape.APIs) {
			return
		}
		s := sent{API: tape.APIs[api], Request: request, Response: response}
		r := judge.Exchange(s.Read(t))
		first := printed(t, r.WriteText)
		if again := printed(t, judge.Exchange(s.Read(t)).WriteText); again != first {
			t.Errorf("%s, then %s", first, again)
		}
		failed := false
		for _, p := range r.Problems {
			failed = failed || p.Severity == conformance.Error
		}
		if bad := r.Calls == conformance.Failed || r.Protocol == conformance.Failed; failed && !bad && r.Calls != conformance.NotJudged || !failed && bad {
			t.Errorf("calls %s, protocol %s: %s", r.Calls, r.Protocol, first)
		}
		if (r.Blame == nil) != (len(r.Problems) == 0) {
			t.Errorf("blame %q: %s", blameOf(r), first)
		}
	})
}
