package markup

import (
	"regexp"
	"strings"
)

// OutsideCode returns a text with its code, as Markdown has it, replaced by blanks of the same length: spans, fenced code, indented code,
// and what stands between <code> or <pre> and their ends.
func OutsideCode(text string) string { return outside(text, false) }

// OutsideFences is [OutsideCode] for spans and fenced code alone, which nobody writes by accident. A model also indents what is no code.
func OutsideFences(text string) string { return outside(text, true) }

func outside(text string, fenced bool) string {
	tags := !fenced && strings.Contains(text, "</")
	if !tags && !strings.ContainsAny(text, "`\t") && !strings.Contains(text, "~~~") && !strings.Contains(text, "    ") {
		return text
	}
	m := mask{text: text, masked: []byte(text), fenced: fenced}
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		m.line(at, end)
		at = end
	}
	m.end()
	if tags {
		for _, at := range htmlCode.FindAllIndex(m.masked, -1) {
			blank(m.masked, at[0], at[1])
		}
	}
	return string(m.masked)
}

// htmlCode is code in HTML's tags. It has to be closed: a tag alone may be anything.
var htmlCode = regexp.MustCompile(`(?is)<code(?:\s[^<>]*)?>.*?</code>|<pre(?:\s[^<>]*)?>.*?</pre>`)

// mask blanks code of Markdown line by line.
type mask struct {
	text   string
	masked []byte
	// fenced leaves indented code as it is.
	fenced bool
	// paragraph is where the text since the last code or empty line began.
	paragraph int
	// fence is the fence that is open, "" for none, and start where its code began.
	fence string
	start int
	// item is the column in which the text of the list item begins that the lines belong to; 0 outside of lists.
	item int
	// afterEmpty says that the last line was empty, indented that the last one with text was indented code.
	afterEmpty, indented bool
}

// line takes text[at:end].
func (m *mask) line(at, end int) {
	line := m.text[at:end]
	if m.fence != "" {
		if closes(line, m.fence, m.item) {
			blank(m.masked, m.start, end)
			m.fence, m.paragraph, m.afterEmpty, m.indented = "", end, false, false
		}
		return
	}
	if strings.TrimSpace(line) == "" {
		m.spans(at)
		m.paragraph, m.afterEmpty = end, true
		return
	}
	column := indent(line)
	if m.afterEmpty && m.item > 0 && column < m.item && textOfItem(line) == 0 {
		m.item = 0
	}
	switch mark := fenceOf(line, m.item); {
	case mark != "":
		m.spans(at)
		m.fence, m.start = mark, at
	case !m.fenced && column >= m.item+4 && (m.afterEmpty || m.indented):
		blank(m.masked, at, end)
		m.paragraph, m.afterEmpty, m.indented = end, false, true
		return
	default:
		if text := textOfItem(line); text > 0 {
			m.item = text
		}
	}
	m.afterEmpty, m.indented = false, false
}

// end takes the end of the text.
func (m *mask) end() {
	if m.fence != "" {
		blank(m.masked, m.start, len(m.text))
	} else {
		m.spans(len(m.text))
	}
}

// spans blanks the code spans of the paragraph that ends here.
func (m *mask) spans(to int) { spans(m.masked, m.text, m.paragraph, to) }

// indent returns the column in which a line begins. A tab reaches to the next column that is a multiple of 4.
func indent(line string) int {
	column := 0
	for _, c := range line {
		switch c {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column
		}
	}
	return column
}

// textOfItem returns the column in which the text of a list item begins; 0 for lines that begin none.
func textOfItem(line string) int {
	rest := strings.TrimLeft(line, " \t")
	marker := strings.TrimLeft(rest, "0123456789")
	digits := len(rest) - len(marker)
	switch {
	case marker == "" || digits > 9:
		return 0
	case digits > 0 && marker[0] != '.' && marker[0] != ')', digits == 0 && !strings.ContainsRune("-*+", rune(marker[0])):
		return 0
	}
	behind := marker[1:]
	if strings.TrimSpace(behind) == "" || behind[0] != ' ' && behind[0] != '\t' {
		return 0
	}
	return indent(line) + digits + 1 + max(1, min(indent(behind), 4))
}

// fenceOf returns the backticks or tildes that a line opens fenced code with; "" for other lines. item is the column of the text around it.
func fenceOf(line string, item int) string {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > item+3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return ""
	}
	info := strings.TrimLeft(rest, rest[:1])
	mark := rest[:len(rest)-len(info)]
	if len(mark) < 3 || mark[0] == '`' && strings.Contains(info, "`") {
		return ""
	}
	return mark
}

// closes reports whether a line ends the code that fence began.
func closes(line, fence string, item int) bool {
	mark := fenceOf(line, item)
	return len(mark) >= len(fence) && mark[0] == fence[0] && strings.TrimSpace(strings.TrimLeft(line, " ")[len(mark):]) == ""
}

// spans blanks the code spans of text[from:to]: from a run of backticks to the next run of the same length.
func spans(masked []byte, text string, from, to int) {
	type run struct{ start, end int }
	var runs []run
	for i := from; i < to; i++ {
		if text[i] != '`' {
			continue
		}
		j := i
		for j < to && text[j] == '`' {
			j++
		}
		runs = append(runs, run{i, j})
		i = j
	}
	next := make([]int, len(runs)) // the next run of the same length; 0 for none
	last := make(map[int]int)
	for i := len(runs) - 1; i >= 0; i-- {
		length := runs[i].end - runs[i].start
		next[i] = last[length]
		last[length] = i
	}
	for i := 0; i < len(runs); i++ {
		if j := next[i]; j > 0 {
			blank(masked, runs[i].start, runs[j].end)
			i = j
		}
	}
}

func blank(masked []byte, from, to int) {
	for i := from; i < to; i++ {
		if masked[i] != '\n' {
			masked[i] = ' '
		}
	}
}
