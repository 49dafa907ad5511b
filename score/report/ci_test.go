package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
)

func ExampleMarkdown() {
	r := &report.Report{
		Suite:  "exo",
		Tables: []report.Table{{Title: "Scenarios", Header: []string{"scenario", "openai"}, Rows: [][]string{{"tide", "FAIL"}}}},
		Groups: []report.Group{{Name: "openai", Cases: []report.Case{{
			Name: "tide tool_call", Outcome: report.Failed, Kind: "has_tool_call", Reason: "No tool call returned", Detail: "- has_tool_call",
			Exchanges: []tape.Ref{{Session: "s1", Seq: 3}},
		}}}},
		Facts: []report.Fact{{Name: "exodeck", Value: "v1.0.0"}},
	}
	report.Markdown(os.Stdout, r)
	// Output:
	// ## exo: 0 of 1 passed, 1 failed
	//
	// ### Scenarios
	//
	// | scenario | openai |
	// | --- | --- |
	// | tide | FAIL |
	//
	// ### Failed
	//
	// - `openai` `tide tool_call`: `No tool call returned` (exchanges `s1/3`)
	//
	//   ```text
	//   - has_tool_call
	//   ```
	//
	// ### Scored with
	//
	// - exodeck: `v1.0.0`
}

// verdictReport is a report of one of everything.
func verdictReport() *report.Report {
	verdicts := flat(tasks())
	verdicts[2].Exchanges = []tape.Ref{{Session: "s1", Seq: 4}, {Session: "s1", Seq: 5}}
	r := report.OfVerdicts(score.RunFile{Version: "v1.2.3", Suite: "exo", Rules: "exo", Recording: "sha256:00", RulesDigest: "sha256:11",
		Data: "sha256:22", Verdicts: verdicts})
	r.Groups[1].Cases = append(r.Groups[1].Cases, report.Case{Name: "left alone", Outcome: report.NotJudged, Reason: "the client went away"})
	return r
}

// hostile is what a model or a server may have said.
const hostile = "a\x00b\x1b[2Kc\u202ed\ufffe]]>\xff|`x``y` <script>&amp; @user #1 **b**"

func hostileReport() *report.Report {
	r := verdictReport()
	r.Remarks = []string{hostile}
	r.Tables[0].Rows[0][0] = hostile
	r.Groups[0].Name = "open" + hostile
	for i := range r.Groups {
		for j := range r.Groups[i].Cases {
			x := &r.Groups[i].Cases[j]
			x.Name += hostile
			if x.Outcome != report.Passed {
				x.Kind, x.Reason, x.Detail = hostile+": a, b", hostile, "```\n::error::gone\r\n"+hostile+"\n% 100"
			}
		}
	}
	return r
}

func TestFormats(t *testing.T) {
	formats := []struct {
		name  string
		write func(io.Writer, *report.Report) error
	}{
		{"junit", report.JUnit},
		{"markdown", report.Markdown},
		{"github", func(w io.Writer, r *report.Report) error {
			return report.GitHub(w, r, []byte("  ::error::said by a model\nno line end"))
		}},
	}
	reports := []struct {
		name string
		of   func() *report.Report
	}{
		{"verdicts", verdictReport},
		{"hostile", hostileReport},
		{"empty", func() *report.Report { return &report.Report{Suite: "exo"} }},
	}
	for _, f := range formats {
		for _, tt := range reports {
			t.Run(f.name+" "+tt.name, func(t *testing.T) {
				var out bytes.Buffer
				if err := f.write(&out, tt.of()); err != nil {
					t.Fatal(err)
				}
				golden.Check(t, *update, "testdata/"+f.name+"_"+tt.name+".golden", out.Bytes())
				if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && r < ' ' || r == '\u202e' }) {
					t.Errorf("control characters in\n%q", out.String())
				}
			})
		}
	}
}

// TestWriteErrors: the error of a writer comes back, wherever it occurs.
func TestWriteErrors(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"junit":    func(w io.Writer) error { return report.JUnit(w, verdictReport()) },
		"markdown": func(w io.Writer) error { return report.Markdown(w, verdictReport()) },
		"github":   func(w io.Writer) error { return report.GitHub(w, verdictReport(), []byte("text\n")) },
	} {
		var all bytes.Buffer
		if err := write(&all); err != nil {
			t.Fatal(err)
		}
		for _, room := range []int{0, 50, all.Len() - 1} {
			if err := write(&fullDisk{left: room}); err == nil || !strings.Contains(err.Error(), "disk full") {
				t.Errorf("%s with room for %d bytes: error %v, want disk full", name, room, err)
			}
		}
	}
}

