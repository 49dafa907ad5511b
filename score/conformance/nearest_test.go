package conformance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance"
)

func TestNearestCodes(t *testing.T) {
	for _, test := range []struct {
		name string
		want []string
	}{
		{"http-error", []string{"http-error"}},
		{"htp-eror", []string{"http-error"}},
		{"reused", []string{"index-reused", "call-id-reused"}},
		{"arguments", []string{"arguments-wrong-encoding", "arguments-empty", "arguments-not-json"}},
		{"xylophone", nil},
	} {
		got := conformance.NearestCodes(test.name)
		if len(got) > len(test.want) && len(test.want) > 0 {
			got = got[:len(test.want)] // further ones are less like it
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
