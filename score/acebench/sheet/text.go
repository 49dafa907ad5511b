package sheet

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/report"
)

// officialGroups are the columns of the official result sheet that stand for evalscope's groups.
var officialGroups = map[string]string{
	"ATOM":        "atom",
	"SINGLE_TURN": "single_turn",
	"MULTI_TURN":  "multiple_turn",
	"NORMAL":      "normal_summary",
	"SPECIAL":     "special_summary",
	"AGENT":       "agent_summary",
	"OVERALL":     "Summary",
}

// wrongListed is how many wrong samples the text names.
const wrongListed = 20

// WriteText prints the figures, then what went wrong.
func (s *Sheet) WriteText(w io.Writer) error {
	t := &text{w: w}
	t.figures(s)
	for _, run := range s.Runs {
		t.counts(run)
	}
	for _, remark := range s.remarks() {
		t.print("note: %s\n", remark)
	}
	t.notes(s)
	t.unjudged(s)
	t.wrong(s)
	t.faults(s)
	return t.err
}

// text prints until the first error. What models, servers and data say cannot move the cursor.
type text struct {
	w   io.Writer
	err error
}

func (t *text) print(format string, args ...any) {
	if t.err != nil {
		return
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = printable(arg)
		case fmt.Stringer:
			args[i] = printable(arg.String())
		}
	}
	_, t.err = fmt.Fprintf(t.w, format, args...)
}

// printable is [show.Printable] for text that has lines of its own.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = show.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// name is what a run is called among others.
func (r Run) name() string {
	if r.Repeat == 0 {
		return r.File.Rules
	}
	return fmt.Sprintf("%s #%d", r.File.Rules, r.Repeat)
}

// figures prints a line for each category and group, a column for each run.
func (t *text) figures(s *Sheet) {
	const label = 37
	line := func(name string, cells []string, n size) {
		t.print("%-*s", label, name)
		for i, cell := range cells {
			t.print("  %*s", max(15, utf8.RuneCountInString(s.Runs[i].name())), cell)
		}
		t.print("  %7s  %7s\n", count(n.samples), count(n.counted))
	}
	var heads []string
	for _, run := range s.Runs {
		heads = append(heads, run.name())
	}
	t.print("%-*s", label, "ACEBench "+string(s.Set.Language))
	for _, head := range heads {
		t.print("  %*s", max(15, utf8.RuneCountInString(head)), head)
	}
	t.print("  %7s  %7s\n", "samples", "counted")
	for _, c := range dataset.Categories() {
		cells, n, any := make([]string, len(s.Runs)), size{}, false
		for i, run := range s.Runs {
			got, ok := run.File.Categories[c]
			if !ok || len(s.Set.Only(c)) == 0 {
				continue
			}
			any, n = true, n.max(run.size(c))
			cells[i] = figure(got.Accuracy)
			if got.ProcessAcc != nil {
				cells[i] = "(" + figure(*got.ProcessAcc) + ") " + cells[i]
			}
		}
		if any {
			line(string(c), cells, n)
		}
	}
	t.print("\n")
	for _, run := range s.Runs {
		if steps(run.File) {
			t.print("(in parentheses: how far on average, by steps or milestones)\n\n")
			break
		}
	}
	grouped := false
	for _, g := range append(aggregate.GroupNames(), "OVERALL") {
		cells, n, any := make([]string, len(s.Runs)), size{}, false
		for i, run := range s.Runs {
			got, ok := group(run.File, g)
			if ok {
				any, n = true, n.max(run.size(aggregate.GroupCategories(g)...))
				cells[i] = figure(got.Accuracy)
			}
		}
		if any {
			line(g, cells, n)
			grouped = true
		}
	}
	if grouped {
		t.print("\n(%s)\n", strings.Join(s.averaged(), ")\n("))
	}
}

// steps reports whether some category has a figure for how far its samples came.
func steps(f *acebench.RunFile) bool {
	for _, c := range f.Categories {
		if c.ProcessAcc != nil {
			return true
		}
	}
	return false
}

// group returns a group's figure, of the official sheet the column that stands for it.
func group(f *acebench.RunFile, name string) (aggregate.Score, bool) {
	for _, cell := range f.Row {
		if cell.Column == officialGroups[name] {
			return aggregate.Score{Accuracy: cell.Value}, true
		}
	}
	if name == "OVERALL" && f.Overall != nil {
		return *f.Overall, true
	}
	got, ok := f.Groups[name]
	return got, ok
}

