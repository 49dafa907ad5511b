package markup

import (
	"cmp"
	"slices"
	"strings"
)

// Call is a well-formed call that a text holds.
type Call struct {
	// Family is the name of the family in whose markup it is written.
	Family string
	Name   string
	// Arguments is the text of a JSON object.
	Arguments string
	// Start and End are its place in the text, in bytes. Calls that are written as one list share it.
	Start, End int
}

// Calls returns the calls a text holds, in any family's markup, in the order in which they stand. types may be nil.
func Calls(text string, types Types) []Call {
	if types == nil {
		types = func(string, string) string { return "" }
	}
	var all []Call
	for _, f := range Families {
		for _, c := range f.parse(text, types) {
			c.Family = f.Name
			all = append(all, c)
		}
	}
	// Of calls that overlap, such as one in plain JSON inside of one in markers, the outer one counts.
	slices.SortStableFunc(all, func(a, b Call) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	var last Call
	return slices.DeleteFunc(all, func(c Call) bool {
		if c.Start < last.End && (c.Family != last.Family || c.Start != last.Start || c.End != last.End) {
			return true
		}
		last = c
		return false
	})
}

// named is a call without its place.
type named struct{ name, arguments string }

// placed gives calls their place.
func placed(calls []named, start, end int) []Call {
	var all []Call
	for _, c := range calls {
		all = append(all, Call{Name: c.name, Arguments: c.arguments, Start: start, End: end})
	}
	return all
}

// skipBlanks returns a text without the blanks that it begins with.
func skipBlanks(text string) string { return strings.TrimLeft(text, " \t\r\n") }

// front returns the beginning of a text, in which a name has to end. It bounds the time that is spent where none does.
func front(text string) string { return text[:min(len(text), 512)] }

// attempts bounds how often a parser goes on after something that only looked like a call, so that its time stays in proportion to
// the text.
const attempts = 64

// behind reads the calls that stand behind each open in a text. read is told where open starts and where it ends, and returns the calls it
// finds there and where the last of them ends; without calls, the search goes on behind open.
func behind(text, open string, read func(start, at int) (calls []Call, end int)) []Call {
	var all []Call
	for at, failed := 0, 0; failed < attempts; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(open)
		if calls, end := read(start, at); len(calls) > 0 {
			all, at = append(all, calls...), end
		} else {
			failed++
		}
	}
	return all
}

// until returns what stands in a text before close. The end of the text may cut close off.
func until(text, close string) string {
	if before, _, found := strings.Cut(text, close); found {
		return before
	}
	for n := min(len(close), len(text)); n > 0; n-- {
		if before, ok := strings.CutSuffix(text, close[:n]); ok {
			return before
		}
	}
	return text
}

// closed returns where a call that ends at a place of a text ends with what closes it, as far as that follows.
func closed(text string, end int, closes ...string) int {
	for _, close := range closes {
		if rest := skipBlanks(text[end:]); close != "" && strings.HasPrefix(rest, close) {
			end = len(text) - len(rest) + len(close)
		}
	}
	return end
}
