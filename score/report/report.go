package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
)

// Report is the outcome of one scoring in the form that every suite's result can be brought into. The formats for CI systems, [JUnit],
// [Markdown] and [GitHub], are made from it and from nothing else, so the same report gives the same bytes.
type Report struct {
	// Suite is what was scored, such as "exo".
	Suite string
	// Tables are the figures.
	Tables []Table
	// Groups are the cases, sorted as the suite sorts them: by API, by category.
	Groups []Group
	// Facts are what the result can be proved with, and what was asked: versions, digests, the model.
	Facts []Fact
	// Remarks are what else there is to say of the recording as a whole.
	Remarks []string
}

// Table is a table of figures. All rows are as long as the header.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Group is a number of cases that belong together.
type Group struct {
	Name  string
	Cases []Case
}

// Fact is a name and a value.
type Fact struct {
	Name, Value string
}

// Outcome is how a case ended.
type Outcome string

const (
	Passed Outcome = "passed"
	Failed Outcome = "failed"
	// Missing: the recording holds no answer, or does not tell which. That says nothing about the model, but nothing was proved either.
	Missing Outcome = "missing"
	// NotJudged: there is nothing to judge, and that is no fault of anybody's.
	NotJudged Outcome = "not judged"
)

// Case is one verdict.
type Case struct {
	// Name is that of the sample, and of the phase and the repeat where there are several. It is unique in the group.
	Name    string
	Outcome Outcome
	// Kind says in a few words what is wrong. It is the same for cases that are wrong in the same way.
	Kind string
	// Reason says in one line what is wrong with this case, Detail the rest, in any number of lines.
	Reason, Detail string
	// Seconds is how long the answer took, 0 when nobody knows.
	Seconds float64
	// Exchanges are those that the verdict rests on.
	Exchanges []tape.Ref
}

// counts are numbers of cases.
type counts struct{ passed, failed, missing, notJudged int }

func (c counts) total() int { return c.passed + c.failed + c.missing + c.notJudged }

func (c *counts) add(o Outcome) {
	switch o {
	case Passed:
		c.passed++
	case Failed:
		c.failed++
	case Missing:
		c.missing++
	case NotJudged:
		c.notJudged++
	}
}

func (g Group) counts() counts {
	var c counts
	for _, x := range g.Cases {
		c.add(x.Outcome)
	}
	return c
}

func (r *Report) counts() counts {
	var c counts
	for _, g := range r.Groups {
		for _, x := range g.Cases {
			c.add(x.Outcome)
		}
	}
	return c
}

// headline is the outcome in one line.
func (r *Report) headline() string {
	c := r.counts()
	line := fmt.Sprintf("%s: %d of %d passed", r.Suite, c.passed, c.total())
	if c.failed > 0 {
		line += fmt.Sprintf(", %d failed", c.failed)
	}
	if c.missing > 0 {
		line += fmt.Sprintf(", %d missing", c.missing)
	}
	if c.notJudged > 0 {
		line += fmt.Sprintf(", %d not judged", c.notJudged)
	}
	return line
}

// text is reason and detail.
func (x *Case) text() string {
	return strings.TrimSuffix(x.Reason+"\n"+x.Detail, "\n")
}

// exchanges names the exchanges as `exodeck tape show` takes them, the first few of them.
func (x *Case) exchanges() string {
	const most = 8
	var names []string
	for i, ref := range x.Exchanges {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(x.Exchanges)-most))
			break
		}
		names = append(names, ref.Session+"/"+strconv.FormatInt(ref.Seq, 10))
	}
	return strings.Join(names, ", ")
}

// line makes text fit for one line: what could do harm is made visible, and so are line ends.
func line(s string) string { return show.Printable(s) }

// lines makes text fit for several lines.
func lines(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		body, end := strings.TrimSuffix(l, "\n"), ""
		if body != l {
			end = "\n"
		}
		b.WriteString(show.Printable(strings.TrimSuffix(body, "\r")))
		b.WriteString(end)
	}
	return b.String()
}

// cut shortens text to at most so many bytes, and says so.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	kept := strings.ToValidUTF8(s[:most], "")
	return fmt.Sprintf("%s… (%d bytes more)", kept, len(s)-len(kept))
}