// TestJUnitCounts: the counts of suites are those of their cases, as a reader counts them.
func TestJUnitCounts(t *testing.T) {
	for _, r := range []*report.Report{verdictReport(), hostileReport()} {
		var out bytes.Buffer
		if err := report.JUnit(&out, r); err != nil {
			t.Fatal(err)
		}
		said, counted := map[string]string{}, map[string]int{}
		d := xml.NewDecoder(&out)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			counted[e.Name.Local]++
			if e.Name.Local != "testsuites" {
				continue
			}
			for _, a := range e.Attr {
				said[a.Name.Local] = a.Value
			}
		}
		want := map[string]string{"tests": "6", "failures": "2", "errors": "1", "skipped": "1"}
		for name, n := range want {
			if said[name] != n {
				t.Errorf("%s=%q, want %q", name, said[name], n)
			}
		}
		if counted["testcase"] != 6 || counted["failure"] != 2 || counted["error"] != 1 || counted["skipped"] != 1 || counted["testsuite"] != 2 {
			t.Errorf("elements %v", counted)
		}
	}
}

// many is a report of n failed cases, wrong in so many ways.
func many(n, ways int) *report.Report {
	var cases []report.Case
	var rows [][]string
	for i := range n {
		kind := fmt.Sprintf("check_%d", i%ways)
		cases = append(cases, report.Case{Name: fmt.Sprintf("s%d", i), Outcome: report.Failed, Kind: kind, Reason: "failed: " + kind, Detail: strings.Repeat("- x\n", i%50)})
		rows = append(rows, []string{fmt.Sprintf("s%d", i), "FAIL"})
	}
	return &report.Report{
		Suite:   "exo",
		Tables:  []report.Table{{Title: "Scenarios", Header: []string{"scenario", "openai"}, Rows: rows}},
		Groups:  []report.Group{{Name: "openai", Cases: cases}},
		Facts:   []report.Fact{{Name: "data", Value: "sha256:22"}},
		Remarks: []string{"first", "second"},
	}
}

// TestSummaryLimit: a summary has at most the bytes it may have, says what it left out, and keeps the facts.
func TestSummaryLimit(t *testing.T) {
	r := many(3000, 7)
	var whole bytes.Buffer
	if err := report.Markdown(&whole, r); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{-1, 0, 1, 20, 50, 500, 1000, 2000, 5000, 20_000, 100_000, whole.Len() - 1, whole.Len()} {
		got := report.Summary(r, limit)
		if len(got) > max(limit, 0) {
			t.Errorf("limit %d: %d bytes", limit, len(got))
		}
		if limit >= 2000 && !bytes.Contains(got, []byte("sha256:22")) {
			t.Errorf("limit %d: no facts in\n%.300s", limit, got)
		}
		if limit >= 2000 && limit < whole.Len() && !bytes.Contains(got, []byte("are not shown")) {
			t.Errorf("limit %d: nothing is said of what was left out", limit)
		}
	}
	if got := report.Summary(r, report.SummaryLimit); !bytes.Equal(got, whole.Bytes()) {
		t.Errorf("with room for %d bytes not all of %d are shown", report.SummaryLimit, whole.Len())
	}
}

// TestAnnotations: there are never more than GitHub shows, and together they count every case.
func TestAnnotations(t *testing.T) {
	tests := []struct {
		n, ways, want int
		last          string
	}{
		{1, 1, 1, "::error title=exo%3A 1 failed%3A check_0::openai s0: failed: check_0\n"},
		{1000, 3, 3, "::error title=exo%3A 333 failed%3A check_2::"},
		{20, 10, 10, "::error title=exo%3A 2 failed%3A check_9::openai s9: failed: check_9%0Aopenai s19: failed: check_9\n"},
		{1000, 100, 10, "::error title=exo%3A 910 more%2C wrong in 91 other ways::"},
		{11, 11, 10, "::error title=exo%3A 2 more%2C wrong in 2 other ways::openai s9: failed: check_9%0Aopenai s10: failed: check_10\n"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		if err := report.GitHub(&out, many(tt.n, tt.ways), nil); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
		lines[len(lines)-1] += "\n"
		if len(lines) != tt.want || !strings.HasPrefix(lines[len(lines)-1], tt.last) {
			t.Errorf("%d cases, %d ways: %d lines, want %d; the last is\n%swant\n%s", tt.n, tt.ways, len(lines), tt.want, lines[len(lines)-1], tt.last)
		}
	}
}