func figure(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// counts prints how many samples there are of each outcome.
func (t *text) counts(run Run) {
	c := run.File.Counts
	t.print("\n%s: %d right, %d wrong", run.name(), c.Right, c.Wrong)
	if c.Unasked > 0 {
		t.print(" (%d of them never asked)", c.Unasked)
	}
	for _, more := range []struct {
		n    int
		what string
	}{{c.ScorerError, "errors of the scorer"}, {c.Missing, "missing"}, {c.Diverged, "diverged"}, {c.Ambiguous, "ambiguous"}} {
		if more.n > 0 {
			t.print(", %d %s", more.n, more.what)
		}
	}
	t.print(" of %d\n  rules %s\n  data  %s\n", c.Samples, run.File.RulesDigest, run.File.Data)
	if run.File.Recording != "" {
		t.print("  tape  %s\n", run.File.Recording)
	}
	t.print("  verdicts %s\n", run.File.Verdicts)
}

// notes prints what is to be said about single answers.
func (t *text) notes(s *Sheet) {
	var loops []string
	for _, o := range s.inOrder() {
		if o.Remark != "" {
			t.print("note: %s%s: %s\n", o.Answer.ID, of(o.Repeat), o.Remark)
		}
		if o.OpenLoop {
			loops = append(loops, o.Answer.ID+of(o.Repeat))
		}
	}
	if len(loops) > 0 {
		t.print("note: open loop, the recorded messages were executed in order whatever would be asked now: %s\n", some(loops))
	}
}

func of(repeat int) string {
	if repeat < 2 {
		return ""
	}
	return fmt.Sprintf(" #%d", repeat)
}

// unjudged lists the samples without a verdict, those with the same reason together, and where rollouts diverged.
func (t *text) unjudged(s *Sheet) {
	var order []string
	ids := map[string][]string{} // by status and reason
	seen := map[string]bool{}
	for _, run := range s.Runs {
		for _, p := range run.Report.Problems {
			if !seen[p.String()] {
				t.print("problem: %s\n", p)
			}
			seen[p.String()] = true
		}
		for _, r := range run.File.Samples {
			if r.Status == acebench.OK {
				continue
			}
			// Only errors of the scorer depend on the rules.
			reason := r.Error
			if r.Status == acebench.ScorerError {
				reason = run.File.Rules + ": " + reason
			}
			line := string(r.Status) + ": " + indented(reason)
			if ids[line] == nil {
				order = append(order, line)
			}
			if id := r.ID + of(run.Repeat); !slices.Contains(ids[line], id) {
				ids[line] = append(ids[line], id)
			}
		}
	}
	for _, line := range order {
		t.print("%s: %s\n", some(ids[line]), line)
	}
	for _, o := range s.inOrder() {
		if d := o.Divergence; d != nil && !o.OpenLoop {
			t.print("\n%s%s diverged at step %d (- recorded, + asked):\n%s", o.Answer.ID, of(o.Repeat), d.Step, d.Diff)
		}
	}
}

// indented makes further lines of a text look like no lines of the sheet.
func indented(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }

// some is a list that does not get long.
func some(ids []string) string {
	const most = 8
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}

// wrong lists the first samples that were judged and are wrong.
func (t *text) wrong(s *Sheet) {
	for _, run := range s.Runs {
		n := 0
		for _, r := range run.File.Samples {
			if r.Status != acebench.OK || r.Valid {
				continue
			}
			if n++; n <= wrongListed {
				t.print("wrong (%s): %s: %s: %s\n", run.name(), r.ID, r.ErrorType, indented(r.Error))
			}
		}
		if n > wrongListed {
			t.print("  … and %d more; --format json lists them all, --explain ID says more of one\n", n-wrongListed)
		}
	}
}

// faults tells whose fault it was.
func (t *text) faults(s *Sheet) {
	failed := s.blamed()
	if len(failed) == 0 {
		return
	}
	t.print("\n")
	if union := s.union(len(failed)); union != "" {
		t.print("%s\n", union)
	}
	if t.err == nil {
		t.err = report.Faults(t.w, failed)
	}
}
