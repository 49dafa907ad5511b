// Package rules names the rule sets an ACEBench answer is judged by, and says what each of them decides.
//
// # Evalscope
//
// The verdicts of evalscope's acebench benchmark, at the revision that [Rules.Reference] names. An answer is the first balanced
// bracket block of the text (in dialogues: the whole text without any white space). Arguments are checked as that scorer checks
// them, its oddities included: values of declared integers and booleans are never compared, an expected text need only be
// contained in the answer, arguments that the schema does not require may be left out.
//
// # Official
//
// The verdicts of the scorer in the ACEBench repository. White space is removed from every normal answer before it is read, so a
// list inside an object no longer equals an expected list with blanks in it. Nothing may stand around the list. Categories that
// were not run count as 0, and all numbers are rounded to three decimals on the way.
//
// # Strict
//
// Ours: what a careful reader would say of the answer, so that a benchmark's own mistakes show.
//
//   - Reading: one complete block of reasoning between think tags at the front is set aside. What remains, without the blanks at
//     its ends, must be the bracketed list and nothing else. Blanks inside strings stay. Arguments are keywords with literal
//     values: a positional argument, a repeated keyword, *x and **x, a bare name and any other expression are format errors.
//   - Names: an expected call means the function whose name is its whole key; only when there is none, the key without one trailing
//     _N. The schema is the one with exactly the name.
//   - Calls: as many as expected, and matched with the expected ones one to one, in any order. A function without arguments may be
//     called without arguments.
//   - Arguments: every expected argument must be given, unless the schema does not require it and its value equals the schema's
//     default. An argument that is not expected is wrong, unless its value equals the schema's default.
//   - Values: compared as values of their kind. Numbers by amount (40.0 is 40, 99 is not), true is not 1, None only None. Texts are
//     normalised as the two others do (blanks and , . / - _ * ^ left out, lower case) and compared whole. Lists and objects compare
//     element by element with the same rules; a tuple is a list only where the schema declares a tuple.
//   - Special categories: as evalscope.
//   - Agents: as evalscope, and besides: recorded and expected classes pair by name without regard to case, an expected class or
//     attribute that was not recorded is wrong, and true is not 1.
//
// Strict verdicts are counted up as evalscope counts.
package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Rules is a rule set.
type Rules uint8

// The rule sets. The zero value is the default.
const (
	Evalscope Rules = iota
	Official
	Strict
)

// version counts the changes of a rule set's verdicts in this project. Raise it with any change that can move a verdict, so that
// run files of before and after are not taken for the same scoring.
const version = 1

// names holds, by rule set, the name on the command line and what was taken as the reference.
var names = [...]struct{ name, reference string }{
	Evalscope: {"evalscope", "modelscope/evalscope fde259d2a32ab8a4cdb3af44dc8b18f504f1e277"},
	Official:  {"official", "ACEBench/ACEBench e6db74b735ead22c24f27367606a9408573b848f"},
	Strict:    {"strict", "exodeck"},
}

// All returns every rule set, the default first.
func All() []Rules { return []Rules{Evalscope, Official, Strict} }

// String returns the name of r as the command line has it.
func (r Rules) String() string { return names[r].name }

// Reference names the program and revision whose verdicts r reproduces.
func (r Rules) Reference() string { return names[r].reference }

// Digest identifies the rule set and this project's version of it, as "sha256:" and hexadecimal digits.
func (r Rules) Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "acebench %s %s %d", r, r.Reference(), version))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Parse reads a comma-separated list of rule sets, such as "evalscope,strict". A set that is named twice counts once.
func Parse(list string) ([]Rules, error) {
	var all []Rules
	for name := range strings.SplitSeq(list, ",") {
		r, err := parseOne(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all, nil
}

func parseOne(name string) (Rules, error) {
	for _, r := range All() {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("unknown rules %q: use evalscope, official or strict, or several with commas between them", name)
}
