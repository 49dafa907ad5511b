package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/exodeck/exodeck/score"
)

// Matrix prints verdicts as a table: a line for each sample and phase, a column for each API. A cell says how often it passed when
// it was asked more than once, of those that were answered, and how many answers are missing.
func Matrix(w io.Writer, verdicts []score.Verdict) error {
	t := verdictTable(verdicts)
	out := NewTable()
	out.AppendHeader(cells(t.Header))
	for _, row := range t.Rows {
		out.AppendRow(cells(row))
	}
	_, err := fmt.Fprintln(w, out.Render())
	return err
}

func cells(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, text := range texts {
		row[i] = line(text)
	}
	return row
}
