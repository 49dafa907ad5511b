package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/rules"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []rules.Rules
		err  string
	}{
		{list: "evalscope", want: []rules.Rules{rules.Evalscope}},
		{list: "strict, official,strict", want: []rules.Rules{rules.Strict, rules.Official}},
		{list: "lenient", err: `unknown rules "lenient": use evalscope, official or strict, or several with commas between them`},
		{list: "", err: `unknown rules "": use evalscope, official or strict, or several with commas between them`},
	} {
		got, err := rules.Parse(tt.list)
		if text := fmt.Sprint(err); tt.err != "" && text != tt.err || tt.err == "" && err != nil {
			t.Errorf("Parse(%q): %v, want %q", tt.list, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.list, diff)
		}
	}
}

func TestDigestsDiffer(t *testing.T) {
	seen := map[string]rules.Rules{}
	for _, r := range rules.All() {
		if other, ok := seen[r.Digest()]; ok {
			t.Errorf("%s and %s have one digest", r, other)
		}
		seen[r.Digest()] = r
	}
}

func ExampleParse() {
	all, err := rules.Parse("evalscope,strict")
	fmt.Println(all, err)
	// Output: [evalscope strict] <nil>
}
