package record_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
)

func TestParseLabel(t *testing.T) {
	for _, tt := range []struct {
		in, key, value string
		ok             bool
	}{
		{"sample=tide", "sample", "tide", true},
		{" sample = low water ", "sample", "low water", true},
		{"url=/x?a=b", "url", "/x?a=b", true},
		{"sample=", "sample", "", true},
		{"größe=2", "größe", "2", true},
		{"sample", "", "", false},
		{"=tide", "", "", false},
		{" = tide", "", "", false},
		{"", "", "", false},
	} {
		key, value, ok := record.ParseLabel(tt.in)
		if ok != tt.ok || ok && (key != tt.key || value != tt.value) {
			t.Errorf("%q: %q, %q, %v", tt.in, key, value, ok)
		}
	}
}

func TestLabelsOf(t *testing.T) {
	type labels = map[string]string
	for _, tt := range []struct {
		name   string
		values []string
		base   labels
		want   labels
	}{
		{"none", nil, nil, nil},
		{"none that can be read", []string{"tide", "=x"}, nil, nil},
		{"of the request", []string{"a=1", "b=2"}, nil, labels{"a": "1", "b": "2"}},
		{"of the base", nil, labels{"a": "1"}, labels{"a": "1"}},
		{"laid over the base", []string{"a=2"}, labels{"a": "1", "b": "1"}, labels{"a": "2", "b": "1"}},
		{"the last one counts", []string{"a=1", "a=2"}, nil, labels{"a": "2"}},
		{"one value is one label", []string{"a=1, b=2"}, nil, labels{"a": "1, b=2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record.LabelsOf(http.Header{record.LabelHeader: tt.values}, tt.base)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got != nil {
				got["changed"] = "yes"
			}
			if _, ok := tt.base["changed"]; ok {
				t.Error("the base is shared with the result")
			}
		})
	}
}

// FuzzParseLabel: a label that can be read is the same when it is written again, and the other way round.
func FuzzParseLabel(f *testing.F) {
	for _, s := range []string{"sample=tide", " a = b=c ", "=", "a=", "a", "\u00a0a\u2003=\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, value, ok := record.ParseLabel(s)
		if want := strings.TrimSpace(strings.SplitN(s, "=", 2)[0]) != "" && strings.Contains(s, "="); ok != want {
			t.Errorf("%q is a label: %v", s, ok)
		}
		if !ok {
			return
		}
		if k, v, ok := record.ParseLabel(key + "=" + value); k != key || v != value || !ok {
			t.Errorf("%q is %q, %q, then %q, %q, %v", s, key, value, k, v, ok)
		}
	})
}
