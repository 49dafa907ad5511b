package sheet_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

// TestCases: a sample has a case for each answer, with all that is to be said of it, and one without an answer when there is none.
func TestCases(t *testing.T) {
	set := load(t)
	asked := outcome(0, 1, sorry)
	asked.Exchanges = []tape.Ref{{Session: "s", Seq: 7}}
	diverged := outcome(0, 2, "")
	diverged.Answer.Note, diverged.Answer.Place = "it stopped", "answers.jsonl:3"
	diverged.Remark, diverged.OpenLoop = "twice asked", true
	diverged.Divergence = &ask.Divergence{Step: 2, To: "agent", Diff: "-high\n+low"}
	s, err := sheet.New(set, []ask.Outcome{asked, outcome(1, 1, "no"), diverged}, options(sheet.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	cases := s.Cases(set.Samples[0], nil)
	if len(cases) != 2 {
		t.Fatalf("%d cases", len(cases))
	}
	if c := cases[0]; c.Answer.Text != sorry || c.Answer.Note != "" || c.Answer.Place != "exchange s/7" || !cmp.Equal(c.Exchanges, asked.Exchanges) {
		t.Errorf("the first is %+v", c.Answer)
	}
	const note = "it stopped\ntwice asked\nopen loop: the recorded messages were executed in order, whatever would be asked now\n" +
		"diverged at step 2, a question to the agent: nothing like it is recorded\n-high\n+low"
	if c := cases[1]; c.Answer.Note != note || c.Answer.Place != "answers.jsonl:3" {
		t.Errorf("the second is at %s, with %q", c.Answer.Place, c.Answer.Note)
	}
	if asked.Answer.Place != "" || s.Outcomes[0].Answer.Place != "" {
		t.Error("the sheet was changed")
	}
	if cases := s.Cases(set.Samples[2], nil); len(cases) != 1 || cases[0].Answer != nil || cases[0].Sample != set.Samples[2] {
		t.Errorf("without an answer there are the cases %+v", cases)
	}
}
