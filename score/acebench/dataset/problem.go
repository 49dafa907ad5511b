package dataset

import (
	"fmt"
	"strings"
)

// A Problem is one thing wrong with a data set, at a place that can be looked up.
type Problem struct {
	File string
	Line int // from 1; 0 when it is about the whole file
	Text string
}

// String returns "file:line: text".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Problems is the error of reading a data set that is readable in part. The samples that could be read are returned beside it.
type Problems []Problem

// shown is how many problems an error message lists.
const shown = 20

// Error lists the problems, one a line.
func (p Problems) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the data set has %s:", count(len(p), "problem"))
	for i, one := range p {
		if i == shown {
			fmt.Fprintf(&b, "\n  and %d more", len(p)-shown)
			break
		}
		b.WriteString("\n  " + one.String())
	}
	return b.String()
}

// err returns p as an error, nil when there is none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
