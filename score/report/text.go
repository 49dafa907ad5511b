package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

var rule = strings.Repeat("=", 72)

// Header is what stands above the verdicts.
type Header struct {
	// Model is the full id asked for, Endpoint the server's address.
	Model, Endpoint string
	// Placement says where the model runs, as "Pipeline / MlxRing / 1 nodes". Without a cluster it is "" and has no line.
	Placement string
	APIs      []tape.API
	// Scenarios, Repeats and Ways (to ask: whole, streamed) count what is asked. Ways of less than 2 is not told.
	Scenarios, Repeats, Ways int
	// Concurrency above 1 is told, and the headings between repeats are then left out.
	Concurrency int
}

// Text prints verdicts for people, while they come and when all are there.
type Text struct {
	w      io.Writer
	header Header
	repeat int // the repeat whose heading was printed last
	err    error
}

// NewText returns a printer that has printed the header.
func NewText(w io.Writer, h Header) *Text {
	t := &Text{w: w, header: h}
	names := make([]string, len(h.APIs))
	for i, api := range h.APIs {
		names[i] = string(api)
	}
	t.print("Model:     %s\n", h.Model)
	if h.Placement != "" {
		t.print("Placement: %s\n", h.Placement)
	}
	t.print("Endpoint:  %s\n", h.Endpoint)
	t.print("APIs:      %s\n", strings.Join(names, ", "))
	ways, tasks := "", h.Scenarios*h.Repeats*len(h.APIs)
	if h.Ways > 1 {
		ways = fmt.Sprintf(" x %d ways", h.Ways)
		tasks *= h.Ways
	}
	t.print("Scenarios: %d x %d repeats x %d APIs%s = %d runs\n", h.Scenarios, h.Repeats, len(h.APIs), ways, tasks)
	t.print("%s\n", rule)
	if h.Concurrency > 1 {
		t.print("Running %d tasks with concurrency=%d\n", tasks, h.Concurrency)
	}
	return t
}

// Task prints the verdicts of one task.
func (t *Text) Task(verdicts []score.Verdict) {
	if len(verdicts) == 0 {
		return
	}
	v := verdicts[0]
	run := ""
	if t.header.Repeats > 1 {
		run = fmt.Sprintf("[run %d/%d]", v.Repeat, t.header.Repeats)
		if t.header.Concurrency <= 1 && v.Repeat != t.repeat {
			t.print("\n--- Run %d/%d ---\n", v.Repeat, t.header.Repeats)
			t.repeat = v.Repeat
		}
	}
	t.print("\n  %s[%9s] %s%s: %s\n", run, v.API, v.Sample, way(v), v.Description)
	for _, v := range verdicts {
		t.verdict(v)
	}
}

func (t *Text) verdict(v score.Verdict) {
	if v.Status == score.Missing {
		t.print("    [%10s] MISSING\n", v.Phase)
	} else {
		t.print("    [%10s] %s  (%s)\n", v.Phase, passFail(v.Passed), wholeMS(v.LatencyMS))
	}
	for _, c := range v.Checks {
		sign := "-"
		if c.OK {
			sign = "+"
		}
		t.print("      %s %s\n", sign, c.Name)
	}
	if v.Error != nil && *v.Error != "" {
		t.print("      ! %s\n", *v.Error)
	}
}

// Summary prints the totals of all verdicts, in sample order, and what failed. It returns the first error there was in writing.
func (t *Text) Summary(verdicts []score.Verdict) error {
	all := score.Count(verdicts, nil)
	t.print("\n%s\n", rule)
	t.print("Total:       %d/%d passed (%s)\n", all.Passed, all.Total, percent(all))
	calls := score.Count(verdicts, func(v score.Verdict) bool { return v.Phase == "tool_call" })
	t.print("Tool call:   %d/%d passed\n", calls.Passed, calls.Total)
	if after := score.Count(verdicts, func(v score.Verdict) bool { return v.Phase == "follow_up" }); after.Total > 0 {
		t.print("Follow-up:   %d/%d passed\n", after.Passed, after.Total)
	}
	t.print("Avg latency: %s\n", wholeMS(averageMS(verdicts)))
	for _, api := range t.header.APIs {
		part := score.Count(verdicts, func(v score.Verdict) bool { return v.API == api })
		t.print("  %9s: %d/%d passed\n", api, part.Passed, part.Total)
	}
	t.list("Failed:", verdicts, func(v score.Verdict) bool { return v.Status == score.OK && !v.Passed })
	t.list("Missing:", verdicts, func(v score.Verdict) bool { return v.Status == score.Missing })
	return t.err
}

// list names the verdicts that pick chooses, under a title, with their errors.
func (t *Text) list(title string, verdicts []score.Verdict, pick func(score.Verdict) bool) {
	for _, v := range verdicts {
		if !pick(v) {
			continue
		}
		if title != "" {
			t.print("\n%s\n", title)
			title = ""
		}
		problem := "None"
		if v.Error != nil {
			problem = *v.Error
		}
		t.print("  - %s [%s/%s]%s: %s\n", v.Sample, v.API, v.Phase, way(v), problem)
	}
}

// Written says where the result file is.
func (t *Text) Written(path string) error {
	t.print("\nJSON results written to %s\n", path)
	return t.err
}

func (t *Text) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// way marks a sample that was asked for as a stream.
func way(v score.Verdict) string {
	if v.Stream {
		return " (streamed)"
	}
	return ""
}

func passFail(passed bool) string {
	if passed {
		return "PASS"
	}
	return "FAIL"
}

// wholeMS rounds the exact value to whole milliseconds, ties to even.
func wholeMS(ms float64) string { return strconv.FormatFloat(ms, 'f', 0, 64) + "ms" }

// percent rounds as Python does.
func percent(t score.Tally) string {
	if t.Total == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(t.Passed)/float64(t.Total), 'f', 0, 64) + "%"
}

// averageMS is the mean latency of the judged verdicts. It is summed as Python sums floats, with the rounding errors kept apart, so
// that a tie stays one.
func averageMS(verdicts []score.Verdict) float64 {
	var sum, lost float64
	n := 0
	for _, v := range verdicts {
		if v.Status != score.OK {
			continue
		}
		n++
		x := v.LatencyMS
		next := sum + x
		if abs(sum) >= abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	if n == 0 {
		return 0
	}
	return (sum + lost) / float64(n)
}

func abs(x float64) float64 { return max(x, -x) }
