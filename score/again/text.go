package again

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
)

// WriteText writes the result for people: what changed, then the figures, each with its base.
func (r *Result) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, c := range r.Changes {
		mode := ""
		if c.Now.Stream {
			mode = " stream"
		}
		fmt.Fprintf(out, "%s/%d, then %s/%d  %s%s  calls %s, protocol %s\n", c.Reference.Session, c.Reference.Seq, c.Now.Session, c.Now.Seq,
			c.Now.API, mode, arrow(c.Reference.Calls, c.Now.Calls), arrow(c.Reference.Protocol, c.Now.Protocol))
		for _, code := range c.New {
			fmt.Fprintf(out, "  new   %s\n", code)
		}
		for _, code := range c.Gone {
			fmt.Fprintf(out, "  gone  %s\n", code)
		}
		for _, d := range c.Differences {
			fmt.Fprintf(out, "  %s, blame %s: %s\n", d.Code, d.Blame, show.Line(d.Detail))
		}
	}
	if len(r.Changes) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%d asked again; verdicts of %d got worse, of %d better; %d compared\n", r.Asked, r.Worse, r.Better, r.Compared)
	for _, moved := range []struct {
		name  string
		codes func(*Change) []string
	}{
		{"new problems", func(c *Change) []string { return c.New }},
		{"problems gone", func(c *Change) []string { return c.Gone }},
	} {
		if counts := r.counts(moved.codes); counts != "" {
			fmt.Fprintf(out, "%-19s %s\n", moved.name, counts)
		}
	}
	switch m := r.Modes; {
	case m.Both == 0:
	case m.Compared == 0 && m.Unsettled > 0:
		fmt.Fprintf(out, "stream and whole    none compared  of %d answered in both modes: %d have neither temperature 0 nor a seed, so their answers may differ; record requests that have one of them to compare\n",
			m.Both, m.Unsettled)
	default:
		fmt.Fprintf(out, "stream and whole    %d of %d differ  of %d answered in both modes; compared are those with temperature 0 or a seed that came whole\n",
			m.Differ, m.Compared, m.Both)
	}
	t := r.Trigger
	fmt.Fprintf(out, "tool-trigger F1     %s  precision %s, recall %s; both call %d, only the new answer %d, only the reference %d, neither %d\n",
		decimals(t.F1), decimals(t.Precision), decimals(t.Recall), t.Both, t.New, t.Reference, t.Neither)
	fmt.Fprintf(out, "schema accuracy     %s, reference %s  of answers whose finish reason says that tools are called\n", share(r.Now.SchemaAccuracy), share(r.Reference.SchemaAccuracy))
	fmt.Fprintf(out, "right of attempted  %s, reference %s  of answers that try a call, also in their text\n", share(r.Now.RightOfAttempted), share(r.Reference.RightOfAttempted))
	fmt.Fprintf(out, "attempted           %s, reference %s  of all that were compared\n", share(r.Now.Attempted), share(r.Reference.Attempted))
	return out.Flush()
}

// counts says how many changes have each of the codes that are chosen of them.
func (r *Result) counts(chosen func(*Change) []string) string {
	n := make(map[string]int)
	for i := range r.Changes {
		for _, code := range chosen(&r.Changes[i]) {
			n[code]++
		}
	}
	var parts []string
	for _, c := range conformance.Codes {
		if n[c.Name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[c.Name], c.Name))
		}
	}
	return strings.Join(parts, ", ")
}

// decimals writes a figure; "-" when its base is empty.
func decimals(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

func share(s Share) string {
	if s.Of == 0 {
		return "0/0"
	}
	return fmt.Sprintf("%d/%d (%.1f %%)", s.Right, s.Of, 100*float64(s.Right)/float64(s.Of))
}

// arrow shows a verdict, and what it was before if it has changed.
func arrow(before, after conformance.Verdict) string {
	if before == after {
		return show.Words(after)
	}
	return show.Words(before) + " → " + show.Words(after)
}
