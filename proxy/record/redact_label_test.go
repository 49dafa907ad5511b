package record_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
)

// TestLabelCredentials: what a request carries as a credential stands in none of its labels.
func TestLabelCredentials(t *testing.T) {
	r := &record.Redactor{Key: []byte("k"), Headers: []string{"X-Tenant"}}
	h := http.Header{
		"Authorization": {"Bearer quay-side-0001"}, "Cookie": {"theme=dark; session=lock-gate-0002"}, "X-Tenant": {"spring-and-neap"},
		"X-Api-Key": {"short"}, "Accept": {"application/json"},
	}
	print := r.Fingerprint
	for _, tt := range []struct{ name, value, want string }{
		{"none", "tide", "tide"},
		{"all of it", "quay-side-0001", print("quay-side-0001")},
		{"a part of it", "user:quay-side-0001!", "user:" + print("quay-side-0001") + "!"},
		{"a cookie", "lock-gate-0002", print("lock-gate-0002")},
		{"all cookies", "theme=dark; session=lock-gate-0002", print("theme=dark; session=lock-gate-0002")},
		{"a header that was named", "spring-and-neap", print("spring-and-neap")},
		{"a parameter", "ebb/and/flow", print("ebb/and/flow")},
		{"a parameter as it was sent", "ebb%2Fand%2Fflow", print("ebb%2Fand%2Fflow")},
		{"another parameter", "evening-tide", "evening-tide"},
		{"a short one", "short", "short"},
		{"another header", "application/json", "application/json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			labels := map[string]string{"sample": tt.value, "repeat": "1"}
			got := r.Labels(labels, h, "/v1/models?api%5Fkey=ebb%2Fand%2Fflow&when=evening-tide")
			if diff := cmp.Diff(map[string]string{"sample": tt.want, "repeat": "1"}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if labels["sample"] != tt.value {
				t.Error("the labels that were given were changed")
			}
		})
	}
	if got := r.Labels(nil, h, "/"); got != nil {
		t.Errorf("no labels became %v", got)
	}
}
