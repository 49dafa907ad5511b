package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Skipped *junitSkipped `xml:"skipped"`
	Output  *junitText    `xml:"system-out"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitText struct {
	Text string `xml:",chardata"`
}

// JUnit writes the report as JUnit XML: a test suite for each group. A missing answer is an error, which is what JUnit calls a test that
// could not be carried out. It is not skipped: CI systems show skipped tests as nothing to worry about, and the exit status says otherwise.
// What there is nothing to judge of is.
func JUnit(w io.Writer, r *Report) error {
	all := r.counts()
	doc := junitSuites{Name: line("exodeck " + r.Suite), Tests: all.total(), Failures: all.failed, Errors: all.missing, Skipped: all.notJudged}
	var properties []junitProperty
	for _, f := range r.Facts {
		properties = append(properties, junitProperty{line(f.Name), line(f.Value)})
	}
	var total float64
	for _, g := range r.Groups {
		n := g.counts()
		s := junitSuite{Name: line(r.Suite + "." + g.Name), Tests: n.total(), Failures: n.failed, Errors: n.missing, Skipped: n.notJudged, Properties: properties}
		var sum float64
		for i := range g.Cases {
			sum += g.Cases[i].Seconds
			s.Cases = append(s.Cases, junitCaseOf(s.Name, &g.Cases[i]))
		}
		s.Time = seconds(sum)
		total += sum
		doc.Suites = append(doc.Suites, s)
	}
	doc.Time = seconds(total)
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	// Only the texts of failures have line ends. They need not be escaped, and people read them.
	text = bytes.ReplaceAll(text, []byte("&#xA;"), []byte("\n"))
	_, err = w.Write(slices.Concat([]byte(xml.Header), text, []byte("\n")))
	return err
}

func junitCaseOf(class string, x *Case) junitCase {
	c := junitCase{Class: class, Name: line(x.Name), Time: seconds(x.Seconds)}
	problem := &junitProblem{Message: line(x.Reason), Type: line(x.Kind), Text: lines(x.text())}
	switch x.Outcome {
	case Failed:
		c.Failure = problem
	case Missing:
		c.Error = problem
	case NotJudged:
		c.Skipped = &junitSkipped{line(x.Reason)}
	}
	if refs := x.exchanges(); refs != "" {
		c.Output = &junitText{line("exchanges: " + refs)}
	}
	return c
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
