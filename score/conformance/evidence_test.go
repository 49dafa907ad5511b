package conformance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance"
)

func TestEvidenceFor(t *testing.T) {
	r := &conformance.Report{Evidence: []string{
		"call-in-content: a well-formed call of get_tide stands in the text",
		"http-error: the status is 500",
		"asked through claude, the same question was answered rightly",
		"note: this is no code",
	}}
	for code, want := range map[string][]string{
		"call-in-content": {"a well-formed call of get_tide stands in the text", "asked through claude, the same question was answered rightly", "note: this is no code"},
		"empty-answer":    {"asked through claude, the same question was answered rightly", "note: this is no code"},
	} {
		if diff := cmp.Diff(want, r.EvidenceFor(&conformance.Problem{Code: code})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
}
