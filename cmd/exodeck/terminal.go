package main

import (
	"os"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is how many columns a terminal has, 80 when it does not say.
func terminalWidth(v any) int {
	if f, ok := v.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// cut shortens text to so many columns of a terminal, of which a Chinese character takes two.
func cut(s string, columns int) string {
	return text.Snip(s, max(columns, 1), "…")
}
