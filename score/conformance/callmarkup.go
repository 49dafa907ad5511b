package conformance

import (
	"slices"

	"github.com/exodeck/exodeck/score/conformance/markup"
)

// CallMarkup reports whether a text has markup that stands around calls, whether or not one can be read in it. A model has no reason to
// write it unless tools were offered.
func CallMarkup(text string) bool {
	j := &trial{text: markup.OutsideCode(text)}
	return slices.ContainsFunc(markup.Markers(j.text), j.marksCall)
}
