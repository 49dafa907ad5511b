package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/exodeck/exodeck/replay/show"
)

const (
	// detailLimit is how many bytes of a case's detail markdown holds.
	detailLimit = 4 << 10
	// reasonLimit is how many bytes of a reason stand in one line.
	reasonLimit = 300
)

// Markdown writes the report as GitHub's markdown: the figures as tables, then what failed and what is missing, with reasons. What
// models and servers said stands in code, where it cannot be markup, links or mentions.
func Markdown(w io.Writer, r *Report) error {
	_, err := w.Write(markdown(r, 0))
	return err
}

// markdown returns the report in at most limit bytes, 0 for any number. What does not fit is left out, from the end of each list, and
// counted. Only the headline, the facts and the notes on what was left out may come to more.
func markdown(r *Report, limit int) []byte {
	m := &marker{limit: limit}
	m.must("## %s\n", prose(r.headline()))
	// The facts come last, and always.
	facts := factList(r.Facts)
	m.reserved = len(facts) + noticeSize
	for _, t := range r.Tables {
		m.table(t)
	}
	m.cases(r, Failed, "Failed")
	m.cases(r, Missing, "Missing")
	m.remarks(r.Remarks)
	m.reserved = 0
	m.must("%s", facts)
	return []byte(m.b.String())
}

// noticeSize is room for saying what was left out of tables and lists.
const noticeSize = 1 << 10

// marker collects markdown up to a limit.
type marker struct {
	b        strings.Builder
	limit    int // 0 for none
	reserved int // bytes that are spoken for
}

func (m *marker) must(format string, args ...any) { fmt.Fprintf(&m.b, format, args...) }

// try adds text if there is room for it.
func (m *marker) try(text string) bool {
	if m.limit > 0 && m.b.Len()+len(text)+m.reserved > m.limit {
		return false
	}
	m.b.WriteString(text)
	return true
}

// leftOut says that n things of a list are not shown.
func (m *marker) leftOut(n int, what string) {
	if n > 0 {
		m.must("\n*%d more %s are not shown, for want of room; `--format json` has them all.*\n", n, what)
	}
}

func (m *marker) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	head := row(t.Header) + "|" + strings.Repeat(" --- |", len(t.Header)) + "\n"
	if !m.try("\n### " + prose(t.Title) + "\n\n" + head) {
		m.leftOut(len(t.Rows), "rows")
		return
	}
	for i, cells := range t.Rows {
		if !m.try(row(cells)) {
			m.leftOut(len(t.Rows)-i, "rows")
			return
		}
	}
}

func row(cells []string) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| ")
		b.WriteString(strings.ReplaceAll(prose(c), "|", `\|`))
		b.WriteString(" ")
	}
	return b.String() + "|\n"
}

// cases lists the cases of one outcome.
func (m *marker) cases(r *Report, o Outcome, title string) {
	n, out := 0, 0
	for _, g := range r.Groups {
		for i := range g.Cases {
			x := &g.Cases[i]
			if x.Outcome != o {
				continue
			}
			text := item(g.Name, x)
			if n == 0 {
				text = "\n### " + title + "\n\n" + text
			}
			if n++; out > 0 || !m.try(text) {
				out++
			}
		}
	}
	m.leftOut(out, string(o))
}

// item is an element of a list about one case.
func item(group string, x *Case) string {
	text := "- " + show.CodeSpan(group) + " " + show.CodeSpan(x.Name) + ": " + show.CodeSpan(cut(x.Reason, reasonLimit))
	if refs := x.exchanges(); refs != "" {
		text += " (exchanges " + show.CodeSpan(refs) + ")"
	}
	text += "\n"
	if x.Detail == "" {
		return text
	}
	return text + "\n" + show.CodeBlock("  ", "text", cut(x.Detail, detailLimit))
}

func (m *marker) remarks(remarks []string) {
	for i, remark := range remarks {
		text := "- " + show.CodeSpan(cut(remark, reasonLimit)) + "\n"
		if i == 0 {
			text = "\n### Remarks\n\n" + text
		}
		if !m.try(text) {
			m.leftOut(len(remarks)-i, "remarks")
			return
		}
	}
}

func factList(facts []Fact) string {
	var b strings.Builder
	for _, f := range facts {
		if f.Value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", prose(f.Name), show.CodeSpan(cut(f.Value, reasonLimit)))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n### Scored with\n\n" + b.String()
}

// prose returns text that is no markup as it is, and other text as code. It is for words of our own and for figures.
func prose(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .,:/%()", r)
	}) || strings.Contains(s, "://") || strings.Contains(s, "www.") {
		return show.CodeSpan(s)
	}
	return s
}
