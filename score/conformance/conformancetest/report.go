package conformancetest

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
)

// CodesOf returns the codes of a report with blanks between, in the order of the report.
func CodesOf(r *conformance.Report) string {
	var codes []string
	for _, p := range r.Problems {
		codes = append(codes, p.Code)
	}
	return strings.Join(codes, " ")
}

// BlameOf is the blame of a report; "" for none.
func BlameOf(r *conformance.Report) string {
	if r.Blame == nil {
		return ""
	}
	return string(*r.Blame)
}

// Printed is what a function writes.
func Printed(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
