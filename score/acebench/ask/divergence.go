package ask

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// Divergence is the step at which a rollout that is played again asks what the recording does not hold. The simulator, a prompt or
// the data has changed since, or the recording is of another sample.
type Divergence struct {
	// Step is the iteration of the rollout's loop, [rollout.Opening] for the user's first line; To is who was asked.
	Step int
	To   rollout.Party
	// Nearest is the recorded exchange that is most like what was asked; nil when there is none of its kind.
	Nearest *tape.Ref
	// Diff is a unified diff from the nearest recorded request to the one that was asked.
	Diff string
	// Recorded and Asked are the first line that differs, mostly an observation; one of them may be empty.
	Recorded, Asked string
}

// NewDivergence describes a request that a recording could not answer.
func NewDivergence(r rollout.Request, miss *match.Miss) *Divergence {
	d := &Divergence{Step: r.Step, To: r.To, Diff: miss.Diff}
	if miss.Nearest != nil {
		d.Nearest = &miss.Nearest.Ref
	}
	d.Recorded, d.Asked = firstChange(miss.Diff)
	return d
}

// ofStep reports whether the nearest recorded request is the very step of the sample that missed, so that its text has changed. A
// recording that merely ends before the step has none.
func ofStep(miss *match.Miss, sample string, r rollout.Request) bool {
	if miss.Nearest == nil {
		return false
	}
	labels := miss.Nearest.Labels
	return labels["sample"] == sample && labels[labelTo] == string(r.To) && labels[labelStep] == strconv.Itoa(r.Step)
}

// firstChange returns the first line that a unified diff takes away and the first that it brings.
func firstChange(diff string) (gone, come string) {
	body := false
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case !body:
		case strings.HasPrefix(line, "-") && gone == "":
			gone = strings.TrimSpace(line[1:])
		case strings.HasPrefix(line, "+") && come == "":
			come = strings.TrimSpace(line[1:])
		}
	}
	return gone, come
}

// place names a question of a rollout.
func place(r rollout.Request) string {
	if r.Step == rollout.Opening {
		return fmt.Sprintf("the opening line of the %s", r.To)
	}
	return fmt.Sprintf("step %d, a question to the %s", r.Step, r.To)
}

// String is the divergence in one line.
func (d *Divergence) String() string {
	text := "diverged at " + place(rollout.Request{To: d.To, Step: d.Step})
	if d.Nearest == nil {
		return text + ": nothing like it is recorded"
	}
	text += fmt.Sprintf("; the nearest recorded request is %s/%d", d.Nearest.Session, d.Nearest.Seq)
	recorded, asked := beside(d.Recorded, d.Asked)
	return text + fmt.Sprintf(": recorded %q, asked %q", recorded, asked)
}

// beside cuts two lines down to where they begin to differ.
func beside(a, b string) (string, string) {
	const before, most = 30, 120
	x, y := []rune(a), []rune(b)
	at := 0
	for at < len(x) && at < len(y) && x[at] == y[at] {
		at++
	}
	cut := func(r []rune) string {
		from := max(0, at-before)
		text := string(r[min(from, len(r)):min(from+most, len(r))])
		if from > 0 {
			text = "…" + text
		}
		if from+most < len(r) {
			text += "…"
		}
		return text
	}
	return cut(x), cut(y)
}
