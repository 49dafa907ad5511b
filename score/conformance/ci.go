package conformance

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/exodeck/exodeck/replay/show"
)

// WriteJUnit writes the result as JUnit's XML: a test case for each exchange, which fails on errors that no baseline knows.
func (res *Result) WriteJUnit(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s<testsuite name=\"conformance\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n", xml.Header, res.Exchanges, res.Failing, res.skipped)
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  <testcase classname=%s name=%s>", attribute(string(r.API)), attribute(fmt.Sprintf("%s/%d", r.Session, r.Seq)))
		switch {
		case r.Failing():
			fmt.Fprintf(out, "<failure message=%s>%s</failure>", attribute(headline(r)), escaped(details(r)))
		case r.skipped():
			fmt.Fprintf(out, "<skipped message=%s/>", attribute(headline(r)))
		}
		fmt.Fprintln(out, "</testcase>")
	}
	fmt.Fprintln(out, "</testsuite>")
	return out.Flush()
}

// headline is a report in a line: its codes and whose fault it is.
func headline(r *Report) string {
	var codes []string
	for _, p := range r.Problems {
		if !p.Known {
			codes = append(codes, p.Code)
		}
	}
	return strings.Join(codes, ", ") + blamed(r)
}

func details(r *Report) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s %s (%s): %s\n", p.Severity, p.Code, p.Where, show.Printable(oneLine(p.Detail)))
	}
	for _, e := range r.Evidence {
		fmt.Fprintf(&b, "because %s\n", show.Printable(oneLine(e)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func attribute(s string) string { return `"` + escaped(show.Printable(s)) + `"` }

func escaped(s string) string {
	var b strings.Builder
	// Writing to memory does not fail.
	_ = xml.EscapeText(&b, []byte(s))
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}

// WriteMarkdown writes the result as a page for an issue or a job summary.
func (res *Result) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## Conformance\n\n%s; calls %s; protocol %s\n", plural(res.Exchanges, "exchange"),
		counted(res.Calls, []Verdict{OK, Failed, NotJudged}), counted(res.Protocol, []Verdict{OK, Failed, NotJudged}))
	if codes := res.codes(); len(codes) > 0 {
		fmt.Fprint(out, "\n| problem | severity | exchanges | new |\n| --- | --- | ---: | ---: |\n")
		for _, name := range codes {
			c, _ := CodeOf(name)
			fmt.Fprintf(out, "| %s | %s | %d | %d |\n", name, res.options.Rules.severity(c), res.Summary[name], res.New[name])
		}
	}
	heading := "\n| exchange | api | calls | protocol | blame | problems |\n| --- | --- | --- | --- | --- | --- |\n"
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		if len(r.Problems) == 0 {
			continue
		}
		var codes []string
		for _, p := range r.Problems {
			codes = append(codes, p.Code)
		}
		blame := ""
		if r.Blame != nil {
			blame = string(*r.Blame)
		}
		fmt.Fprintf(out, "%s| %s/%d | %s | %s | %s | %s | %s |\n", heading, r.Session, r.Seq, r.API, words(r.Calls), words(r.Protocol), blame, strings.Join(codes, ", "))
		heading = ""
	}
	return out.Flush()
}

// WriteGitHub writes a workflow command for each new problem, so that GitHub shows it as an annotation, and the totals.
func (res *Result) WriteGitHub(w io.Writer) error {
	out := bufio.NewWriter(w)
	for r, err := range res.Reports() {
		if err != nil {
			return err
		}
		for _, p := range r.Problems {
			if p.Known {
				continue
			}
			message := fmt.Sprintf("%s/%d %s (%s): %s%s", r.Session, r.Seq, r.API, p.Where, show.Printable(oneLine(p.Detail)), blamed(r))
			message = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(message)
			fmt.Fprintf(out, "::%s title=%s::%s\n", p.Severity, p.Code, message)
		}
	}
	res.writeTotals(out)
	return out.Flush()
}
