package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/exodeck/exodeck/replay/show"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	out := new(strings.Builder)
	mode, blame := "", ""
	if r.Stream {
		mode = " stream"
	}
	if r.Blame != nil {
		blame = ", blame " + string(*r.Blame)
	}
	fmt.Fprintf(out, "%s/%d  %s%s  calls %s, protocol %s%s\n", r.Session, r.Seq, r.API, mode, show.Words(r.Calls), show.Words(r.Protocol), blame)
	for _, p := range r.Problems {
		known := ""
		if p.Known {
			known = ", known"
		}
		if p.Count > 1 {
			known += fmt.Sprintf(", %d times", p.Count)
		}
		fmt.Fprintf(out, "  %-7s  %s (%s%s): %s\n", p.Severity, p.Code, show.Printable(p.Where.String()), known, show.Line(p.Detail))
	}
	for _, c := range r.Recovered {
		fmt.Fprintf(out, "  meant    %s\n", show.Printable(c.String()))
	}
	for _, e := range r.Evidence {
		fmt.Fprintf(out, "  because  %s\n", show.Line(e))
	}
	for _, u := range r.Unchecked {
		fmt.Fprintf(out, "  skipped  %s\n", show.Line(u))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
