package pairs

import (
	"fmt"

	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/score/conformance"
)

// newFinding is a problem that a comparison shows.
func newFinding(code, detail string) conformance.Finding {
	return conformance.Finding{Problem: conformance.Problem{Code: code, Where: conformance.Where{In: conformance.InResponse}, Detail: redact.Text(detail), Count: 1}}
}

// blameAdapter lays the fault at the adapter when the other answer is right where this one is wrong.
func blameAdapter(f *conformance.Finding, e, other *Answer, what string) {
	if !e.right && other.right {
		f.Blame = conformance.Adapter
		f.Evidence = fmt.Sprintf("%s (%s/%d) got it right: %s", what, other.ref.Session, other.ref.Seq, other.shown)
	}
}
