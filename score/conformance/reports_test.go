package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance"
)

// TestReports writes the reports of all cases as people read them, with the calls that arrived: what is said of each problem, where it is, and
// why it is whose fault.
func TestReports(t *testing.T) {
	var b strings.Builder
	for _, tt := range cases {
		r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
		fmt.Fprintf(&b, "== %s\n%s", tt.name, printed(t, r.WriteText))
		for _, c := range r.ToolCalls {
			id := "no id"
			if c.ID != nil {
				id = fmt.Sprintf("%q", *c.ID)
			}
			fmt.Fprintf(&b, "  call     %s %q %s\n", id, c.Name, c.Arguments)
		}
	}
	golden := filepath.Join("testdata", "reports.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("reports (-want +got), rewritten by -update:\n%s", diff)
	}
}
