package conformancetest

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"slices"

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

// OnlyDiff says in what a report by the rules that keep one code only differs from what the full report says of that code; "" for nothing.
//
// The problem is the same, with its evidence, and so are all calls. Evidence about the whole exchange may be less. The blame is that of the
// gravest problem that counts, so that it is the same when there is no other.
func OnlyDiff(full, only *conformance.Report, code string) string {
	type said struct {
		Problems []conformance.Problem
		Evidence []string
		Calls    []conformance.ToolUse
		Meant    []conformance.Intended
		Blamed   bool
	}
	want := said{Problems: []conformance.Problem{}, Calls: full.ToolCalls, Meant: full.Recovered}
	for _, p := range full.Problems {
		if p.Code == code {
			want.Problems = append(want.Problems, p)
			want.Blamed = true
		}
	}
	if len(want.Problems) == len(full.Problems) {
		return cmp.Diff(full, only, cmpopts.IgnoreUnexported(conformance.Report{}))
	}
	for _, e := range full.Evidence {
		of, _, _ := strings.Cut(e, ": ")
		if _, coded := conformance.CodeOf(of); of == code || !coded && slices.Contains(only.Evidence, e) {
			want.Evidence = append(want.Evidence, e)
		}
	}
	return cmp.Diff(want, said{only.Problems, only.Evidence, only.ToolCalls, only.Recovered, only.Blame != nil})
}
