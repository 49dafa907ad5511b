// Package cassettetest has what the tests of packages that read foreign recordings as cassettes ask of each.
package cassettetest

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/replay/cassette"
)

// ExportsTheSame fails the test unless c is a cassette like any other: what is exported of it is read and exported as the same. One without
// exchanges cannot be exported.
func ExportsTheSame(t testing.TB, c *cassette.Cassette) {
	t.Helper()
	if c.Head().Exchanges == 0 {
		return
	}
	var first, second bytes.Buffer
	if _, err := cassette.Export(t.Context(), &first, c, cassette.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := cassette.Read(bytes.NewReader(first.Bytes()), "again")
	if err != nil {
		t.Fatalf("%v in %s", err, first.String())
	}
	if _, err := cassette.Export(t.Context(), &second, again, cassette.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("(-exported +exported again)\n%s", diff)
	}
}
