package explain

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/report"
)

// valueWidth is where a value in a table goes on in a further line.
const valueWidth = 44

// nothing stands where there is no value.
const nothing = "–"

// A printer writes text for a terminal. What models and data say cannot move the cursor.
type printer struct{ bytes.Buffer }

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// heading starts a part.
func (p *printer) heading(format string, args ...any) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.line(format, args...)
}

// indented writes text with the same indent before every line, and first before the first one.
func (p *printer) indented(first, indent, s string) {
	for i, line := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		before := indent
		if i == 0 {
			before = first
		}
		p.line("%s", strings.TrimRight(before+show.Printable(line), " "))
	}
}

func (p *printer) list(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.heading("%s", heading)
	for _, line := range lines {
		p.indented("  ", "    ", line)
	}
}

// table writes rows under a header, without borders.
func (p *printer) table(indent string, header table.Row, rows []table.Row, wide ...int) {
	w := report.NewTable()
	var columns []table.ColumnConfig
	for _, number := range wide {
		columns = append(columns, table.ColumnConfig{Number: number, WidthMax: valueWidth, WidthMaxEnforcer: text.WrapHard})
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(header)
	w.AppendRows(rows)
	for line := range strings.SplitSeq(w.Render(), "\n") {
		p.line("%s", strings.TrimRight(indent+line, " "))
	}
}

// WriteText prints the sample: what is asked, and what is expected.
func (s *Sample) WriteText(w io.Writer) error {
	p := &printer{}
	p.sample(s)
	if len(s.Classes) > 0 {
		p.list("Simulated classes", []string{strings.Join(s.Classes, ", "), "from " + s.Config})
	}
	switch {
	case len(s.Expected) > 1 && len(s.Classes) == 0:
		p.list("Expected, one of", s.Expected)
	default:
		p.list("Expected", s.Expected)
	}
	for i, stones := range s.Milestones {
		p.list(numbered("Milestones", i, len(s.Milestones)), stones)
	}
	_, err := p.WriteTo(w)
	return err
}

// numbered adds to a heading which of several alternatives it is about.
func numbered(heading string, i, n int) string {
	if n == 1 {
		return heading
	}
	return fmt.Sprintf("%s, alternative %d of %d", heading, i+1, n)
}

func (p *printer) sample(s *Sample) {
	p.heading("%s  %s  %s  %s", s.ID, s.Language, s.Category, s.Place)
	for _, part := range []struct{ name, text string }{{"Time", s.Time}, {"Profile", s.Profile}, {"Question", s.Question}} {
		if part.text != "" {
			p.heading("%s", part.name)
			p.indented("  ", "  ", part.text)
		}
	}
	p.list("Functions", s.Functions)
}

// WriteText prints the explanation.
func (e *Explanation) WriteText(w io.Writer) error {
	p := &printer{}
	p.sample(&e.Sample)
	p.answer(e)
	switch {
	case e.Normal != nil:
		p.normal(e.Normal)
	case e.Special != nil:
		p.special(e.Special)
	case e.Agent != nil:
		p.agent(e.Agent)
	}
	p.verdicts(e)
	if e.Fault != nil {
		p.list("Whose fault", e.Fault.Lines(e.exchanges))
	}
	_, err := p.WriteTo(w)
	return err
}

func (p *printer) answer(e *Explanation) {
	if e.Answer.Status == acebench.Missing || e.Answer.Status == acebench.Unasked {
		p.heading("Answer: %s", cmp.Or(e.Answer.Note, "none was recorded"))
		if e.Agent == nil {
			p.list("Expected", e.Sample.Expected)
		}
		return
	}
	heading := "Answer"
	if e.Answer.Place != "" {
		heading += ", " + e.Answer.Place
	}
	if e.Agent == nil || e.Answer.Place != "" || e.Answer.Note != "" {
		p.heading("%s", heading)
	}
	if e.Answer.Note != "" {
		p.indented("  Note: ", "  ", e.Answer.Note)
	}
	switch {
	case e.Agent != nil: // the dialogue is the answer
	case e.Answer.NotText:
		p.line("  (not a text)")
		p.list("Expected", e.Sample.Expected)
	case e.Answer.Text == "":
		p.line("  (empty)")
	default:
		p.indented("  ", "  ", e.Answer.Text)
	}
}

func (p *printer) normal(n *Normal) {
	p.heading("Read as")
	for _, r := range n.Readings {
		p.line("  %s:", strings.Join(r.Rules, ", "))
		switch {
		case r.Error != "":
			p.indented("    not a list of calls: ", "    ", r.Error)
		case len(r.Calls) == 0:
			p.line("    an empty list of calls")
		}
		for _, call := range r.Calls {
			p.indented("    ", "      ", call)
		}
	}
	for i := range n.Alternatives {
		p.heading("%s", numbered("Expected and given", i, len(n.Alternatives)))
		p.alternative(&n.Alternatives[i])
	}
}

func (p *printer) alternative(a *Alternative) {
	for _, pair := range a.Calls {
		switch pair.Given {
		case pair.Expected:
			p.indented("  ", "  ", pair.Expected)
		case "":
			p.indented("≠ ", "  ", pair.Expected+" was not called")
		default:
			p.indented("≠ ", "  ", pair.Expected+" was expected, "+pair.Given+" was called")
		}
		p.arguments(&pair)
	}
	for _, call := range a.Extra {
		p.indented("≠ not expected: ", "    ", call)
	}
}

func (p *printer) arguments(pair *Pair) {
	header := table.Row{"", "argument", "expected", "given"}
	for _, r := range rules.All() {
		header = append(header, r.String())
	}
	var rows []table.Row
	var notes []string
	for i := range pair.Arguments {
		a := &pair.Arguments[i]
		row := table.Row{"", show.Printable(a.Name), orNothing(a.Expected), orNothing(a.Given)}
		if a.Differs() {
			row[0] = "≠"
		}
		rows = append(rows, append(row, verdictCells(a.Verdicts)...))
		for _, r := range rules.All() {
			if read, ok := a.Read[r.String()]; ok && a.Verdicts[r.String()] != passed {
				notes = append(notes, fmt.Sprintf("%s reads %s as %s", r, a.Name, orNothing(read)))
			}
		}
		if a.Why != "" {
			notes = append(notes, "passes "+a.Name+" under "+a.Why)
		}
	}
	if slices.ContainsFunc(rules.All(), pair.Odd) {
		rows = append(rows, append(table.Row{"≠", "the whole call", "", ""}, verdictCells(pair.Verdicts)...))
	}
	if len(rows) == 0 {
		return
	}
	p.table("    ", header, rows, 3, 4)
	for _, r := range rules.All() {
		if call, ok := pair.Elsewhere[r.String()]; ok {
			notes = append(notes, fmt.Sprintf("%s does not match calls one to one, and takes this one again: %s", r, call))
		}
	}
	for _, note := range notes {
		p.indented("    ", "      ", note)
	}
}

// verdictCells are the cells of a table with the verdict of each rule set.
func verdictCells(verdicts map[string]string) table.Row {
	var cells table.Row
	for _, r := range rules.All() {
		cells = append(cells, orNothing(verdicts[r.String()]))
	}
	return cells
}

func orNothing(s string) string {
	if s == "" {
		return nothing
	}
	return show.Printable(s)
}

func (p *printer) special(s *Special) {
	p.heading("The answer must hold, letter by letter")
	header, rows := table.Row{"", "part", "text"}, []table.Row{}
	for _, r := range rules.All() {
		header = append(header, r.String())
	}
	for _, part := range s.Parts {
		row := table.Row{"", part.What, show.Printable(part.Text)}
		for _, r := range rules.All() {
			found := "found"
			if !part.Found[r.String()] {
				row[0], found = "≠", "not found"
			}
			row = append(row, found)
		}
		rows = append(rows, row)
	}
	p.table("    ", header, rows, 3)
}

func (p *printer) verdicts(e *Explanation) {
	switch e.Answer.Status {
	case acebench.OK:
	case acebench.Missing:
		return
	case acebench.Unasked:
		p.heading("Never asked: the figures count it as wrong, as the rules do.")
		return
	default:
		p.heading("Not judged: the recording is %s.", e.Answer.Status)
		return
	}
	p.heading("Verdicts")
	passing, failing := []string{}, []string{}
	for _, v := range e.Verdicts {
		outcome := "passes"
		switch {
		case !v.Valid && v.ErrorType != "":
			outcome = "fails: " + v.ErrorType
		case !v.Valid:
			outcome = "fails"
		}
		if v.ProcessAcc != nil {
			outcome += fmt.Sprintf(", process %.3g", *v.ProcessAcc)
		}
		p.line("  %-10s %s", v.Rules, outcome)
		if v.Error != "" {
			p.indented("             ", "             ", shorten(v.Error))
		}
		if v.Rule != "" {
			p.line("             Rule: %s.", v.Rule)
		}
		if v.Valid {
			passing = append(passing, v.Rules)
		} else {
			failing = append(failing, v.Rules)
		}
	}
	if e.Disagree {
		p.line("The rule sets disagree: %s %s it, %s %s it.",
			strings.Join(passing, " and "), verb(passing, "pass"), strings.Join(failing, " and "), verb(failing, "fail"))
	}
}

// shownError is how many characters of an error are printed. The error about an end state repeats the state; the table before it shows
// where it differs.
const shownError = 300

func shorten(s string) string {
	if r := []rune(s); len(r) > shownError {
		return string(r[:shownError]) + "…"
	}
	return s
}

func verb(subjects []string, verb string) string {
	if len(subjects) != 1 {
		return verb
	}
	if strings.HasSuffix(verb, "s") {
		return verb + "es"
	}
	return verb + "s"
}
