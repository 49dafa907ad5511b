package match

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// unified returns the whole diff between two outlines, and a short one for an error message.
func unified(recorded, asked string) (whole string, short []string) {
	edits := udiff.Lines(recorded, asked)
	if len(edits) == 0 {
		return "", nil
	}
	const from, to = "recorded", "asked"
	whole, err := udiff.ToUnified(from, to, recorded, edits, udiff.DefaultContextLines)
	if err != nil {
		return "", nil // the edits were made from this very text, so they fit it
	}
	for _, context := range []int{1, 0} {
		d, err := udiff.ToUnifiedDiff(from, to, recorded, edits, context)
		if err != nil {
			return whole, nil
		}
		short = shorten(d)
		if len(short) <= maxDiffLines {
			return whole, short
		}
	}
	return whole, cutLines(short)
}

// shorten writes a diff without its heads, each line cut to what can be read on a terminal around the place where it differs.
func shorten(d udiff.UnifiedDiff) []string {
	var out []string
	for i, hunk := range d.Hunks {
		if i > 0 {
			out = append(out, "…")
		}
		for j := 0; j < len(hunk.Lines); {
			if hunk.Lines[j].Kind == udiff.Equal {
				out = append(out, " "+clip(lineText(hunk.Lines[j]), 0))
				j++
				continue
			}
			var gone, come []string
			for ; j < len(hunk.Lines) && hunk.Lines[j].Kind != udiff.Equal; j++ {
				if text := lineText(hunk.Lines[j]); hunk.Lines[j].Kind == udiff.Delete {
					gone = append(gone, text)
				} else {
					come = append(come, text)
				}
			}
			out = append(out, change(gone, come)...)
		}
	}
	return out
}

func lineText(l udiff.Line) string { return strings.TrimRight(l.Content, "\n") }

// change writes the lines that went and those that came in their place, pair by pair.
func change(gone, come []string) []string {
	out := make([]string, 0, len(gone)+len(come))
	for i := range max(len(gone), len(come)) {
		if i < len(gone) {
			out = append(out, "-"+cutBeside(gone[i], come, i))
		}
		if i < len(come) {
			out = append(out, "+"+cutBeside(come[i], gone, i))
		}
	}
	return out
}

// cutBeside clips a line around the place where it begins to differ from others[i]. Where the two differ in blanks only, the blanks
// are made visible.
func cutBeside(line string, others []string, i int) string {
	if i >= len(others) {
		return clip(line, 0)
	}
	at := commonPrefix(line, others[i])
	if unblank(line) == unblank(others[i]) {
		return clip(visible.Replace(line), at)
	}
	return clip(line, at)
}

var visible = strings.NewReplacer(" ", "·", "\t", "→", "\u00a0", "⍽", "\u3000", "□")

// unblank returns s without its white space.
func unblank(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// commonPrefix counts the runes that two strings begin with alike.
func commonPrefix(a, b string) int {
	n := 0
	for a != "" && b != "" {
		x, size := utf8.DecodeRuneInString(a)
		y, other := utf8.DecodeRuneInString(b)
		if x != y || size != other {
			break
		}
		a, b = a[size:], b[size:]
		n++
	}
	return n
}

// lineWidth is how much of a line an error message shows, in runes.
const lineWidth = 110

// clip cuts a line to lineWidth runes with the rune at a place in view, and what is no visible character out of the way.
func clip(line string, at int) string {
	runes := []rune(line)
	start := 0
	if at > lineWidth/2 && len(runes) > lineWidth {
		start = min(at-lineWidth/3, len(runes)-lineWidth)
	}
	end := min(len(runes), start+lineWidth)
	out := make([]rune, 0, lineWidth+2)
	if start > 0 {
		out = append(out, '…')
	}
	for _, r := range runes[start:end] {
		if !unicode.IsGraphic(r) {
			r = unicode.ReplacementChar
		}
		out = append(out, r)
	}
	if end < len(runes) {
		out = append(out, '…')
	}
	return string(out)
}

// cutLines keeps the head of a long diff and says how much is left out.
func cutLines(lines []string) []string {
	kept := lines[: maxDiffLines-1 : maxDiffLines-1]
	return append(kept, fmt.Sprintf("… and %d more lines", len(lines)-len(kept)))
}
