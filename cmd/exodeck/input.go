package main

import (
	"fmt"
	"io"
	"os"
)

// inputNames is what the help says of arguments that [openInput] takes.
const inputNames = "Without FILE, or with -, standard input is read."

// openInput opens a file to read, or standard input for "" and "-". It says what is awaited of a terminal.
func openInput(file, awaited string, e env) (io.ReadCloser, error) {
	if file != "" && file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("%w; name a file that is there, or - for standard input", err)
		}
		return f, nil
	}
	if isTerminal(e.stdin) {
		fmt.Fprintf(e.stderr, "reading %s from the terminal; Ctrl-D ends it\n", awaited)
	}
	return io.NopCloser(e.stdin), nil
}
