package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// meter shows how far a run has come: a bar on a terminal, else a line for each tenth.
type meter struct {
	w       io.Writer
	bar     *progressbar.ProgressBar // nil where there is no terminal
	total   int
	started time.Time

	done, passed, recorded int
	tenth                  int // the last that was told
}

func newMeter(w io.Writer, total int) *meter {
	m := &meter{w: w, total: total, started: time.Now()}
	if isTerminal(w) {
		m.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionFullWidth(),
			progressbar.OptionThrottle(100*time.Millisecond),
		)
	}
	return m
}

// add counts a sample that is answered.
func (m *meter) add(passed, recorded bool) {
	m.done++
	if passed {
		m.passed++
	}
	if recorded {
		m.recorded++
	}
	if m.bar != nil {
		m.bar.Describe(fmt.Sprintf("%d right", m.passed))
		m.bar.Set(m.done)
		return
	}
	if tenth := 10 * m.done / m.total; tenth > m.tenth {
		m.tenth = tenth
		rate := float64(m.done) / max(time.Since(m.started).Seconds(), 1e-3)
		fmt.Fprintf(m.w, "%3d %%  %d of %d answered, %.1f/s, %d right\n", 100*m.done/m.total, m.done, m.total, rate, m.passed)
	}
}

// stop ends the display.
func (m *meter) stop() {
	if m.bar != nil {
		m.bar.Exit()
		fmt.Fprintln(m.w)
	}
	if m.recorded > 0 {
		fmt.Fprintf(m.w, "%d of them were on the tape already; another --tape asks anew\n", m.recorded)
	}
}
