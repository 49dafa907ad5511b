package offline

import "github.com/exodeck/exodeck/score/conformance"

// WordingOf is what problems are told apart by that have one code.
var WordingOf = wordingOf

// Folded is how many kinds of problems and how many texts are kept of reports that are folded.
func Folded(reports []*conformance.Report) (kinds, texts int) {
	f := newFold()
	for _, r := range reports {
		f.add(r)
	}
	for _, c := range f.codes {
		kinds += len(c.order)
	}
	return kinds, len(f.texts)
}
