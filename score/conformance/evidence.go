package conformance

import "strings"

// EvidenceFor is the evidence for the blame of one problem: what is about its code, without the code in front, and what is about the whole
// exchange. That for other problems is left out.
func (r *Report) EvidenceFor(p *Problem) []string {
	var own []string
	for _, e := range r.Evidence {
		code, text, _ := strings.Cut(e, ": ")
		if _, ok := CodeOf(code); !ok {
			own = append(own, e)
		} else if code == p.Code {
			own = append(own, text)
		}
	}
	return own
}
