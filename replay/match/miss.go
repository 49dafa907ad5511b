package match

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Miss is the error of a request that no recorded exchange answers. It says what was nearest and what would have made it match.
type Miss struct {
	Method string
	// URL is the request target in the form in which targets are compared. Secrets are taken out of it, and of all that is shown.
	URL    string
	API    tape.API
	Labels map[string]string
	// Nearest is the exchange whose request is most like this one; nil when the tape has none of its kind.
	Nearest *tape.Exchange
	// Diff is a unified diff from the outline of the nearest request to that of this one; empty when they do not differ.
	Diff string
	// Reason says why nothing answers and what to do.
	Reason string

	short  []string          // Diff, cut down for Error
	beside map[string]string // labels of the nearest exchange
}

// Missing reports that the error means a lack of recorded answers, not a failure.
func (m *Miss) Missing() bool { return true }

// maxDiffLines bounds the diff in Error, which stays under 15 lines in all.
const maxDiffLines = 10

// Error describes the miss in at most 14 lines.
func (m *Miss) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no recorded answer to %s %s%s", clip(m.Method, 0), clip(m.URL, 0), labelText(m.Labels))
	if x := m.Nearest; x != nil {
		fmt.Fprintf(&b, "\nnearest: exchange %s/%d%s", x.Session, x.Seq, labelText(m.beside))
		if len(m.short) > 0 {
			b.WriteString(" (- recorded, + asked)")
		}
		for _, line := range m.short {
			b.WriteString("\n  " + line)
		}
	}
	b.WriteString("\n" + m.Reason)
	return b.String()
}

// labelText writes labels as " [k=v k=v]", nothing when there are none.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, name+"="+labels[name])
	}
	return " [" + clip(strings.Join(list, " "), 0) + "]"
}
