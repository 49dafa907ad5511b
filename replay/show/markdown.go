package show

import (
	"fmt"
	"strings"
)

// CodeSpan writes text in markdown as code within a line, where it can be no markup, link or mention; "" for none.
func CodeSpan(s string) string {
	if s == "" {
		return ""
	}
	s = Printable(s)
	ticks := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// CodeBlock writes text in markdown as a block of code in a language, "" for none. Each line begins with the indent, as within a list.
func CodeBlock(indent, language, text string) string {
	ticks := strings.Repeat("`", max(longestRun(text)+1, 3))
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s\n", indent, ticks, language)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%s%s\n", indent, printableLine(line))
	}
	fmt.Fprintf(&b, "%s%s\n", indent, ticks)
	return b.String()
}

// longestRun is how often a backtick follows itself at most.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
