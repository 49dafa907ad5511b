package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
)

// SummaryLimit is how many bytes GitHub takes as the summary of one step.
const SummaryLimit = 1 << 20

const (
	// annotations is how many errors GitHub shows of one step.
	annotations = 10
	// annotated is how many cases one annotation names.
	annotated = 10
	// titleLimit keeps titles below the 255 characters that GitHub shows.
	titleLimit = 200
)

// Summary returns the report as markdown for the summary of a GitHub job, in at most limit bytes: all of it, or less with a word on
// what was left out, or only the headline, or nothing.
func Summary(r *Report, limit int) []byte {
	if limit <= 0 {
		return nil
	}
	text := markdown(r, limit)
	if len(text) > limit {
		text = fmt.Appendf(nil, "## %s\n", prose(r.headline()))
	}
	if len(text) > limit {
		return nil
	}
	return text
}

// GitHub writes what the log of a GitHub job is to hold: a text for people, in which no workflow command is obeyed whatever it says, and
// the commands that make annotations. Cases that are wrong in the same way share one, so that the ten that GitHub shows tell all of it.
func GitHub(w io.Writer, r *Report, text []byte) error {
	if _, err := w.Write(harmless(text)); err != nil {
		return err
	}
	for _, c := range commands(r) {
		if _, err := io.WriteString(w, c); err != nil {
			return err
		}
	}
	return nil
}

// harmless puts text between lines that tell GitHub's runner not to obey what stands between them. The word that ends this is the
// text's own digest, which the text cannot hold.
func harmless(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	sum := sha256.Sum256(text)
	word := hex.EncodeToString(sum[:])
	var b []byte
	b = fmt.Appendf(b, "::stop-commands::%s\n", word)
	b = append(b, text...)
	if text[len(text)-1] != '\n' {
		b = append(b, '\n')
	}
	return fmt.Appendf(b, "::%s::\n", word)
}

// wrong are cases that are wrong in the same way.
type wrong struct {
	outcome Outcome
	kind    string
	cases   []string // a line for each
}

// commands are the annotations, the largest first.
func commands(r *Report) []string {
	var all []wrong
	place := map[[2]string]int{}
	for _, g := range r.Groups {
		for i := range g.Cases {
			x := &g.Cases[i]
			if x.Outcome != Failed && x.Outcome != Missing {
				continue
			}
			key := [2]string{string(x.Outcome), x.Kind}
			k, seen := place[key]
			if !seen {
				k = len(all)
				place[key] = k
				all = append(all, wrong{outcome: x.Outcome, kind: x.Kind})
			}
			all[k].cases = append(all[k].cases, line(g.Name+" "+x.Name+": "+cut(x.Reason, reasonLimit)))
		}
	}
	if len(all) == 0 {
		return []string{command("notice", r.Suite, r.headline())}
	}
	slices.SortStableFunc(all, func(a, b wrong) int { return len(b.cases) - len(a.cases) })
	var list []string
	for i, x := range all {
		if len(all) > annotations && i == annotations-1 {
			return append(list, rest(r, all[i:]))
		}
		list = append(list, command("error", fmt.Sprintf("%s: %d %s: %s", r.Suite, len(x.cases), x.outcome, x.kind), some(x.cases)))
	}
	return list
}

// rest is the annotation of all that have none of their own.
func rest(r *Report, all []wrong) string {
	n := 0
	var cases []string
	for _, x := range all {
		n += len(x.cases)
		cases = append(cases, x.cases...)
	}
	return command("error", fmt.Sprintf("%s: %d more, wrong in %d other ways", r.Suite, n, len(all)), some(cases))
}

func some(cases []string) string {
	if len(cases) <= annotated {
		return strings.Join(cases, "\n")
	}
	return strings.Join(cases[:annotated], "\n") + fmt.Sprintf("\nand %d more: see the summary of the job", len(cases)-annotated)
}

var (
	// GitHub's runner undoes these, and only these, in the message of a command and in its properties.
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// command is a workflow command, which makes an annotation.
func command(level, title, message string) string {
	return fmt.Sprintf("::%s title=%s::%s\n", level, propertyEscapes.Replace(line(cut(title, titleLimit))), messageEscapes.Replace(message))
}
