package markup

import "strings"

// OutsideCode returns a text with its code spans and fenced code, as Markdown has them, replaced by blanks of the same length.
func OutsideCode(text string) string {
	if !strings.Contains(text, "`") && !strings.Contains(text, "~~~") {
		return text
	}
	masked := []byte(text)
	fence, start := "", 0 // the fence that is open, and where its code began
	paragraph := 0        // where the text since the last fence or empty line began
	for at := 0; at < len(text); {
		end := at + len(text[at:])
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := text[at:end]
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			spans(masked, text, paragraph, at)
			fence, start = mark, at
		case fence != "" && closes(line, fence):
			blank(masked, start, end)
			fence, paragraph = "", end
		case fence == "" && strings.TrimSpace(line) == "":
			spans(masked, text, paragraph, at)
			paragraph = end
		}
		at = end
	}
	if fence != "" {
		blank(masked, start, len(text))
	} else {
		spans(masked, text, paragraph, len(text))
	}
	return string(masked)
}

// fenceOf returns the backticks or tildes that a line opens fenced code with; "" for other lines.
func fenceOf(line string) string {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
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
func closes(line, fence string) bool {
	mark := fenceOf(line)
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
